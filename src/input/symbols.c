// The section of symbols that jeprof --raw and pprof --raw put before a dump:
//
//     --- symbol
//     binary=/path/of/the/program
//     0x0000559691a5c252 outer--inlined
//     ---
//     --- heap
//     heap_v2/524288 ...
//
// The key is an address within the call instruction, except for a leaf, whose key is the
// return address. A line whose name is equal to its key means that the address has no
// name.
#include "input/input_format.h"
#include "input/scan.h"

enum {
    MOST_CALLS = 256, // functions at one address at most
};

static bool is_symbols(struct hp_span text) {
    return hp_span_starts(text, "--- symbol");
}

// Whether the window has a whole line at the cursor.
static bool has_line(const struct hp_scan *scan) {
    struct hp_span rest = hp_scan_rest(scan);
    return scan->stream->at_end || memchr(rest.at, '\n', rest.size);
}

// Returns the name after the last "--" that is not part of `operator--`: the innermost
// function.
static struct hp_span innermost(struct hp_span names) {
    for (size_t i = names.size; i >= 2; i--) {
        struct hp_span before = {names.at, i - 2};
        if (names.at[i - 2] == '-' && names.at[i - 1] == '-' &&
            !hp_span_ends(before, "operator")) {
            return hp_span_from(names, i);
        }
    }
    return names;
}

// Embed the functions of one address in the dump, innermost first.
static void embed_names(struct hp_dump *dump, uint64_t address, struct hp_span names) {
    for (int i = 0; names.size > 0 && i < MOST_CALLS; i++) {
        struct hp_span name = innermost(names);
        struct hp_embedded_call call = {.function = hp_strtab_add(&dump->strings, name)};
        hp_vec_push(&dump->embedded_calls, call);
        names.size -= name.size;
        names.size -= names.size >= 2 ? 2 : names.size;
    }
    hp_dump_embed(dump, address);
}

// Read a line "0x559691a5c252 outer--inlined", and embed its names in the dump.
static void read_names(struct hp_scan *scan) {
    struct hp_cursor c = scan->c;
    const char *start = c.at;
    uint64_t address = hp_cursor_hex(&c);
    struct hp_span key = {start, (size_t)(c.at - start)};
    hp_cursor_expect(&c, ' ',
                     HP_WORDS("symbol-name-expected", "a name after the address"));
    if (!hp_cursor_good(&c)) {
        hp_scan_skip(scan, start, c.expected);
        return;
    }
    scan->c = c;
    struct hp_span names = hp_scan_line(scan);
    if (!hp_span_equal(names, key)) {
        embed_names(scan->dump, address, names);
    }
}

// Read a line of the section: names, or a variable, which is ignored.
static void read_line(struct hp_scan *scan) {
    struct hp_cursor c = scan->c;
    const char *start = c.at;
    struct hp_span line = hp_cursor_line(&c);
    if (hp_span_starts(line, "0x")) {
        read_names(scan);
    } else if (line.size > 0 && memchr(line.at, '=', line.size)) {
        hp_scan_line(scan);
    } else {
        hp_scan_skip(scan, start,
                     HP_WORDS("symbol-line-expected",
                              "a name, a variable or the end of the names"));
    }
}

// Skip the line "---" that ends the section, if the cursor is there.
static bool accept_end(struct hp_scan *scan) {
    struct hp_cursor c = scan->c;
    bool is_end = hp_span_is(hp_cursor_line(&c), "---");
    if (is_end) {
        hp_scan_line(scan);
    }
    return is_end;
}

// Read the section of symbols, up to its end line "---". If a dump follows, its beginning
// is then in the window.
static int read_symbols(struct hp_scan *scan, struct hp_err *err) {
    hp_scan_line(scan);
    for (;;) {
        int ret = HP_OK;
        while (ret == HP_OK && !has_line(scan)) {
            ret = hp_scan_slide(scan, err);
        }
        if (ret == HP_OK && hp_cursor_at_end(&scan->c)) {
            ret = hp_scan_fail(scan,
                               HP_WORDS("damaged-names-cut",
                                        "damaged: the file ends within the names"),
                               err);
        }
        if (ret != HP_OK) {
            return ret;
        }
        if (accept_end(scan)) {
            return hp_scan_slide(scan, err);
        }
        read_line(scan);
    }
}

const struct hp_input_format hp_symbols_format = {
    .name = "symbols",
    .is_text = true,
    .is = is_symbols,
    .read = read_symbols,
};
