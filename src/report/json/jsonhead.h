// What all JSON reports begin and end with, and their numbers.
#ifndef HP_REPORT_JSON_JSONHEAD_H
#define HP_REPORT_JSON_JSONHEAD_H

#include "base/sink.h"
#include "model/profile.h"
#include "view/naming.h"
#include "view/precision.h"

const char *hp_json_metric(enum hp_metric metric);

// From the opening brace to "confidence" and, if one alone was read, "thread".
void hp_json_head(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options, const char *command);

enum hp_json_inputs {
    HP_JSON_ALL,
    HP_JSON_BASE, // of a diff
    HP_JSON_NEW,
};

// "inputs", "base" or "new": {..., still open.
void hp_json_inputs(struct hp_sink *out, const struct hp_profile *profile,
                    enum hp_json_inputs which);

// "filters": [...], if there are any; else nothing and false.
bool hp_json_filters(struct hp_sink *out, const struct hp_profile *profile);

struct hp_json_report {
    struct hp_sink *out;
    const struct hp_profile *profile;
    const struct hp_report_options *options;
    struct hp_precision precision;
    bool has_metric[HP_METRICS]; // by an input
};

// "name":
void hp_json_key(struct hp_sink *out, const char *name);

// {"estimate": 1.500, "low": 1, "high": 2}
void hp_json_number(const struct hp_json_report *w, hp_fixed value,
                    const struct hp_error *error, enum hp_metric metric);

// The same of each metric by its name; null where no input tells it.
void hp_json_numbers(const struct hp_json_report *w, const struct hp_values *values,
                     const struct hp_error errors[HP_COLUMNS]);

// All that comes before the rows of a report about one set of inputs.
void hp_json_begin(const struct hp_json_report *w, const struct hp_naming *naming,
                   const char *command);

// After all else: warnings, and the closing brace.
void hp_json_foot(struct hp_sink *out, const struct hp_profile *profile);

#endif
