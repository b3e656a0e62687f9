// The output formats, which describe themselves: one const struct each; formats.c lists them.
#ifndef HP_REPORT_FORMAT_H
#define HP_REPORT_FORMAT_H

#include "base/sink.h"
#include "view/view.h"

typedef void hp_writer(struct hp_sink *out, const struct hp_view *view);

struct hp_format {
    const char *name;      // as in --format=NAME
    const char *files;     // names that mean this format, "*.folded *.collapsed"
    const char *help;      // one line
    unsigned can;          // enum hp_format_ability: options, help and refusals read it
    size_t limit;          // of those who ask for none, as in struct hp_report_options
    enum hp_shape shape;   // of the views that it takes
    unsigned graphs;       // but of these kinds of reports, as bits, it takes a graph
    hp_writer *write_rows; // any report whose rows say all, by its columns; NULL: none
    hp_writer *write[HP_REPORT_KINDS]; // in place of that, where the layout is another
    // Put the format's own for what is left at zero; NULL: it has none.
    void (*complete)(struct hp_report_options *options);
};

// Each is at the end of its file.
extern const struct hp_format hp_format_text, hp_format_json, hp_format_tsv,
    hp_format_folded, hp_format_difffolded, hp_format_callgrind, hp_format_speedscope,
    hp_format_dhat, hp_format_dot, hp_format_svg, hp_format_pdf, hp_format_pprof,
    hp_format_firefox, hp_format_markdown, hp_format_benchmark, hp_format_html;

extern const struct hp_format *const hp_formats[];
extern const size_t hp_formats_count;

// By name; NULL if there is none.
const struct hp_format *hp_format_find(const char *name);

// Of the view of a kind of report.
enum hp_shape hp_format_shape(const struct hp_format *format, enum hp_report_kind kind);

// Who writes a kind of report; NULL: nobody.
hp_writer *hp_format_writer(const struct hp_format *format, enum hp_report_kind kind);

#endif
