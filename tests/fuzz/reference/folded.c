// The slow reader of folded stacks.
#include "reference.h"

#include <string.h>

// A line such as "main;work 128", as its parts.
struct parts {
    size_t names;  // size of the names
    size_t number; // where the number begins
    bool is_good, has_second;
};

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static struct parts parts_of(struct hp_span line) {
    struct parts parts = {.is_good = true};
    for (size_t i = 0; i < line.size; i++) {
        bool is_control = (unsigned char)line.at[i] < ' ' || line.at[i] == 127;
        parts.is_good &= !is_control || line.at[i] == '\t';
        bool begins = is_digit(line.at[i]) && (i == 0 || !is_digit(line.at[i - 1]));
        parts.number = begins ? i : parts.number;
    }
    parts.is_good &= line.size > 0 && is_digit(line.at[line.size - 1]) &&
                     parts.number > 0 && is_blank(line.at[parts.number - 1]);
    for (size_t i = 0; i < parts.number; i++) {
        parts.names = is_blank(line.at[i]) ? parts.names : i + 1;
    }
    parts.is_good &= parts.names > 0;
    size_t digits = parts.names;
    while (digits > 0 && is_digit(line.at[digits - 1])) {
        digits--;
    }
    parts.has_second =
        digits < parts.names && digits > 0 && is_blank(line.at[digits - 1]);
    return parts;
}

bool reference_is_folded(const struct reference *r) {
    for (size_t i = 0; i < r->lines.count; i++) {
        struct hp_span line = r->lines.at[i].text;
        line.size -= hp_span_ends(line, "\r");
        struct parts parts = parts_of(line);
        if (!parts.is_good) {
            return false;
        }
        for (size_t k = 0; k < parts.names; k++) {
            if (line.at[k] == ';') {
                return true;
            }
        }
    }
    return false;
}

static void fail(struct reference *r, const char *what) {
    r->ret = hp_fail(&r->err, HP_E_FORMAT, "%s", what);
    r->err.line = r->next + 1;
}

static uint64_t address_of(struct hp_span name) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < name.size; i++) {
        hash ^= (unsigned char)name.at[i];
        hash *= 1099511628211u;
    }
    return hash | 1ull << 63;
}

// Add a frame, with a new address unless there is one of its name.
static void add_frame(struct hp_dump *dump, struct hp_span name) {
    if (name.size == 0) {
        name = hp_span_of("[unknown]");
    }
    hp_string string = hp_strtab_add(&dump->strings, name);
    uint32_t number = 0;
    while (number < dump->embedded_calls.count &&
           dump->embedded_calls.at[number].function.n != string.n) {
        number++;
    }
    if (number == dump->embedded_calls.count) {
        hp_vec_push(&dump->addresses, address_of(name));
        hp_vec_push(&dump->rows, 0);
        hp_vec_push(&dump->embedded_calls, ((struct hp_embedded_call){string}));
        hp_dump_embed(dump, number);
    }
    hp_vec_push(&dump->frames, number);
}

static uint32_t add_frames(struct hp_dump *dump, struct hp_span names) {
    size_t end = names.size;
    uint32_t depth = 0;
    for (size_t i = names.size; i-- > 0;) {
        if (names.at[i] == ';') {
            add_frame(dump, (struct hp_span){names.at + i + 1, end - i - 1});
            end = i;
            depth++;
        }
    }
    add_frame(dump, (struct hp_span){names.at, end});
    return depth + 1;
}

static void read_line(struct reference *r) {
    struct hp_span line = reference_line(r);
    struct parts parts = parts_of(line);
    struct reference_scan s = reference_scan_of(hp_span_from(line, parts.number));
    uint64_t value = parts.is_good ? reference_decimal(&s) : 0;
    if (!parts.is_good) {
        fail(r, "expected a folded stack, as \"main;work 128\"");
    } else if (parts.has_second) {
        fail(r, "two numbers: this is a comparison. Use the two profiles");
    } else if (s.wanted || value >= 1ull << 62) {
        fail(r, "a number of 2^62 or more");
    } else {
        struct hp_dump_stack stack = {.counts.inuse.bytes = value,
                                      .first_frame = r->dump.frames.count};
        stack.depth = add_frames(&r->dump, (struct hp_span){line.at, parts.names});
        hp_vec_push(&r->dump.stacks, stack);
    }
}

void reference_read_folded(struct reference *r) {
    r->dump.producer = HP_PRODUCER_FOLDED;
    r->dump.scaling = HP_SCALING_SCALED;
    r->dump.missing_metrics =
        1u << HP_INUSE_OBJECTS | 1u << HP_ALLOC_SPACE | 1u << HP_ALLOC_OBJECTS;
    r->dump.has_rows = true;
    for (; r->ret == HP_OK && !reference_at_end(r); r->next++) {
        if (r->lines.at[r->next].has_newline) {
            read_line(r);
        }
    }
    if (r->ret == HP_OK) {
        reference_read_end(r, NULL);
    }
}
