// The output formats, one const struct each; report.c lists them.
#ifndef HP_REPORT_REPORT_H
#define HP_REPORT_REPORT_H

#include "base/sink.h"
#include "model/profile.h"

struct hp_format_writer {
    const char *name;  // as in --format=NAME
    const char *files; // names that mean this format, "*.folded *.collapsed"
    const char *help;  // one line
    unsigned kinds;    // of reports it has a form for: 1 << enum hp_report_kind
    bool has_rows;     // with errors, of whatever; else it shows stacks, and sums alone
    bool one_metric;   // that was chosen is in it, else all that inputs tell
    // Reports in which it has no numbers below zero.
    unsigned unsigned_kinds;
    void (*write)(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
};

extern const struct hp_format_writer hp_text_writer;
extern const struct hp_format_writer hp_folded_writer;
extern const struct hp_format_writer hp_difffolded_writer;
extern const struct hp_format_writer hp_json_writer;
extern const struct hp_format_writer hp_tsv_writer;
extern const struct hp_format_writer hp_callgrind_writer;
extern const struct hp_format_writer hp_speedscope_writer;
extern const struct hp_format_writer hp_dhat_writer;
extern const struct hp_format_writer hp_dot_writer;
extern const struct hp_format_writer hp_pprof_writer;
extern const struct hp_format_writer hp_firefox_writer;

extern const struct hp_format_writer *const hp_format_writers[];
extern const size_t hp_format_writer_count;

#endif
