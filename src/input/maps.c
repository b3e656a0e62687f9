// Rows of memory maps, by system:
//
// Linux:    55d0-55f0 r-xp 00001000 08:01 1234      /usr/bin/some program (deleted)
// macOS:    55d0-55f0: /usr/lib/libSystem.B.dylib
// FreeBSD:  0x55d0 0x55f0 32 0 0xfffff800 r-x 1 0 0x1000 COW NC vnode /bin/true NCH -1
// Google:   	build=/srv/build
//             55d0-55f0: $build/server
#include "input/maps.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_PATH = 4096, // bytes
    LONGEST_NAME = 255,  // bytes after the last '/'
    MOST_VARIABLES = 64, // variables of one map; further ones are skipped
    LONGEST_VALUE = 256, // bytes; each use of a variable takes that much memory
};

// A line "name=value"; both point into the text.
struct variable {
    struct hp_span name, value;
};

// The variables defined so far, which rows use as "$name".
struct variables {
    struct variable of[MOST_VARIABLES]; // in the order of the text
    size_t count;
};

// Remove " (deleted)" from the end of the path, and set row->deleted if it was there.
static void split_deleted(struct hp_mapping *row) {
    static const char mark[] = " (deleted)";
    if (hp_span_ends(row->path, mark)) {
        row->path.size -= sizeof mark - 1;
        row->deleted = true;
    }
}

// Read four letters such as "r-xp": sets row->executable and row->is_shared, and
// row->reserved if no access is permitted. Any other letter is a failure.
static void read_permissions(struct hp_cursor *c, struct hp_mapping *row) {
    row->reserved = true;
    for (int i = 0; i < 4; i++) {
        char letter = hp_cursor_at_end(c) ? '\0' : *c->at;
        bool grants = letter == 'r' || letter == 'w' || letter == 'x';
        if (!grants && letter != '-' && letter != 'p' && letter != 's') {
            hp_cursor_fail(c, HP_WORDS("permissions-expected", "permissions"));
            return;
        }
        row->executable |= letter == 'x';
        row->is_shared |= letter == 's';
        row->reserved &= !grants;
        c->at++;
    }
}

// Read the rest of a row of Linux, after the addresses.
static void read_linux_row(struct hp_cursor *c, struct hp_mapping *row) {
    hp_cursor_expect(c, ' ', HP_WORDS("map-space-expected", "a space"));
    read_permissions(c, row);
    hp_cursor_spaces(c);
    row->offset = hp_cursor_hex(c);
    hp_cursor_spaces(c);
    row->file.device = hp_cursor_hex(c) << 32;
    hp_cursor_expect(c, ':', "':'");
    row->file.device |= hp_cursor_hex(c) & UINT32_MAX;
    hp_cursor_spaces(c);
    row->file.inode = hp_cursor_decimal(c);
    hp_cursor_spaces(c);
    row->path = hp_cursor_line(c);
    split_deleted(row);
}

// Read the rest of a row of macOS, whose map lists only code and has no offsets.
static void read_macos_row(struct hp_cursor *c, struct hp_mapping *row) {
    hp_cursor_expect(c, ':', "':'");
    hp_cursor_spaces(c);
    row->path = hp_cursor_line(c);
    row->executable = true;
}

// Skip spaces, and return the text up to the next white space.
static struct hp_span read_word(struct hp_cursor *c) {
    hp_cursor_spaces(c);
    const char *start = c->at;
    while (!hp_cursor_at_end(c) && strchr(" \t\r\n", *c->at) == NULL) {
        c->at++;
    }
    return (struct hp_span){start, (size_t)(c->at - start)};
}

// Returns a path of FreeBSD without " NCH -1" or " CH 1001" at its end: the user whom the
// memory is accounted to, which older systems do not print.
static struct hp_span without_owner(struct hp_span text) {
    static const char *const marks[] = {" NCH ", " CH "};
    struct hp_span rest = text;
    while (rest.size > 0 &&
           (hp_span_ends(rest, "-") ||
            (rest.at[rest.size - 1] >= '0' && rest.at[rest.size - 1] <= '9'))) {
        rest.size--;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (hp_span_ends(rest, marks[i])) {
            rest.size -= strlen(marks[i]);
            return rest;
        }
    }
    return text;
}

// Read the rest of a row of FreeBSD, after the addresses. Its maps have no file offsets.
static void read_freebsd_row(struct hp_cursor *c, struct hp_mapping *row) {
    enum {
        PERMISSIONS = 3,
        BEFORE_PATH = 10
    };

    for (int i = 0; i < BEFORE_PATH; i++) {
        struct hp_span word = read_word(c);
        if (i == PERMISSIONS) {
            row->executable = memchr(word.at, 'x', word.size) != NULL;
        }
    }
    row->lacks_offset = true;
    hp_cursor_spaces(c);
    row->path = without_owner(hp_cursor_line(c));
    row->path.size = hp_span_is(row->path, "-") ? 0 : row->path.size;
}

bool hp_maps_is_path(struct hp_span path) {
    return path.size <= LONGEST_PATH && hp_span_basename(path).size <= LONGEST_NAME;
}

// Read one row of a map of any system into *row, which must be {0}. *c records a failure
// if the line is no such row.
static void read_row(struct hp_cursor *c, struct hp_mapping *row) {
    hp_cursor_spaces(c);
    bool freebsd = c->end - c->at > 2 && c->at[0] == '0' && c->at[1] == 'x';
    row->start = hp_cursor_hex(c);
    hp_cursor_expect(c, freebsd ? ' ' : '-',
                     HP_WORDS("range-expected", "an address range"));
    row->end = hp_cursor_hex(c);
    if (freebsd) {
        read_freebsd_row(c, row);
    } else if (c->at < c->end && *c->at == ':') {
        read_macos_row(c, row);
    } else {
        read_linux_row(c, row);
    }
    if (!hp_maps_is_path(row->path)) {
        hp_cursor_fail(c, HP_WORDS("shorter-path-expected", "a shorter path"));
    }
    if (row->start >= row->end || row->offset + (row->end - row->start) < row->offset) {
        hp_cursor_fail(c, HP_WORDS("range-order", "a range that ends after its start"));
    }
}

bool hp_maps_is(struct hp_span head) {
    if (head.size == 0) {
        return false;
    }
    struct hp_cursor c = hp_cursor_over(head.at, head.at + head.size);
    struct hp_span line = hp_cursor_line(&c);
    struct hp_cursor text = hp_cursor_over(line.at, line.at + line.size);
    struct hp_mapping row = {0};
    read_row(&text, &row);
    return hp_cursor_good(&text);
}

// --- names for folders -----------------------------------------------------------------

// Read a line "name=value" into `variables`. Returns false, without moving the cursor, if
// the line is something else or the variable exceeds a limit.
static bool read_variable(struct hp_cursor *c, struct variables *variables) {
    struct hp_cursor line = *c;
    hp_cursor_spaces(&line);
    const char *start = line.at;
    while (!hp_cursor_at_end(&line) && !strchr("= \t\r\n/$", *line.at)) {
        line.at++;
    }
    struct variable variable = {.name = {start, (size_t)(line.at - start)}};
    if (variable.name.size == 0 || !hp_cursor_accept(&line, '=') ||
        variables->count == MOST_VARIABLES) {
        return false;
    }
    variable.value = hp_cursor_line(&line);
    if (variable.value.size > LONGEST_VALUE) {
        return false;
    }
    variables->of[variables->count++] = variable;
    *c = line;
    return true;
}

// Returns a path such as "$build/server" with its variable replaced by the value that it
// had at that point of the text: the last definition before `path`.
static struct hp_span expand(struct hp_span path, const struct variables *variables,
                             struct hp_dump *dump) {
    char text[LONGEST_PATH];
    for (size_t i = variables->count; i > 0 && hp_span_starts(path, "$"); i--) {
        const struct variable *variable = &variables->of[i - 1];
        struct hp_span rest = hp_span_from(path, 1);
        size_t name = variable->name.size;
        if (variable->name.at > path.at || rest.size < name ||
            memcmp(rest.at, variable->name.at, name) != 0 ||
            (rest.size > name && rest.at[name] != '/')) {
            continue;
        }
        rest = hp_span_from(rest, name);
        if (variable->value.size + rest.size > sizeof text) {
            break;
        }
        memcpy(text, variable->value.at, variable->value.size);
        memcpy(text + variable->value.size, rest.at, rest.size);
        struct hp_span whole = {text, variable->value.size + rest.size};
        return hp_strtab_span(&dump->strings, hp_strtab_add(&dump->strings, whole));
    }
    return path;
}

// --- all rows --------------------------------------------------------------------------

// Order rows by start.
static int by_start(const void *left, const void *right) {
    const struct hp_mapping *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    // Rows of equal start keep the order of the text: paths point into it, and later rows
    // have later paths (or line ends).
    return a->path.at < b->path.at ? -1 : a->path.at > b->path.at;
}

// Whether the rows are sorted and disjoint.
static bool are_ordered(const struct hp_dump *dump) {
    for (size_t i = 1; i < dump->mappings.count; i++) {
        if (dump->mappings.at[i].start < dump->mappings.at[i - 1].end) {
            return false;
        }
    }
    return true;
}

// Remove each row that overlaps a row of lower start, count the removed rows in
// dump->overlaps, and record the line of the first of them. `start` is the first byte of
// the map's text, and `line` its line number.
static void drop_overlaps(struct hp_dump *dump, const char *start, uint64_t line) {
    size_t kept = 0;
    const char *first = NULL; // first overlapping row in the order of the text
    for (size_t i = 0; i < dump->mappings.count; i++) {
        struct hp_mapping *row = &dump->mappings.at[i];
        if (kept > 0 && row->start < dump->mappings.at[kept - 1].end) {
            dump->overlaps.count++;
            first = !first || row->path.at < first ? row->path.at : first;
        } else {
            dump->mappings.at[kept++] = *row;
        }
    }
    dump->mappings.count = kept;
    if (first) {
        struct hp_span before = {start, (size_t)(first - start)};
        dump->overlaps.line = line + hp_span_newlines(before);
    }
}

// --- which program ---------------------------------------------------------------------

// Whether a row maps a file on disk, as opposed to shared memory or a device.
static bool is_file(const struct hp_mapping *row) {
    return hp_span_starts(row->path, "/") && !hp_span_starts(row->path, "/memfd:") &&
           !hp_span_starts(row->path, "/dev/") && !hp_span_starts(row->path, "/SYSV");
}

// Whether Linux may load a position-independent program at this address: at two thirds of
// the address space or, with randomization, up to 2^40 bytes above.
static bool is_for_programs(uint64_t address) {
    static const uint64_t from[] = {0x555555554000, 0xaaaaaaaaa000}; // x86-64, arm64
    return (address >= from[0] && address - from[0] < UINT64_C(1) << 40) ||
           (address >= from[1] && address - from[1] < UINT64_C(1) << 40);
}

// Find the row of the main program, or NULL. The heap of brk(2) directly follows it. If
// there is no heap row, take the first file at a place for programs, or else the lowest,
// because with `ulimit -s unlimited` libraries may be below the program.
static const struct hp_mapping *find_program(const struct hp_dump *dump) {
    const struct hp_mapping *row, *lowest = NULL, *placed = NULL, *last = NULL;
    hp_vec_each (row, &dump->mappings) {
        if (hp_span_is(row->path, "[heap]") && last) {
            return last;
        }
        if (is_file(row)) {
            last = row;
            placed = !placed && is_for_programs(row->start) ? row : placed;
            lowest = !lowest || (row->executable && !lowest->executable) ? row : lowest;
        }
    }
    return placed ? placed : lowest;
}

// Return the mapping of the main program of a pprof profile, by convention the first one;
// mappings without a path or named like "[vdso]" are skipped. NULL: there is none.
static const struct hp_mapping *first_mapping(const struct hp_dump *dump) {
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        if (row->path.size > 0 && row->path.at[0] != '[') {
            return row;
        }
    }
    return NULL;
}

// Returns the path of the main program, or "".
static struct hp_span program_of(const struct hp_dump *dump) {
    const struct hp_mapping *row =
        dump->has_rows ? first_mapping(dump) : find_program(dump);
    return row ? row->path : (struct hp_span){"", 0};
}

// --- which process ---------------------------------------------------------------------

// Whether an address is random, so that equal addresses mean the same process. These are
// not: programs linked to a fixed address, and all of a 32-bit address space, whose
// randomness is small; and, without randomization, programs at two thirds of the address
// space, and libraries, vdso and stack at its end.
static bool is_random(uint64_t address) {
    static const struct {
        uint64_t from, to;
    } fixed[] = {
        {0, 0x100000000},
        {0x555555554000, 0x555595554000}, // x86-64
        {0x7ffff0000000, 0x800000000000},
        {0xaaaaaaaaa000, 0xaaaaeaaaa000}, // arm64
        {0xfffff0000000, 0x1000000000000},
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (address >= fixed[i].from && address < fixed[i].to) {
            return false;
        }
    }
    return true;
}

// Identify a process by its mapped files, if it has neither vdso nor stack: a digest of
// the files' mappings, or {0} if none is at a random address. Bit 63 is set, so that the
// result differs from the addresses of vdso and stack, which are below 2^63.
static struct hp_digest digest_of_files(const struct hp_dump *dump) {
    struct hp_digest digest = {{0}};
    const struct hp_mapping *row;
    bool are_random = false;
    hp_vec_each (row, &dump->mappings) {
        if (hp_span_starts(row->path, "/") && (row->executable || dump->has_rows)) {
            struct hp_digest path = hp_digest_of(row->path);
            struct hp_digest build_id =
                hp_digest_of(hp_strtab_span(&dump->strings, row->build_id));
            uint64_t numbers[] = {digest.of[0],   digest.of[1],  row->start,
                                  row->offset,    path.of[0],    path.of[1],
                                  build_id.of[0], build_id.of[1]};
            digest = hp_digest_of_numbers(numbers, sizeof numbers / sizeof *numbers);
            are_random |= is_random(row->start);
        }
    }
    digest.of[0] |= (uint64_t)1 << 63;
    return are_random ? digest : (struct hp_digest){{0}};
}

// Set the numbers that identify the process: the start of its vdso and the end of its
// stack. Both exist from its start on and never change, while the program's text may be
// moved to other pages and libraries are loaded and unloaded.
void hp_maps_identify(struct hp_dump *dump) {
    struct hp_digest first = {{0}};
    const struct hp_mapping *row;
    bool has_first = false, are_random = false;
    hp_vec_each (row, &dump->mappings) {
        bool is_vdso = hp_span_is(row->path, "[vdso]");
        if (is_vdso || hp_span_is(row->path, "[stack]")) {
            uint64_t address = is_vdso ? row->start : row->end;
            first.of[is_vdso ? 0 : 1] = address;
            are_random |= is_random(address);
            has_first = true;
        }
    }
    size_t rows = dump->mappings.count;
    if (rows > 0 && !dump->has_rows) {
        uint64_t start = dump->mappings.at[0].start;
        dump->map_start = is_random(start) ? start : 0;
        dump->map_end = dump->mappings.at[rows - 1].end;
    }
    dump->map = !has_first   ? digest_of_files(dump)
                : are_random ? first
                             : (struct hp_digest){{0}};
    dump->program_path = program_of(dump);
}

// --- lines -----------------------------------------------------------------------------

// Whether a line has only white space. Such a line is no fault.
static bool is_blank(struct hp_span line) {
    for (size_t i = 0; i < line.size; i++) {
        if (line.at[i] != ' ' && line.at[i] != '\t') {
            return false;
        }
    }
    return true;
}

// Whether a second dump begins at the cursor, as in a file that two dumps were written
// to.
static bool at_second_dump(struct hp_cursor *c) {
    return hp_cursor_accept_word(c, "heap_v2/") ||
           hp_cursor_accept_word(c, "heap profile:");
}

// Read lines to the end of the text: rows, variables, and lines that are neither. Stops
// with a failure of the cursor at a second dump.
static void read_rows(struct hp_cursor *c, struct hp_dump *dump,
                      struct variables *variables, uint64_t *number) {
    for (; !hp_cursor_at_end(c); ++*number) {
        struct hp_cursor line = *c;
        read_row(&line, hp_vec_push(&dump->mappings, (struct hp_mapping){0}));
        if (hp_cursor_good(&line)) {
            *c = line;
            continue;
        }
        dump->mappings.count--;
        if (read_variable(c, variables)) {
            continue;
        }
        if (at_second_dump(c)) {
            hp_cursor_fail(c, HP_WORDS("second-dump", "a second dump begins here"));
            break;
        }
        if (!is_blank(hp_cursor_line(c))) {
            hp_dump_malformed(dump,
                              HP_WORDS("map-row-expected", "a row of the memory map"),
                              *number);
        }
    }
}

void hp_maps_read(struct hp_cursor *c, struct hp_dump *dump, uint64_t *line) {
    struct variables variables = {.count = 0};
    const char *start = c->at;
    uint64_t first_line = *line;
    read_rows(c, dump, &variables, line);
    if (!are_ordered(dump)) {
        hp_vec_sort(&dump->mappings, by_start);
        drop_overlaps(dump, start, first_line);
    }
    struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        row->path = expand(row->path, &variables, dump);
    }
    hp_maps_identify(dump);
}
