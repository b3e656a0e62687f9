// Written by prof_dump_impl() in jemalloc's src/prof_data.c:
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
//
// The text comes in windows.  One is cut behind its last whole stack, so that all that
// follows sees whole lines; header and memory map are read whole.
#include "input/jemalloc.h"

#include "input/digest.h"
#include "input/maps.h"

enum {
    LONGEST_LINE = 16 << 20, // bytes
};

// Counters that a prof.reset race drove below zero print as numbers near 2^64.
static const uint64_t wrapped_from = (uint64_t)1 << 62;

struct reader {
    struct hp_text *text;
    struct hp_cursor c;      // over what is whole of the window
    uint64_t line;           // the number of the line at c.at
    uint64_t uncounted_line; // of the last stack, if no counts follow it; else 0
    char last_dropped;       // the byte before the window
    bool digests;
    struct hp_digester digester;
    struct hp_stack_lines *lines;
    struct hp_dump *dump;
};

static void damaged(struct reader *r, const char *what) {
    if (!r->dump->damage.what) {
        r->dump->damage = (struct hp_flaw){what, r->line};
    }
}

static void malformed(struct reader *r, const char *expected, uint64_t line) {
    if (r->dump->malformed++ == 0) {
        r->dump->first_malformed = (struct hp_flaw){expected, line};
    }
}

static struct hp_span next_line(struct reader *r) {
    r->line++;
    return hp_cursor_line(&r->c);
}

// Step over the line at `start`, which `expected` says does not fit.
static void skip_malformed(struct reader *r, const char *start, const char *expected) {
    malformed(r, expected, r->line);
    r->c = hp_cursor_over(start, r->c.end);
    next_line(r);
}

static struct hp_count read_count(struct hp_cursor *c) {
    struct hp_count count;
    hp_cursor_spaces(c);
    count.objects = hp_cursor_decimal(c);
    hp_cursor_expect(c, ':', "':'");
    hp_cursor_spaces(c);
    count.bytes = hp_cursor_decimal(c);
    return count;
}

// Behind the "t*" or "t3".
static struct hp_counts read_counts(struct hp_cursor *c) {
    struct hp_counts counts;
    hp_cursor_expect(c, ':', "':'");
    counts.inuse = read_count(c);
    hp_cursor_spaces(c);
    hp_cursor_expect(c, '[', "'['");
    counts.alloc = read_count(c);
    hp_cursor_expect(c, ']', "']'");
    return counts;
}

static void check_count(struct reader *r, struct hp_count *count) {
    if (count->objects >= wrapped_from || count->bytes >= wrapped_from) {
        r->dump->wrapped++;
        *count = (struct hp_count){0};
    } else if ((count->objects == 0) != (count->bytes == 0)) {
        damaged(r, "objects without bytes, or bytes without objects");
        *count = (struct hp_count){0};
    }
}

static bool equal_counts(const struct hp_counts *a, const struct hp_counts *b) {
    return a->inuse.objects == b->inuse.objects && a->inuse.bytes == b->inuse.bytes &&
           a->alloc.objects == b->alloc.objects && a->alloc.bytes == b->alloc.bytes;
}

// One count line under a stack: "t*" becomes the stack's counts, "t3" a thread line.
static bool read_count_line(struct reader *r, struct hp_dump_stack *stack, bool counted) {
    struct hp_cursor *c = &r->c;
    const char *start = c->at;
    hp_cursor_spaces(c);
    hp_cursor_expect(c, 't', "a line of counts");
    bool all = hp_cursor_accept(c, '*');
    struct hp_thread_line line = {.thread = all ? 0 : hp_cursor_decimal(c)};
    line.counts = read_counts(c);
    hp_cursor_newline(c);
    if (all && counted) {
        hp_cursor_fail(c, "one line of counts for all threads, not two");
    }
    if (!hp_cursor_good(c)) {
        if (c->too_big) {
            damaged(r, "a number is not below 2^64");
        }
        skip_malformed(r, start, c->expected);
        return false;
    }
    check_count(r, &line.counts.inuse);
    check_count(r, &line.counts.alloc);
    r->line++;
    if (all) {
        stack->counts = line.counts;
    } else {
        hp_vec_push(&r->dump->thread_lines, line);
        stack->lines++;
    }
    return all;
}

static bool at_count_line(const struct reader *r) {
    const char *at = r->c.at;
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    return at[0] == 't' && (at[1] == '*' || (at[1] >= '0' && at[1] <= '9'));
}

// The lines of the common case, a single thread, say the same twice: keep none then.
static void forget_lone_thread(struct hp_dump *dump, struct hp_dump_stack *stack) {
    if (stack->lines == 1 &&
        equal_counts(&dump->thread_lines.at[stack->first_line].counts, &stack->counts)) {
        stack->lines = 0;
        dump->thread_lines.count = stack->first_line;
    }
}

static bool at_maps(const struct reader *r) {
    struct hp_cursor c = r->c;
    return hp_cursor_accept_word(&c, "MAPPED_LIBRARIES:") ||
           hp_cursor_accept_word(&c, "--- Memory map:");
}

// With a single thread its line repeats what "t*" said, of which `counts` begins at the
// ':'; step over it unread, unless more lines follow.
static bool skip_lone_thread(struct reader *r, const char *counts) {
    struct hp_cursor *c = &r->c;
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
    if (at_count_line(r)) {
        c->at = start;
        return false;
    }
    r->line++;
    return true;
}

static void read_counts_of(struct reader *r, struct hp_dump_stack *stack) {
    struct hp_dump *dump = r->dump;
    uint64_t line = r->line - 1, malformed_before = dump->malformed;
    bool counted = false;
    const char *start = r->c.at;
    while (at_count_line(r)) {
        bool usual = r->c.at == start && memcmp(start, "  t*", 4) == 0;
        counted |= read_count_line(r, stack, counted);
        if (usual && counted && skip_lone_thread(r, start + 4)) {
            break;
        }
    }
    r->uncounted_line = counted ? 0 : line;
    if (counted) {
        forget_lone_thread(dump, stack);
        hp_vec_push(&dump->stacks, *stack);
        return;
    }
    // The frames stay: the next line may share them.
    dump->thread_lines.count = stack->first_line;
    if (dump->malformed == malformed_before) {
        malformed(r, "a line of counts for all threads behind the stack", line);
    }
}

static void read_stack(struct reader *r) {
    struct hp_dump *dump = r->dump;
    const char *start = r->c.at;
    struct hp_dump_stack stack = {.first_frame = dump->frames.count,
                                  .first_line = dump->thread_lines.count};
    r->c.at++; // the '@'
    hp_stack_line_read(r->lines, &r->c, dump);
    if (!hp_cursor_good(&r->c)) {
        skip_malformed(r, start, r->c.expected);
        return;
    }
    r->line++;
    stack.depth = (uint32_t)(dump->frames.count - stack.first_frame);
    read_counts_of(r, &stack);
}

// A line in the body that begins neither a stack nor the maps.
static void read_other(struct reader *r) {
    uint64_t number = r->line;
    struct hp_span line = next_line(r);
    if (line.size == 0) {
        return;
    }
    if (line.at[0] == ' ' || line.at[0] == '\t' || hp_span_starts(line, "frag_util:")) {
        r->dump->unknown++;
    } else {
        malformed(r, "a stack or the memory map", number);
    }
}

static void read_whole_stacks(struct reader *r) {
    while (!hp_cursor_at_end(&r->c) && !at_maps(r)) {
        if (*r->c.at == '@') {
            read_stack(r);
        } else {
            read_other(r);
        }
    }
}

// --- windows -----------------------------------------------------------------------

// Behind the last whole stack of the window: where another begins.  NULL if none does.
static const char *last_boundary(const struct reader *r) {
    const char *end = r->text->at + r->text->size;
    while (end > r->c.at) {
        const char *stack = memrchr(r->c.at, '@', (size_t)(end - r->c.at));
        if (!stack || stack == r->c.at) {
            return NULL;
        }
        if (stack[-1] == '\n') {
            return stack;
        }
        end = stack;
    }
    return NULL;
}

// A window that could not be let go of, because no stack in it is whole yet, doubles; but
// not for a line without end.
static bool holds_endless_line(const struct reader *r, size_t done) {
    size_t size = r->text->size - done;
    const char *tail = r->text->at + r->text->size - LONGEST_LINE;
    return size > LONGEST_LINE && !memchr(tail, '\n', LONGEST_LINE);
}

// Let go of what has been read, up to c.at, and get more.
static int slide(struct reader *r, struct hp_err *err) {
    size_t done = (size_t)(r->c.at - r->text->at);
    if (holds_endless_line(r, done)) {
        hp_fail(err, HP_E_LIMIT, "a line of more than 16 MiB");
        err->line = r->line;
        return HP_E_LIMIT;
    }
    if (r->digests) {
        hp_digester_add(&r->digester, (struct hp_span){r->text->at, done});
    }
    r->last_dropped = done > 0 ? r->c.at[-1] : r->last_dropped;
    hp_stack_lines_forget(r->lines);
    int ret = hp_text_slide(r->text, done, err);
    r->c = hp_cursor_over(r->text->at, r->text->at + r->text->size);
    return ret;
}

static struct hp_digest end_digest(struct reader *r) {
    struct hp_digest digest = hp_digester_end(&r->digester);
    hp_digester_init(&r->digester);
    return digest;
}

// All that is left, at once.
static int read_to_end(struct reader *r, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && !r->text->at_end) {
        ret = slide(r, err);
    }
    r->c.end = r->text->at + r->text->size;
    return ret;
}

// Up to the memory map, or the end of the file.
static int read_body(struct reader *r, struct hp_err *err) {
    for (;;) {
        bool last = r->text->at_end, stopped = false;
        const char *end = last ? r->text->at + r->text->size : last_boundary(r);
        if (end) {
            r->c.end = end;
            read_whole_stacks(r);
            stopped = !hp_cursor_at_end(&r->c);
        }
        int ret = slide(r, err);
        if (ret != HP_OK || last || stopped) {
            return ret;
        }
    }
}

// --- the parts of the file -----------------------------------------------------------

static bool has_whole_header(const struct reader *r) {
    const char *end = r->text->at + r->text->size;
    size_t size = (size_t)(end - r->c.at);
    return r->text->at_end || memmem(r->c.at, size, "\n@", 2) ||
           memmem(r->c.at, size, "\nMAPPED_LIBRARIES:", 18);
}

// Lines that some writers put in front: "%warn ..." and jemalloc's own messages.
static void skip_preamble(struct hp_cursor *c, uint64_t *lines) {
    while (!hp_cursor_at_end(c)) {
        struct hp_cursor line = *c;
        if (!hp_cursor_accept(&line, '%') &&
            !hp_cursor_accept_word(&line, "<jemalloc>") &&
            !hp_cursor_accept_word(&line, "--- heap\n")) {
            return;
        }
        hp_cursor_line(c);
        ++*lines;
    }
}

bool hp_jemalloc_is(struct hp_span text) {
    uint64_t lines = 0;
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    skip_preamble(&c, &lines);
    return hp_cursor_accept_word(&c, "heap_v2/");
}

static int read_period(struct reader *r, struct hp_err *err) {
    skip_preamble(&r->c, &r->line);
    hp_cursor_accept_word(&r->c, "heap_v2/");
    r->dump->period = hp_cursor_decimal(&r->c);
    hp_cursor_newline(&r->c);
    if (!hp_cursor_good(&r->c)) {
        hp_fail(err, HP_E_FORMAT, "expected %s as sample period", r->c.expected);
        err->line = r->line;
        return HP_E_FORMAT;
    }
    r->line++;
    return HP_OK;
}

// One line of totals.  Thread names may hold anything, so nothing behind the counts is
// looked at.
static bool read_total(struct reader *r) {
    struct hp_cursor line = r->c;
    hp_cursor_spaces(&line);
    hp_cursor_expect(&line, 't', "a line of totals");
    bool all = hp_cursor_accept(&line, '*');
    if (!all) {
        hp_cursor_decimal(&line);
    }
    struct hp_counts counts = read_counts(&line);
    if (!hp_cursor_good(&line)) {
        skip_malformed(r, r->c.at, line.expected);
        return false;
    }
    r->dump->header = all ? counts : r->dump->header;
    r->dump->header_threads += !all;
    next_line(r);
    return all;
}

static bool at_empty_line(const struct reader *r) {
    return *r->c.at == '\n' || (r->c.at[0] == '\r' && r->c.at[1] == '\n');
}

// Up to the first stack.
static void read_totals(struct reader *r) {
    bool found = false;
    while (!hp_cursor_at_end(&r->c) && *r->c.at != '@' && !at_maps(r)) {
        if (at_empty_line(r)) {
            next_line(r);
        } else {
            found |= read_total(r);
        }
    }
    if (!found) {
        damaged(r, "no line of totals");
    }
}

static int read_header(struct reader *r, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && !has_whole_header(r)) {
        ret = slide(r, err);
    }
    r->c.end = r->text->at + r->text->size;
    if (ret == HP_OK) {
        ret = read_period(r, err);
    }
    if (ret == HP_OK) {
        read_totals(r);
        ret = slide(r, err);
    }
    return ret;
}

static uint64_t count_lines(const char *from, const char *to) {
    uint64_t lines = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
        from++;
        lines++;
    }
    return lines;
}

static char last_byte(const struct reader *r) {
    const struct hp_text *text = r->text;
    return text->size > 0 ? text->at[text->size - 1] : r->last_dropped;
}

static void read_maps(struct reader *r) {
    next_line(r);
    const char *start = r->c.at, *wrong = hp_maps_read(&r->c, r->dump);
    if (wrong) {
        malformed(r, "a row of the memory map", r->line + count_lines(start, wrong));
    }
    r->line += count_lines(start, r->c.at) + (last_byte(r) != '\n');
    if (!hp_cursor_good(&r->c)) {
        damaged(r, r->c.expected);
    }
}

static void read_end(struct reader *r) {
    bool has_maps = !hp_cursor_at_end(&r->c);
    if (has_maps) {
        read_maps(r);
    }
    if (last_byte(r) != '\n') {
        r->line--;
        damaged(r, "the file ends in the middle of a line");
    }
    if (!has_maps) {
        damaged(r, "the file ends before its MAPPED_LIBRARIES section");
    }
    if (r->uncounted_line) {
        r->line = r->uncounted_line;
        damaged(r, "the last stack has no counts");
    }
}

int hp_jemalloc_read(struct hp_text *text, struct hp_stack_lines *lines, bool digests,
                     struct hp_dump *dump, struct hp_err *err) {
    struct reader r = {.text = text,
                       .c = hp_cursor_over(text->at, text->at + text->size),
                       .line = 1,
                       .digests = digests,
                       .lines = lines,
                       .dump = dump};
    struct hp_digest header;
    hp_digester_init(&r.digester);
    hp_stack_lines_clear(lines);
    int ret = read_header(&r, err);
    header = end_digest(&r);
    if (ret == HP_OK) {
        ret = read_body(&r, err);
        dump->samples = end_digest(&r);
    }
    if (ret == HP_OK) {
        ret = read_to_end(&r, err);
    }
    if (ret != HP_OK) {
        return ret;
    }
    dump->bytes = text->total;
    struct hp_digest maps = hp_digest_of((struct hp_span){text->at, text->size});
    dump->content = hp_digest_join(hp_digest_join(header, dump->samples), maps);
    read_end(&r);
    return HP_OK;
}
