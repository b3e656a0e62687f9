// Folded stacks, as the collapse scripts of flame graphs, bcc, async-profiler and
// ClickHouse write them, and as this program does (report/folded.c):
//
//     main;work;malloc 128
//
// A line has the names of a stack from the root to the leaf, a space, and a whole number.
// The format does not say what the number counts, nor how the stacks were sampled: the
// numbers are used unchanged, as bytes in use or as objects in use.
//
// Nothing marks the format, so that the whole text has to match: the first line that does
// not makes the file unusable. Only a last line without its end is damage, as in other
// formats.
#include "input/input_format.h"
#include "input/scan.h"
#include "model/dump.h"

#include <ctype.h>
#include <string.h>

enum {
    DEEPEST = 65536, // frames of a stack, at most
};

// A line: its names and its number.
struct folded_line {
    struct hp_span names;
    struct hp_span number;
};

// Return the size of the text before the digits that it ends in.
static size_t before_digits(struct hp_span text) {
    size_t size = text.size;
    while (size > 0 && isdigit((unsigned char)text.at[size - 1])) {
        size--;
    }
    return size;
}

// Return the size of the text before the spaces that it ends in.
static size_t before_spaces(struct hp_span text) {
    size_t size = text.size;
    while (size > 0 && (text.at[size - 1] == ' ' || text.at[size - 1] == '\t')) {
        size--;
    }
    return size;
}

// Whether the text has a control character other than a tab.
static bool has_control(struct hp_span text) {
    bool found = false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        found |= (c < 0x20 && c != '\t') || c == 0x7f;
    }
    return found;
}

// Divide a line into names and number. Returns false if it is no line of folded stacks.
static bool divide(struct hp_span text, struct folded_line *line) {
    size_t digits = before_digits(text);
    size_t names = before_spaces((struct hp_span){text.at, digits});
    line->names = (struct hp_span){text.at, names};
    line->number = hp_span_from(text, digits);
    return line->number.size > 0 && names > 0 && names < digits && !has_control(text);
}

// Whether a line is one of a comparison, "main;work 128 256", in which the names end in a
// number. Our writer never ends a name so.
static bool has_two_numbers(const struct folded_line *line) {
    size_t digits = before_digits(line->names);
    size_t rest = before_spaces((struct hp_span){line->names.at, digits});
    return digits < line->names.size && rest < digits;
}

// Whether a text that begins with `head` is one of folded stacks: lines of them, at least
// one with two frames.
static bool is_folded(struct hp_span head) {
    struct hp_cursor c = hp_cursor_over(head.at, head.at + head.size);
    while (!hp_cursor_at_end(&c)) {
        struct folded_line line;
        if (!divide(hp_cursor_line(&c), &line)) {
            return false;
        }
        if (memchr(line.names.at, ';', line.names.size)) {
            return true;
        }
    }
    return false;
}

// Return a hash of a name, to be used as its address. It is the same in all inputs, and
// is in the half of the address space that no program has.
static uint64_t address_of(struct hp_span name) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < name.size; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3;
    }
    return hash | (uint64_t)1 << 63;
}

// Push a frame with a name, which gets an address when it occurs first: names and
// addresses are numbered alike, except that string 0 is "". A frame without a name is
// unknown.
static void push_frame(struct hp_dump *dump, struct hp_span name) {
    name = name.size > 0 ? name : hp_span_of("[unknown]");
    hp_string string = hp_strtab_add(&dump->strings, name);
    if (string.n > dump->addresses.count) {
        struct hp_embedded_call call = {.function = string};
        hp_vec_push(&dump->addresses, address_of(name));
        hp_vec_push(&dump->rows, 0);
        hp_vec_push(&dump->embedded_calls, call);
        hp_dump_embed(dump, string.n - 1);
    }
    hp_vec_push(&dump->frames, string.n - 1);
}

// Push the frames of a stack, leaf first. Returns their number.
static size_t push_frames(struct hp_dump *dump, struct hp_span names) {
    size_t first = dump->frames.count;
    while (dump->frames.count - first <= DEEPEST) {
        const char *semicolon = memrchr(names.at, ';', names.size);
        if (!semicolon) {
            push_frame(dump, names);
            break;
        }
        push_frame(dump, hp_span_from(names, (size_t)(semicolon - names.at) + 1));
        names.size = (size_t)(semicolon - names.at);
    }
    return dump->frames.count - first;
}

static int fail_deep(const struct hp_scan *scan, struct hp_err *err) {
    hp_fail(err, HP_E_LIMIT, "%s",
            hp_words(HP_WORDS("folded-too-deep", "a stack of more than 65,536 frames")));
    err->line = scan->line;
    return HP_E_LIMIT;
}

// Read the line at the cursor as a stack. A last line without its end is skipped: the
// scan records the damage.
static int read_stack(struct hp_scan *scan, struct hp_err *err) {
    struct hp_dump *dump = scan->dump;
    struct hp_cursor c = scan->c;
    struct folded_line line;
    struct hp_span text = hp_cursor_line(&c);
    if (c.at[-1] != '\n') {
        scan->line++;
        scan->c = c;
        return HP_OK;
    }
    if (!divide(text, &line)) {
        return hp_scan_fail(scan,
                            HP_WORDS("folded-line",
                                     "expected a folded stack, as \"main;work 128\""),
                            err);
    }
    if (has_two_numbers(&line)) {
        return hp_scan_fail(
            scan,
            HP_WORDS("folded-two-numbers",
                     "two numbers: this is a comparison. Use the two profiles"),
            err);
    }
    struct hp_cursor digits =
        hp_cursor_over(line.number.at, line.number.at + line.number.size);
    struct hp_count count = {0, hp_cursor_decimal(&digits)};
    struct hp_count by_objects = {count.bytes, 0};
    if (!hp_cursor_good(&digits) || hp_count_is_wrapped(&count)) {
        return hp_scan_fail(scan, HP_WORDS("folded-number", "a number of 2^62 or more"),
                            err);
    }
    struct hp_dump_stack stack = {.first_frame = dump->frames.count};
    stack.counts.inuse = scan->folded_objects ? by_objects : count;
    stack.depth = (uint32_t)push_frames(dump, line.names);
    if (stack.depth > DEEPEST) {
        return fail_deep(scan, err);
    }
    hp_vec_push(&dump->stacks, stack);
    hp_scan_line(scan);
    return HP_OK;
}

static int read_folded(struct hp_scan *scan, struct hp_err *err) {
    enum hp_metric metric = scan->folded_objects ? HP_INUSE_OBJECTS : HP_INUSE_SPACE;
    struct hp_dump *dump = scan->dump;
    dump->producer = HP_PRODUCER_FOLDED;
    dump->scaling = HP_SCALING_SCALED;
    dump->missing_metrics = ((1u << HP_METRICS) - 1) & ~(1u << metric);
    dump->has_rows = true;
    return hp_scan_read_lines(scan, read_stack, err);
}

const struct hp_input_format hp_folded_input_format = {
    .name = "folded",
    .title = "folded stacks ('main;work 128')",
    .is_text = true,
    .is = is_folded,
    .read = read_folded,
};
