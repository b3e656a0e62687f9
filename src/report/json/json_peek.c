// As json_head.c describes, with "patterns": ["^f$"] and rows
//
//     {"name": "f", "class": "own", "flat": ESTIMATE, "cum": ESTIMATE,
//      "callers": [{"name": "g", "class": "own", "value": ESTIMATE}, ...],
//      "callees": [...]}
//
// in the metric that was asked for.
#include "report/json/json.h"

#include "view/report_peek.h"

// Write the callers or the callees of a row as an array with the key `key`.
static void put_group(struct hp_sink *out, const struct hp_view *view, const char *key,
                      const struct hp_neighbor *group, size_t count) {
    hp_sink_print(out, ",\n   \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        struct hp_error error;
        struct hp_amount value = hp_neighbor_amount(view, &group[i], &error);
        hp_sink_text(out, i > 0 ? ",\n    {" : "\n    {");
        hp_json_name(out, view, group[i].node);
        hp_sink_text(out, ", \"value\": ");
        hp_json_estimate(out, view, &value, view->options.metric);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
}

// Write a function with its callers and callees, without the braces around it.
static void put_row(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *group = neighbors->all + area->first;
    hp_json_name(out, view, view->rows.at[row].node);
    hp_sink_text(out, ",\n   ");
    hp_json_cells(out, view, row);
    put_group(out, view, "callers", group, area->callers);
    put_group(out, view, "callees", group + area->callers, area->callees);
}

void hp_json_peek(struct hp_sink *out, const struct hp_view *view) {
    hp_json_begin(out, view);
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        put_row(out, view, i);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
    hp_json_end(out, view);
}
