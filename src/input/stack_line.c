#include "input/stack_line.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    FIRST_SLOTS = 1 << 10, // slots of a new table
    // Number of slots of a table from which on they are prefetched: near caches hold few
    // of them.
    FAR_SLOTS = 1 << 16,
    // Number of slots from which on a table is filled to three quarters instead of half:
    // no cache holds it, so that memory costs more than probes.
    MANY_SLOTS = 1 << 17,
    LAST_EPOCH = (1 << 27) - 1,
    COMMON_SIZE = 12, // digits of most addresses
    BATCH = 64,       // tokens read in one run
};

// --- tokens ----------------------------------------------------------------------------

// A token of up to 16 hexadecimal digits: its first 8 bytes; its last 8 bytes if it has
// more than 8, else 0; and its size.
struct token {
    uint64_t head, tail;
    uint32_t size;
};

// Make a token of `size` bytes. 8 bytes must be readable at `digits`.
static inline struct token token_of(const char *digits, uint32_t size) {
    uint64_t head = hp_load8(digits);
    if (size < 8) {
        head &= ((uint64_t)1 << size * 8) - 1;
    }
    return (struct token){head, size > 8 ? hp_load8(digits + size - 8) : 0, size};
}

// The hash of a token; its low bits are the first slot to try.
static inline size_t hash_of(const struct hp_tokens *tokens, struct token token) {
    return (size_t)hp_hash_mix(token.head ^ tokens->key, token.tail ^ 0xe7037ed1a0b428db);
}

// Returns the number of a token (the index in dump->addresses), or UINT32_MAX if it is
// not in the table; then *free is the slot where it belongs.
static inline uint32_t find_token(const struct hp_tokens *tokens, struct token token,
                                  struct hp_token_slot **free) {
    size_t mask = tokens->slot_count - 1;
    uint32_t mark = tokens->epoch << 5 | token.size;
    for (size_t i = hash_of(tokens, token);; i++) {
        struct hp_token_slot *slot = &tokens->slots[i & mask];
        if (slot->head == token.head && slot->tail == token.tail && slot->mark == mark) {
            return slot->id;
        }
        if (slot->mark >> 5 != tokens->epoch) {
            *free = slot;
            return UINT32_MAX;
        }
    }
}

// Returns the slot for a token that is known not to be in the table.
static struct hp_token_slot *free_slot(const struct hp_tokens *tokens,
                                       struct token token) {
    size_t mask = tokens->slot_count - 1, i = hash_of(tokens, token) & mask;
    while (tokens->slots[i].mark >> 5 == tokens->epoch) {
        i = (i + 1) & mask;
    }
    return &tokens->slots[i];
}

// Empty the table for another dump, by beginning a new epoch. When epochs run out, the
// slots are cleared.
static void clear_tokens(struct hp_tokens *tokens) {
    if (!tokens->slots) {
        tokens->slot_count = FIRST_SLOTS;
        tokens->slots = hp_alloc(FIRST_SLOTS * sizeof *tokens->slots);
        tokens->key = hp_hash_key();
    }
    if (tokens->epoch == LAST_EPOCH) {
        memset(tokens->slots, 0, tokens->slot_count * sizeof *tokens->slots);
        tokens->epoch = 0;
    }
    tokens->epoch++;
    tokens->used = 0;
}

// Double the table.
static void grow(struct hp_tokens *tokens) {
    struct hp_tokens old = *tokens;
    tokens->slot_count *= 2;
    tokens->slots = hp_alloc(tokens->slot_count * sizeof *tokens->slots);
    for (size_t i = 0; i < old.slot_count; i++) {
        const struct hp_token_slot *slot = &old.slots[i];
        if (slot->mark >> 5 == old.epoch) {
            struct token token = {slot->head, slot->tail, slot->mark & 31};
            *free_slot(tokens, token) = *slot;
        }
    }
    free(old.slots);
}

// Whether the table must grow: when half full, or, if it is large, three quarters full.
static bool is_full(const struct hp_tokens *tokens) {
    size_t slots = tokens->slot_count;
    return tokens->used >= (slots < MANY_SLOTS ? slots / 2 : slots / 4 * 3);
}

// Store a token in the free slot that find_token() returned.
static inline void keep_token(struct hp_tokens *tokens, struct token token, uint32_t id,
                              struct hp_token_slot *slot) {
    *slot = (struct hp_token_slot){token.head, token.tail, id,
                                   tokens->epoch << 5 | token.size};
    tokens->used++;
    if (is_full(tokens)) {
        grow(tokens);
    }
}

// --- lines -----------------------------------------------------------------------------

void hp_stack_lines_forget(struct hp_stack_lines *lines) {
    lines->previous = NULL;
    lines->previous_size = 0;
    lines->ends.count = 0;
}

void hp_stack_lines_clear(struct hp_stack_lines *lines) {
    clear_tokens(&lines->tokens);
    hp_stack_lines_forget(lines);
    lines->is_too_deep = false;
}

void hp_stack_lines_done(struct hp_stack_lines *lines) {
    free(lines->tokens.slots);
    lines->tokens = (struct hp_tokens){0};
    hp_vec_done(&lines->ends);
}

// Read `size` hexadecimal digits. Returns false if one is no digit.
static bool read_digits(const char *digits, uint32_t size, uint64_t *address) {
    unsigned seen = 0;
    *address = 0;
    for (uint32_t i = 0; i < size; i++) {
        unsigned digit = hp_hex_digit(digits[i]);
        *address = *address << 4 | digit;
        seen |= digit;
    }
    return seen < 16;
}

// Add a new token and its address. Returns the index in dump->addresses, or UINT32_MAX if
// the token is not a hexadecimal number. This is a function of its own so that the loop
// of read_run() keeps its variables in registers.
static __attribute__((noinline)) uint32_t add_token(struct hp_stack_lines *lines,
                                                    const char *digits, uint32_t size,
                                                    struct hp_token_slot *slot,
                                                    struct hp_dump *dump) {
    uint64_t address;
    if (!read_digits(digits, size, &address)) {
        return UINT32_MAX;
    }
    uint32_t id = (uint32_t)dump->addresses.count;
    hp_vec_push(&dump->addresses, address);
    keep_token(&lines->tokens, token_of(digits, size), id, slot);
    return id;
}

// Returns the index in dump->addresses of the address with these hexadecimal digits,
// adding it if it is new; UINT32_MAX if a byte is not a digit.
static uint32_t number_of(struct hp_stack_lines *lines, const char *digits, uint32_t size,
                          struct hp_dump *dump) {
    struct token token = token_of(digits, size);
    struct hp_token_slot *slot = NULL;
    uint32_t id = find_token(&lines->tokens, token, &slot);
    return id != UINT32_MAX ? id : add_token(lines, digits, size, slot, dump);
}

// Returns the number of leading bytes that two texts have in common, at most `limit`. Up
// to `limit` + 7 bytes of each are read.
static size_t common_prefix(const char *a, const char *b, size_t limit) {
    for (size_t i = 0; i < limit; i += 8) {
        uint64_t differ = hp_load8(a + i) ^ hp_load8(b + i);
        if (differ) {
            size_t same = i + (size_t)__builtin_ctzll(differ) / 8;
            return same < limit ? same : limit;
        }
    }
    return limit;
}

// Append the frames of the leading tokens that this line shares with the line before; the
// byte after each token must be the same, too. `room` is the number of bytes from `line`
// to the end of the text. Returns the number of bytes of the line that these tokens take.
static size_t reuse(struct hp_stack_lines *lines, const char *line, size_t room,
                    struct hp_dump *dump) {
    size_t limit = room < lines->previous_size ? room : lines->previous_size;
    size_t same = lines->previous ? common_prefix(lines->previous, line, limit) : 0;
    size_t count = 0;
    while (count < lines->ends.count && lines->ends.at[count] < same) {
        count++;
    }
    lines->ends.count = count;
    if (count == 0) {
        return 0;
    }
    hp_vec_reserve(&dump->frames, count);
    memcpy(dump->frames.at + dump->frames.count, dump->frames.at + lines->previous_frame,
           count * sizeof *dump->frames.at);
    dump->frames.count += count;
    return lines->ends.at[count - 1];
}

// Returns the number of leading bytes that are '0' or above, as all digits are and white
// space is not; 16 if the first 16 are.
static inline uint32_t token_size(const char *digits) {
    uint64_t zeros = 0x3030303030303030, signs = 0x8080808080808080;
    uint64_t word = hp_load8(digits);
    uint64_t below = (word - zeros) & ~word & signs;
    if (below) {
        return (uint32_t)__builtin_ctzll(below) / 8;
    }
    word = hp_load8(digits + 8);
    below = (word - zeros) & ~word & signs;
    return below ? 8 + (uint32_t)__builtin_ctzll(below) / 8 : 16;
}

// Whether the text at `at` may be a token of `size` digits in the form that jemalloc
// writes, " 0x7fc9268a2630".
static inline bool may_be_usual(const char *at, uint32_t size) {
    char next_byte = at[3 + size];
    return (next_byte == ' ' || next_byte == '\n') && memcmp(at, " 0x", 3) == 0 &&
           size > 0;
}

// Prefetch the slots of the next tokens of `size` digits, before they are needed.
HP_PREFETCHES void prefetch_run(const struct hp_tokens *tokens, const char *at,
                                uint32_t size) {
    size_t mask = tokens->slot_count - 1;
    for (size_t i = 0; i < BATCH && may_be_usual(at, size); i++) {
        size_t hash = hash_of(tokens, token_of(at + 3, size));
        __builtin_prefetch(&tokens->slots[hash & mask]);
        at += 3 + size;
    }
}

// Read up to BATCH tokens in jemalloc's form, each of `size` digits. Returns the position
// after the last token that was read.
static inline const char *read_run(struct hp_stack_lines *lines, const char *line,
                                   const char *at, uint32_t size, struct hp_dump *dump) {
    hp_vec_reserve(&dump->frames, BATCH);
    hp_vec_reserve(&lines->ends, BATCH);
    uint32_t *frames = dump->frames.at + dump->frames.count;
    uint32_t *ends = lines->ends.at + lines->ends.count;
    // A copy: the compiler can keep it in registers, as no store here changes it.
    struct hp_tokens tokens = lines->tokens;
    size_t count = 0;
    if (tokens.slot_count >= FAR_SLOTS) {
        prefetch_run(&tokens, at, size);
    }
    while (count < BATCH && may_be_usual(at, size)) {
        struct token token = token_of(at + 3, size);
        struct hp_token_slot *slot = NULL;
        uint32_t id = find_token(&tokens, token, &slot);
        if (id == UINT32_MAX) {
            id = add_token(lines, at + 3, size, slot, dump);
            tokens = lines->tokens;
        }
        if (id == UINT32_MAX) {
            break;
        }
        at += 3 + size;
        frames[count] = id;
        ends[count++] = (uint32_t)(at - line);
    }
    dump->frames.count += count;
    lines->ends.count += count;
    return at;
}

// Read a run of tokens of 12 digits, as most addresses have. With a constant size there
// is less to compute, and the processor can begin with the next token before the number
// of the current one is found.
static const char *read_common_run(struct hp_stack_lines *lines, const char *line,
                                   const char *at, struct hp_dump *dump) {
    return read_run(lines, line, at, COMMON_SIZE, dump);
}

// Read a run of tokens that all have the same number of digits, other than 12.
static const char *read_other_run(struct hp_stack_lines *lines, const char *line,
                                  const char *at, struct hp_dump *dump) {
    return read_run(lines, line, at, token_size(at + 3), dump);
}

// Read a whole line in the form that jemalloc writes. Returns false if it has another
// form, or too many frames: the line must then be read by read_any().
static bool read_usual(struct hp_stack_lines *lines, struct hp_cursor *c,
                       const char *line, struct hp_dump *dump) {
    const char *at = line + reuse(lines, line, (size_t)(c->end - line), dump);
    while (*at != '\n') {
        const char *stopped = token_size(at + 3) == COMMON_SIZE
                                  ? read_common_run(lines, line, at, dump)
                                  : read_other_run(lines, line, at, dump);
        if (stopped == at || lines->ends.count > HP_DEPTH_LIMIT) {
            return false;
        }
        at = stopped;
    }
    c->at = at + 1;
    lines->previous = line;
    lines->previous_size = (size_t)(c->at - line);
    return true;
}

// Read a token in any form, with or without 0x, leading zeros or upper case. Returns the
// index of its address in dump->addresses. A token of more than 16 digits gets a number
// of its own each time.
static uint32_t read_any_token(struct hp_stack_lines *lines, struct hp_cursor *c,
                               struct hp_dump *dump) {
    struct hp_cursor start = *c;
    hp_cursor_accept_word(&start, "0x");
    const char *digits = start.at;
    uint64_t address = hp_cursor_hex(c);
    size_t size = (size_t)(c->at - digits);
    if (hp_cursor_good(c) && size <= 16) {
        return number_of(lines, digits, (uint32_t)size, dump);
    }
    hp_vec_push(&dump->addresses, address);
    return (uint32_t)dump->addresses.count - 1;
}

// Read a whole line in any form. On failure, which *c records, no frame is appended.
static void read_any(struct hp_stack_lines *lines, struct hp_cursor *c,
                     struct hp_dump *dump) {
    size_t first = dump->frames.count;
    for (hp_cursor_spaces(c); hp_cursor_good(c); hp_cursor_spaces(c)) {
        if (hp_cursor_at_end(c) || *c->at == '\n' || *c->at == '\r') {
            break;
        }
        if (dump->frames.count - first == HP_DEPTH_LIMIT) {
            lines->is_too_deep = true;
            hp_cursor_fail(c, HP_WORDS("line-stack-too-deep", "at most 65,536 frames"));
            break;
        }
        hp_vec_push(&dump->frames, read_any_token(lines, c, dump));
    }
    hp_cursor_newline(c);
    if (!hp_cursor_good(c)) {
        dump->frames.count = first;
    }
}

void hp_stack_line_read(struct hp_stack_lines *lines, struct hp_cursor *c,
                        struct hp_dump *dump) {
    const char *line = c->at;
    size_t first = dump->frames.count;
    if (!read_usual(lines, c, line, dump)) {
        dump->frames.count = first;
        hp_stack_lines_forget(lines);
        read_any(lines, c, dump);
    }
    lines->previous_frame = first;
}
