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
    struct hp_excess excess;
    if (!view->options.gate || !rows->report->growth) {
        return false;
    }
    bool found = exceeds(rows, HP_ROW_FILTERED, &excess);
    excess.name = rows->head.is_filtered ? "what the filters leave" : "the total";
    excess.row = HP_NO_ROW;
    for (size_t i = 0; i < rows->rows.count && !found; i++) {
        found = exceeds(rows, i, &excess);
        excess.name = hp_view_name(rows, i).at;
        excess.row = view->judged ? HP_NO_ROW : i;
    }
    if (found) {
        *first = excess;
    }
    return found;
}
