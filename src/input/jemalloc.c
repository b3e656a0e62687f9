// The "heap_v2/" text format, written by prof_dump_impl() in jemalloc's src/prof_data.c:
//
//     heap_v2/524288
//       t*: 12: 3456 [0: 0]
//       t3: 12: 3456 [0: 0] a name
//     @ 0x55d0 0x55e8
//       t*: 1: 64 [0: 0]
//       t3: 1: 64 [0: 0]
//
//     MAPPED_LIBRARIES:
//     55d0-55f0 r-xp 00001000 08:01 1234 /usr/bin/true
//
// The counts are: objects in use, their bytes, [objects ever allocated, their bytes].
// "t*" is the sum of all threads, "t3" is thread 3.
//
// ClickHouse's jemalloc adds lines to stacks, and others after the stacks:
//
//       f: 1500000 60 64 3 0 3
//     frag_util: 0 3 64 4096 64 1 10 500 2
//
// An "f" line is a sampled object that is alive: its age in ns, bytes requested, bytes
// allocated, size class, arena, thread. The counts were taken a moment before, so that
// the two may differ.
//
// A "frag_util" line shows how full the slabs of one arena and size class are: arena,
// class, bytes of a region, bytes of a slab, regions of a slab, shards, slabs, regions in
// use, slabs that are not full.
#include "input/input_format.h"
#include "input/scan.h"

// Read the counts after "t*" or "t3".
static struct hp_counts read_counts(struct hp_cursor *c) {
    hp_cursor_expect(c, ':', "':'");
    return hp_counts_read(c);
}

// Clear a count that has wrapped below zero, or has only one of objects and bytes, and
// record the fault in the dump.
static void check_count(struct hp_scan *scan, struct hp_count *count) {
    if (hp_count_drop_wrapped(count)) {
        hp_diagnostic_count_add(&scan->dump->wrapped, scan->line);
    } else if ((count->objects == 0) != (count->bytes == 0)) {
        hp_scan_damaged(scan,
                        HP_WORDS("counts-contradict",
                                 "objects without bytes, or bytes without objects"));
        *count = (struct hp_count){0};
    }
}

// Read one line of counts after a stack: "t*" becomes the stack's counts, "t3" a thread
// line. `counted` says that there was a "t*" line before. Returns whether this is a valid
// "t*" line.
static bool read_count_line(struct hp_scan *scan, struct hp_dump_stack *stack,
                            bool counted) {
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    hp_cursor_spaces(c);
    hp_cursor_expect(c, 't', HP_WORDS("counts-expected", "a line of counts"));
    bool all = hp_cursor_accept(c, '*');
    struct hp_thread_line line = {.thread = all ? 0 : hp_cursor_decimal(c)};
    line.counts = read_counts(c);
    hp_cursor_newline(c);
    if (all && counted) {
        hp_cursor_fail(c, HP_WORDS("counts-of-one-thread-expected",
                                   "one line of counts for all threads, not two"));
    }
    if (!hp_cursor_good(c)) {
        if (c->too_big) {
            hp_scan_damaged(scan, HP_WORDS("jemalloc-number-too-large",
                                           "a number is 2^64 or more"));
        }
        hp_scan_skip(scan, start, c->expected);
        return false;
    }
    check_count(scan, &line.counts.inuse);
    check_count(scan, &line.counts.alloc);
    scan->line++;
    if (all) {
        stack->counts = line.counts;
    } else {
        hp_vec_push(&scan->dump->thread_lines, line);
        stack->lines++;
    }
    return all;
}

// Whether the line at the cursor begins like a line of counts: with "t*" or "t3", perhaps
// indented.
static bool at_count_line(const struct hp_scan *scan) {
    const char *at = scan->c.at;
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    return at[0] == 't' && (at[1] == '*' || (at[1] >= '0' && at[1] <= '9'));
}

// Drop the thread line of a stack with a single thread, the common case, if it only
// repeats the counts of all threads.
static void forget_lone_thread(struct hp_dump *dump, struct hp_dump_stack *stack) {
    if (stack->lines == 1 && memcmp(&dump->thread_lines.at[stack->first_line].counts,
                                    &stack->counts, sizeof stack->counts) == 0) {
        stack->lines = 0;
        dump->thread_lines.count = stack->first_line;
    }
}

// Skip a line of the body that is none of the known ones. It is counted as unknown if it
// is indented, as malformed if not, and not at all if it is empty.
static void read_other(struct hp_scan *scan) {
    uint64_t number = scan->line;
    struct hp_span line = hp_scan_line(scan);
    if (line.size == 0) {
        return;
    }
    if (line.at[0] == ' ' || line.at[0] == '\t') {
        hp_diagnostic_count_add(&scan->dump->unknown, number);
    } else {
        hp_dump_malformed(scan->dump,
                          HP_WORDS("stack-or-map-expected", "a stack or the memory map"),
                          number);
    }
}

// Whether the line at the cursor belongs to the stack before it: any indented line, line
// of counts or blank line does; any other line ends the stack.
static bool at_line_of_stack(const struct hp_scan *scan) {
    char first = *scan->c.at;
    return first == ' ' || first == '\t' || at_count_line(scan) ||
           hp_scan_at_empty_line(scan);
}

// --- what ClickHouse adds --------------------------------------------------------------

// Read `count` numbers up to the end of the line, each preceded by a space.
static void read_numbers(struct hp_cursor *c, uint64_t *numbers, int count) {
    for (int i = 0; i < count; i++) {
        hp_cursor_expect(c, ' ', HP_WORDS("count-space-expected", "' '"));
        numbers[i] = hp_cursor_decimal(c);
    }
    hp_cursor_newline(c);
}

// Read an "f" line, which describes an object that is alive, into dump->listed. Returns
// false if it cannot be read.
static bool read_object(struct hp_scan *scan) {
    enum {
        AGE = 0,
        GIVEN = 2,
        THREAD = 5,
        NUMBERS
    };

    uint64_t numbers[NUMBERS] = {0};
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    hp_cursor_accept_word(c, "  f:");
    read_numbers(c, numbers, NUMBERS);
    if (hp_cursor_good(c) && (numbers[GIVEN] == 0 || numbers[GIVEN] >> 62)) {
        hp_cursor_fail(c, HP_WORDS("object-size-expected",
                                   "an object size that jemalloc can allocate"));
    }
    if (!hp_cursor_good(c)) {
        hp_scan_skip(scan, start, c->expected);
        return false;
    }
    scan->line++;
    struct hp_listed object = {numbers[GIVEN], numbers[THREAD], numbers[AGE]};
    hp_vec_push(&scan->dump->listed, object);
    return true;
}

// Attach the objects of dump->listed from `first` on, at least one, to the stack that is
// pushed next. If `is_sound` is false, because one of the stack's "f" lines could not be
// read, drop them all instead.
static void end_list(struct hp_dump *dump, size_t first, bool is_sound) {
    if (!is_sound) {
        dump->listed.count = first;
    } else {
        struct hp_stack_extra *extra = hp_dump_next_extra(dump);
        extra->first_listed = first;
        extra->listed = (uint32_t)(dump->listed.count - first);
    }
}

// Read a line on slabs, "frag_util: ...", and add its bytes of slabs and of regions in
// use to dump->slabs.
static void read_slabs(struct hp_scan *scan) {
    enum {
        REGION = 2,
        SLAB = 3,
        SLABS = 6,
        REGIONS_USED = 7,
        NUMBERS = 9
    };

    uint64_t numbers[NUMBERS] = {0}, bytes, used;
    struct hp_slabs sum = scan->dump->slabs;
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    hp_cursor_accept_word(c, "frag_util:");
    read_numbers(c, numbers, NUMBERS);
    if (__builtin_mul_overflow(numbers[SLABS], numbers[SLAB], &bytes) ||
        __builtin_mul_overflow(numbers[REGIONS_USED], numbers[REGION], &used) ||
        __builtin_add_overflow(sum.bytes, bytes, &sum.bytes) ||
        __builtin_add_overflow(sum.used, used, &sum.used) || used > bytes) {
        hp_cursor_fail(c, HP_WORDS("slabs-too-small",
                                   "slabs that hold the objects in them"));
    }
    if (!hp_cursor_good(c)) {
        hp_scan_skip(scan, start, c->expected);
        return;
    }
    scan->line++;
    scan->dump->slabs = sum;
}

// --- stacks ----------------------------------------------------------------------------

// If the next line only repeats the "t*" line for a single thread, and is the last line
// of its stack, skip it without parsing. `counts` is the text of the "t*" line from its
// ':' on. Returns whether it was skipped.
static bool skip_lone_thread(struct hp_scan *scan, const char *counts) {
    struct hp_cursor *c = &scan->c;
    const char *start = c->at, *at = start + 3;
    size_t size = (size_t)(start - counts), digits = 0;
    if (c->end - start < 4 || memcmp(start, "  t", 3) != 0) {
        return false;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        digits++;
    }
    if (digits == 0 || digits > 18 || (size_t)(c->end - at) < size ||
        memcmp(at, counts, size) != 0) {
        return false;
    }
    c->at = at + size;
    if (at_line_of_stack(scan)) {
        c->at = start;
        return false;
    }
    scan->line++;
    return true;
}

// Read all lines after the '@' line of a stack. Returns whether one of them has the
// counts of all threads ("t*").
static bool read_lines_of(struct hp_scan *scan, struct hp_dump_stack *stack) {
    struct hp_dump *dump = scan->dump;
    uint64_t wrapped_before = dump->wrapped.count;
    size_t first_listed = dump->listed.count;
    bool counted = false, is_list_sound = true;
    const char *start = scan->c.at;
    while (at_line_of_stack(scan)) {
        if (hp_scan_at(scan, "  f:")) {
            is_list_sound &= read_object(scan);
            continue;
        }
        if (!at_count_line(scan)) {
            read_other(scan);
            continue;
        }
        bool usual = scan->c.at == start && memcmp(start, "  t*", 4) == 0;
        counted |= read_count_line(scan, stack, counted);
        bool is_sound = counted && dump->wrapped.count == wrapped_before;
        if (usual && is_sound && !scan->keeps_threads &&
            skip_lone_thread(scan, start + 4)) {
            break;
        }
    }
    if (dump->listed.count > first_listed) {
        end_list(dump, first_listed, is_list_sound);
    }
    return counted;
}

// Read the lines after the '@' line of a stack, and add the stack to the dump if they
// have counts of all threads.
static void read_counts_of(struct hp_scan *scan, struct hp_dump_stack *stack) {
    struct hp_dump *dump = scan->dump;
    uint64_t line = scan->line - 1, malformed_before = dump->malformed.count;
    bool counted = read_lines_of(scan, stack);
    scan->uncounted_line = counted ? 0 : line;
    if (counted) {
        if (!scan->keeps_threads) {
            forget_lone_thread(dump, stack);
        }
        hp_vec_push(&dump->stacks, *stack);
        return;
    }
    // The frames are kept, because the next stack may share them.
    hp_dump_drop_extra(dump);
    dump->thread_lines.count = stack->first_line;
    if (dump->malformed.count == malformed_before) {
        hp_dump_malformed(dump,
                          HP_WORDS("thread-counts-after-stack",
                                   "a line of counts for all threads behind the stack"),
                          line);
    }
}

// Read a stack and its lines. A stack that cannot be read is skipped and counted as
// malformed.
static void read_stack(struct hp_scan *scan) {
    struct hp_dump *dump = scan->dump;
    const char *start = scan->c.at;
    struct hp_dump_stack stack = {.first_frame = dump->frames.count,
                                  .first_line = dump->thread_lines.count};
    scan->c.at++; // the '@'
    hp_stack_line_read(scan->stacks, &scan->c, dump);
    if (!hp_cursor_good(&scan->c)) {
        hp_scan_skip(scan, start, scan->c.expected);
        return;
    }
    scan->line++;
    stack.depth = (uint32_t)(dump->frames.count - stack.first_frame);
    read_counts_of(scan, &stack);
}

// Read a record after the header: a stack with its lines, a line on slabs, or an unknown
// line.
static void read_record(struct hp_scan *scan) {
    if (*scan->c.at == '@') {
        read_stack(scan);
    } else if (hp_scan_at(scan, "frag_util:")) {
        read_slabs(scan);
    } else {
        read_other(scan);
    }
}

// Returns the end of the last whole stack of the window, which is the start of the stack
// after it; NULL if there is none.
static const char *last_boundary(const struct hp_scan *scan) {
    const char *end = scan->stream->at + scan->stream->size;
    while (end > scan->c.at) {
        const char *stack = memrchr(scan->c.at, '@', (size_t)(end - scan->c.at));
        if (!stack || stack == scan->c.at) {
            return NULL;
        }
        if (stack[-1] == '\n') {
            return stack;
        }
        end = stack;
    }
    return NULL;
}

// --- header ----------------------------------------------------------------------------

// Whether the window contains the header up to the first stack, or up to the memory map.
static bool has_whole_header(const struct hp_scan *scan) {
    struct hp_span rest = hp_scan_rest(scan);
    return memmem(rest.at, rest.size, "\n@", 2) ||
           memmem(rest.at, rest.size, "\nMAPPED_LIBRARIES:", 18);
}

static bool is_jemalloc(struct hp_span text) {
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    hp_scan_preamble(&c);
    return hp_cursor_accept_word(&c, "heap_v2/");
}

// Read the first line, "heap_v2/PERIOD". Fails if it has no valid period.
static int read_period(struct hp_scan *scan, struct hp_err *err) {
    hp_cursor_accept_word(&scan->c, "heap_v2/");
    scan->dump->period = hp_cursor_decimal(&scan->c);
    hp_cursor_newline(&scan->c);
    if (!hp_cursor_good(&scan->c)) {
        hp_fail(err, HP_E_FORMAT,
                HP_MESSAGE("sample-period-expected", "expected %s as sample period"),
                scan->c.expected);
        err->line = scan->line;
        return HP_E_FORMAT;
    }
    scan->line++;
    return HP_OK;
}

// Add the name of a thread, which is any text after its counts, to dump->threads.
static void keep_name(struct hp_scan *scan, uint64_t thread, struct hp_span name) {
    if (name.size > 0 && name.at[0] == ' ') {
        name = hp_span_from(name, 1);
    }
    if (name.size > 0) {
        struct hp_thread named = {thread, hp_strtab_add(&scan->dump->strings, name)};
        hp_vec_push(&scan->dump->threads, named);
    }
}

// Read one line of the totals in the header. Returns whether it is the line of all
// threads ("t*").
static bool read_total(struct hp_scan *scan) {
    struct hp_cursor line = scan->c;
    hp_cursor_spaces(&line);
    hp_cursor_expect(&line, 't', HP_WORDS("totals-line-expected", "a line of totals"));
    bool all = hp_cursor_accept(&line, '*');
    uint64_t thread = all ? 0 : hp_cursor_decimal(&line);
    struct hp_counts counts = read_counts(&line);
    if (!hp_cursor_good(&line)) {
        hp_scan_skip(scan, scan->c.at, line.expected);
        return false;
    }
    if (all) {
        scan->dump->header = counts;
        scan->dump->header_line = scan->line;
    }
    scan->dump->header_threads += !all;
    scan->c = line;
    struct hp_span name = hp_scan_line(scan);
    if (!all && scan->keeps_threads) {
        keep_name(scan, thread, name);
    }
    return all;
}

// Read the lines of totals, up to the first stack.
static void read_totals(struct hp_scan *scan) {
    bool found = false;
    while (!hp_cursor_at_end(&scan->c) && *scan->c.at != '@' && !hp_scan_at_maps(scan)) {
        if (hp_scan_at_empty_line(scan)) {
            hp_scan_line(scan);
        } else {
            found |= read_total(scan);
        }
    }
    if (!found) {
        hp_scan_damaged(scan, HP_WORDS("no-totals-line", "no line of totals"));
    }
}

// Read the period and the totals.
static int read_header(struct hp_scan *scan, struct hp_err *err) {
    scan->dump->producer = HP_PRODUCER_JEMALLOC;
    scan->dump->has_totals = true;
    int ret = read_period(scan, err);
    if (ret == HP_OK) {
        read_totals(scan);
    }
    return ret;
}

// The file ends before its memory map: record damage. lacks_map is set if this is the only
// damage, because jemalloc writes no map on some systems; hp_dump_check() then accepts the
// dump if its totals show that no stack is missing.
static void no_maps(struct hp_scan *scan) {
    bool is_sound = !scan->dump->damage.what;
    hp_scan_damaged(scan, HP_WORDS("ends-before-map",
                                   "the file ends before its MAPPED_LIBRARIES section"));
    scan->dump->lacks_map = is_sound;
}

// Read a whole file in jemalloc's text format ("heap_v2/PERIOD") into the dump.
static int read_jemalloc(struct hp_scan *scan, struct hp_err *err) {
    static const struct hp_scan_grammar grammar = {
        .has_header = has_whole_header,
        .read_header = read_header,
        .boundary = last_boundary,
        .read_record = read_record,
        .no_maps = no_maps,
    };
    return hp_scan_read(scan, &grammar, err);
}

const struct hp_input_format hp_jemalloc_format = {
    .name = "jemalloc",
    .title = "jemalloc ('heap_v2/')",
    .is_text = true,
    .is = is_jemalloc,
    .read = read_jemalloc,
};
