#include "view/open_code.h"
#include "view/view.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

static double growth_of(const struct hp_view *view, const struct hp_growth *growth) {
    return hp_fixed_double(growth->after - growth->before, view->options.metric);
}

// Shares are of the total; of less than nothing there are none.
static double base_of(const struct hp_view *view) {
    struct hp_growth total = view->report->growth(view, HP_ROW_TOTAL);
    return fmax(hp_fixed_double(total.before, view->options.metric), 0);
}

static bool exceeds(const struct hp_view *view, size_t row, struct hp_excess *excess) {
    struct hp_growth growth = view->report->growth(view, row);
    double base = base_of(view), grown = growth_of(view, &growth);
    *excess = (struct hp_excess){
        .row = row,
        .growth = grown,
        .limit = view->gate.growth * (view->gate.is_share ? base : 1),
        .p = growth.p,
        .share = base > 0 ? grown / base : NAN,
    };
    return excess->growth > excess->limit && !growth.is_open &&
           (view->gate.p <= 0 || excess->p < view->gate.p);
}

bool hp_view_exceeds(const struct hp_view *view, struct hp_excess *first) {
    const struct hp_view *rows = view->judged ? view->judged : view;
    struct hp_excess excess;
    if (!view->options.gate || !rows->report->growth) {
        return false;
    }
    bool found = exceeds(rows, HP_ROW_FILTERED, &excess);
    excess.name = rows->head.is_filtered ? "what the filters leave" : "total";
    excess.row = HP_NO_ROW;
    for (size_t i = 0; i < rows->rows.count && !found; i++) {
        found = exceeds(rows, i, &excess);
        excess.name = hp_view_name(rows, i).at;
        excess.row = view->judged ? HP_NO_ROW : i;
        excess.is_row = true;
    }
    if (found) {
        *first = excess;
    }
    return found;
}

bool hp_view_is_open(const struct hp_view *view) {
    const struct hp_view *rows = view->judged ? view->judged : view;
    bool is_asked = view->options.gate && rows->report->open_code && rows->extra;
    const struct hp_open_module *module;
    bool is_open = false;
    if (!is_asked) {
        return false;
    }
    hp_vec_each (module, &rows->report->open_code(rows)->modules) {
        is_open |= module->is_own && module->open[0] + module->open[1] > 0;
    }
    return is_open;
}

// --- in words -----------------------------------------------------------------------------

// "19.3 MiB", or "1,234" of objects and whatever else is counted.
static void put_amount(char *out, const struct hp_view *view, double amount) {
    enum hp_metric metric = view->options.metric;
    double scaled = amount * (double)((uint64_t)1 << hp_fraction(metric));
    hp_fixed value = (hp_fixed)fmin(scaled, 0x1p120);
    if (hp_fraction(metric) == HP_SPACE_FRACTION) {
        hp_format_bytes(out, value, view->options.unit);
    } else {
        hp_format_grouped(out, hp_fixed_round(value, metric));
    }
}

// "p < 0.0001", or of a row "adjusted p = 0.0123": not the one that it shows.
static void put_p(char *out, size_t size, const struct hp_excess *excess) {
    static const double least = 0.0001;
    const char *which = excess->is_row ? "adjusted p" : "p";
    if (isnan(excess->p)) {
        *out = '\0';
    } else if (excess->p < least) {
        snprintf(out, size, ", %s < %g", which, least);
    } else {
        snprintf(out, size, ", %s = %.4f", which, excess->p);
    }
}

void hp_view_excess_text(const struct hp_view *view, const struct hp_excess *excess,
                         char *text, size_t size) {
    const struct hp_gate *gate = &view->gate;
    char grown[HP_NUMBER_SIZE], limit[HP_NUMBER_SIZE], share[64] = "new", p[64],
                                                       most[64] = "";
    put_amount(grown, view, excess->growth);
    put_amount(limit, view, gate->growth);
    put_p(p, sizeof p, excess);
    if (!isnan(excess->share)) {
        snprintf(share, sizeof share, "+%.1f%%%s", 100 * excess->share,
                 excess->is_row ? " of the total before" : "");
    }
    if (gate->is_share) {
        snprintf(limit, sizeof limit, "%g%%", 100 * gate->growth);
    }
    if (gate->p > 0) {
        snprintf(most, sizeof most, " and p < %g", gate->p);
    }
    bool has_unit = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    snprintf(text, size, "grew %s%s (%s%s); the limit is growth > %s%s", grown,
             has_unit || view->projection ? "" : " objects", share, p, limit, most);
}
