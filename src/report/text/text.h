// The reports for people; text.c puts them together.
#ifndef HP_REPORT_TEXT_TEXT_H
#define HP_REPORT_TEXT_TEXT_H

#include "base/sink.h"
#include "base/units.h"
#include "model/profile.h"
#include "view/naming.h"

enum {
    HP_COLUMN = 13,      // characters of a value
    HP_ERROR_WIDTH = 11, // of the half of an interval
};

// "153.5 MiB" or "1,234"; and a number that is no exact sum, as one.
void hp_text_format(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit);
hp_fixed hp_text_fixed(double value, enum hp_metric metric);

// A value of the report's metric, right-aligned in `width` characters.
void hp_text_value(struct hp_sink *out, hp_fixed value,
                   const struct hp_report_options *options, int width);

// "73.7%", or "-" of nothing; and the same right-aligned.
void hp_text_share(char text[HP_NUMBER_SIZE], hp_fixed part, hp_fixed whole);
void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole);

// Half of the interval of a value, right-aligned under hp_text_error_title(), with a mark if
// it stands on few samples.
void hp_text_error(struct hp_sink *out, hp_fixed value, const struct hp_error *error,
                   const struct hp_report_options *options);
void hp_text_error_title(struct hp_sink *out, const struct hp_report_options *options);

// The lines below a table: what marks mean.
void hp_text_error_notes(struct hp_sink *out, const struct hp_report_options *options);

// A p-value, right-aligned; "-" if it is NAN.
void hp_text_p(struct hp_sink *out, double p, int width);
// What its mark means, and that there is none for less than `few`.
void hp_text_significance_note(struct hp_sink *out,
                               const struct hp_report_options *options, const char *few);

// Whether the report shows what sampling leaves open.
bool hp_text_has_errors(const struct hp_profile *profile,
                        const struct hp_report_options *options);

// The lines above a table: what was read, its totals, what to know about it.
void hp_text_header(struct hp_sink *out, const struct hp_naming *naming,
                    const struct hp_report_options *options);

// Parts of that: "jemalloc heap_v2 · sample period 512 KiB · 7 stacks" and the thread that alone
// was read, and the warnings.
void hp_text_inputs(struct hp_sink *out, const struct hp_profile *profile);
// "filters    --focus=f leave ", or nothing and false.
bool hp_text_filters(struct hp_sink *out, const struct hp_profile *profile);
void hp_text_warnings(struct hp_sink *out, const struct hp_profile *profile,
                      const struct hp_report_options *options);

// What a row stands for.
const char *hp_text_row_name(enum hp_granularity by);

// The last line of a table that was cut: `rows` more, worth `value`.
void hp_text_rest(struct hp_sink *out, size_t rows, const char *what, hp_fixed value,
                  hp_fixed total);

void hp_text_top(struct hp_sink *out, const struct hp_profile *profile,
                 const struct hp_report_options *options);
void hp_text_stacks(struct hp_sink *out, const struct hp_profile *profile,
                    const struct hp_report_options *options);
void hp_text_tree(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_text_peek(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_text_list(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_text_diff(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_text_trend(struct hp_sink *out, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_text_info(struct hp_sink *out, const struct hp_profile *profile);

#endif
