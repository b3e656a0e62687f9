#include "calc/temporary_paths.h"

#include <string.h>

enum {
    LETTERS = 4,    // Letters that must be left in the name besides "lib" and ".so".
    LONG = 6,       // digits in a row that are too many for a version
    UUID_SIZE = 36, // 8-4-4-4-12 digits
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_below_temporary(struct hp_span path) {
    return hp_span_starts(path, "/tmp/") || hp_span_starts(path, "/var/tmp/") ||
           hp_span_starts(path, "/dev/shm/");
}

// Return the length of the text's beginning for whose characters `is` is true.
static size_t run_of(struct hp_span text, bool (*is)(char)) {
    size_t size = 0;
    while (size < text.size && is(text.at[size])) {
        size++;
    }
    return size;
}

// Return whether a character continues a word: a digit or a letter.
static bool is_word(char c) {
    return is_digit(c) || is_letter(c);
}

// Return whether the text begins with a UUID that ends there.
static bool is_uuid(struct hp_span text) {
    bool is = text.size >= UUID_SIZE;
    for (size_t i = 0; is && i < UUID_SIZE; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        is = is_dash ? text.at[i] == '-' : is_hex(text.at[i]);
    }
    return is && (text.size == UUID_SIZE || !is_word(text.at[UUID_SIZE]));
}

static bool has_digit(struct hp_span text) {
    bool has = false;
    for (size_t i = 0; i < text.size; i++) {
        has |= is_digit(text.at[i]);
    }
    return has;
}

// Return the length of the random part at the beginning of `text`; 0: none.
static size_t random_size(struct hp_span text, bool begins_word) {
    if (begins_word && is_uuid(text)) {
        return UUID_SIZE;
    }
    size_t word = run_of(text, is_word), hex = run_of(text, is_hex);
    bool is_whole = begins_word && hex == word && hex >= LONG;
    if (is_whole && has_digit((struct hp_span){text.at, hex})) {
        return hex;
    }
    size_t digits = run_of(text, is_digit);
    return digits >= LONG ? digits : 0;
}

// Append the text, with '*' for each random part.
static void add_pattern(struct hp_temporary_text *out, struct hp_span text) {
    for (size_t i = 0; i < text.size;) {
        bool begins_word = i == 0 || !is_word(text.at[i - 1]);
        size_t size = random_size(hp_span_from(text, i), begins_word);
        hp_vec_push(&out->bytes, size > 0 ? '*' : text.at[i]);
        i += size > 0 ? size : 1;
    }
}

// Return the number of letters in a file name, not counting "lib" and ".so".
static size_t count_letters(struct hp_span name) {
    size_t letters = 0;
    for (size_t i = 0; i < name.size; i++) {
        letters += is_letter(name.at[i]);
    }
    letters -= hp_span_starts(name, "lib") ? strlen("lib") : 0;
    return letters - (hp_span_ends(name, ".so") ? strlen("so") : 0);
}

struct hp_span hp_temporary_path(struct hp_span path, bool is_deleted,
                                 struct hp_temporary_text *text) {
    bool is_below = is_below_temporary(path);
    if (!is_below && !is_deleted) {
        return path;
    }
    struct hp_span name = hp_span_basename(path);
    size_t folder = is_below ? 0 : path.size - name.size;
    text->bytes.count = 0;
    hp_vec_append(&text->bytes, path.at, folder);
    add_pattern(text, hp_span_from(path, folder));
    struct hp_span pattern = {text->bytes.at, text->bytes.count};
    bool is_recognizable = count_letters(hp_span_basename(pattern)) >= LETTERS;
    return is_recognizable ? pattern : path;
}
