// The text is read in windows. Each window is cut after its last whole record, so that
// the readers of formats see whole lines only. The header and the memory map are read as
// a whole.
#include "input/scan.h"

#include "input/address_tags.h"
#include "input/maps.h"

enum {
    LONGEST_LINE = 16 << 20, // bytes; a longer line is a failure
};

void hp_scan_init(struct hp_scan *scan, struct hp_input_stream *stream,
                  struct hp_stack_lines *stacks, struct hp_dump *dump) {
    *scan = (struct hp_scan){.stream = stream,
                             .stacks = stacks,
                             .dump = dump,
                             .c = hp_cursor_over(stream->at, stream->at + stream->size),
                             .line = 1};
    hp_stack_lines_clear(stacks);
}

void hp_scan_damaged(struct hp_scan *scan, const char *what) {
    scan->dump->lacks_map = false;
    if (!scan->dump->damage.what) {
        scan->dump->damage = (struct hp_diagnostic){hp_words(what), scan->line};
    }
}

struct hp_span hp_scan_rest(const struct hp_scan *scan) {
    const char *end = scan->stream->at + scan->stream->size;
    return (struct hp_span){scan->c.at, (size_t)(end - scan->c.at)};
}

struct hp_span hp_scan_line(struct hp_scan *scan) {
    scan->line++;
    return hp_cursor_line(&scan->c);
}

void hp_scan_skip(struct hp_scan *scan, const char *start, const char *expected) {
    hp_dump_malformed(scan->dump, expected, scan->line);
    scan->c = hp_cursor_over(start, scan->c.end);
    hp_scan_line(scan);
}

int hp_scan_fail(const struct hp_scan *scan, const char *what, struct hp_err *err) {
    hp_fail(err, HP_E_FORMAT, "%s", hp_words(what));
    err->line = scan->line;
    return HP_E_FORMAT;
}

bool hp_scan_at(const struct hp_scan *scan, const char *word) {
    struct hp_cursor c = scan->c;
    return hp_cursor_accept_word(&c, word);
}

bool hp_scan_at_maps(const struct hp_scan *scan) {
    return hp_scan_at(scan, "MAPPED_LIBRARIES:") || hp_scan_at(scan, "--- Memory map:");
}

bool hp_scan_at_empty_line(const struct hp_scan *scan) {
    return *scan->c.at == '\n' || (scan->c.at[0] == '\r' && scan->c.at[1] == '\n');
}

void hp_scan_preamble(struct hp_cursor *c) {
    static const char *const starts[] = {"%", "<jemalloc>", "--- heap", "--- growth"};
    for (bool found = true; found && !hp_cursor_at_end(c);) {
        struct hp_cursor line = *c;
        found = false;
        for (size_t i = 0; i < sizeof starts / sizeof *starts && !found; i++) {
            found = hp_cursor_accept_word(&line, starts[i]);
        }
        if (found) {
            hp_cursor_line(c);
        }
    }
}

// Skip the preamble, and keep the warnings of gperftools in it, which are "%warn text"
// lines.
static void read_preamble(struct hp_scan *scan) {
    struct hp_cursor after = scan->c;
    hp_scan_preamble(&after);
    while (scan->c.at < after.at) {
        uint64_t number = scan->line;
        struct hp_span line = hp_scan_line(scan);
        struct hp_cursor c = hp_cursor_over(line.at, line.at + line.size);
        if (hp_cursor_accept_word(&c, "%warn ")) {
            hp_cursor_spaces(&c);
            struct hp_span text = {c.at, (size_t)(c.end - c.at)};
            hp_dump_producer_warning(scan->dump, text, number);
        }
    }
}

// --- counts ----------------------------------------------------------------------------

// Read a number. gperftools' 32-bit counters may print as negative numbers; each is
// returned as UINT64_MAX, because a wider counter would print a number near 2^64, which
// counts as wrapped.
static uint64_t read_number(struct hp_cursor *c) {
    hp_cursor_spaces(c);
    bool is_negative = hp_cursor_accept(c, '-');
    uint64_t number = hp_cursor_decimal(c);
    return is_negative && number > 0 ? UINT64_MAX : number;
}

// Read "OBJECTS: BYTES".
static struct hp_count read_count(struct hp_cursor *c) {
    struct hp_count count;
    count.objects = read_number(c);
    hp_cursor_expect(c, ':', "':'");
    count.bytes = read_number(c);
    return count;
}

struct hp_counts hp_counts_read(struct hp_cursor *c) {
    struct hp_counts counts;
    counts.inuse = read_count(c);
    hp_cursor_spaces(c);
    hp_cursor_expect(c, '[', "'['");
    counts.alloc = read_count(c);
    hp_cursor_expect(c, ']', "']'");
    return counts;
}

bool hp_count_drop_wrapped(struct hp_count *count) {
    bool wrapped = hp_count_is_wrapped(count);
    if (wrapped) {
        *count = (struct hp_count){0};
    }
    return wrapped;
}

// --- windows -----------------------------------------------------------------------

// A window without a whole record is doubled, but not without limit for an endless line.
// Returns the start of a line of the window that is longer than LONGEST_LINE, or NULL.
static const char *endless_line(const struct hp_input_stream *stream) {
    const char *line = stream->at, *end = stream->at + stream->size;
    while (end - line > LONGEST_LINE) {
        const char *newline = memrchr(line, '\n', LONGEST_LINE + 1);
        if (!newline) {
            return line;
        }
        line = newline + 1;
    }
    return NULL;
}

// Fail with HP_E_LIMIT, giving the number of a line.
static int fail_limit(const char *what, uint64_t line, struct hp_err *err) {
    hp_fail(err, HP_E_LIMIT, "%s", hp_words(what));
    err->line = line;
    return HP_E_LIMIT;
}

int hp_scan_slide(struct hp_scan *scan, struct hp_err *err) {
    size_t done = (size_t)(scan->c.at - scan->stream->at);
    struct hp_span read = {scan->stream->at, done};
    if (scan->content) {
        hp_digester_add(scan->content, read);
    }
    if (scan->samples) {
        hp_digester_add(scan->samples, read);
    }
    scan->last_dropped = done > 0 ? scan->c.at[-1] : scan->last_dropped;
    hp_stack_lines_forget(scan->stacks);
    int ret = hp_input_stream_slide(scan->stream, done, err);
    scan->c = hp_cursor_over(scan->stream->at, scan->stream->at + scan->stream->size);
    const char *endless = ret == HP_OK ? endless_line(scan->stream) : NULL;
    if (endless) {
        struct hp_span before = {scan->c.at, (size_t)(endless - scan->c.at)};
        uint64_t line = scan->line + hp_span_newlines(before);
        return fail_limit(HP_WORDS("line-too-long", "a line of more than 16 MiB"), line,
                          err);
    }
    return ret;
}

// Read the whole rest of the text into the window.
static int read_to_end(struct hp_scan *scan, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && !scan->stream->at_end) {
        ret = hp_scan_slide(scan, err);
    }
    scan->c.end = scan->stream->at + scan->stream->size;
    return ret;
}

// --- the parts of the file -----------------------------------------------------------

// Whether the window contains the whole header.
static bool has_header(const struct hp_scan *scan,
                       const struct hp_scan_grammar *grammar) {
    if (grammar->has_header) {
        return grammar->has_header(scan);
    }
    struct hp_span rest = hp_scan_rest(scan);
    struct hp_cursor c = hp_cursor_over(rest.at, rest.at + rest.size);
    hp_scan_preamble(&c);
    return memchr(c.at, '\n', (size_t)(c.end - c.at)) != NULL;
}

// Read the preamble and the header, and drop them from the window.
static int read_header(struct hp_scan *scan, const struct hp_scan_grammar *grammar,
                       struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && !scan->stream->at_end && !has_header(scan, grammar)) {
        ret = hp_scan_slide(scan, err);
    }
    scan->c.end = scan->stream->at + scan->stream->size;
    if (ret == HP_OK) {
        read_preamble(scan);
        ret = grammar->read_header(scan, err);
    }
    return ret == HP_OK ? hp_scan_slide(scan, err) : ret;
}

// Read records up to the cursor's end, or to the memory map.
static int read_records(struct hp_scan *scan, const struct hp_scan_grammar *grammar,
                        struct hp_err *err) {
    while (!hp_cursor_at_end(&scan->c) && !hp_scan_at_maps(scan)) {
        grammar->read_record(scan);
        if (scan->stacks->is_too_deep) { // its line has been skipped
            return fail_limit(HP_WORDS("stack-too-deep",
                                       "a stack of more than 65,536 frames"),
                              scan->line - 1, err);
        }
    }
    return HP_OK;
}

// Returns the end of the last whole record of the window, or NULL if it has none.
static const char *boundary_of(const struct hp_scan *scan,
                               const struct hp_scan_grammar *grammar) {
    struct hp_span rest = hp_scan_rest(scan);
    if (scan->stream->at_end) {
        return rest.at + rest.size;
    }
    if (grammar->boundary) {
        return grammar->boundary(scan);
    }
    const char *newline = memrchr(rest.at, '\n', rest.size);
    return newline ? newline + 1 : NULL;
}

// Read all records, window by window, up to the memory map or the end of the file.
static int read_body(struct hp_scan *scan, const struct hp_scan_grammar *grammar,
                     struct hp_err *err) {
    for (;;) {
        bool last = scan->stream->at_end, stopped = false;
        const char *end = boundary_of(scan, grammar);
        if (end) {
            scan->c.end = end;
            int ret = read_records(scan, grammar, err);
            if (ret != HP_OK) {
                return ret;
            }
            stopped = !hp_cursor_at_end(&scan->c);
        }
        int ret = hp_scan_slide(scan, err);
        if (ret != HP_OK || last || stopped) {
            return ret;
        }
    }
}

// Returns the last byte of the file.
static char last_byte(const struct hp_scan *scan) {
    const struct hp_input_stream *stream = scan->stream;
    return stream->size > 0 ? stream->at[stream->size - 1] : scan->last_dropped;
}

// Read the memory map, and clear tags of addresses with its help.
static void read_maps(struct hp_scan *scan) {
    hp_maps_read(&scan->c, scan->dump, &scan->line);
    if (!hp_cursor_good(&scan->c)) {
        hp_scan_damaged(scan, scan->c.expected);
    }
    hp_address_tags_clear(scan->dump);
}

// Record the number of lines, a truncated last one included, in dump->lines. A file that
// ends in the middle of a line is recorded as damaged.
static void count_lines(struct hp_scan *scan) {
    bool is_cut = last_byte(scan) != '\n';
    if (is_cut) {
        scan->line--;
        hp_scan_damaged(scan, HP_WORDS("ends-in-line",
                                       "the file ends in the middle of a line"));
    }
    scan->dump->lines = scan->line - !is_cut;
}

// Read the memory map if there is one, and record what is missing at the end of the file.
static void read_end(struct hp_scan *scan, const struct hp_scan_grammar *grammar) {
    bool has_maps = !hp_cursor_at_end(&scan->c);
    if (has_maps) {
        hp_scan_line(scan);
        read_maps(scan);
    }
    count_lines(scan);
    if (!has_maps && grammar->no_maps) {
        grammar->no_maps(scan);
    }
    if (scan->uncounted_line) {
        scan->line = scan->uncounted_line;
        hp_scan_damaged(scan, HP_WORDS("last-stack-without-counts",
                                       "the last stack has no counts"));
    }
}

// Add the last window to the digest of the text and store the digest; also store the size
// of the text in dump->bytes.
static void take_content(struct hp_scan *scan) {
    struct hp_dump *dump = scan->dump;
    dump->bytes = scan->stream->total;
    if (scan->content) {
        struct hp_span maps = {scan->stream->at, scan->stream->size};
        hp_digester_add(scan->content, maps);
        dump->content = hp_digester_end(scan->content);
    }
}

int hp_scan_read(struct hp_scan *scan, const struct hp_scan_grammar *grammar,
                 struct hp_err *err) {
    struct hp_dump *dump = scan->dump;
    int ret = read_header(scan, grammar, err);
    if (scan->samples) {
        hp_digester_start(scan->samples);
    }
    ret = ret == HP_OK ? read_body(scan, grammar, err) : ret;
    if (scan->samples) {
        dump->samples = hp_digester_end(scan->samples);
        scan->samples = NULL;
    }
    ret = ret == HP_OK ? read_to_end(scan, err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    take_content(scan);
    read_end(scan, grammar);
    return HP_OK;
}

int hp_scan_read_lines(struct hp_scan *scan,
                       int (*read_line)(struct hp_scan *scan, struct hp_err *err),
                       struct hp_err *err) {
    static const struct hp_scan_grammar lines; // each record is a line
    bool last = false;
    int ret = HP_OK;
    while (ret == HP_OK && !last) {
        const char *end = boundary_of(scan, &lines);
        last = scan->stream->at_end;
        scan->c.end = end ? end : scan->c.at;
        while (ret == HP_OK && !hp_cursor_at_end(&scan->c)) {
            ret = read_line(scan, err);
        }
        ret = ret == HP_OK ? hp_scan_slide(scan, err) : ret;
    }
    if (scan->samples) {
        scan->dump->samples = hp_digester_end(scan->samples);
    }
    if (ret == HP_OK) {
        take_content(scan);
        count_lines(scan);
    }
    return ret;
}

int hp_scan_read_map(struct hp_scan *scan, struct hp_err *err) {
    int ret = read_to_end(scan, err);
    if (ret == HP_OK) {
        take_content(scan);
        read_maps(scan);
        count_lines(scan);
    }
    return ret;
}
