// A text read record by record through windows, and what is found wrong on the way: what
// the text formats have in common.
//
// Each is a header, records, and perhaps a memory map, which is read here.
#ifndef HP_INPUT_SCAN_H
#define HP_INPUT_SCAN_H

#include "base/cursor.h"
#include "base/digest.h"
#include "base/err.h"
#include "input/input_stream.h"
#include "input/stack_line.h"
#include "model/dump.h"

// hp_scan_init() fills it; the rest is for those who read a format.
struct hp_scan {
    struct hp_input_stream *stream;
    struct hp_stack_lines *stacks;
    struct hp_dump *dump;
    struct hp_cursor c;      // over what is whole of the window
    uint64_t line;           // the number of the line at c.at
    uint64_t uncounted_line; // of the last stack, if no counts follow it; else 0
    bool after_stack;        // none of its frames has been named yet
    int unnamed;             // comments since then that name none of them
    char last_dropped;       // the byte before the window
    bool keeps_labels;       // these two as in struct hp_reader
    bool keeps_threads;
    struct hp_digester *content,
        *samples; // of the text, and of its part; NULL: not wanted
};

// What is different in each format.
struct hp_scan_grammar {
    // Whether the window holds all of the header.  NULL: the header is a line.
    bool (*has_header)(const struct hp_scan *scan);
    HP_MUST_CHECK int (*read_header)(struct hp_scan *scan, struct hp_err *err);
    // Behind the last whole record of the window; returns NULL if none ends in it.  NULL:
    // each record is a line.
    const char *(*boundary)(const struct hp_scan *scan);
    // Read one record, of a line at least, with the cursor neither at its end nor at the
    // memory map.
    void (*read_record)(struct hp_scan *scan);
    // The file ends without a memory map.  NULL: that is nothing wrong.
    void (*no_maps)(struct hp_scan *scan);
};

void hp_scan_init(struct hp_scan *scan, struct hp_input_stream *stream,
                  struct hp_stack_lines *stacks, struct hp_dump *dump);

// Read from the cursor to the end of the text into an empty dump, whose mappings' paths then
// point into the last window.  A dump that may be short, and lines that fit no grammar, are
// told in the dump; a failure is only what leaves nothing to use.
HP_MUST_CHECK int hp_scan_read(struct hp_scan *scan,
                               const struct hp_scan_grammar *grammar, struct hp_err *err);

// The same of a text that is a memory map and nothing else.
HP_MUST_CHECK int hp_scan_read_map(struct hp_scan *scan, struct hp_err *err);

// The dump may be short: say why, of the line at hand.
void hp_scan_damaged(struct hp_scan *scan, const char *what);

// What is left of the window, from the cursor on.
struct hp_span hp_scan_rest(const struct hp_scan *scan);

// The line at hand, which is stepped over.
struct hp_span hp_scan_line(struct hp_scan *scan);

// Step over the line at `start`, which `expected` says does not fit.
void hp_scan_skip(struct hp_scan *scan, const char *start, const char *expected);

// Let go of what has been read, up to c.at, and get more.
HP_MUST_CHECK int hp_scan_slide(struct hp_scan *scan, struct hp_err *err);

// Fail, and say that it is the line at hand.
HP_MUST_CHECK int hp_scan_fail(const struct hp_scan *scan, const char *what,
                               struct hp_err *err);

bool hp_scan_at(const struct hp_scan *scan, const char *word);
bool hp_scan_at_maps(const struct hp_scan *scan);
bool hp_scan_at_empty_line(const struct hp_scan *scan);

// Step over lines that some writers put in front: "%warn ...", "--- heap" and jemalloc's own
// messages.
void hp_scan_preamble(struct hp_cursor *c);

// The four numbers of a line, as all text formats print them: "1: 64 [2: 128]" are objects
// in use, their bytes, objects ever allocated, their bytes.
struct hp_counts hp_counts_read(struct hp_cursor *c);

// A count that is none: clear it.
bool hp_count_drop_wrapped(struct hp_count *count);

#endif
