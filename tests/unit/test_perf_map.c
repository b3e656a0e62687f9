// Perf maps, jitdumps and the names in them: forms of entries and of names, and a second,
// slow reader of each that finds the same in files that were changed at random.
// PERF_MAP_CHANGES is the number of such maps.
#include "input/jit_name.h"
#include "input/jitdump.h"
#include "input/perf_map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hp_jit_addresses addresses;
static struct hp_perf_map_counts counts;

// Read a map from memory, with a window of any size.  Returns the code of the error.
static int read_map(struct hp_span text, size_t window) {
    struct hp_input_stream stream = {.window = window};
    struct hp_err err = {0};
    int ret = hp_input_stream_open_bytes(&stream, text, 0, &err);
    ret = ret == HP_OK ? hp_perf_map_read(&stream, &addresses, &counts, &err) : ret;
    hp_input_stream_done(&stream);
    return ret;
}

// Ask for an address in code that lies in [low, high).
static void ask(uint64_t address, uint64_t low, uint64_t high) {
    hp_vec_push(&addresses.of,
                ((struct hp_jit_address){.address = address, .low = low, .high = high}));
}

static void forget(void) {
    hp_jit_addresses_done(&addresses);
}

static bool has_name(size_t i, const char *name) {
    const struct hp_jit_address *address = &addresses.of.at[i];
    return address->name &&
           hp_span_is((struct hp_span){address->name, address->size}, name);
}

TestSuite(perf_map, .fini = forget);

Test(perf_map, names_addresses_within_entries_by_the_last_one) {
    ask(0x1000, 0x1000, 0x9000);
    ask(0x100f, 0x1000, 0x9000);
    ask(0x1010, 0x1000, 0x9000);
    ask(0x2008, 0x1000, 0x9000);
    ask(0x3000, 0x1000, 0x9000);
    cr_assert_eq(read_map(hp_span_of("1000 10 JS:~first /a.js:1:1\n"
                                     "0x2000 0x10 void a.B.c(int)\n"
                                     "1000 8 JS:~second /a.js:2:1\n"
                                     "1000 8 JS:*second /a.js:2:1\n"
                                     "3000 0 empty\n"),
                          0),
                 HP_OK);
    cr_expect(has_name(0, "JS:*second /a.js:2:1"));
    cr_expect(addresses.of.at[0].has_others);
    cr_expect(has_name(1, "JS:~first /a.js:1:1"));
    cr_expect_not(addresses.of.at[1].has_others);
    cr_expect_null(addresses.of.at[2].name);
    cr_expect(has_name(3, "void a.B.c(int)"));
    cr_expect_null(addresses.of.at[4].name);
    cr_expect_eq(counts.entries, 5);
    cr_expect_eq(counts.malformed, 0);
    cr_expect_not(counts.is_cut);
}

Test(perf_map, takes_a_function_at_two_tiers_for_one) {
    ask(0x1000, 0, UINT64_MAX);
    cr_assert_eq(read_map(hp_span_of("1000 8 JS:~f /a.js:2:1\n1000 8 JS:*f /a.js:2:1\n"),
                          0),
                 HP_OK);
    cr_expect_not(addresses.of.at[0].has_others);
}

Test(perf_map, uses_no_entry_that_leaves_the_mapping) {
    ask(0x2000, 0x1000, 0x3000);
    cr_assert_eq(read_map(hp_span_of("0 ffffffffffffffff all\n"
                                     "ffffffffffffff00 2000 wraps\n"
                                     "fff 1100 before\n"
                                     "1fff 1002 after\n"),
                          0),
                 HP_OK);
    cr_expect_null(addresses.of.at[0].name);
    cr_expect_eq(counts.malformed, 1); // the one that wraps
}

Test(perf_map, skips_lines_that_are_no_entries_and_a_cut_end) {
    ask(0x1000, 0, UINT64_MAX);
    cr_assert_eq(read_map(hp_span_of(
                              "garbage\n1000 10\n1000  8 name\n10000000000000000 1 big\n"
                              "\n1000 10 good\n1000 10 cut"),
                          0),
                 HP_OK);
    cr_expect(has_name(0, "good"));
    cr_expect_eq(counts.malformed, 4);
    cr_expect(counts.is_cut);
}

Test(perf_map, skips_a_line_without_end) {
    enum {
        SIZE = 1 << 20
    };

    char *text = malloc(SIZE);
    memset(text, 'x', SIZE);
    memcpy(text, "1000 10 ", 8);
    memcpy(text + SIZE - 16, "\n1000 10 a\n", 11);
    ask(0x1000, 0, UINT64_MAX);
    cr_assert_eq(read_map((struct hp_span){text, SIZE}, 4096), HP_OK);
    cr_expect(has_name(0, "a"));
    cr_expect_eq(counts.malformed, 1);
    free(text);
}

Test(perf_map, R43_stops_where_too_many_entries_overlap) {
    enum {
        ADDRESSES = 1000,
        ENTRIES = 5000
    };

    static char text[ENTRIES * 16];
    size_t size = 0;
    for (int i = 0; i < ADDRESSES; i++) {
        ask(0x1000 + (uint64_t)i, 0, UINT64_MAX);
    }
    for (int i = 0; i < ENTRIES; i++) {
        size += (size_t)sprintf(text + size, "1000 1000 %d\n", i % 10);
    }
    cr_expect_eq(read_map((struct hp_span){text, size}, 0), HP_E_LIMIT);
}

// --- the slow reader -------------------------------------------------------------------

// Return the hexadecimal number at *at of a line, and move *at behind it and a space.
static bool take_hex(const char **at, const char *end, uint64_t *number) {
    int digits = 0;
    *number = 0;
    *at += end - *at >= 2 && (*at)[0] == '0' && (*at)[1] == 'x' ? 2 : 0;
    for (; *at < end && **at && strchr("0123456789abcdefABCDEF", **at); ++*at, digits++) {
        char digit[2] = {**at, '\0'};
        if (*number >> 60) {
            return false;
        }
        *number = *number * 16 + strtoull(digit, NULL, 16);
    }
    return digits > 0 && *at < end && *(*at)++ == ' ';
}

// Find the name of one address by reading all lines; returns its end, or NULL.
static const char *slow_name(struct hp_span text, const struct hp_jit_address *address,
                             const char **start) {
    const char *found = NULL, *line = text.at, *end, *last = text.at + text.size;
    for (; (end = memchr(line, '\n', (size_t)(last - line))) != NULL; line = end + 1) {
        const char *at = line;
        uint64_t from, size;
        if (end - line > 16 << 10 || !take_hex(&at, end, &from) ||
            !take_hex(&at, end, &size) || at == end || from > UINT64_MAX - size) {
            continue;
        }
        if (from <= address->address && address->address < from + size &&
            from >= address->low && from + size <= address->high) {
            *start = at;
            found = end;
        }
    }
    return found;
}

static uint32_t state = 57;

static uint32_t next_random(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

// Change some bytes of a text: to other characters, or to those of another place.
static void change(char *text, size_t size) {
    static const char bytes[] = "0123456789abcdef \nx:JS*~()[]";
    for (uint32_t n = next_random(6) + 1; n > 0; n--) {
        uint32_t at = next_random((uint32_t)size), count = next_random(8) + 1;
        uint32_t from = next_random((uint32_t)size);
        for (uint32_t k = 0; k < count && at + k < size; k++) {
            text[at + k] = next_random(2) ? bytes[next_random(sizeof bytes - 1)]
                                          : text[(from + k) % size];
        }
    }
}

Test(perf_map, finds_what_a_slow_reader_finds_in_changed_maps) {
    static const char map[] =
        "1000 10 py::main:/srv/app.py\n"
        "0x1010 0x20 void pkg.Class.method(int)\n"
        "1020 18 JS:*f /srv/app.js:12:7\n"
        "1000 8 JS:~g file:///srv/app.mjs:1:1\n"
        "1008 30 instance void [app] Program::Main()[Tier0]\n"
        "1030 8 TRACE_1::/srv/app.lua:3\n";
    const char *given = getenv("PERF_MAP_CHANGES");
    for (long i = given ? atol(given) : 1000; i > 0; i--) {
        char text[sizeof map];
        memcpy(text, map, sizeof map);
        size_t size = sizeof map - 1 - next_random(20);
        change(text, size);
        for (uint64_t at = 0x1000; at < 0x1040; at += 7) {
            ask(at, 0x1000, 0x1040);
        }
        cr_assert_eq(read_map((struct hp_span){text, size}, 0), HP_OK);
        for (size_t k = 0; k < addresses.of.count; k++) {
            const struct hp_jit_address *address = &addresses.of.at[k];
            const char *start = NULL;
            const char *end = slow_name((struct hp_span){text, size}, address, &start);
            bool is_same =
                end ? address->name &&
                          hp_span_equal((struct hp_span){address->name, address->size},
                                        (struct hp_span){start, (size_t)(end - start)})
                    : !address->name;
            cr_assert(is_same, "%#llx in:\n%.*s", (unsigned long long)address->address,
                      (int)size, text);
            struct hp_jit_name name = {.line = 0};
            hp_jit_name_parse(&name, (struct hp_span){address->name, address->size});
            hp_vec_done(&name.text);
        }
        hp_jit_addresses_clear(&addresses);
    }
}

// --- jitdumps --------------------------------------------------------------------------

static void put(char **at, const void *bytes, size_t size) {
    memcpy(*at, bytes, size);
    *at += size;
}

// Write a load (kind 0) or a move (kind 1) of code number `code`.
static void put_record(char **at, uint32_t kind, uint64_t start, uint64_t code,
                       const char *name) {
    uint64_t old = 0, size = 16;
    uint32_t text = kind == 0 ? (uint32_t)strlen(name) + 1 : 0;
    uint32_t time = (uint32_t)code;
    uint32_t head[] = {kind, (kind == 0 ? 56 : 64) + text, time, 0, 7, 7};
    put(at, head, sizeof head);
    put(at, &start, sizeof start);
    put(at, kind == 0 ? &start : &old, sizeof start);
    if (kind == 1) {
        put(at, &start, sizeof start);
    }
    put(at, &size, sizeof size);
    put(at, &code, sizeof code);
    put(at, name, text);
}

static size_t write_jitdump(char *text) {
    static const uint32_t header[10] = {0x4a695444, 1, 40, 62};
    char *at = text;
    put(&at, header, sizeof header);
    put_record(&at, 0, 0x1000, 1, "first");
    put_record(&at, 0, 0x1010, 2, "second");
    put_record(&at, 1, 0x1020, 1, "");
    put_record(&at, 0, 0x1030, 3, "third");
    put_record(&at, 0, 0x1000, 4, "fourth");
    return (size_t)(at - text);
}

// Read a jitdump from memory, a second time if code was moved.
static void read_jitdump(struct hp_span text) {
    struct hp_jit_moves moves = {.is_complete = false};
    for (int pass = 0; pass < 2 && (pass == 0 || moves.of.count > 0); pass++) {
        struct hp_input_stream stream = {.window = 32};
        struct hp_err err = {0};
        cr_assert_eq(hp_input_stream_open_bytes(&stream, text, 0, &err), HP_OK);
        cr_assert_eq(hp_jitdump_read(&stream, &addresses, &moves, &counts, &err), HP_OK);
        hp_input_stream_done(&stream);
    }
    hp_jit_moves_done(&moves);
}

static uint64_t number_at(const char *at) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

// Find the name of one address in a jitdump: that of the last record that contains it.  A
// moved code has the name of the last load of its number before the move, or else of the
// last one in the file.  Records after `until` are ignored, unless it is 0.
static const char *slow_jit_name(struct hp_span text, uint64_t until,
                                 const struct hp_jit_address *address) {
    const char *found = NULL, *names[4096];
    uint64_t codes[4096];
    size_t loads = 0;
    uint32_t size, kind, header;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(&header, text.at + 8, sizeof header);
        size_t at = header < 40 ? text.size : header;
        for (; at + 16 <= text.size; at += size) {
            memcpy(&kind, text.at + at, sizeof kind);
            memcpy(&size, text.at + at + 4, sizeof size);
            if (size < 16) {
                break;
            }
            if (size > text.size - at || kind > 1 ||
                (kind == 0 ? size <= 56 : size < 64) ||
                (until > 0 && number_at(text.at + at + 8) > until)) {
                continue;
            }
            const char *fields = text.at + at + 16 + (kind == 0 ? 16 : 24), *name = NULL;
            uint64_t start = number_at(fields), length = number_at(fields + 8);
            uint64_t code = number_at(fields + 16);
            if (kind == 0) {
                name = text.at + at + 56;
                if (!memchr(name, '\0', size - 56) || !*name) {
                    continue;
                }
                names[loads] = name;
                codes[loads++] = code;
            }
            for (size_t i = loads; i > 0 && !name; i--) {
                name = codes[i - 1] == code ? names[i - 1] : NULL;
            }
            if (name && address->address - start < length && start + length >= start &&
                start >= address->low && start + length <= address->high) {
                found = name;
            }
        }
    }
    return found;
}

Test(perf_map, finds_what_a_slow_reader_finds_in_changed_jitdumps) {
    const char *given = getenv("PERF_MAP_CHANGES");
    for (long i = given ? atol(given) : 1000; i > 0; i--) {
        char text[1024] = "";
        size_t size = write_jitdump(text);
        for (uint32_t n = next_random(4); n > 0; n--) {
            text[40 + next_random((uint32_t)size - 40)] = (char)next_random(80);
        }
        size -= next_random(8) == 0 ? next_random((uint32_t)size - 40) : 0;
        for (uint64_t at = 0x1000; at < 0x1040; at += 7) {
            ask(at, 0x1000, 0x1040);
        }
        addresses.until = next_random(4) * 2;
        read_jitdump((struct hp_span){text, size});
        for (size_t k = 0; k < addresses.of.count; k++) {
            const struct hp_jit_address *address = &addresses.of.at[k];
            const char *name =
                slow_jit_name((struct hp_span){text, size}, addresses.until, address);
            cr_assert(name ? address->name && strcmp(address->name, name) == 0
                           : !address->name,
                      "%#llx: %s, %s (%ld)", (unsigned long long)address->address,
                      name ? name : "none", address->name ? address->name : "none", i);
        }
        hp_jit_addresses_clear(&addresses);
    }
}

// --- names -----------------------------------------------------------------------------

Test(perf_map, parses_the_names_of_each_runtime) {
    static const struct {
        const char *text, *function, *file;
        uint32_t line;
    } names[] = {
        {"py::Class.method:/srv/app.py", "Class.method", "/srv/app.py", 0},
        {"py::_find_and_load:<frozen importlib._bootstrap>", "_find_and_load",
         "<frozen importlib._bootstrap>", 0},
        {"JS:*parseThing /srv/my app.js:12:7", "parseThing", "/srv/my app.js", 12},
        {"JS:~parseThing /srv/my app.js:12:7", "parseThing", "/srv/my app.js", 12},
        {"JS:^get size node:internal/util:3:1", "get size", "node:internal/util", 3},
        {"LazyCompile:*f file:///srv/app.mjs:4:2", "f", "/srv/app.mjs", 4},
        {"JS:~ /srv/app.js:9:1", "(anonymous app.js:9)", "/srv/app.js", 9},
        {"Script:~ /srv/app.js:1:1", "(script app.js:1)", "/srv/app.js", 1},
        {"JS:*t15017 evalmachine.<anonymous>:1:17", "t15017", "evalmachine.<anonymous>",
         1},
        {"void pkg.Class.method(int, java.lang.String)",
         "pkg.Class.method(int, java.lang.String)", "", 0},
        {"double Leak.spin(int)", "Leak.spin(int)", "", 0},
        {"void Leak$$Lambda$14.run()", "Leak$$Lambda$.run()", "", 0},
        {"void Leak$$Lambda$14/0x0000000800c03400.run()", "Leak$$Lambda$.run()", "", 0},
        {"java.lang.Object java.lang.invoke.LambdaForm$MH/0x0000000800c03400.invoke("
         "java.lang.Object)",
         "java.lang.invoke.LambdaForm$MH.invoke(java.lang.Object)", "", 0},
        {"Lpkg/Class;::method", "pkg.Class.method", "", 0},
        {"Interpreter", "Interpreter", "", 0},
        {"I2C/C2I adapters", "I2C/C2I adapters", "", 0},
        {"instance void [app] Program::Main(string[])[OptimizedTier1]",
         "Program::Main(string[])", "", 0},
        {"[JIT] Integer#times", "Integer#times", "", 0},
        {"[JIT] App#run (/srv/app.rb:3)", "App#run", "/srv/app.rb", 3},
        {"julia_solve_123", "solve", "", 0},
        {"TRACE_12::/srv/app.lua:34", "(trace app.lua:34)", "/srv/app.lua", 34},
        {"JIT$App::run", "App::run", "", 0},
        {"TRACE-12$App::run$34", "App::run", "", 0},
        {"Builtin:ArrayMap", "Builtin:ArrayMap", "", 0},
        {"py::", "py::", "", 0},
        {"JS:", "(anonymous :0)", "", 0},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hp_jit_name name = {.line = 0};
        hp_jit_name_parse(&name, hp_span_of(names[i].text));
        cr_expect(hp_span_is(name.function, names[i].function), "%s: %.*s", names[i].text,
                  (int)name.function.size, name.function.at);
        cr_expect(hp_span_is(name.file, names[i].file), "%s: %.*s", names[i].text,
                  (int)name.file.size, name.file.at);
        cr_expect_eq(name.line, names[i].line, "%s: %u", names[i].text, name.line);
        hp_vec_done(&name.text);
    }
}
