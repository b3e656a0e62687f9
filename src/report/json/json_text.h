// The pieces of JSON.  Any text can be written: the result is always valid JSON in UTF-8.
#ifndef HP_REPORT_JSON_JSONTEXT_H
#define HP_REPORT_JSON_JSONTEXT_H

#include "base/sink.h"
#include "base/values.h"
#include "stats/measure.h"

// Write a string in quotes.  Bytes that are not UTF-8 become U+FFFD.
void hp_json_string(struct hp_sink *out, struct hp_span text);

// Write a string in quotes as hp_json_string() does, or null if the text is empty.
void hp_json_text(struct hp_sink *out, struct hp_span text);

// Write text escaped as in a JSON string, but without quotes around it.
void hp_json_characters(struct hp_sink *out, struct hp_span text);

// Write an exact sum with three decimals.
void hp_json_fixed(struct hp_sink *out, hp_fixed value, enum hp_metric metric);

// Write a number with as many digits as are the same on every machine; null if it is not
// finite.
void hp_json_double(struct hp_sink *out, double value);

// Write a p-value: seven digits, which are the same on every machine and still
// distinguish it from 1 - confidence. hp_json_rough() writes a number with four digits,
// if further ones differ between machines.  Both write null if the number is not finite.
void hp_json_p(struct hp_sink *out, double value);
void hp_json_rough(struct hp_sink *out, double value);

#endif
