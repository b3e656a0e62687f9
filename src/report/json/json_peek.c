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
static void put_group(struct hp_json *json, const struct hp_view *view, const char *key,
                      const struct hp_neighbor *group, size_t count) {
    hp_json_line(json, 3);
    hp_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        struct hp_error error;
        struct hp_amount value = hp_neighbor_amount(view, &group[i], &error);
        hp_json_row(json, 4);
        hp_json_name(json, view, group[i].node);
        hp_json_estimate(json, "value", view, &value, view->options.metric);
        hp_json_close(json);
    }
    hp_json_close(json);
}

// Write a function with its callers and callees.
static void put_row(struct hp_json *json, const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *group = neighbors->all + area->first;
    hp_json_row(json, 2);
    hp_json_name(json, view, view->rows.at[row].node);
    hp_json_line(json, 3);
    hp_json_cells(json, view, row);
    put_group(json, view, "callers", group, area->callers);
    put_group(json, view, "callees", group + area->callers, area->callees);
    hp_json_close(json);
}

void hp_json_peek(struct hp_sink *out, const struct hp_view *view) {
    struct hp_json json = {.out = out};
    hp_json_begin(&json, view);
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        put_row(&json, view, i);
    }
    hp_json_close(&json);
    hp_json_end(&json, view);
}
