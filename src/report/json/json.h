// The reports for programs; json.c puts them together.
#ifndef HP_REPORT_JSON_JSON_H
#define HP_REPORT_JSON_JSON_H

#include "base/sink.h"
#include "model/profile.h"
#include "report/json/jsonhead.h"

void hp_json_list(const struct hp_json_report *report);
void hp_json_peek(const struct hp_json_report *report);
void hp_json_tree(const struct hp_json_report *report);
void hp_json_diff(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_json_trend(struct hp_sink *out, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_json_info(struct hp_sink *out, const struct hp_profile *profile);

#endif
