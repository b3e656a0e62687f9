#include "view/view.h"

#include <math.h>

static double growth_of(const struct hp_view *view, const struct hp_growth *growth) {
    return hp_fixed_double(growth->after - growth->before, view->options.metric);
}

// Shares are of the total; of less than nothing there are none.
static double limit_of(const struct hp_view *view) {
    const struct hp_gate *gate = &view->gate;
    struct hp_growth total = view->report->growth(view, HP_ROW_TOTAL);
    double base = hp_fixed_double(total.before, view->options.metric);
    return gate->growth * (gate->is_share ? fmax(base, 0) : 1);
}

static bool exceeds(const struct hp_view *view, size_t row, struct hp_excess *excess) {
    struct hp_growth growth = view->report->growth(view, row);
    *excess = (struct hp_excess){
        .row = row,
        .growth = growth_of(view, &growth),
        .limit = limit_of(view),
        .p = growth.p,
    };
    return excess->growth > excess->limit &&
           (view->gate.p <= 0 || excess->p < view->gate.p);
}

bool hp_view_exceeds(const struct hp_view *view, struct hp_excess *first) {
    const struct hp_view *rows = view->judged ? view->judged : view;
    if (!view->options.gate || !rows->report->growth) {
        return false;
    }
    if (exceeds(rows, HP_ROW_FILTERED, first)) {
        bool has_filters = rows->filters.count > 0;
        first->name = has_filters ? "what the filters leave" : "the total";
        first->row = HP_NO_ROW;
        return true;
    }
    for (size_t i = 0; i < rows->rows.count; i++) {
        if (exceeds(rows, i, first)) {
            first->name = hp_view_name(rows, i).at;
            return true;
        }
    }
    return false;
}
