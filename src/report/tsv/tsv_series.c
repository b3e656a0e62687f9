// base base_low base_high new new_low new_high delta delta_low delta_high
//     p q status significant name function module file line
//
// first last slope slope_low slope_high p q tau grew significant values
//     name function module file line
//
// Slopes are per hour, or per dump of a series without times; values has one of each dump,
// with commas between.
#include "report/tsv/tsv.h"
#include "view/chosen.h"
#include "view/difference.h"
#include "view/trend.h"

#include <stdlib.h>

static const char *yes_or_no(bool yes) {
    return yes ? "yes" : "no";
}

static void put_change(struct hp_sink *out, const struct hp_change *change,
                       const struct hp_report_options *options) {
    bool significant = hp_change_is_significant(change, hp_chosen_confidence(options));
    hp_tsv_fixed(out, change->before, options->metric);
    hp_tsv_interval(out, change->before_range);
    hp_sink_text(out, "\t");
    hp_tsv_fixed(out, change->after, options->metric);
    hp_tsv_interval(out, change->after_range);
    hp_sink_text(out, "\t");
    hp_tsv_fixed(out, change->after - change->before, options->metric);
    hp_tsv_interval(out, change->range);
    hp_tsv_p(out, hp_change_p(change));
    hp_tsv_p(out, hp_change_q(change));
    hp_sink_print(out, "\t%s\t%s", hp_change_status(change, significant),
                  yes_or_no(significant));
}

void hp_tsv_diff(struct hp_sink *out, const struct hp_profile *profile,
                 const struct hp_report_options *options) {
    struct hp_sides sides;
    struct hp_difference difference;
    hp_sides_init(&sides, profile);
    hp_difference_init(&difference, profile, &sides, options);
    struct hp_origin *origins = hp_origins_new(&difference.naming);
    hp_sink_text(out,
                 "base\tbase_low\tbase_high\tnew\tnew_low\tnew_high\tdelta\t"
                 "delta_low\tdelta_high\tp\tq\tstatus\tsignificant");
    hp_sink_text(out, hp_tsv_place_titles);
    for (size_t i = 0; i < hp_chosen_rows(options, difference.rows.count); i++) {
        const struct hp_change *change = &difference.rows.at[i];
        put_change(out, change, options);
        hp_tsv_place(out, &difference.naming, change->node, origins);
    }
    free(origins);
    hp_difference_done(&difference);
    hp_sides_done(&sides);
}

static void put_row(struct hp_sink *out, const struct hp_trend *trend,
                    const struct hp_trend_row *row,
                    const struct hp_report_options *options) {
    bool significant = hp_trend_is_significant(row, hp_chosen_confidence(options));
    hp_tsv_fixed(out, row->first, options->metric);
    hp_sink_text(out, "\t");
    hp_tsv_fixed(out, row->last, options->metric);
    hp_tsv_double(out, row->slope);
    hp_tsv_double(out, row->slope - row->slope_error);
    hp_tsv_double(out, row->slope + row->slope_error);
    hp_tsv_p(out, row->p);
    hp_tsv_p(out, row->q);
    hp_tsv_p(out, hp_trend_tau(trend, row));
    hp_sink_print(out, "\t%zu\t%s\t", row->grew, yes_or_no(significant));
    for (size_t i = 0; i < trend->dumps; i++) {
        hp_sink_print(out, "%s%.9g", i > 0 ? "," : "", row->values[i]);
    }
}

void hp_tsv_trend(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options) {
    struct hp_trend trend;
    hp_trend_init(&trend, profile, options);
    struct hp_origin *origins = hp_origins_new(&trend.naming);
    hp_sink_text(out,
                 "first\tlast\tslope\tslope_low\tslope_high\tp\tq\ttau\tgrew\t"
                 "significant\tvalues");
    hp_sink_text(out, hp_tsv_place_titles);
    for (size_t i = 0; i < hp_chosen_rows(options, trend.rows.count); i++) {
        const struct hp_trend_row *row = &trend.rows.at[i];
        put_row(out, &trend, row, options);
        hp_tsv_place(out, &trend.naming, row->node, origins);
    }
    free(origins);
    hp_trend_done(&trend);
}
