// The output formats.  Each is one const struct that describes itself: what it can show,
// which files it is for, and its writers. formats.c lists them.
//
// Map of src/report:
//
//   format.h, formats.c   the struct, the list of all formats, lookup by name
//   text/                 reports for people; Markdown and HTML reuse its lines and cells
//   json/, tsv/           reports for programs
//   html/                 one page with data and a script
//   pprof/, firefox/      merged profiles for other tools, as are folded.c, callgrind.c,
//                         speedscope.c and dhat.c
//   pictures.h            flame graphs and call graphs, as SVG or PDF; dot.c: Graphviz
//   callgraph.h, notes.h  shared by formats: nodes of a call graph, remarks on numbers
//
// A writer gets a finished view (view/view.h) and a sink, and only turns the view into
// bytes: it takes no decision on filters, rows or order.  Writers do not fail; the sink
// remembers the first error.  Text from inputs goes through the one function of each
// format that makes it safe.  Read this header, then text/text.h or json/json.h, then any
// single format.
#ifndef HP_REPORT_FORMAT_H
#define HP_REPORT_FORMAT_H

#include "base/sink.h"
#include "view/view.h"

// The type of a function that writes a whole view.  Failures stay in the sink.
typedef void hp_writer(struct hp_sink *out, const struct hp_view *view);

struct hp_format {
    const char *name; // the name in --format=NAME
    // Patterns of file names that select this format: "*.folded *.collapsed".
    const char *files;
    const char *help; // one line for help texts
    // Bits of enum hp_format_ability; options, help and refusals follow from these.
    unsigned can;
    // Default of hp_report_options.limit: a number of rows, 0 or HP_LIMIT_ENOUGH
    size_t limit;
    enum hp_shape shape; // the data that a view must have for its writers
    // Bits 1 << kind: for these kinds of reports a view must have HP_SHAPE_GRAPH instead
    // of `shape`.
    unsigned graphs;
    // Writes any report that consists of rows and columns (hp_report.is_table); NULL:
    // there is no such writer.
    hp_writer *write_rows;
    // By kind of report: the writer that is used instead of write_rows; NULL: none.
    hp_writer *write[HP_REPORT_KINDS];
    // Adjusts options to the format: sets its defaults, and replaces values that it
    // cannot follow; NULL: it changes nothing.
    void (*complete)(struct hp_report_options *options);
};

// The formats; each is defined at the end of the file with its writers.
extern const struct hp_format hp_format_text, hp_format_json, hp_format_tsv,
    hp_format_folded, hp_format_difffolded, hp_format_callgrind, hp_format_speedscope,
    hp_format_dhat, hp_format_dot, hp_format_svg, hp_format_pdf, hp_format_pprof,
    hp_format_firefox, hp_format_markdown, hp_format_benchmark, hp_format_html;

// All formats, in the order of help, and their number.
extern const struct hp_format *const hp_formats[];
extern const size_t hp_formats_count;

// Find a format by name; NULL if there is none.
const struct hp_format *hp_format_find(const char *name);

// The data that a view must have so that the format can write this kind of report.
enum hp_shape hp_format_shape(const struct hp_format *format, enum hp_report_kind kind);

// The writer of a format for a kind of report; NULL: the format cannot write this kind.
hp_writer *hp_format_writer(const struct hp_format *format, enum hp_report_kind kind);

#endif
