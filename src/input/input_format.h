// An input format describes itself: how its files begin, and how they are read. To add a
// format, write a file with its reader, a line here, and a line in the table of reader.c.
#ifndef HP_INPUT_INPUT_FORMAT_H
#define HP_INPUT_INPUT_FORMAT_H

#include "base/err.h"
#include "base/span.h"

struct hp_scan;

struct hp_input_format {
    const char *name; // one word for messages
    // The format in the message about a file of unknown format, for example "jemalloc
    // ('heap_v2/')". NULL: the message does not mention it.
    const char *title;
    // Whether the format is made of lines. Records of a truncated text are used up to the
    // cut, and a section of symbols may precede it (hp_symbols_format). A file of another
    // format is read as a whole, or reading it fails.
    bool is_text;
    // Whether a file that begins with `head` is of this format. `head` is the first
    // window, some 256 KiB, or the whole file if it is shorter.
    bool (*is)(struct hp_span head);
    // Read from the scan's cursor, which is in the first window, to the end of the file,
    // into the scan's dump. That dump is empty except for symbols read before. Text
    // formats use hp_scan_read(); the others slide scan->stream until they have what they
    // need. The dump may point into the last window.
    HP_MUST_CHECK int (*read)(struct hp_scan *scan, struct hp_err *err);
};

extern const struct hp_input_format hp_jemalloc_format;
extern const struct hp_input_format hp_classic_format;
extern const struct hp_input_format hp_symbols_format;
extern const struct hp_input_format hp_folded_input_format;
extern const struct hp_input_format hp_pprof_format;

// All formats, in the order in which a file is compared with them; NULL ends the list.
extern const struct hp_input_format *const hp_input_formats[];

// Returns the format of a file that begins with `head`, or NULL if none matches. The file
// name is not considered.
const struct hp_input_format *hp_input_format_of(struct hp_span head);

#endif
