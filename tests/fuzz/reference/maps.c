// The slow reader of memory maps.
#include "input/address_tags.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

// A line "name=value" of the map, to which paths may refer as "$name".
struct map_variable {
    struct hp_span name, value;
};

struct map_variables {
    struct map_variable of[64];
    size_t count;
};

static bool is_permission(char byte) {
    return byte == '-' || byte == 'r' || byte == 'w' || byte == 'x' || byte == 'p' ||
           byte == 's';
}

// Parse the rest of a row of /proc/PID/maps, after its addresses.
static void read_linux(struct reference_scan *s, struct hp_mapping *row) {
    int rights = 0;
    reference_need(s, " ", "a space");
    for (int i = 0; i < 4 && !s->wanted; i++) {
        if (s->at == s->end || !is_permission(*s->at)) {
            reference_need(s, "permissions", "permissions");
            return;
        }
        rights += strchr("rwx", *s->at) != NULL;
        row->executable |= *s->at++ == 'x';
    }
    row->reserved = rights == 0;
    reference_blanks(s);
    row->offset = reference_hex(s);
    reference_blanks(s);
    row->file.device = reference_hex(s) * 0x100000000;
    reference_need(s, ":", "':'");
    row->file.device += reference_hex(s) % 0x100000000;
    reference_blanks(s);
    row->file.inode = reference_decimal(s);
    reference_blanks(s);
    row->path = reference_rest(s);
    if (hp_span_ends(row->path, " (deleted)")) {
        row->path.size -= strlen(" (deleted)");
        row->deleted = true;
    }
}

// Parse the rest of a row "START-END: PATH".
static void read_macos(struct reference_scan *s, struct hp_mapping *row) {
    s->at++;
    reference_blanks(s);
    row->path = reference_rest(s);
    row->executable = true;
}

// The size of a path in `text` without " NCH -1" or " CH 1001" at its end.
static size_t end_of_path(struct hp_span text) {
    size_t end = text.size;
    while (end > 0 && strchr("-0123456789", text.at[end - 1]) && text.at[end - 1]) {
        end--;
    }
    struct hp_span rest = {text.at, end};
    return hp_span_ends(rest, " NCH ")  ? end - strlen(" NCH ")
           : hp_span_ends(rest, " CH ") ? end - strlen(" CH ")
                                        : text.size;
}

// Parse the rest of a row of FreeBSD.  The fourth word contains the permissions; the path
// begins at the eleventh.  A NUL ends a word, and no word follows it.
static void read_freebsd(struct reference_scan *s, struct hp_mapping *row) {
    for (int i = 0; i < 10; i++) {
        reference_blanks(s);
        while (s->at < s->end && *s->at && !strchr(" \t\r", *s->at)) {
            row->executable |= i == 3 && *s->at == 'x';
            s->at++;
        }
    }
    reference_blanks(s);
    struct hp_span rest = reference_rest(s);
    rest.size = end_of_path(rest);
    row->path = hp_span_is(rest, "-") ? (struct hp_span){rest.at, 0} : rest;
}

bool reference_is_path(struct hp_span path) {
    size_t name = 0;
    while (name < path.size && path.at[path.size - 1 - name] != '/') {
        name++;
    }
    return path.size <= 4096 && name <= 255;
}

// Parse a row of the map, of any system; returns false if it is malformed.
static bool read_row(struct hp_span line, struct hp_mapping *row) {
    struct reference_scan s = reference_scan_of(line);
    *row = (struct hp_mapping){.path = {line.at, 0}};
    reference_blanks(&s);
    bool is_freebsd = s.end - s.at > 2 && s.at[0] == '0' && s.at[1] == 'x';
    row->start = reference_hex(&s);
    reference_need(&s, is_freebsd ? " " : "-", "an address range");
    row->end = reference_hex(&s);
    if (s.wanted) {
        return false;
    }
    if (is_freebsd) {
        read_freebsd(&s, row);
    } else if (reference_next_is(&s, ':')) {
        read_macos(&s, row);
    } else {
        read_linux(&s, row);
    }
    uint64_t last;
    return !s.wanted && reference_is_path(row->path) && row->start < row->end &&
           !__builtin_add_overflow(row->offset, row->end - row->start, &last);
}

// Parse a line "name=value"; returns false if it is none, or if there are too many.
static bool read_variable(struct hp_span line, struct map_variables *variables) {
    struct reference_scan s = reference_scan_of(line);
    reference_blanks(&s);
    struct hp_span name = {s.at, 0};
    while (s.at < s.end && *s.at && !strchr("= \t\r/$", *s.at)) {
        s.at++;
        name.size++;
    }
    if (name.size == 0 || !reference_next_is(&s, '=') || variables->count == 64) {
        return false;
    }
    s.at++;
    struct map_variable variable = {name, reference_rest(&s)};
    if (variable.value.size > 256) {
        return false;
    }
    variables->of[variables->count++] = variable;
    return true;
}

static bool is_blank(struct hp_span line) {
    bool is = true;
    for (size_t i = 0; i < line.size; i++) {
        is &= line.at[i] == ' ' || line.at[i] == '\t';
    }
    return is;
}

// Expand a path "$name/rest" by the last variable of that name in a line above it.
static struct hp_span expand(struct hp_dump *dump, struct hp_span path,
                             const struct map_variables *variables) {
    const struct map_variable *found = NULL;
    for (size_t i = 0; i < variables->count; i++) {
        const struct map_variable *variable = &variables->of[i];
        size_t size = variable->name.size;
        bool fits = path.size > size &&
                    memcmp(path.at + 1, variable->name.at, size) == 0 &&
                    (path.size == size + 1 || path.at[size + 1] == '/');
        found = fits && variable->name.at < path.at ? variable : found;
    }
    if (!found || !hp_span_starts(path, "$")) {
        return path;
    }
    struct hp_span rest = hp_span_from(path, 1 + found->name.size);
    size_t size = found->value.size + rest.size;
    if (size > 4096) {
        return path;
    }
    char *text = calloc(1, size + 1);
    memcpy(text, found->value.at, found->value.size);
    memcpy(text + found->value.size, rest.at, rest.size);
    hp_string kept = hp_strtab_add(&dump->strings, (struct hp_span){text, size});
    free(text);
    return hp_strtab_span(&dump->strings, kept);
}

// Insert a row after all rows that start at the same address or before it.
static void insert(struct hp_dump *dump, struct hp_mapping row) {
    hp_vec_push(&dump->mappings, row);
    size_t i = dump->mappings.count - 1;
    for (; i > 0 && dump->mappings.at[i - 1].start > row.start; i--) {
        dump->mappings.at[i] = dump->mappings.at[i - 1];
    }
    dump->mappings.at[i] = row;
}

// The number, from 1, of the line that contains `at`.
static uint64_t line_of(const struct reference *r, const char *at) {
    size_t i = 0;
    while (i + 1 < r->lines.count && r->lines.at[i + 1].text.at <= at) {
        i++;
    }
    return i + 1;
}

// Drop each row that overlaps the one before it, and record the first of them in the
// text.
static void drop_overlaps(struct reference *r) {
    struct hp_dump *dump = &r->dump;
    size_t kept = 0;
    for (size_t i = 0; i < dump->mappings.count; i++) {
        struct hp_mapping row = dump->mappings.at[i];
        if (kept > 0 && row.start < dump->mappings.at[kept - 1].end) {
            uint64_t line = line_of(r, row.path.at);
            bool is_first = dump->overlaps.count++ == 0 || line < dump->overlaps.line;
            dump->overlaps.line = is_first ? line : dump->overlaps.line;
        } else {
            dump->mappings.at[kept++] = row;
        }
    }
    dump->mappings.count = kept;
}

static void read_rows(struct reference *r, struct map_variables *variables) {
    for (; !reference_at_end(r); r->next++) {
        struct hp_span line = reference_line(r), text = r->lines.at[r->next].text;
        struct hp_mapping row;
        if (read_row(text, &row)) {
            insert(&r->dump, row);
        } else if (read_variable(text, variables) || is_blank(line)) {
            continue;
        } else if (hp_span_starts(line, "heap_v2/") ||
                   hp_span_starts(line, "heap profile:")) {
            reference_damaged(r, "a second dump begins here");
            return;
        } else {
            reference_malformed(r, "a row of the memory map");
        }
    }
}

void reference_read_maps(struct reference *r) {
    struct map_variables variables = {.count = 0};
    read_rows(r, &variables);
    drop_overlaps(r);
    for (size_t i = 0; i < r->dump.mappings.count; i++) {
        struct hp_mapping *row = &r->dump.mappings.at[i];
        row->path = expand(&r->dump, row->path, &variables);
    }
    hp_address_tags_clear(&r->dump); // not a part of reading; tested separately
}
