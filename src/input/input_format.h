// A format of inputs describes itself: how a file of it begins, and how it is read.  A new one is
// a file with its reader, a line here, and a line in the table of reader.c.
#ifndef HP_INPUT_INPUT_FORMAT_H
#define HP_INPUT_INPUT_FORMAT_H

#include "base/err.h"
#include "base/span.h"

struct hp_scan;

struct hp_input_format {
    const char *name; // one word
    // What a file of no format is told that it is not: "no pprof protobuf".  NULL: nothing.
    const char *is_not;
    // It is made of lines: of one that is cut, what comes before the cut counts, and names may
    // stand in front of it (hp_symbols_format).  Others are read as a whole or not at all.
    bool is_text;
    // Whether a text begins so.  `head` is its first window, some 256 KiB, or all of it.
    bool (*is)(struct hp_span head);
    // Read what follows the scan's cursor, which is over that window, into the scan's dump, which
    // is empty but for the names.  Of text hp_scan_read() does it; others slide scan->stream
    // until they have what they need.  The dump may point into the last window.
    HP_MUST_CHECK int (*read)(struct hp_scan *scan, struct hp_err *err);
};

extern const struct hp_input_format hp_jemalloc_format;
extern const struct hp_input_format hp_classic_format;
extern const struct hp_input_format hp_symbols_format;
extern const struct hp_input_format hp_pprof_format;

// All, in the order in which they are asked; then NULL.
extern const struct hp_input_format *const hp_input_formats[];

// The format of a text that begins so; NULL if it is none of these.  File names do not matter.
const struct hp_input_format *hp_input_format_of(struct hp_span head);

#endif
