#include "hprof-agg/hprof-agg.h"
#include "view/difference.h"
#include "view/trend.h"

#include <math.h>
#include <stdio.h>

struct check {
    const struct hp_gate *gate;
    enum hp_metric metric;
    double base; // the total that shares are of; of less than nothing there are none
};

static bool exceeds(const struct check *check, hp_fixed before, hp_fixed after,
                    double p) {
    double growth = hp_fixed_double(after - before, check->metric);
    double limit =
        check->gate->growth * (check->gate->is_share ? fmax(check->base, 0) : 1);
    return growth > limit && (check->gate->p <= 0 || p < check->gate->p);
}

static bool tell(struct hp_span name, char *to, size_t room) {
    snprintf(to, room, "%.*s", (int)name.size, name.at);
    return true;
}

// What the gate is held against beside the rows.
static struct hp_span sum_name(const struct hp_profile *profile) {
    bool is_filtered = profile->marks.filters.count > 0;
    return hp_span_of(is_filtered ? "what the filters leave" : "the total");
}

static bool difference_exceeds(struct check *check,
                               const struct hp_difference *difference, char *name,
                               size_t room) {
    const struct hp_change *left = &difference->left;
    check->base = hp_fixed_double(difference->total.before, check->metric);
    if (exceeds(check, left->before, left->after, left->growth_p)) {
        return tell(sum_name(difference->naming.profile), name, room);
    }
    const struct hp_change *row;
    hp_vec_each (row, &difference->rows) {
        if (exceeds(check, row->before, row->after, row->growth_q)) {
            return tell(hp_node_name(&difference->naming, row->node), name, room);
        }
    }
    return false;
}

static bool trend_exceeds(struct check *check, const struct hp_trend *trend, char *name,
                          size_t room) {
    const struct hp_trend_row *left = &trend->left;
    check->base = hp_fixed_double(trend->total.first, check->metric);
    if (exceeds(check, left->first, left->last, left->p)) {
        return tell(sum_name(trend->naming.profile), name, room);
    }
    const struct hp_trend_row *row;
    hp_vec_each (row, &trend->rows) {
        if (exceeds(check, row->first, row->last, row->q)) {
            return tell(hp_node_name(&trend->naming, row->node), name, room);
        }
    }
    return false;
}

int hp_profile_check_gate(const struct hp_profile *profile,
                          const struct hp_report_options *options,
                          const struct hp_gate *gate, struct hp_err *err) {
    bool has_errors = !options->no_error &&
                      hp_profile_wants_errors(profile, hp_column_of(options->metric));
    if (gate->p > 0 && !has_errors) {
        return hp_fail(
            err, HP_E_EMPTY,
            "there is no p to hold the condition p<%g against: no error of the "
            "inputs is known",
            gate->p);
    }
    return HP_OK;
}

bool hp_profile_exceeds(const struct hp_profile *profile,
                        const struct hp_report_options *options,
                        const struct hp_gate *gate, char *name, size_t room) {
    static const struct hp_report_options defaults = {.kind = HP_REPORT_DIFF};
    options = options ? options : &defaults;
    struct check check = {.gate = gate, .metric = options->metric};
    if (options->kind == HP_REPORT_TREND) {
        struct hp_trend trend;
        hp_trend_init(&trend, profile, options);
        bool too_much = trend_exceeds(&check, &trend, name, room);
        hp_trend_done(&trend);
        return too_much;
    }
    struct hp_sides sides;
    struct hp_difference difference;
    hp_sides_init(&sides, profile);
    hp_difference_init(&difference, profile, &sides, options);
    bool too_much = difference_exceeds(&check, &difference, name, room);
    hp_difference_done(&difference);
    hp_sides_done(&sides);
    return too_much;
}
