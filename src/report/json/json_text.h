// The pieces of JSON: whatever text comes from outside, what is written is JSON in UTF-8.
#ifndef HP_REPORT_JSON_JSONTEXT_H
#define HP_REPORT_JSON_JSONTEXT_H

#include "base/sink.h"
#include "model/values.h"
#include "stats/measure.h"

// A string in quotes.  Bytes that are not UTF-8 become U+FFFD.
void hp_json_string(struct hp_sink *out, struct hp_span text);

// The same; null for "".
void hp_json_text(struct hp_sink *out, struct hp_span text);

// The same without the quotes: a part of a string.
void hp_json_characters(struct hp_sink *out, struct hp_span text);

// An exact sum, with three decimals.
void hp_json_fixed(struct hp_sink *out, hp_fixed value, enum hp_metric metric);

// A number with as many digits as are the same on every machine; null if it is not finite.
void hp_json_double(struct hp_sink *out, double value);

// The same for a p-value, of which fewer are: as many as tell it from 1 - confidence; and for what
// has no more than four.
void hp_json_p(struct hp_sink *out, double value);
void hp_json_rough(struct hp_sink *out, double value);

#endif
