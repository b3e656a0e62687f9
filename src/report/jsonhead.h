// What all JSON reports begin and end with.
#ifndef HP_REPORT_JSONHEAD_H
#define HP_REPORT_JSONHEAD_H

#include "base/sink.h"
#include "model/profile.h"

const char *hp_json_metric(enum hp_metric metric);

// From the opening brace to "confidence".
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

// After the rows: warnings, and the closing brace.
void hp_json_foot(struct hp_sink *out, const struct hp_profile *profile);

#endif
