// The shared part of the text formats: read a text record by record through windows, and
// record the faults found on the way.
//
// Each such format is a header, records, and perhaps a memory map, which is read here.
#ifndef HP_INPUT_SCAN_H
#define HP_INPUT_SCAN_H

#include "base/cursor.h"
#include "base/digest.h"
#include "base/err.h"
#include "input/input_stream.h"
#include "input/stack_line.h"
#include "model/dump.h"

// State of a scan. hp_scan_init() fills it; only readers of a format use the other
// functions.
struct hp_scan {
    struct hp_input_stream *stream; // the text
    struct hp_stack_lines *stacks;  // reader of stack lines
    struct hp_dump *dump;           // destination
    struct hp_cursor c; // position; its end is after the last whole record in the window
    uint64_t line;      // line number at c.at, from 1 on
    uint64_t uncounted_line; // line of the last stack if no counts follow it; else 0
    bool after_stack;    // a stack was read, and no comment has named a frame of it yet
    int unnamed;         // comments since that stack that name none of its frames
    char last_dropped;   // last byte before the window
    bool keeps_labels;   // as in struct hp_reader
    bool keeps_threads;  // as in struct hp_reader
    bool folded_objects; // as in struct hp_reader
    // Compute the digests of the whole text, and of its part with the stacks; NULL: that
    // digest is not wanted.
    struct hp_digester *content, *samples;
};

// The functions by which the text formats differ.
struct hp_scan_grammar {
    // Whether the window contains the whole header. NULL: the header is one line.
    bool (*has_header)(const struct hp_scan *scan);
    // Read the header into the dump. Fails if the file is of no use.
    HP_MUST_CHECK int (*read_header)(struct hp_scan *scan, struct hp_err *err);
    // Returns the end of the last whole record of the window, or NULL if none ends in it.
    // NULL instead of a function: each record is a line.
    const char *(*boundary)(const struct hp_scan *scan);
    // Read one record of at least one line. The cursor is neither at its end nor at the
    // memory map.
    void (*read_record)(struct hp_scan *scan);
    // Called if the file ends without a memory map, to record that as damage. NULL: no
    // damage.
    void (*no_maps)(struct hp_scan *scan);
};

// Begin a scan at the first byte of the stream's window. The scan owns none of its
// arguments.
void hp_scan_init(struct hp_scan *scan, struct hp_input_stream *stream,
                  struct hp_stack_lines *stacks, struct hp_dump *dump);

// Read from the cursor to the end of the text into an empty dump. The paths of its
// mappings then point into the last window. Truncation and lines that fit no grammar are
// recorded in the dump; the function fails only if the rest is of no use.
HP_MUST_CHECK int hp_scan_read(struct hp_scan *scan,
                               const struct hp_scan_grammar *grammar, struct hp_err *err);

// Read a text that is lines and nothing else, from the cursor to its end, into an empty
// dump. `read_line` reads the line at the cursor, and advances past it; its failure ends
// the scan.
HP_MUST_CHECK int hp_scan_read_lines(struct hp_scan *scan,
                                     int (*read_line)(struct hp_scan *scan,
                                                      struct hp_err *err),
                                     struct hp_err *err);

// Read a text that is a memory map and nothing else, from the cursor to its end, into an
// empty dump.
HP_MUST_CHECK int hp_scan_read_map(struct hp_scan *scan, struct hp_err *err);

// Record in dump->damage that the dump may be incomplete, with the reason `what` and the
// current line. Only the first reason is kept. Also clears dump->lacks_map.
void hp_scan_damaged(struct hp_scan *scan, const char *what);

// The rest of the window, from the cursor on.
struct hp_span hp_scan_rest(const struct hp_scan *scan);

// Return the current line, and advance past it.
struct hp_span hp_scan_line(struct hp_scan *scan);

// Skip the line that begins at `start`, and count it as malformed; `expected` names, for
// messages, the thing that was expected there.
void hp_scan_skip(struct hp_scan *scan, const char *start, const char *expected);

// Drop the text up to c.at from the window, and read more. Pointers into the window
// become invalid. Fails if a line is longer than 16 MiB.
HP_MUST_CHECK int hp_scan_slide(struct hp_scan *scan, struct hp_err *err);

// Fail with HP_E_FORMAT, giving the number of the current line.
HP_MUST_CHECK int hp_scan_fail(const struct hp_scan *scan, const char *what,
                               struct hp_err *err);

// Whether the text at the cursor begins with `word`, is the heading of the memory map, or
// is an empty line.
bool hp_scan_at(const struct hp_scan *scan, const char *word);
bool hp_scan_at_maps(const struct hp_scan *scan);
bool hp_scan_at_empty_line(const struct hp_scan *scan);

// Skip lines that some writers put before the header: "%warn ...", "--- heap" and
// jemalloc's own messages.
void hp_scan_preamble(struct hp_cursor *c);

// Read the four counts of a line, in the form common to all text formats: "1: 64 [2:
// 128]" are objects in use, their bytes, objects ever allocated, their bytes.
struct hp_counts hp_counts_read(struct hp_cursor *c);

// If a count has wrapped around below zero, set its objects and bytes to 0 and return
// true.
bool hp_count_drop_wrapped(struct hp_count *count);

#endif
