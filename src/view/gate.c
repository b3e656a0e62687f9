#include "view/open_code.h"
#include "view/resets.h"
#include "view/view.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

// Return the view whose rows the condition of --fail-if (the gate) judges.
static const struct hp_view *judged_of(const struct hp_view *view) {
    while (view->judged) {
        view = view->judged;
    }
    return view;
}

// Return a growth in bytes or objects.
static double growth_of(const struct hp_view *view, const struct hp_growth *growth) {
    return hp_fixed_double(growth->after - growth->before, view->options.metric);
}

// Return the total of the base side, which shares refer to, in bytes or objects; 0 if it
// is negative.
static double base_of(const struct hp_view *view) {
    struct hp_growth total = view->report->growth(view, HP_ROW_TOTAL);
    return fmax(hp_fixed_double(total.before, view->options.metric), 0);
}

// Return the growth above which the condition of --fail-if (the gate) is met, in bytes or
// objects.
static double limit_of(const struct hp_view *view) {
    return view->gate.growth * (view->gate.is_share ? base_of(view) : 1);
}

// Whether a growth and its p-value meet the condition of --fail-if (the gate).
static bool meets(const struct hp_view *view, double grown, double p) {
    return grown > limit_of(view) && (view->gate.p <= 0 || p < view->gate.p);
}

// Whether a growth meets the condition of --fail-if, even after subtracting memory that
// may have been in the row before, in code that is not compared.  Fills `excess` in any
// case.
static bool exceeds(const struct hp_view *view, const struct hp_growth *growth,
                    struct hp_excess *excess) {
    double base = base_of(view), grown = growth_of(view, growth);
    *excess = (struct hp_excess){
        .growth = grown,
        .limit = limit_of(view),
        .p = growth->p,
        .is_of_sampling = growth->is_of_sampling,
        .share = base > 0 ? grown / base : NAN,
    };
    return !growth->is_open && meets(view, grown - growth->open_before, growth->p);
}

static bool row_exceeds(const struct hp_view *view, size_t row,
                        struct hp_excess *excess) {
    struct hp_growth growth = view->report->growth(view, row);
    return exceeds(view, &growth, excess);
}

// Whether a module with code that is not compared meets the condition of --fail-if as a
// whole.
static bool module_exceeds(const struct hp_view *view, struct hp_excess *excess) {
    const struct hp_open_code *open = hp_open_code_of(view);
    for (size_t i = 0; open && i < open->modules.count; i++) {
        const struct hp_open_module *module = &open->modules.at[i];
        if (hp_open_module_is_open(module) && exceeds(view, &module->growth, excess)) {
            excess->name = hp_open_module_path(view, module).at;
            return true;
        }
    }
    return false;
}

// Name what a row of the judged view is, in the view that shows it.
static void identify(const struct hp_view *view, const struct hp_view *rows, size_t row,
                     struct hp_excess *excess) {
    excess->is_row = row != HP_ROW_FILTERED;
    excess->row = excess->is_row && !view->judged ? row : HP_NO_ROW;
    excess->name = excess->is_row           ? hp_view_name(rows, row).at
                   : rows->head.is_filtered ? "what the filters leave"
                                            : "total";
}

// Whether `row` comes nearer to the condition than `best`: it grew by more than the limit
// and has the smaller p-value, or, if none grew by so much, it grew more.
static bool is_nearer(const struct hp_excess *row, const struct hp_excess *best) {
    bool is_over = row->growth > row->limit, was_over = best->growth > best->limit;
    bool has_less = isnan(best->p) ? !isnan(row->p) : row->p < best->p;
    return is_over != was_over ? is_over
           : is_over           ? has_less
                               : row->growth > fmax(best->growth, 0);
}

// Whether the report meets the condition of --fail-if (the gate).  Checks the total
// first, then the rows in order, then whole modules with code that is not compared; the
// first that meets it becomes *first, else the one that comes nearest.
bool hp_view_exceeds(const struct hp_view *view, struct hp_excess *first) {
    const struct hp_view *rows = judged_of(view);
    struct hp_excess excess;
    if (!view->options.gate || !rows->report->growth) {
        return false;
    }
    bool found = row_exceeds(rows, HP_ROW_FILTERED, first);
    identify(view, rows, HP_ROW_FILTERED, first);
    for (size_t i = 0; i < rows->rows.count && !found; i++) {
        struct hp_growth growth = rows->report->growth(rows, i);
        found = exceeds(rows, &growth, &excess);
        if (found || (!growth.is_open && is_nearer(&excess, first))) {
            *first = excess;
            identify(view, rows, i, first);
        }
    }
    if (!found && module_exceeds(rows, &excess)) {
        found = true;
        *first = excess;
        first->row = HP_NO_ROW;
        first->is_row = true;
    }
    return found;
}

// Whether a row would meet the condition of --fail-if if, on the base side, none of its
// memory had been in code that is not compared.  Only code of the program itself is
// considered.
static bool hides_growth(const struct hp_view *view, size_t row) {
    struct hp_growth growth = view->report->growth(view, row);
    return growth.has_own_open && growth.open_before > 0 &&
           meets(view, growth_of(view, &growth), growth.plain_p);
}

// Whether the condition of --fail-if (the gate) cannot be decided: the allocator was
// reset between the dumps, code of the program itself has no names in some dumps, or a
// row may hide growth.
bool hp_view_is_open(const struct hp_view *view) {
    const struct hp_view *rows = judged_of(view);
    const struct hp_open_code *open = view->options.gate ? hp_open_code_of(rows) : NULL;
    if (view->options.gate && rows->report->has_sides &&
        hp_reset_is_certain(hp_reset_of_sides(rows))) {
        return true;
    }
    const struct hp_open_module *module;
    bool is_open = false;
    if (!open) {
        return false;
    }
    hp_vec_each (module, &open->modules) {
        is_open |= module->kind == HP_OPEN_IN_SOME && module->is_own &&
                   hp_open_module_is_open(module);
    }
    for (size_t i = 0; i < rows->rows.count && !is_open; i++) {
        is_open = hides_growth(rows, i);
    }
    return is_open;
}

// --- text of an excess --------------------------------------------------------------------

// Write an amount of the view's metric: "19.3 MiB" if the metric is in bytes, otherwise
// "1,234".
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

// Write the p-value: ", p < 0.0001", or for a row ", adjusted p = 0.0123", as the row
// itself shows p before its adjustment.  It is followed by ", sampling error only" if it
// allows for sampling only.  Writes "" if there is no p-value.  Below the smaller one of
// 0.0001 and the limit of --fail-if no digits are written.
static void put_p(char *out, size_t size, const struct hp_excess *excess, double limit) {
    static const double usual = 0.0001;
    double least = limit > 0 ? fmin(limit, usual) : usual;
    const char *which = excess->is_row ? "adjusted p" : "p";
    const char *alone = excess->is_of_sampling ? ", sampling error only" : "";
    if (isnan(excess->p)) {
        *out = '\0';
    } else if (excess->p < least) {
        hp_message_print(out, size, HP_MESSAGE("fail-if-p-below", ", %s < %g%s"), which,
                         least, alone);
    } else {
        char number[32];
        snprintf(number, sizeof number, excess->p < usual ? "%.2g" : "%.4f", excess->p);
        hp_message_print(out, size, HP_MESSAGE("fail-if-p", ", %s = %s%s"), which, number,
                         alone);
    }
}

void hp_view_excess_text(const struct hp_view *view, const struct hp_excess *excess,
                         char *text, size_t size) {
    const struct hp_gate *gate = &view->gate;
    char grown[HP_NUMBER_SIZE], limit[HP_NUMBER_SIZE], share[64] = "new", p[64],
                                                       most[64] = "";
    put_amount(grown, view, fabs(excess->growth));
    put_amount(limit, view, gate->growth);
    put_p(p, sizeof p, excess, gate->p);
    if (!isnan(excess->share)) {
        snprintf(share, sizeof share, "%+.1f%%%s", 100 * excess->share,
                 excess->is_row ? " of the total before" : "");
    }
    if (gate->is_share) {
        snprintf(limit, sizeof limit, "%g%%", 100 * gate->growth);
    }
    if (gate->p > 0) {
        hp_message_print(most, sizeof most, HP_MESSAGE("fail-if-p-limit", " and p < %g"),
                         gate->p);
    }
    bool has_unit = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    hp_message_print(
        text, size,
        excess->growth < 0
            ? HP_MESSAGE("fail-if-shrank",
                         "shrank %s%s (%s%s); the limit is growth > %s%s")
            : HP_MESSAGE("fail-if-grew", "grew %s%s (%s%s); the limit is growth > %s%s"),
        grown, has_unit || view->projection ? "" : " objects", share, p, limit, most);
}
