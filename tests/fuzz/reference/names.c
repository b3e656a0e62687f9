// The slow reader of the names before a dump (jeprof --raw).
#include "reference.h"

#include <string.h>

// Offset of the last "--" that is not part of "operator--"; SIZE_MAX if there is none.
static size_t last_dashes(struct hp_span names) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i + 2 <= names.size; i++) {
        struct hp_span before = {names.at, i};
        bool is = memcmp(names.at + i, "--", 2) == 0 && !hp_span_ends(before, "operator");
        found = is ? i : found;
    }
    return found;
}

// Record the names of an address, "outer--inlined", where the innermost is the last.
static void embed_names(struct hp_dump *dump, uint64_t address, struct hp_span names) {
    for (int calls = 0; names.size > 0 && calls < 256; calls++) {
        size_t dashes = last_dashes(names);
        size_t start = dashes == SIZE_MAX ? 0 : dashes + 2;
        struct hp_span name = hp_span_from(names, start);
        struct hp_embedded_call call = {.function = hp_strtab_add(&dump->strings, name)};
        hp_vec_push(&dump->embedded_calls, call);
        names.size = dashes == SIZE_MAX ? 0 : dashes;
    }
    hp_dump_embed(dump, address);
}

// Read a line "0x10 names".  An address that is named by itself has no name.
static void read_key(struct reference *r, struct hp_span line) {
    struct reference_scan s = reference_scan_of(line);
    uint64_t address = reference_hex(&s);
    struct hp_span key = {line.at, (size_t)(s.at - line.at)};
    reference_need(&s, " ", "a name after the address");
    if (s.wanted) {
        reference_malformed(r, s.wanted);
        return;
    }
    struct hp_span names = {s.at, (size_t)(s.end - s.at)};
    if (!hp_span_equal(names, key)) {
        embed_names(&r->dump, address, names);
    }
}

void reference_read_names(struct reference *r) {
    for (r->next++; !reference_at_end(r); r->next++) {
        struct hp_span line = reference_line(r);
        if (hp_span_is(line, "---")) {
            r->next++;
            return;
        }
        if (hp_span_starts(line, "0x")) {
            read_key(r, line);
        } else if (line.size == 0 || !memchr(line.at, '=', line.size)) {
            reference_malformed(r, "a name, a variable or the end of the names");
        }
    }
    r->ret = hp_fail(&r->err, HP_E_FORMAT, "damaged: the file ends within the names");
    r->err.line = r->next + 1;
}
