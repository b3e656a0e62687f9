// The slow reader of "heap profile:" files.
#include "reference.h"

#include <string.h>

static bool contains(struct hp_span text, const char *word) {
    for (size_t i = 0; i < text.size; i++) {
        if (hp_span_starts(hp_span_from(text, i), word)) {
            return true;
        }
    }
    return false;
}

static void is(struct hp_dump *dump, enum hp_producer producer, enum hp_scaling scaling,
               uint64_t period) {
    dump->producer = producer;
    dump->scaling = scaling;
    dump->period = period;
}

// Find the producer, scaling and period by the text after '@' and the number after '/'.
static void judge_type(struct hp_dump *dump, struct hp_span type, uint64_t number) {
    const struct hp_counts *sum = &dump->header;
    bool repeats =
        sum->inuse.objects == sum->alloc.objects && sum->inuse.bytes == sum->alloc.bytes;
    bool is_heap = contains(type, "heap");

    if (hp_span_is(type, "heapprofile")) {
        is(dump, HP_PRODUCER_JEMALLOC_3, HP_SCALING_EXACT, 1);
    } else if (is_heap && contains(type, "_v2")) {
        is(dump, HP_PRODUCER_JEMALLOC_3, HP_SCALING_RAW, number);
    } else if (is_heap) {
        dump->is_first_version = true;
        is(dump, hp_span_is(type, "heap") ? HP_PRODUCER_GO : HP_PRODUCER_UNKNOWN,
           HP_SCALING_PER_LINE, number / 2);
    } else if (type.size == 0 && repeats) {
        dump->is_first_version = true;
        is(dump, HP_PRODUCER_UNKNOWN, HP_SCALING_RAW, 0);
    } else if (hp_span_starts(type, "growth")) {
        is(dump, HP_PRODUCER_GPERFTOOLS_GROWTH, HP_SCALING_EXACT, 1);
    } else {
        is(dump, HP_PRODUCER_UNKNOWN, HP_SCALING_EXACT, 1);
    }
}

// Correct the producer and the scaling of a file with padded numbers: gperftools pads
// them, jemalloc does not.
static void is_padded(struct hp_dump *dump) {
    if (dump->producer != HP_PRODUCER_JEMALLOC_3) {
        return;
    }
    if (dump->scaling == HP_SCALING_RAW) {
        bool repeats = memcmp(&dump->header.inuse, &dump->header.alloc,
                              sizeof dump->header.inuse) == 0;
        dump->producer = repeats ? HP_PRODUCER_GPERFTOOLS_SAMPLE : HP_PRODUCER_UNKNOWN;
        dump->scaling = HP_SCALING_PER_LINE;
    } else {
        dump->producer = HP_PRODUCER_GPERFTOOLS;
    }
}

static void read_header(struct reference *r) {
    struct hp_dump *dump = &r->dump;
    struct reference_scan s = reference_scan_of(r->lines.at[r->next].text);
    struct hp_span type = {"", 0};
    uint64_t number = 0;
    reference_need(&s, "heap profile:", "");
    bool padded = s.end - s.at >= 2 && s.at[0] == ' ' && s.at[1] == ' ';
    dump->has_totals = true;
    dump->header = reference_counts(&s);
    dump->header_line = r->next + 1;
    reference_blanks(&s);
    if (reference_next_is(&s, '@')) {
        s.at++;
        reference_blanks(&s);
        type.at = s.at;
        while (s.at < s.end && *s.at && !strchr("/ \t\r", *s.at)) {
            s.at++;
        }
        type.size = (size_t)(s.at - type.at);
        if (reference_next_is(&s, '/')) {
            s.at++;
            bool is_number = s.at < s.end && *s.at >= '0' && *s.at <= '9';
            number = is_number ? reference_decimal(&s) : 0;
        }
    }
    if (s.wanted) {
        r->ret = hp_fail(&r->err, HP_E_FORMAT, "expected %s in the totals", s.wanted);
        r->err.line = r->next + 1;
        return;
    }
    judge_type(dump, type, number);
    if (padded) {
        is_padded(dump);
    }
    r->next++;
}

// Replace a count that wrapped around, or that is inconsistent, by 0.
static void check(struct reference *r, struct hp_count *count) {
    uint64_t most = (uint64_t)1 << 62;
    if (count->objects >= most || count->bytes >= most) {
        reference_count(r, &r->dump.wrapped);
        *count = (struct hp_count){0};
    } else if (count->objects == 0 && count->bytes > 0) {
        reference_damaged(r, "bytes without objects");
        count->bytes = 0;
    }
}

// Whether the stack counts mapped regions of memory, where gperftools has a wrong number
// of objects, and only the bytes are right.
static bool counts_regions(const struct hp_dump *dump, const struct hp_counts *counts) {
    uint64_t objects = counts->inuse.objects, bytes = counts->inuse.bytes;
    uint64_t most = (uint64_t)1 << 62;
    bool are_allocated = counts->alloc.objects > 0 && counts->alloc.objects < most &&
                         counts->alloc.bytes < most && bytes <= counts->alloc.bytes;
    bool is_impossible = objects >= most || (objects == 0 && bytes > 0);
    return dump->producer == HP_PRODUCER_GPERFTOOLS && are_allocated && is_impossible;
}

static void check_pair(struct reference *r, struct hp_counts *counts) {
    if (counts_regions(&r->dump, counts)) {
        counts->inuse.objects = 0;
        r->dump.missing_metrics = 1u << HP_INUSE_OBJECTS;
    } else {
        check(r, &counts->inuse);
    }
    check(r, &counts->alloc);
}

// Read the line of a stack.  Returns false if it is malformed.
static bool read_stack(struct reference *r) {
    struct hp_dump *dump = &r->dump;
    struct hp_span line = r->lines.at[r->next].text;
    struct reference_scan s = reference_scan_of(line);
    struct hp_dump_stack stack = {.counts = reference_counts(&s),
                                  .first_frame = dump->frames.count};
    reference_blanks(&s);
    reference_need(&s, "@", "'@'");
    stack.depth = s.wanted ? 0 : reference_frames(&s, dump);
    if (s.too_big) {
        reference_damaged(r, "a number is 2^64 or more");
    }
    if (s.too_deep) {
        reference_too_deep(r);
    } else if (s.wanted) {
        reference_malformed(r, s.wanted);
    }
    if (s.wanted) {
        return false;
    }
    if (hp_span_starts(line, " ")) {
        is_padded(dump);
    }
    check_pair(r, &stack.counts);
    if (stack.depth > 0 && dump->addresses.at[dump->addresses.count - 1] == 0) {
        stack.depth--; // jemalloc 3 ends stacks with address 0
    }
    hp_vec_push(&dump->stacks, stack);
    return true;
}

// --- Go's comments --------------------------------------------------------------------------

// Limit the last stack to the frames that comments name, since Go shows no others.  The
// first comment may name any frame; each later one extends the stack up to the frame that
// it names.  Returns false if the stack has no such frame.
static bool show(struct hp_dump *dump, uint64_t address, bool is_first) {
    struct hp_dump_stack *stack = &dump->stacks.at[dump->stacks.count - 1];
    size_t shown = is_first ? 0 : stack->depth;
    for (size_t i = stack->first_frame + shown; i < dump->frames.count; i++) {
        if (dump->addresses.at[dump->frames.at[i]] == address + 1) {
            stack->first_frame = is_first ? i : stack->first_frame;
            stack->depth = (uint32_t)(i - stack->first_frame) + 1;
            return true;
        }
    }
    return false;
}

static size_t last_of(struct hp_span text, char byte) {
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < text.size; i++) {
        at = text.at[i] == byte ? i : at;
    }
    return at;
}

static size_t first_of(struct hp_span text, char byte) {
    size_t i = 0;
    while (i < text.size && text.at[i] != byte) {
        i++;
    }
    return i;
}

// Parse a name such as "main.leaf+0x5c", tabs, "/src/main.go:15".
static struct hp_embedded_call call_of(struct hp_dump *dump, struct hp_span text) {
    struct hp_span name = {text.at, first_of(text, '\t')}, file = {"", 0};
    struct hp_embedded_call call = {.line = 0};
    if (last_of(name, '+') != SIZE_MAX) {
        name.size = last_of(name, '+');
    }
    if (last_of(text, '\t') != SIZE_MAX) {
        file = hp_span_from(text, last_of(text, '\t') + 1);
    }
    size_t colon = last_of(file, ':');
    if (colon != SIZE_MAX) {
        struct reference_scan s = reference_scan_of(hp_span_from(file, colon + 1));
        uint64_t line = reference_decimal(&s);
        call.line = line <= UINT32_MAX ? (uint32_t)line : 0;
        file.size = colon;
    }
    call.function = hp_strtab_add(&dump->strings, name);
    call.file = hp_strtab_add(&dump->strings, file);
    return call;
}

// Read a comment.  Returns whether it names a frame of the last stack.  *unnamed counts
// the comments of the stack that name no frame; after 256 of them no more are looked up.
static bool read_comment(struct reference *r, bool is_first, int *unnamed) {
    struct hp_dump *dump = &r->dump;
    struct reference_scan s = reference_scan_of(reference_line(r));
    reference_need(&s, "#\t", "");
    bool is_address = s.end - s.at > 2 && s.at[0] == '0' && s.at[1] == 'x';
    uint64_t address = is_address ? reference_hex(&s) : 0;
    if (!is_address || s.wanted) {
        return false;
    }
    bool is_shown = false;
    if (dump->stacks.count > 0 && *unnamed < 256) {
        is_shown = show(dump, address, is_first);
        *unnamed += !is_shown;
    }
    if (reference_next_is(&s, '\t')) {
        struct hp_span rest = {s.at + 1, (size_t)(s.end - s.at - 1)};
        hp_vec_push(&dump->embedded_calls, call_of(dump, rest));
        hp_dump_embed(dump, address);
    }
    return is_shown;
}

// --- the whole --------------------------------------------------------------------------------

// Whether the totals in the header are the sums of the stacks.
static bool adds_up(const struct hp_dump *dump) {
    struct hp_counts sum = {{0, 0}, {0, 0}}; // modulo 2^64
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_counts *counts = &dump->stacks.at[i].counts;
        sum.inuse.objects += counts->inuse.objects;
        sum.inuse.bytes += counts->inuse.bytes;
        sum.alloc.objects += counts->alloc.objects;
        sum.alloc.bytes += counts->alloc.bytes;
    }
    return memcmp(&sum, &dump->header, sizeof sum) == 0;
}

void reference_read_classic(struct reference *r) {
    bool is_first = false; // no comment has named a frame of the last stack yet
    int unnamed = 0;       // comments of the last stack that name no frame of it
    read_header(r);
    if (r->ret != HP_OK) {
        return;
    }
    for (; r->ret == HP_OK && !reference_at_end(r) && !reference_at_maps(r); r->next++) {
        if (hp_span_starts(reference_line(r), "#")) {
            is_first = read_comment(r, is_first, &unnamed) ? false : is_first;
        } else if (!reference_at_empty_line(r) && read_stack(r)) {
            is_first = true;
            unnamed = 0;
        }
    }
    if (r->ret != HP_OK) {
        return;
    }
    if (r->dump.missing_metrics) {
        r->dump.header.inuse.objects = 0;
        for (size_t i = 0; i < r->dump.stacks.count; i++) {
            r->dump.stacks.at[i].counts.inuse.objects = 0;
        }
    }
    reference_read_end(r,
                       adds_up(&r->dump)
                           ? NULL
                           : "no memory map, and the totals are not those of the stacks");
}
