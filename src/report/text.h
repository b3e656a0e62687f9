// The reports for people; text.c puts them together.
#ifndef HP_REPORT_TEXT_H
#define HP_REPORT_TEXT_H

#include "base/sink.h"
#include "base/units.h"
#include "model/profile.h"

enum {
    HP_COLUMN = 13, // characters of a value
};

// A value of the report's metric, right-aligned in `width` characters.
void hp_text_value(struct hp_sink *out, hp_fixed value,
                   const struct hp_report_options *options, int width);

// "73.7%", or "-" of nothing.
void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole);

// Half of the interval of a value, right-aligned under hp_text_error_title(), with a mark if
// it stands on few samples.
void hp_text_error(struct hp_sink *out, hp_fixed value, const struct hp_error *error,
                   const struct hp_report_options *options);
void hp_text_error_title(struct hp_sink *out, const struct hp_report_options *options);

// The lines below a table: what marks mean.
void hp_text_error_notes(struct hp_sink *out, const struct hp_report_options *options);

// Whether the report shows what sampling leaves open.
bool hp_text_has_errors(const struct hp_profile *profile,
                        const struct hp_report_options *options);

// options->confidence, or the default.
double hp_text_confidence(const struct hp_report_options *options);

// The lines above a table: what was read, its totals, what to know about it.
void hp_text_header(struct hp_sink *out, const struct hp_profile *profile,
                    const struct hp_report_options *options);

// The last line of a table that was cut: `rows` more, worth `value`.
void hp_text_rest(struct hp_sink *out, size_t rows, const char *what, hp_fixed value,
                  hp_fixed total);

void hp_text_top(struct hp_sink *out, const struct hp_profile *profile,
                 const struct hp_report_options *options);
void hp_text_stacks(struct hp_sink *out, const struct hp_profile *profile,
                    const struct hp_report_options *options);
void hp_text_info(struct hp_sink *out, const struct hp_profile *profile);

#endif
