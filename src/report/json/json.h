// The reports for programs: heads and numbers that they share, and their writers.
#ifndef HP_REPORT_JSON_JSON_H
#define HP_REPORT_JSON_JSON_H

#include "report/format.h"
#include "report/json/json_text.h"

// "name": "f", "class": "own"; null of modules and of groups of inputs.
void hp_json_name(struct hp_sink *out, const struct hp_view *view, hp_node_id node);
void hp_json_class(struct hp_sink *out, enum hp_frame_class class);

// "name":
void hp_json_key(struct hp_sink *out, const char *name);

// {"estimate": 1.500, "low": 1, "high": 2}
void hp_json_ends(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_amount *amount, enum hp_metric metric);

// The same, where an interval allows for no other sizes with: "of": "sizes seen"
void hp_json_estimate(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric);

// ["few-samples"]
void hp_json_flags(struct hp_sink *out, unsigned flags);

// All that comes before the rows: of most reports, of a diff and of a trend.
void hp_json_begin(struct hp_sink *out, const struct hp_view *view);
void hp_json_begin_diff(struct hp_sink *out, const struct hp_view *view);
void hp_json_begin_trend(struct hp_sink *out, const struct hp_view *view);
void hp_json_begin_lifetime(struct hp_sink *out, const struct hp_view *view);

// "next": what to ask next.
void hp_json_next(struct hp_sink *out, const struct hp_view *view);

// After all else: that, warnings, and the closing brace.
void hp_json_end(struct hp_sink *out, const struct hp_view *view);

// The cells of a row, from the first key on.
void hp_json_cells(struct hp_sink *out, const struct hp_view *view, size_t row);

// The same of each metric by its name; null where no input tells it.  `amount` tells each.
typedef struct hp_amount hp_json_amount_fn(const void *data, enum hp_metric metric);
void hp_json_estimates(struct hp_sink *out, const struct hp_view *view,
                       hp_json_amount_fn *amount, const void *data);

hp_writer hp_json_stacks, hp_json_list, hp_json_peek, hp_json_tree, hp_json_info;

#endif
