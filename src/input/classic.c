// The "heap profile:" text format, written by gperftools (GetHeapSample,
// GetHeapGrowthStacks, HEAPPROFILE, HEAPCHECK), by jemalloc up to 3.6, and, without a
// memory map, by Go:
//
//     heap profile:     13:  6291900 [    13:  6291900] @ heap_v2/524288
//          1:  1048576 [     1:  1048576] @ 0x7fee45c186cc 0x7fee45c392a4
//
//     MAPPED_LIBRARIES:
//     55d0-55f0 r-xp 00001000 08:01 1234 /usr/bin/true
//
// The word in the first line says what the numbers count:
//
//     heapprofile             every object
//     growth, http: ...       (no "heap" in it) every extension of the heap
//     heap_v2/N, heapz_v2/N   samples, one in N bytes on average; in gperftools' dumps
//                             both pairs of numbers are equal
//     heap/N, heapz_v1/N      samples, one in N/2
//     none                    samples if the two pairs of totals are equal, else every
//                             object
//
// After each line Go names its frames, except those of its runtime at the leaf:
//
//     #	0x4d96dc	main.leaf+0x5c		/src/main.go:15
//
// gperftools pads its numbers with spaces, jemalloc and Go do not. gperftools has a line
// for each sampled object, Go one for all objects of one stack and size, jemalloc one for
// each stack.
//
// With HEAP_PROFILE_MMAP gperftools counts mapped regions as objects. A part of a region
// that is unmapped is counted as another object freed, so that the number of objects may
// be anything, even negative, while the bytes are right:
//
//         -1:   524288 [     1:  1048576] @ 0x014763c2 0x00eeed66
#include "input/input_format.h"
#include "input/scan.h"

enum {
    // Comments of one stack that name none of its frames, at most; each costs a search of
    // the whole stack.
    MOST_UNNAMED = 256,
};

static bool is_classic(struct hp_span text) {
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    hp_scan_preamble(&c);
    return hp_cursor_accept_word(&c, "heap profile:");
}

// --- header ----------------------------------------------------------------------------

// Whether the objects and bytes in use are equal to the objects and bytes allocated.
static bool repeats(const struct hp_counts *counts) {
    return counts->inuse.objects == counts->alloc.objects &&
           counts->inuse.bytes == counts->alloc.bytes;
}

// Set producer and scaling of a dump that counts every object.
static void set_exact(struct hp_dump *dump, enum hp_producer producer) {
    dump->producer = producer;
    dump->scaling = HP_SCALING_EXACT;
    dump->period = 1;
}

// Set producer, scaling and sample period of a dump that counts samples; `period` is 0 if
// it is unknown.
static void set_sampled(struct hp_dump *dump, enum hp_producer producer,
                        enum hp_scaling scaling, uint64_t period) {
    dump->producer = producer;
    dump->scaling = scaling;
    dump->period = period;
}

// Derive producer, scaling and period from the word after the '@' of the header, and from
// the number after its '/'.
static void take_type(struct hp_dump *dump, struct hp_span type, uint64_t number) {
    bool is_unknown = type.size == 0 && repeats(&dump->header);
    dump->is_first_version =
        is_unknown || (hp_span_contains(type, "heap") && !hp_span_contains(type, "_v2"));
    if (hp_span_is(type, "heapprofile")) {
        dump->is_first_version = false;
        set_exact(dump, HP_PRODUCER_JEMALLOC_3);
    } else if (is_unknown) {
        set_sampled(dump, HP_PRODUCER_UNKNOWN, HP_SCALING_RAW, 0);
    } else if (!hp_span_contains(type, "heap")) {
        bool is_growth = hp_span_starts(type, "growth");
        set_exact(dump, is_growth ? HP_PRODUCER_GPERFTOOLS_GROWTH : HP_PRODUCER_UNKNOWN);
    } else if (!dump->is_first_version) {
        set_sampled(dump, HP_PRODUCER_JEMALLOC_3, HP_SCALING_RAW, number);
    } else {
        bool is_go = hp_span_is(type, "heap");
        set_sampled(dump, is_go ? HP_PRODUCER_GO : HP_PRODUCER_UNKNOWN,
                    HP_SCALING_PER_LINE, number / 2);
    }
}

// Called if numbers are padded with spaces: then jemalloc is not the producer, and each
// line has objects of one size. mimalloc-pprof also writes such dumps.
static void adjust_for_padding(struct hp_dump *dump) {
    if (dump->producer == HP_PRODUCER_JEMALLOC_3) {
        bool is_sample = dump->scaling == HP_SCALING_RAW;
        dump->producer = !is_sample               ? HP_PRODUCER_GPERFTOOLS
                         : repeats(&dump->header) ? HP_PRODUCER_GPERFTOOLS_SAMPLE
                                                  : HP_PRODUCER_UNKNOWN;
        dump->scaling = is_sample ? HP_SCALING_PER_LINE : dump->scaling;
    }
}

// Read the word after the '@', and the number after its '/'. *number stays unchanged if
// there is none.
static struct hp_span read_type(struct hp_cursor *c, uint64_t *number) {
    hp_cursor_spaces(c);
    const char *start = c->at;
    while (!hp_cursor_at_end(c) && !strchr("/ \t\r\n", *c->at)) {
        c->at++;
    }
    struct hp_span type = {start, (size_t)(c->at - start)};
    if (hp_cursor_accept(c, '/') && !hp_cursor_at_end(c) && *c->at >= '0' &&
        *c->at <= '9') {
        *number = hp_cursor_decimal(c);
    }
    return type;
}

// Read the first line of the file: the totals, and the word after the '@'. Fails if the
// totals cannot be read.
static int read_header(struct hp_scan *scan, struct hp_err *err) {
    struct hp_cursor *c = &scan->c;
    uint64_t number = 0;
    struct hp_span type = {"", 0};
    hp_cursor_accept_word(c, "heap profile:");
    bool padded = c->end - c->at > 2 && c->at[0] == ' ' && c->at[1] == ' ';
    scan->dump->has_totals = true;
    scan->dump->header = hp_counts_read(c);
    scan->dump->header_line = scan->line;
    hp_cursor_spaces(c);
    if (hp_cursor_accept(c, '@')) {
        type = read_type(c, &number);
    }
    if (!hp_cursor_good(c)) {
        hp_fail(err, HP_E_FORMAT,
                HP_MESSAGE("totals-expected", "expected %s in the totals"), c->expected);
        err->line = scan->line;
        return HP_E_FORMAT;
    }
    take_type(scan->dump, type, number);
    if (padded) {
        adjust_for_padding(scan->dump);
    }
    hp_scan_line(scan);
    return HP_OK;
}

// --- stacks ----------------------------------------------------------------------------

// Clear a count that has wrapped below zero, or has bytes without objects, and record the
// fault in the dump.
static void check_count(struct hp_scan *scan, struct hp_count *count) {
    if (hp_count_drop_wrapped(count)) {
        hp_diagnostic_count_add(&scan->dump->wrapped, scan->line);
    } else if (count->objects == 0 && count->bytes > 0) {
        hp_scan_damaged(scan, HP_WORDS("classic-bytes-without-objects",
                                       "bytes without objects"));
        count->bytes = 0;
    }
}

// Whether a line counts regions (HEAP_PROFILE_MMAP): then its number of objects in use is
// meaningless, but the number of allocated objects is valid.
static bool is_of_regions(const struct hp_dump *dump, const struct hp_counts *counts) {
    struct hp_count inuse = counts->inuse;
    bool is_count = inuse.objects > 0 && !hp_count_is_wrapped(&inuse);
    return dump->producer == HP_PRODUCER_GPERFTOOLS && !is_count &&
           counts->alloc.objects > 0 && !hp_count_is_wrapped(&counts->alloc) &&
           inuse.bytes <= counts->alloc.bytes && (inuse.objects > 0 || inuse.bytes > 0);
}

// Check the counts of a line; for a line that counts regions, clear the number of objects
// in use and record that the dump lacks this metric.
static void check_counts(struct hp_scan *scan, struct hp_counts *counts) {
    if (is_of_regions(scan->dump, counts)) {
        scan->dump->missing_metrics = 1u << HP_INUSE_OBJECTS;
        counts->inuse.objects = 0;
    } else {
        check_count(scan, &counts->inuse);
    }
    check_count(scan, &counts->alloc);
}

// If some line had a meaningless number of objects in use, which missing_metrics records,
// clear that number in the header and in all stacks, where it is no more reliable.
static void drop_uncertain_objects(struct hp_dump *dump) {
    struct hp_dump_stack *stack;
    if (dump->missing_metrics) {
        dump->header.inuse.objects = 0;
        hp_vec_each (stack, &dump->stacks) {
            stack->counts.inuse.objects = 0;
        }
    }
}

// Remove a root frame of address 0, with which jemalloc 3 ends its stacks.
static void drop_null_root(const struct hp_dump *dump, struct hp_dump_stack *stack) {
    if (stack->depth > 0) {
        uint32_t root = dump->frames.at[stack->first_frame + stack->depth - 1];
        stack->depth -= dump->addresses.at[root] == 0;
    }
}

// Read one line with counts and a stack. A line that cannot be read is skipped and
// counted as malformed.
static void read_stack(struct hp_scan *scan) {
    struct hp_dump *dump = scan->dump;
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    struct hp_dump_stack stack = {.first_frame = dump->frames.count,
                                  .counts = hp_counts_read(c)};
    hp_cursor_spaces(c);
    hp_cursor_expect(c, '@', "'@'");
    if (hp_cursor_good(c)) {
        hp_stack_line_read(scan->stacks, c, dump);
    }
    if (!hp_cursor_good(c)) {
        if (c->too_big) {
            hp_scan_damaged(scan, HP_WORDS("classic-number-too-large",
                                           "a number is 2^64 or more"));
        }
        hp_scan_skip(scan, start, c->expected);
        return;
    }
    if (*start == ' ') {
        adjust_for_padding(dump);
    }
    check_counts(scan, &stack.counts);
    stack.depth = (uint32_t)(dump->frames.count - stack.first_frame);
    drop_null_root(dump, &stack);
    hp_vec_push(&dump->stacks, stack);
    scan->after_stack = true;
    scan->unnamed = 0;
    scan->line++;
}

// Narrow the last stack to the frames that Go's comments name, from the first to the one
// at `call`. Go leaves out the frames of its runtime at the leaf and at the root, and so
// do we.
static void show_frame(struct hp_scan *scan, uint64_t call) {
    struct hp_dump *dump = scan->dump;
    struct hp_dump_stack *stack = &dump->stacks.at[dump->stacks.count - 1];
    size_t i = stack->first_frame + (scan->after_stack ? 0 : stack->depth);
    while (i < dump->frames.count && dump->addresses.at[dump->frames.at[i]] != call + 1) {
        i++;
    }
    scan->unnamed += i == dump->frames.count;
    if (i < dump->frames.count) {
        stack->first_frame = scan->after_stack ? i : stack->first_frame;
        stack->depth = (uint32_t)(i + 1 - stack->first_frame);
        scan->after_stack = false;
    }
}

// Parse a frame's name and its source line: "main.leaf+0x5c", tabs, "/src/main.go:15".
static struct hp_embedded_call read_call(struct hp_strtab *strings, struct hp_span text) {
    struct hp_embedded_call call = {{0}, {0}, {0}, 0};
    const char *tab = memchr(text.at, '\t', text.size);
    struct hp_span name = {text.at, tab ? (size_t)(tab - text.at) : text.size};
    const char *plus = memrchr(name.at, '+', name.size);
    name.size = plus ? (size_t)(plus - name.at) : name.size;
    call.function = hp_strtab_add(strings, name);
    const char *last_tab = memrchr(text.at, '\t', text.size);
    if (last_tab) {
        struct hp_span file = hp_span_from(text, (size_t)(last_tab + 1 - text.at));
        const char *colon = memrchr(file.at, ':', file.size);
        if (colon) {
            struct hp_cursor c = hp_cursor_over(colon + 1, file.at + file.size);
            uint64_t line = hp_cursor_decimal(&c);
            call.line = line <= UINT32_MAX ? (uint32_t)line : 0;
            file.size = (size_t)(colon - file.at);
        }
        call.file = hp_strtab_add(strings, file);
    }
    return call;
}

// Read a line that begins with '#': a named frame, or statistics of Go's memory, which
// are skipped.
static void read_comment(struct hp_scan *scan) {
    struct hp_dump *dump = scan->dump;
    struct hp_span line = hp_scan_line(scan);
    if (!hp_span_starts(line, "#\t0x")) {
        return;
    }
    struct hp_cursor c = hp_cursor_over(line.at + 2, line.at + line.size);
    uint64_t address = hp_cursor_hex(&c);
    if (!hp_cursor_good(&c)) {
        return;
    }
    if (dump->stacks.count > 0 && scan->unnamed < MOST_UNNAMED) {
        show_frame(scan, address);
    }
    if (hp_cursor_accept(&c, '\t')) {
        struct hp_span rest = {c.at, (size_t)(c.end - c.at)};
        hp_vec_push(&dump->embedded_calls, read_call(&dump->strings, rest));
        hp_dump_embed(dump, address);
    }
}

// Read a line after the header: an empty one, a comment or a stack.
static void read_record(struct hp_scan *scan) {
    if (hp_scan_at_empty_line(scan)) {
        hp_scan_line(scan);
    } else if (*scan->c.at == '#') {
        read_comment(scan);
    } else {
        read_stack(scan);
    }
}

// Whether the totals of the header are the sums of the stacks.
static bool adds_up(const struct hp_dump *dump) {
    struct hp_counts left = dump->header; // total minus the stacks, modulo 2^64
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        left.inuse.objects -= stack->counts.inuse.objects;
        left.inuse.bytes -= stack->counts.inuse.bytes;
        left.alloc.objects -= stack->counts.alloc.objects;
        left.alloc.bytes -= stack->counts.alloc.bytes;
    }
    return left.inuse.objects == 0 && left.inuse.bytes == 0 && left.alloc.objects == 0 &&
           left.alloc.bytes == 0;
}

// Called for a file without a memory map. Go writes no map, so that the file is complete
// if its totals are the sums of its stacks; otherwise records damage.
static void no_maps(struct hp_scan *scan) {
    drop_uncertain_objects(scan->dump);
    if (!adds_up(scan->dump)) {
        hp_scan_damaged(
            scan, HP_WORDS("classic-no-map",
                           "no memory map, and the totals are not those of the stacks"));
    }
}

// Read a whole file in the "heap profile:" text format of gperftools into the dump.
static int read_classic(struct hp_scan *scan, struct hp_err *err) {
    static const struct hp_scan_grammar grammar = {
        .read_header = read_header,
        .read_record = read_record,
        .no_maps = no_maps,
    };
    int ret = hp_scan_read(scan, &grammar, err);
    drop_uncertain_objects(scan->dump);
    return ret;
}

const struct hp_input_format hp_classic_format = {
    .name = "classic",
    .title = "gperftools ('heap profile:')",
    .is_text = true,
    .is = is_classic,
    .read = read_classic,
};
