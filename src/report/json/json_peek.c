// As json.c, with "patterns": ["^f$"] and rows
//
//     {"name": "f", "flat": NUMBER, "cum": NUMBER,
//      "callers": [{"name": "g", "value": NUMBER}, ...], "callees": [...]}
//
// of the metric asked for.
#include "report/json/json.h"
#include "report/json/jsontext.h"
#include "view/chosen.h"
#include "view/neighbors.h"

static void put_name(const struct hp_json_report *r, const struct hp_neighbors *neighbors,
                     hp_node_id node) {
    hp_json_key(r->out, "name");
    hp_json_string(r->out, hp_node_name(&neighbors->table.naming, node));
}

static void put_group(const struct hp_json_report *r,
                      const struct hp_neighbors *neighbors, const char *key,
                      const struct hp_neighbor *group, size_t count) {
    hp_sink_print(r->out, ",\n   \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        hp_sink_text(r->out, i > 0 ? ",\n    {" : "\n    {");
        put_name(r, neighbors, group[i].node);
        hp_sink_text(r->out, ", \"value\": ");
        hp_json_number(r, group[i].value, &group[i].error, r->options->metric);
        hp_sink_text(r->out, "}");
    }
    hp_sink_text(r->out, "]");
}

static void put_row(const struct hp_json_report *r, const struct hp_neighbors *neighbors,
                    const struct hp_neighborhood *area) {
    const struct hp_neighbor *group = neighbors->all.at + area->first;
    put_name(r, neighbors, area->row.node);
    hp_sink_text(r->out, ",\n   \"flat\": ");
    hp_json_number(r, area->row.flat, &area->row.flat_error, r->options->metric);
    hp_sink_text(r->out, ", \"cum\": ");
    hp_json_number(r, area->row.cum, &area->row.cum_error, r->options->metric);
    put_group(r, neighbors, "callers", group, area->callers);
    put_group(r, neighbors, "callees", group + area->callers, area->callees);
}

void hp_json_peek(const struct hp_json_report *r) {
    struct hp_neighbors neighbors;
    hp_neighbors_init(&neighbors, r->profile, r->options);
    hp_json_begin(r, &neighbors.table.naming, "peek");
    for (size_t i = 0; i < hp_chosen_rows(r->options, neighbors.rows.count); i++) {
        hp_sink_text(r->out, i > 0 ? ",\n  {" : "\n  {");
        put_row(r, &neighbors, &neighbors.rows.at[i]);
        hp_sink_text(r->out, "}");
    }
    hp_sink_text(r->out, "]");
    hp_json_foot(r->out, r->profile);
    hp_neighbors_done(&neighbors);
}
