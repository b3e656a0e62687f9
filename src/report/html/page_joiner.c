// Build tool that turns the script and the style of the page into C.  It joins the .js
// files and the .css files in the order of its arguments, without whole-line comments,
// empty lines and indentation, and adds their digests as a Content-Security-Policy has
// them.
//
// It refuses input that it cannot strip safely: a text in `...` or a comment over several
// lines, and anything that would end the HTML element around the text.
//
// usage: page-joiner OUTPUT FILE...
#include "base/sha256.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 4096,        // bytes of the longest line of input, with its newline and NUL
    BYTES_IN_LINE = 24, // numbers in a line of the C output
    DIGEST = 48,        // characters of a digest in base64, with its NUL
};

// The joined lines of the scripts, or of the styles; owned.
struct joined_text {
    char *at;
    size_t size;
};

// Report an error in an input file and end with exit code 1.
static _Noreturn void refuse(const char *file, unsigned line, const char *why) {
    fprintf(stderr, "%s:%u: %s\n", file, line, why);
    exit(1);
}

// --- lines --------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

// Whether a line contains a word; letters of either case match.
static bool has_word(const char *line, const char *word) {
    size_t length = strlen(word);
    for (; *line; line++) {
        size_t same = 0;
        while (same < length && (line[same] | 32) == (word[same] | 32)) {
            same++;
        }
        if (same == length) {
            return true;
        }
    }
    return false;
}

// The thing that a line leaves open: a text in ', " or `, or a comment, '*'; 0: nothing.
static char left_open(const char *line) {
    char open = 0;
    for (; *line; line++) {
        if (open == '*') {
            open = line[0] == '*' && line[1] == '/' ? 0 : open;
        } else if (open && line[0] == '\\' && line[1] != '\0') {
            line++;
        } else if (open) {
            open = *line == open ? 0 : open;
        } else if (line[0] == '/' && line[1] == '/') {
            return 0;
        } else if (line[0] == '/' && line[1] == '*') {
            open = '*';
            line++;
        } else if (*line == '`' || *line == '"' || *line == '\'') {
            open = *line;
        }
    }
    return open;
}

// Refuse a line that cannot be put into the page.
static void check_line(const char *file, unsigned number, const char *line) {
    static const char *const ends[] = {"</script", "</style", "<!--", "<script"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (has_word(line, ends[i])) {
            refuse(file, number, "would be taken for HTML");
        }
    }
    for (const char *at = line; *at; at++) {
        if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e) {
            refuse(file, number, "is not printable ASCII");
        }
    }
    char open = left_open(line);
    if (open == '`') {
        refuse(file, number, "a template goes over lines");
    }
    if (open == '*') {
        refuse(file, number, "a comment goes over lines");
    }
}

// Append a line and a newline.
static void add_line(struct joined_text *text, const char *line) {
    size_t size = strlen(line);
    text->at = realloc(text->at, text->size + size + 1);
    if (!text->at) {
        abort();
    }
    memcpy(text->at + text->size, line, size);
    text->at[text->size + size] = '\n';
    text->size += size + 1;
}

// Whether the whole line is a comment.
static bool is_comment(const char *line, bool is_script) {
    return is_script ? strncmp(line, "//", 2) == 0
                     : strncmp(line, "/*", 2) == 0 && ends_with(line, "*/") &&
                           strstr(line, "*/") == line + strlen(line) - 2;
}

// Append the lines of a file without comments, empty lines and indentation.
static void add_file(struct joined_text *text, const char *file) {
    bool is_script = ends_with(file, ".js");
    char line[LINE];
    unsigned number = 0;
    FILE *in = fopen(file, "r");
    if (!in) {
        refuse(file, 0, "cannot be read");
    }
    while (fgets(line, sizeof line, in)) {
        number++;
        size_t size = strcspn(line, "\n");
        if (line[size] != '\n') {
            refuse(file, number, "a line is too long, or does not end");
        }
        line[size] = '\0';
        const char *start = line + strspn(line, " ");
        if (*start == '\0' || is_comment(start, is_script)) {
            continue;
        }
        check_line(file, number, start);
        add_line(text, start);
    }
    fclose(in);
}

// --- C ------------------------------------------------------------------------------------

// Write the SHA-256 of a text in base64 (RFC 4648): 32 bytes become 44 characters, the
// last one "=".
static void digest_of(const struct joined_text *text, char out[DIGEST]) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t digest[HP_SHA256_SIZE + 1] = {0};
    struct hp_sha256 sha;
    size_t used = 0;
    hp_sha256_init(&sha);
    hp_sha256_add(&sha, text->at, text->size);
    hp_sha256_end(&sha, digest);
    for (size_t i = 0; i < HP_SHA256_SIZE; i += 3) {
        unsigned bits = (unsigned)digest[i] << 16 | (unsigned)digest[i + 1] << 8 |
                        (i + 2 < HP_SHA256_SIZE ? digest[i + 2] : 0u);
        for (int shift = 18; shift >= 0; shift -= 6) {
            out[used++] = digits[bits >> shift & 63];
        }
    }
    out[used - 1] = '=';
    out[used] = '\0';
}

// Write a text as a C array, with its size and digest.
static void put_text(FILE *out, const char *name, const struct joined_text *text) {
    char digest[DIGEST];
    digest_of(text, digest);
    fprintf(out, "const unsigned char hp_html_%s[] = {", name);
    for (size_t i = 0; i < text->size; i++) {
        fprintf(out, "%s%u,", i % BYTES_IN_LINE ? "" : "\n", (unsigned char)text->at[i]);
    }
    fprintf(out, "\n0};\nconst size_t hp_html_%s_size = %zu;\n", name, text->size);
    fprintf(out, "const char hp_html_%s_sha256[] = \"%s\";\n\n", name, digest);
}

int main(int argc, char **argv) {
    struct joined_text script = {NULL, 0}, style = {NULL, 0};
    for (int i = 2; i < argc; i++) {
        add_file(ends_with(argv[i], ".js") ? &script : &style, argv[i]);
    }
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fputs("usage: page-joiner OUTPUT FILE...\n", stderr);
        return 2;
    }
    fputs("#include \"report/html/html.h\"\n\n", out);
    put_text(out, "script", &script);
    put_text(out, "style", &style);
    free(script.at);
    free(style.at);
    return fclose(out) == 0 ? 0 : 1;
}
