// The format of json, and the writer of any report that is a table.  It is one object;
// the keys of heads and rows are listed at the beginning of the files that write them.
//
//     {head, "rows": [{"name": "f", "class": "own", CELLS}, ...], tail}
//
// CELLS are described in json_cells.c.  With --spread these keys follow the rows:
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
static void put_groups(struct hp_sink *out, const struct hp_spread *spread) {
    hp_sink_print(out, ",\n \"spread_groups\": %zu,\n \"quantiles\": [", spread->groups);
    for (size_t i = 0; i < spread->quantile_count; i++) {
        const struct hp_quantile *quantile = &spread->quantiles[i];
        hp_sink_text(out, i > 0 ? ",\n  {\"share\": " : "\n  {\"share\": ");
        hp_json_double(out, quantile->share);
        hp_sink_text(out, ", \"low\": ");
        hp_json_double(out, quantile->low);
        hp_sink_text(out, ", \"high\": ");
        hp_json_double(out, quantile->high);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
}

// Write the inputs whose total stands out.
static void put_outliers(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_spread *spread = &((const struct hp_top *)view->extra)->spread;
    if (spread->groups > 0) {
        put_groups(out, spread);
    }
    hp_sink_text(out, spread->groups > 0 && spread->has_filters ? ",\n \"outliers\": null"
                                                                : ",\n \"outliers\": [");
    for (size_t i = 0; i < spread->outliers.count; i++) {
        const struct hp_outlier *outlier = &spread->outliers.at[i];
        hp_sink_text(out, i > 0 ? ",\n  {\"input\": " : "\n  {\"input\": ");
        hp_json_string(out, hp_span_of(outlier->name));
        hp_sink_text(out, ", \"value\": ");
        hp_json_fixed(out, outlier->value, view->options.metric);
        hp_sink_text(out, ", \"others\": ");
        hp_json_double(out, outlier->others);
        hp_sink_text(out, ", \"p\": ");
        hp_json_p(out, outlier->p);
        hp_sink_text(out, ", \"q\": ");
        hp_json_p(out, outlier->q);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, spread->groups > 0 && spread->has_filters ? "" : "]");
}

// Write the inputs that hold most of a row, and those that stand out in a row.
static void put_holders(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_holders *holders =
        &((const struct hp_top *)view->extra)->spread.holders;
    hp_sink_text(out, ",\n \"holders\": [");
    for (size_t i = 0; i < holders->holdings.count; i++) {
        const struct hp_holding *holding = &holders->holdings.at[i];
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        hp_json_name(out, view, holding->node);
        hp_sink_text(out, ", \"holder\": ");
        hp_json_string(out, hp_span_of(holding->name));
        hp_sink_text(out, ", \"share\": ");
        hp_json_double(out, holding->share);
        hp_sink_text(out, ", \"share_low\": ");
        hp_json_rough(out, holding->low);
        hp_sink_text(out, ", \"of_rest\": ");
        hp_json_double(out, holding->of_rest);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "],\n \"row_outliers\": [");
    for (size_t i = 0; i < holders->outliers.count; i++) {
        const struct hp_row_outlier *outlier = &holders->outliers.at[i];
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        hp_json_name(out, view, outlier->node);
        hp_sink_text(out, ", \"holder\": ");
        hp_json_string(out, hp_span_of(outlier->name));
        hp_sink_text(out, ", \"value\": ");
        hp_json_double(out, outlier->value);
        hp_sink_text(out, ", \"others\": ");
        hp_json_double(out, outlier->others);
        hp_sink_text(out, ", \"p\": ");
        hp_json_p(out, outlier->p);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
}

// Write everything before the rows, by the kind of report.
static void begin(struct hp_sink *out, const struct hp_view *view) {
    static hp_writer *const writers[HP_REPORT_KINDS] = {
        [HP_REPORT_DIFF] = hp_json_begin_diff,
        [HP_REPORT_TREND] = hp_json_begin_trend,
        [HP_REPORT_LIFETIME] = hp_json_begin_lifetime,
    };
    hp_writer *own = writers[view->options.kind];
    (own ? own : hp_json_begin)(out, view);
}

static void write_rows(struct hp_sink *out, const struct hp_view *view) {
    begin(out, view);
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        hp_json_name(out, view, view->rows.at[i].node);
        hp_sink_text(out, ",\n   ");
        hp_json_cells(out, view, i);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
    if (view->options.columns.spread) {
        put_outliers(out, view);
        put_holders(out, view);
    }
    hp_json_end(out, view);
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
        },
};
