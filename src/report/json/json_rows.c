// The format of json, and the writer of any report that is a table.  It is one object;
// the keys of heads and rows are listed at the beginning of the files that write them.
//
//     {head, "rows": [{"name": "f", "class": "own", CELLS}, ...], tail}
//
// CELLS are described in json_cells.c.  With --columns=spread these keys follow the rows:
//
//     "outliers": [{"input", "value", "others", "p", "q"}]
//     "spread_groups": 64, "quantiles": [{"share", "low", "high"}]   before it, if inputs
//                      are known in groups only; with filters "outliers" is then null
//     "holders": [{"name", "class", "holder", "share", "share_low", "of_rest"}]
//     "row_outliers": [{"name", "class", "holder", "value", "others", "p"}]
#include "report/json/json.h"

#include "view/top.h"

// --- rows ---------------------------------------------------------------------------------

// Write the number of replicates (classes of dumps), and quantiles of the totals of
// dumps; for inputs whose single dumps are not known.
static void put_groups(struct hp_json *json, const struct hp_spread *spread) {
    hp_json_line(json, 1);
    hp_json_put_count(json, "spread_groups", spread->groups);
    hp_json_line(json, 1);
    hp_json_open(json, "quantiles", '[');
    for (size_t i = 0; i < spread->quantile_count; i++) {
        const struct hp_quantile *quantile = &spread->quantiles[i];
        hp_json_row(json, 2);
        hp_json_put_double(json, "share", quantile->share);
        hp_json_put_double(json, "low", quantile->low);
        hp_json_put_double(json, "high", quantile->high);
        hp_json_close(json);
    }
    hp_json_close(json);
}

// Write the inputs whose total stands out.
static void put_outliers(struct hp_json *json, const struct hp_view *view) {
    const struct hp_spread *spread = &((const struct hp_top *)view->extra)->spread;
    if (spread->groups > 0) {
        put_groups(json, spread);
    }
    hp_json_line(json, 1);
    if (spread->groups > 0 && spread->has_filters) {
        hp_json_put_null(json, "outliers");
        return;
    }
    hp_json_open(json, "outliers", '[');
    for (size_t i = 0; i < spread->outliers.count; i++) {
        const struct hp_outlier *outlier = &spread->outliers.at[i];
        hp_json_row(json, 2);
        hp_json_put_word(json, "input", outlier->name);
        hp_json_put_fixed(json, "value", outlier->value, view->options.metric);
        hp_json_put_double(json, "others", outlier->others);
        hp_json_put_p(json, "p", outlier->p);
        hp_json_put_p(json, "q", outlier->q);
        hp_json_close(json);
    }
    hp_json_close(json);
}

// Begin the object of a row and the input or group that holds it or stands out in it.
static void open_holder(struct hp_json *json, const struct hp_view *view, hp_node_id node,
                        const char *holder) {
    hp_json_row(json, 2);
    hp_json_name(json, view, node);
    hp_json_put_word(json, "holder", holder);
}

// Write the inputs that hold most of a row, and those that stand out in a row.
static void put_holders(struct hp_json *json, const struct hp_view *view) {
    const struct hp_holders *holders =
        &((const struct hp_top *)view->extra)->spread.holders;
    hp_json_line(json, 1);
    hp_json_open(json, "holders", '[');
    for (size_t i = 0; i < holders->holdings.count; i++) {
        const struct hp_holding *holding = &holders->holdings.at[i];
        open_holder(json, view, holding->node, holding->name);
        hp_json_put_double(json, "share", holding->share);
        hp_json_put_rough(json, "share_low", holding->low);
        hp_json_put_double(json, "of_rest", holding->of_rest);
        hp_json_close(json);
    }
    hp_json_close(json);
    hp_json_line(json, 1);
    hp_json_open(json, "row_outliers", '[');
    for (size_t i = 0; i < holders->outliers.count; i++) {
        const struct hp_row_outlier *outlier = &holders->outliers.at[i];
        open_holder(json, view, outlier->node, outlier->name);
        hp_json_put_double(json, "value", outlier->value);
        hp_json_put_double(json, "others", outlier->others);
        hp_json_put_p(json, "p", outlier->p);
        hp_json_close(json);
    }
    hp_json_close(json);
}

static void write_rows(struct hp_sink *out, const struct hp_view *view) {
    static hp_json_part *const heads[HP_REPORT_KINDS] = {
        [HP_REPORT_DIFF] = hp_json_begin_diff,
        [HP_REPORT_TREND] = hp_json_begin_trend,
        [HP_REPORT_LIFETIME] = hp_json_begin_lifetime,
    };
    hp_json_part *own = heads[view->options.kind];
    struct hp_json json = {.out = out};
    (own ? own : hp_json_begin)(&json, view);
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        hp_json_row(&json, 2);
        hp_json_name(&json, view, view->rows.at[i].node);
        hp_json_line(&json, 3);
        hp_json_cells(&json, view, i);
        hp_json_close(&json);
    }
    hp_json_close(&json);
    if (view->options.columns.spread) {
        put_outliers(&json, view);
        put_holders(&json, view);
    }
    hp_json_end(&json, view);
}

const struct hp_format hp_format_json = {
    .name = "json",
    .files = "*.json",
    .help = "one object with intervals, for programs",
    .can = HP_READ_AS_DOUBLE | HP_CAN_LIMIT | HP_CAN_CUT | HP_CAN_SPREAD |
           HP_CAN_INTERVALS | HP_CAN_ALL_ENDS | HP_CAN_NEGATIVE | HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ROWS,
    .write_rows = write_rows,
    .write =
        {
            [HP_REPORT_STACKS] = hp_json_stacks,
            [HP_REPORT_TREE] = hp_json_tree,
            [HP_REPORT_PEEK] = hp_json_peek,
            [HP_REPORT_LIST] = hp_json_list,
            [HP_REPORT_INFO] = hp_json_info,
            [HP_REPORT_PLAN] = hp_json_plan,
        },
};
