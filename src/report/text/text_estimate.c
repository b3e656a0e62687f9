// An estimate and its interval, formatted so that they can be read together:
//
//     73.5 MiB   ± 4.9 MiB
//     0.37 MiB   0.37 … 1.40 MiB
//
// The first form is used if neither side of the interval is more than a quarter longer
// than the other and the lower end is not below zero.  All numbers are in one unit.  They
// have as many decimals as give the longer side two digits, at most three; bytes and
// objects have none.  The value is rounded to the nearest number and the ends outwards,
// so that the printed interval contains the whole interval, and everything that was seen
// itself.
#include "report/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DECIMALS = 3,
};

// Largest ratio of the longer side of an interval to the shorter one at which the
// interval is written as "± half".
static const double most_skewed = 1.25;
static const double wide = 0.25;        // see hp_text_estimate.is_wide
static const double most_digits = 9999; // largest number before the point of an end

// How numbers are written: in units of 1024^power bytes with decimals, or as whole
// objects.
struct scale {
    bool is_space;
    // `fraction`: bits after the binary point of amounts; `power`: the unit is 1024^power
    // bytes; `decimals`: digits that are written after the point.
    int fraction, power, decimals;
};

static double power_of_ten(int decimals) {
    static const double powers[] = {1, 10, 100, 1000};
    return powers[decimals];
}

// A value in units of the last digit that is written.
static double in_digits(double value, const struct scale *scale) {
    return ldexp(value, -10 * scale->power) * power_of_ten(scale->decimals);
}

// Choose the number of decimals, at least `least`, so that `size` has two digits.
static void set_decimals(struct scale *scale, double size, int least) {
    bool has_decimals = scale->is_space && scale->power > 0;
    scale->decimals = has_decimals ? MOST_DECIMALS : 0;
    while (has_decimals && scale->decimals > least &&
           ceil(in_digits(size, scale)) >= 100) {
        scale->decimals--;
    }
}

// Choose the unit of a value and its upper end: the value's own, or a larger one if the
// end would be too long.
static int power_of(hp_fixed value, double high, enum hp_unit unit) {
    hp_fixed bytes = value == 0 ? hp_text_fixed(high, HP_INUSE_SPACE) : value;
    int power = hp_unit_power(bytes, unit);
    while (unit == HP_UNIT_AUTO && ldexp(high, -10 * power) > most_digits &&
           power < hp_unit_power(hp_text_fixed(high, HP_INUSE_SPACE), unit)) {
        power++;
    }
    return power;
}

// --- numbers ------------------------------------------------------------------------------

// Convert to an integer, limited so that it cannot overflow.
static hp_int128 whole(double digits) {
    return (hp_int128)fmin(fmax(digits, -0x1p120), 0x1p120);
}

// An amount in units of the last digit, rounded to nearest.
static hp_int128 value_in_digits(hp_fixed value, const struct scale *scale) {
    int shift = scale->fraction + 10 * scale->power;
    hp_int128 scaled = (value < 0 ? -value : value) * (int)power_of_ten(scale->decimals);
    hp_int128 rounded = (scaled + ((hp_int128)1 << (shift - 1))) >> shift;
    return value < 0 ? -rounded : rounded;
}

static void put_digits(char *out, hp_int128 digits, const struct scale *scale) {
    if (scale->is_space) {
        hp_format_decimals(out, digits, scale->decimals);
    } else {
        hp_format_grouped(out, digits);
    }
}

static const char *unit_of(const struct scale *scale) {
    return scale->is_space ? hp_unit_text(scale->power) : "";
}

// Write digits with their unit.
static void put_with_unit(char *out, hp_int128 digits, const struct scale *scale) {
    put_digits(out, digits, scale);
    if (scale->is_space) {
        strcat(strcat(out, " "), unit_of(scale));
    }
}

// --- estimates ----------------------------------------------------------------------------

// Write the interval as "± half"; half is the longer side, rounded up.
static void put_half(struct hp_text_estimate *text, hp_int128 value,
                     struct hp_interval range, const struct scale *scale) {
    char half[HP_NUMBER_SIZE];
    double below = (double)value - in_digits(range.low, scale);
    double above = in_digits(range.high, scale) - (double)value;
    put_with_unit(half, whole(ceil(fmax(below, above))), scale);
    snprintf(text->interval, sizeof text->interval, "± %s", half);
}

// Write both ends of the interval, rounded outwards.
static void put_ends(struct hp_text_estimate *text, struct hp_interval range,
                     const struct scale *scale) {
    char low[HP_NUMBER_SIZE], high[HP_NUMBER_SIZE];
    put_digits(low, whole(floor(in_digits(range.low, scale))), scale);
    put_with_unit(high, whole(ceil(in_digits(range.high, scale))), scale);
    snprintf(text->interval, sizeof text->interval, "%s … %s", low, high);
}

void hp_text_measure(struct hp_text_estimate *text, hp_fixed value,
                     struct hp_interval range, enum hp_metric metric, enum hp_unit unit) {
    double estimate = hp_fixed_double(value, metric);
    double below = fmax(estimate - range.low, 0), above = fmax(range.high - estimate, 0);
    double longer = fmax(below, above);
    *text = (struct hp_text_estimate){.sum = value};
    if (!(longer > 0) || isnan(range.high) || isinf(longer)) {
        hp_text_format(text->value, value, metric, unit);
        strcpy(text->interval, isinf(longer) ? "?" : "");
        return;
    }
    struct scale scale = {.is_space = hp_fraction(metric) == HP_SPACE_FRACTION,
                          .fraction = hp_fraction(metric)};
    scale.power = scale.is_space ? power_of(value, range.high, unit) : 0;
    set_decimals(&scale, longer, 0);
    hp_int128 digits = value_in_digits(value, &scale);
    if (value == 0) {
        // "0 B": a rounded value would look measured.
        hp_text_format(text->value, value, metric, unit);
    } else {
        put_with_unit(text->value, digits, &scale);
    }
    text->is_wide = longer > wide * fabs(estimate);
    text->is_half = longer <= fmin(below, above) * most_skewed && longer <= estimate;
    if (text->is_half) {
        put_half(text, digits, range, &scale);
    } else {
        put_ends(text, range, &scale);
    }
}

// Write one end of the interval of a change, with its sign, rounded by `round`; 0 has
// none, and an end that is not known is "?".
static void put_signed_end(char *out, double end, const struct scale *scale,
                           double (*round)(double)) {
    if (isinf(end)) {
        strcpy(out, "?");
        return;
    }
    hp_int128 digits = whole(round(in_digits(end, scale)));
    out[0] = digits < 0 ? '-' : '+';
    put_digits(out + (digits != 0), digits < 0 ? -digits : digits, scale);
}

// Write the interval of a change: "± 4.9 MiB" if `is_half`, else both ends, which have
// the unit of the value; where that is 0, their own.
static void put_change_interval(struct hp_text_estimate *text, hp_int128 value,
                                struct hp_interval range, const struct scale *scale) {
    char low[HP_NUMBER_SIZE], high[HP_NUMBER_SIZE];
    put_signed_end(low, range.low, scale, floor);
    put_signed_end(high, range.high, scale, ceil);
    snprintf(text->interval, sizeof text->interval, "%s … %s%s%s", low, high,
             text->sum == 0 && scale->is_space ? " " : "",
             text->sum == 0 ? unit_of(scale) : "");
    double below = (double)value - in_digits(range.low, scale);
    double above = in_digits(range.high, scale) - (double)value;
    double longer = fmax(below, above);
    text->is_half =
        longer <= fmin(below, above) * most_skewed && longer <= fabs((double)value);
}

void hp_text_change(struct hp_text_estimate *text, hp_fixed value,
                    struct hp_interval range, enum hp_metric metric, enum hp_unit unit) {
    double estimate = hp_fixed_double(value, metric);
    bool is_low_open = isinf(range.low), is_high_open = isinf(range.high);
    double longer = fmax(is_low_open ? 0 : estimate - range.low,
                         is_high_open ? 0 : range.high - estimate);
    *text = (struct hp_text_estimate){.sum = value};
    hp_text_signed(text->value, value, metric, unit);
    if (isnan(range.low) || isnan(range.high) || !(longer > 0)) {
        strcpy(text->interval, isnan(range.low) ? "-" : is_low_open ? "?" : "");
        return;
    }
    struct scale scale = {.is_space = hp_fraction(metric) == HP_SPACE_FRACTION,
                          .fraction = hp_fraction(metric)};
    hp_fixed size = value < 0 ? -value : value;
    double far =
        fmax(is_low_open ? 0 : fabs(range.low), is_high_open ? 0 : fabs(range.high));
    scale.power = scale.is_space ? power_of(size, far, unit) : 0;
    set_decimals(&scale, longer, 0);
    hp_int128 digits = value_in_digits(value, &scale);
    if (value != 0) {
        text->value[0] = value < 0 ? '-' : '+';
        put_with_unit(text->value + 1, digits < 0 ? -digits : digits, &scale);
    }
    put_change_interval(text, digits, range, &scale);
    bool has_other =
        value != 0 && scale.is_space && scale.power != hp_unit_power(size, unit);
    text->other_unit = has_other ? unit_of(&scale) : NULL;
}

void hp_text_put_change(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                        struct hp_interval range) {
    struct hp_text_estimate text;
    enum hp_metric metric = view->options.metric;
    hp_text_change(&text, value, range, metric, view->options.unit);
    if (text.is_half) {
        struct hp_interval mirrored = {-range.high, -range.low};
        hp_text_measure(&text, value < 0 ? -value : value, value < 0 ? mirrored : range,
                        metric, view->options.unit);
        hp_sink_print(out, "%s%s %s", value < 0 ? "-" : "+", text.value, text.interval);
    } else if (text.interval[0] == '\0' || strcmp(text.interval, "-") == 0) {
        hp_sink_text(out, text.value);
    } else {
        hp_sink_print(out, "%s (%s)", text.value, text.interval);
    }
}

void hp_text_shares(char text[HP_INTERVAL_SIZE], double low, double high) {
    if (isnan(high)) {
        strcpy(text, "-");
    } else {
        snprintf(text, HP_INTERVAL_SIZE, "%.3g … %.3g%%", 100 * low, 100 * high);
    }
}

// Write an interval of a number of objects that has no upper end, "17 or more": with
// mixed sizes there may be any number of smaller objects.
static void put_least(struct hp_text_estimate *text, double least, bool is_uncounted) {
    char number[HP_NUMBER_SIZE];
    if (isnan(least)) {
        strcpy(text->interval, is_uncounted ? "mixed sizes" : "");
        return;
    }
    hp_format_grouped(number, (hp_int128)least);
    snprintf(text->interval, sizeof text->interval, "%s or more", number);
    text->note = ": mixed sizes";
}

// Let the interval replace the value, which is too high because it was chosen as the
// largest.
static void let_interval_replace(struct hp_text_estimate *text) {
    text->is_half = false;
    text->is_alone = true;
    snprintf(text->value, sizeof text->value, "%.*s", HP_NUMBER_SIZE - 1, text->interval);
}

// Write an interval that replaces its value: always as both ends.
static void put_alone(struct hp_text_estimate *text, struct hp_interval range,
                      enum hp_metric metric, enum hp_unit unit) {
    double middle = (range.low + range.high) / 2;
    struct scale scale = {.is_space = hp_fraction(metric) == HP_SPACE_FRACTION,
                          .fraction = hp_fraction(metric)};
    scale.power =
        scale.is_space ? power_of(hp_text_fixed(middle, metric), range.high, unit) : 0;
    set_decimals(&scale, range.high - middle, 0);
    put_ends(text, range, &scale);
    let_interval_replace(text);
}

void hp_text_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric) {
    const struct hp_error *error = amount->error;
    struct hp_interval range = hp_view_range(view, amount, metric);
    hp_text_measure(text, amount->sum, range, metric, view->options.unit);
    if (hp_view_is_too_high(view, range) && range.low < range.high) {
        put_alone(text, range, metric, view->options.unit);
    }
    if (hp_fraction(metric) == HP_SPACE_FRACTION || !error || error->samples == 0) {
        return;
    }
    if (isnan(range.high)) {
        put_least(text, range.low, (error->flags & HP_ERROR_UNCOUNTED) != 0);
        if (hp_view_is_too_high(view, range)) {
            let_interval_replace(text);
        }
    } else if (text->interval[0] != '\0' &&
               hp_precision_is_of_seen_sizes(error, range, metric)) {
        text->note = " of the sizes seen";
    }
}

void hp_text_row_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                          const struct hp_amount *amount) {
    static const struct hp_interval none = {NAN, NAN};
    enum hp_metric metric = view->options.metric;
    if (amount->error && amount->error->samples > 0 && amount->error->period > 0) {
        hp_text_estimate(text, view, amount, metric);
    } else {
        hp_text_measure(text, amount->sum, none, metric, view->options.unit);
    }
}

// Widen the columns of amounts and intervals if those of a row are wider.  An interval is
// costly, so that it is not computed for this where lines can have any width.
void hp_text_widen(struct hp_text_widths *widths, const struct hp_view *view,
                   const struct hp_amount *amount) {
    struct hp_text_estimate text;
    if (view->options.text.width == 0) {
        return;
    }
    hp_text_row_estimate(&text, view, amount);
    int error = (int)hp_text_cells(hp_span_of(text.interval), view->options.text.ascii);
    int value = text.is_alone ? 1 : (int)strlen(text.value);
    widths->error = error > widths->error ? error : widths->error;
    widths->amount = value > widths->amount ? value : widths->amount;
}

void hp_text_put_interval(struct hp_sink *out, const struct hp_text_estimate *text) {
    if (text->interval[0] != '\0' && !text->is_alone) {
        hp_sink_print(out, text->is_half ? " %s%s" : " (%s%s)", text->interval,
                      text->note ? text->note : "");
    }
}

// --- bytes --------------------------------------------------------------------------------

// Write bytes with at least one decimal, rounded by `round`.
static void put_bytes(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit,
                      double (*round)(double)) {
    struct scale scale = {.is_space = true, .power = power_of(0, bytes, unit)};
    set_decimals(&scale, bytes, 1);
    put_with_unit(text, whole(round(in_digits(bytes, &scale))), &scale);
}

void hp_text_about(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit) {
    put_bytes(text, bytes, unit, round);
}

void hp_text_at_most(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit) {
    put_bytes(text, bytes, unit, ceil);
}
