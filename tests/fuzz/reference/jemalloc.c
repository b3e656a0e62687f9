// The slow reader of jemalloc's heap_v2 files.
#include "reference.h"

static bool equal_counts(struct hp_counts a, struct hp_counts b) {
    return a.inuse.objects == b.inuse.objects && a.inuse.bytes == b.inuse.bytes &&
           a.alloc.objects == b.alloc.objects && a.alloc.bytes == b.alloc.bytes;
}

// Parse a line such as "t*: 1: 64 [0: 0]" (*is_all) or "t3: ...".
static struct hp_counts line_of_counts(struct reference_scan *s, const char *wanted,
                                       bool *is_all, uint64_t *thread) {
    reference_blanks(s);
    reference_need(s, "t", wanted);
    *is_all = reference_next_is(s, '*');
    *thread = 0;
    if (*is_all) {
        s->at++;
    } else {
        *thread = reference_decimal(s);
    }
    reference_need(s, ":", "':'");
    return reference_counts(s);
}

// Keep the name of a thread, which follows the counts and a space.
static void keep_name(struct reference *r, const struct reference_scan *s,
                      uint64_t thread) {
    struct hp_span name = reference_rest(s);
    if (hp_span_starts(name, " ")) {
        name = hp_span_from(name, 1);
    }
    if (name.size > 0) {
        struct hp_thread named = {thread, hp_strtab_add(&r->dump.strings, name)};
        hp_vec_push(&r->dump.threads, named);
    }
}

static void read_totals(struct reference *r) {
    bool found = false;
    for (; !reference_at_end(r) && !reference_at_maps(r); r->next++) {
        struct hp_span line = r->lines.at[r->next].text;
        if (hp_span_starts(line, "@")) {
            break;
        }
        if (reference_at_empty_line(r)) {
            continue;
        }
        struct reference_scan s = reference_scan_of(line);
        bool is_all;
        uint64_t thread;
        struct hp_counts counts =
            line_of_counts(&s, "a line of totals", &is_all, &thread);
        if (s.wanted) {
            reference_malformed(r, s.wanted);
        } else if (is_all) {
            r->dump.header = counts;
            r->dump.header_line = r->next + 1;
            found = true;
        } else {
            r->dump.header_threads++;
            if (r->keeps) {
                keep_name(r, &s, thread);
            }
        }
    }
    if (!found) {
        reference_damaged(r, "no line of totals");
    }
}

// Replace a count that is inconsistent by 0, and also one near 2^64, which went below
// zero.
static void check(struct reference *r, struct hp_count *count) {
    uint64_t most = (uint64_t)1 << 62;
    if (count->objects >= most || count->bytes >= most) {
        reference_count(r, &r->dump.wrapped);
        *count = (struct hp_count){0};
    } else if ((count->objects == 0) != (count->bytes == 0)) {
        reference_damaged(r, "objects without bytes, or bytes without objects");
        *count = (struct hp_count){0};
    }
}

// Whether the current line begins like one of counts.
static bool at_counts(const struct reference *r) {
    struct reference_scan s = reference_scan_of(reference_line(r));
    reference_blanks(&s);
    return s.end - s.at >= 2 && s.at[0] == 't' &&
           (s.at[1] == '*' || (s.at[1] >= '0' && s.at[1] <= '9'));
}

// Whether the current line still belongs to the stack above it.
static bool at_line_of_stack(const struct reference *r) {
    struct hp_span line = reference_line(r);
    return !reference_at_end(r) &&
           (at_counts(r) || hp_span_starts(line, " ") || hp_span_starts(line, "\t") ||
            reference_at_empty_line(r));
}

// Read one line of counts of a stack; *has_all becomes true by the line of all threads.
static void read_counts(struct reference *r, struct hp_dump_stack *stack, bool *has_all) {
    struct reference_scan s = reference_scan_of(r->lines.at[r->next].text);
    bool is_all;
    struct hp_thread_line line;
    line.counts = line_of_counts(&s, "a line of counts", &is_all, &line.thread);
    reference_need_end(&s);
    if (!s.wanted && is_all && *has_all) {
        s.wanted = "one line of counts for all threads, not two";
    }
    if (s.too_big) {
        reference_damaged(r, "a number is 2^64 or more");
    }
    if (s.wanted) {
        reference_malformed(r, s.wanted);
        return;
    }
    check(r, &line.counts.inuse);
    check(r, &line.counts.alloc);
    if (is_all) {
        stack->counts = line.counts;
        *has_all = true;
    } else {
        hp_vec_push(&r->dump.thread_lines, line);
        stack->lines++;
    }
}

// Read a stack and the lines that belong to it.  A stack without counts is dropped:
// returns the index of its line, else SIZE_MAX.
static size_t read_stack(struct reference *r) {
    struct hp_dump *dump = &r->dump;
    size_t at = r->next;
    struct hp_dump_stack stack = {.first_frame = dump->frames.count,
                                  .first_line = dump->thread_lines.count,
                                  .depth = 0};
    uint64_t malformed = dump->malformed.count;
    struct reference_scan s = reference_scan_of(r->lines.at[r->next].text);
    bool has_all = false;
    reference_need(&s, "@", "");
    stack.depth = reference_frames(&s, dump);
    size_t first = dump->listed.count;
    bool is_sound = true;
    for (r->next++; at_line_of_stack(r); r->next++) {
        if (at_counts(r)) {
            read_counts(r, &stack, &has_all);
        } else if (hp_span_starts(reference_line(r), "  f:")) {
            is_sound &= reference_read_object(r);
        } else if (reference_line(r).size > 0) {
            reference_count(r, &dump->unknown);
        }
    }
    if (!is_sound) {
        dump->listed.count = first;
    } else if (dump->listed.count > first) {
        *hp_dump_next_extra(dump) =
            (struct hp_stack_extra){.first_listed = first,
                                    .listed = (uint32_t)(dump->listed.count - first)};
    }
    if (!has_all) {
        hp_dump_drop_extra(dump);
        dump->thread_lines.count = stack.first_line;
        if (dump->malformed.count == malformed) {
            size_t here = r->next;
            r->next = at;
            reference_malformed(r, "a line of counts for all threads behind the stack");
            r->next = here;
        }
        return at;
    }
    if (stack.lines == 1 && !r->keeps &&
        equal_counts(dump->thread_lines.at[stack.first_line].counts, stack.counts)) {
        stack.lines = 0; // the only thread has the same counts as the stack
    }
    hp_vec_push(&dump->stacks, stack);
    return SIZE_MAX;
}

static bool is_stack(struct reference *r) {
    struct reference_scan s = reference_scan_of(r->lines.at[r->next].text);
    size_t frames = r->dump.frames.count;
    reference_need(&s, "@", "a stack or the memory map");
    reference_frames(&s, &r->dump);
    r->dump.frames.count = frames;
    if (s.too_deep) {
        reference_too_deep(r);
    } else if (s.wanted) {
        reference_malformed(r, s.wanted);
    }
    return !s.wanted;
}

static void read_other(struct reference *r) {
    struct hp_span line = reference_line(r);
    if (hp_span_starts(line, " ") || hp_span_starts(line, "\t")) {
        reference_count(r, &r->dump.unknown);
    } else if (line.size > 0) {
        reference_malformed(r, "a stack or the memory map");
    }
    r->next++;
}

static void read_header(struct reference *r) {
    struct reference_scan s = reference_scan_of(r->lines.at[r->next].text);
    reference_need(&s, "heap_v2/", "");
    r->dump.period = reference_decimal(&s);
    reference_need_end(&s);
    if (s.wanted) {
        r->ret = hp_fail(&r->err, HP_E_FORMAT, "expected %s as sample period", s.wanted);
        r->err.line = r->next + 1;
        return;
    }
    r->next++;
    read_totals(r);
}

void reference_read_jemalloc(struct reference *r) {
    size_t uncounted = SIZE_MAX;
    r->dump.producer = HP_PRODUCER_JEMALLOC;
    r->dump.has_totals = true;
    read_header(r);
    if (r->ret != HP_OK) {
        return;
    }
    while (r->ret == HP_OK && !reference_at_end(r) && !reference_at_maps(r)) {
        if (hp_span_starts(reference_line(r), "frag_util:")) {
            reference_read_slabs(r);
        } else if (!hp_span_starts(reference_line(r), "@")) {
            read_other(r);
        } else if (is_stack(r)) {
            uncounted = read_stack(r);
        } else {
            r->next++;
        }
    }
    if (r->ret != HP_OK) {
        return;
    }
    reference_read_end(r, "the file ends before its MAPPED_LIBRARIES section");
    if (uncounted != SIZE_MAX) {
        r->next = uncounted;
        reference_damaged(r, "the last stack has no counts");
    }
}
