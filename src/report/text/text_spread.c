// The lines of --columns=spread below the rows: which inputs hold a row, which inputs stand out,
// and how the totals of many dumps are distributed.
#include "report/text/text.h"
#include "view/top.h"

enum {
    // Inputs that are listed as standing out.
    MOST_OUTLIERS = 10,
    // Lines about inputs that hold a row, or stand out in one.
    MOST_HOLDINGS = 5,
};

// Write quantiles of the dumps' totals: "50% of dumps have at most 1.2 MiB to 1.3 MiB".
// They are ranges, because only a histogram of the totals is known.
static void put_quantiles(struct hp_sink *out, const struct hp_view *view,
                          const struct hp_spread *spread) {
    enum hp_metric metric = view->options.metric;
    for (size_t i = 0; i < spread->quantile_count; i++) {
        const struct hp_quantile *quantile = &spread->quantiles[i];
        char low[HP_NUMBER_SIZE], high[HP_NUMBER_SIZE];
        hp_text_format(low, hp_text_fixed(quantile->low, metric), metric,
                       view->options.unit);
        hp_text_format(high, hp_text_fixed(quantile->high, metric), metric,
                       view->options.unit);
        hp_sink_print(
            out,
            HP_MESSAGE("spread-dumps", "%s %2.0f%% of dumps have at most %s to %s\n"),
            i == 0 ? "dumps:     " : "           ", 100 * quantile->share, low, high);
    }
}

static void put_node(struct hp_sink *out, const struct hp_view *view, hp_node_id node) {
    hp_sink_escaped(out, hp_node_name(&view->naming, node));
}

// Write which input holds most of a row: "park: web-05.heap holds 100% of it (at least
// 94%), and 17% of all else".
static void put_holdings(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_holders *holders) {
    for (size_t i = 0; i < holders->holdings.count && i < MOST_HOLDINGS; i++) {
        const struct hp_holding *holding = &holders->holdings.at[i];
        put_node(out, view, holding->node);
        hp_sink_text(out, ": ");
        hp_sink_escaped(out, hp_span_of(holding->name));
        hp_sink_print(
            out,
            HP_MESSAGE("spread-holds",
                       " holds %.0f%% of it (at least %.0f%%), and %.0f%% of all else\n"),
            100 * holding->share, 100 * holding->low, 100 * holding->of_rest);
    }
}

// Write which input stands out in a row: "park: web-05.heap stands out with 12.1 MiB,
// others have 3.9 MiB on average, p 0.002".
static void put_row_outliers(struct hp_sink *out, const struct hp_view *view,
                             const struct hp_holders *holders) {
    enum hp_metric metric = view->options.metric;
    for (size_t i = 0; i < holders->outliers.count && i < MOST_HOLDINGS; i++) {
        const struct hp_row_outlier *outlier = &holders->outliers.at[i];
        char value[HP_NUMBER_SIZE], others[HP_NUMBER_SIZE], p[HP_NUMBER_SIZE];
        hp_text_format(value, hp_text_fixed(outlier->value, metric), metric,
                       view->options.unit);
        hp_text_format(others, hp_text_fixed(outlier->others, metric), metric,
                       view->options.unit);
        hp_text_p(p, outlier->p);
        put_node(out, view, outlier->node);
        hp_sink_text(out, ": ");
        hp_sink_escaped(out, hp_span_of(outlier->name));
        hp_sink_print(
            out,
            HP_MESSAGE("spread-stands-out",
                       " stands out with %s, others have %s on average, p %s\n"),
            value, others, p);
    }
}

// Write the inputs whose total stands out.
static void put_outliers(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_spread *spread) {
    enum hp_metric metric = view->options.metric;
    for (size_t i = 0; i < spread->outliers.count && i < MOST_OUTLIERS; i++) {
        const struct hp_outlier *outlier = &spread->outliers.at[i];
        char value[HP_NUMBER_SIZE], others[HP_NUMBER_SIZE], p[HP_NUMBER_SIZE];
        hp_text_format(value, outlier->value, metric, view->options.unit);
        hp_text_format(others, hp_text_fixed(outlier->others, metric), metric,
                       view->options.unit);
        hp_text_p(p, outlier->p);
        hp_sink_print(out,
                      HP_MESSAGE("spread-row-stands-out",
                                 "%s with %s, others have %s on average, p %s  "),
                      i == 0 ? "stands out: " : "            ", value, others, p);
        hp_sink_escaped(out, hp_span_of(outlier->name));
        hp_sink_text(out, "\n");
    }
    if (spread->outliers.count > MOST_OUTLIERS) {
        hp_sink_print(out, HP_MESSAGE("spread-more", "            and %zu more\n"),
                      spread->outliers.count - MOST_OUTLIERS);
    }
}

void hp_text_spread(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_spread *spread = &((const struct hp_top *)view->extra)->spread;
    if (spread->groups > 0 && spread->has_filters) {
        hp_sink_print(
            out,
            HP_MESSAGE("spread-not-known-filtered",
                       "which dumps stand out is not known of so many under filters\n"));
    }
    put_quantiles(out, view, spread);
    put_outliers(out, view, spread);
    put_holdings(out, view, &spread->holders);
    put_row_outliers(out, view, &spread->holders);
}
