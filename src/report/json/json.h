// The reports for programs: one JSON object each.  This header has the parts that its
// writers share.
//
// Map of src/report/json:
//
//   json_rows.c    the format, and the writer of any table
//   json_head.c    everything before the rows and after them, with a list of the keys
//   json_cells.c   the cells of a row: estimates, numbers, flags
//   json_stacks.c, json_list.c, json_peek.c, json_tree.c, json_info.c
//                  reports with rows of their own; each begins with their keys
//   json_next.c    commands that answer the next question
//   json_writer.h  commas, keys and brackets; json_text.h: strings and numbers; both are
//                  used by other formats as well
//
// Invariants: keys are only added, and never change their meaning (schema/ defines them).
// A number that is not known is null.  Numbers have no more digits than are the same on
// every machine.  Output is valid UTF-8, whatever the inputs contain.
//
// Read json_head.c first, then json_cells.c.
#ifndef HP_REPORT_JSON_JSON_H
#define HP_REPORT_JSON_JSON_H

#include "report/format.h"
#include "report/json/json_writer.h"

// The type of a function that writes a part of a report.
typedef void hp_json_part(struct hp_json *json, const struct hp_view *view);

// Write the members of an object for a node: "name": "f", "class": "own". hp_json_class()
// writes a class alone: "own".  The class is null where rows are modules, inputs or
// properties of inputs.
void hp_json_name(struct hp_json *json, const struct hp_view *view, hp_node_id node);
void hp_json_class(struct hp_json *json, const char *key, enum hp_frame_class class);

// Write an estimate with its interval, {"estimate": 1.500, "low": 1, "high": 2}.
void hp_json_ends(struct hp_json *json, const char *key, const struct hp_view *view,
                  const struct hp_amount *amount, enum hp_metric metric);

// Write an interval, {"low": 1, "high": 2}.
void hp_json_range(struct hp_json *json, const char *key, struct hp_interval range);

// Write an estimate as hp_json_ends() does, and also "of": "sizes seen" if the interval
// allows for no sizes but those that were sampled, and "rounding": {"low": 1.4, "high":
// 1.6}, its hp_precision_rounding(), if that is more than one number.  If there are
// several dumps, "sampling" before it is the interval that sampling alone would leave.
void hp_json_estimate(struct hp_json *json, const char *key, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric);

// Write the names of flags (enum hp_row_flag) as an array: ["few-samples"].
void hp_json_flags(struct hp_json *json, const char *key, unsigned flags);

// Begin the report, with everything before the array of rows: for most reports, for a
// diff, a trend and lifetimes.
hp_json_part hp_json_begin, hp_json_begin_diff, hp_json_begin_trend,
    hp_json_begin_lifetime;

// Write the member "next": commands of this program that answer the next question of a
// reader.
hp_json_part hp_json_next;

// Write a member with the reason why an input is not used, or not completely; null: it is
// used.
void hp_json_put_reason(struct hp_json *json, const char *key,
                        const struct hp_input *input);

// Write everything after the array of rows: "cut", "attributed_to_callers", "next" and the warnings; and
// end the report.
hp_json_part hp_json_end;

// Write the cells of a row as members, one for each column.
void hp_json_cells(struct hp_json *json, const struct hp_view *view, size_t row);

// Write an object with the estimate of each metric by its name; null if no input has the
// metric.  `amount` returns the amount of a metric.
typedef struct hp_amount hp_json_amount_fn(const void *data, enum hp_metric metric);
void hp_json_estimates(struct hp_json *json, const char *key, const struct hp_view *view,
                       hp_json_amount_fn *amount, const void *data);

hp_writer hp_json_stacks, hp_json_list, hp_json_peek, hp_json_tree, hp_json_info,
    hp_json_plan;

#endif
