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
