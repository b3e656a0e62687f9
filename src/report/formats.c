#include "report/format.h"

#include <string.h>

// The format of partial files (.hpa).  These contain the whole profile, not a view; the
// format is in the list so that --format can select it.
static const struct hp_format partials = {
    .name = "hpa",
    .files = "*.hpa",
    .help = "everything in the inputs, to be merged and reported on later (hpa(5))",
    .can = HP_CAN_NEGATIVE | HP_CAN_LABELS | HP_HAS_ALL_METRICS | HP_HAS_SAMPLE_TYPES |
           HP_IS_BINARY | HP_IS_PARTIAL,
    .shape = HP_SHAPE_PROFILE,
    .write = {[HP_REPORT_MERGE] = hp_view_write_partial},
};

const struct hp_format *const hp_formats[] = {
    &hp_format_text,
    &hp_format_markdown,
    &hp_format_json,
    &hp_format_tsv,
    &hp_format_benchmark,
    &hp_format_folded,
    &hp_format_difffolded,
    &hp_format_callgrind,
    &hp_format_speedscope,
    &hp_format_dhat,
    &hp_format_dot,
    &hp_format_svg,
    &hp_format_pdf,
    &hp_format_pprof,
    &hp_format_firefox,
    &hp_format_html,
    &partials,
};

const size_t hp_formats_count = sizeof hp_formats / sizeof *hp_formats;

const struct hp_format *hp_format_find(const char *name) {
    for (size_t i = 0; i < hp_formats_count; i++) {
        if (strcmp(hp_formats[i]->name, name) == 0) {
            return hp_formats[i];
        }
    }
    return NULL;
}

enum hp_shape hp_format_shape(const struct hp_format *format, enum hp_report_kind kind) {
    return (format->graphs >> kind & 1) != 0 ? HP_SHAPE_GRAPH : format->shape;
}

// Return the writer of a format for a kind of report.  The format's own writer for this
// kind, if there is one, is used instead of write_rows, which can write any kind that is
// a table.
hp_writer *hp_format_writer(const struct hp_format *format, enum hp_report_kind kind) {
    return format->write[kind]          ? format->write[kind]
           : hp_reports[kind]->is_table ? format->write_rows
                                        : NULL;
}

// --- for programs -------------------------------------------------------------------------

const char *hp_format_of_kind(enum hp_report_kind kind) {
    return hp_reports[kind]->format ? hp_reports[kind]->format : "text";
}

size_t hp_format_count(void) {
    return hp_formats_count;
}

const char *hp_format_name(size_t i) {
    return hp_formats[i]->name;
}

const char *hp_format_help(size_t i) {
    return hp_formats[i]->help;
}

const char *hp_format_files(size_t i) {
    return hp_formats[i]->files;
}

bool hp_format_fits(const char *name, enum hp_report_kind kind) {
    const struct hp_format *format = hp_format_find(name);
    return format && hp_format_writer(format, kind);
}

unsigned hp_format_can(const char *name) {
    const struct hp_format *format = hp_format_find(name);
    return format ? format->can : 0;
}

size_t hp_format_limit(const char *name) {
    const struct hp_format *format = hp_format_find(name);
    return format ? format->limit : 0;
}
