#include "report/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PERCENT_WIDTH = 6,
};

// --- numbers ------------------------------------------------------------------------------

void hp_text_format(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit) {
    if (hp_fraction(metric) == HP_SPACE_FRACTION) {
        hp_format_bytes(text, value, unit);
    } else {
        hp_format_grouped(text, hp_fixed_round(value, metric));
    }
}

hp_fixed hp_text_fixed(double value, enum hp_metric metric) {
    double scaled = value * (double)((uint64_t)1 << hp_fraction(metric));
    return (hp_fixed)fmin(fmax(scaled, -0x1p120), 0x1p120);
}

void hp_text_signed(char text[HP_SIGNED_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit) {
    text[0] = value < 0 ? '-' : '+';
    hp_text_format(text + (value != 0), value < 0 ? -value : value, metric, unit);
}

void hp_text_rate(char text[HP_SIGNED_SIZE], double value, enum hp_metric metric,
                  enum hp_unit unit) {
    char size[HP_NUMBER_SIZE];
    hp_text_format(size, hp_text_fixed(fabs(value), metric), metric, unit);
    bool is_none = strcmp(size, "0 B") == 0 || strcmp(size, "0") == 0;
    text[0] = value < 0 ? '-' : '+';
    memcpy(text + !is_none, size, strlen(size) + 1);
}

void hp_text_share(char text[HP_NUMBER_SIZE], hp_fixed part, hp_fixed whole) {
    if (whole == 0) {
        memcpy(text, "-", 2);
        return;
    }
    double tenths = fmin(fabs((double)part * 1000 / (double)whole), 0x1p120);
    hp_int128 rounded = (hp_int128)(tenths + 0.5);
    bool is_negative = rounded > 0 && (part < 0) != (whole < 0);
    text[0] = '-';
    hp_format_integer(text + is_negative, rounded / 10);
    size_t size = strlen(text);
    memcpy(text + size, (char[]){'.', (char)('0' + (int)(rounded % 10)), '%', '\0'}, 4);
}

void hp_text_half(char text[HP_NUMBER_SIZE], const struct hp_view *view,
                  const struct hp_amount *amount, enum hp_metric metric,
                  enum hp_unit unit) {
    const struct hp_error *error = amount->error;
    struct hp_interval range = hp_view_range(view, amount, metric);
    if (!isnan(range.low)) {
        double half = fmax((range.high - range.low) / 2, 0);
        hp_text_format(text, hp_text_fixed(half, metric), metric, unit);
    } else if (error && error->samples > 0) {
        bool is_least = (error->flags & HP_ERROR_AT_LEAST) != 0;
        strcpy(text, is_least ? "or more" : "mixed sizes");
    } else {
        text[0] = '\0';
    }
}

void hp_text_p(char text[HP_NUMBER_SIZE], double p) {
    if (isnan(p)) {
        strcpy(text, "-");
    } else {
        snprintf(text, HP_NUMBER_SIZE, p < 0.0001 ? "<0.0001" : "%.4f", p);
    }
}

// --- cells --------------------------------------------------------------------------------

void hp_text_put(struct hp_sink *out, const char *text, int width) {
    static const char spaces[] = "                        ";
    int missing = width - (int)strlen(text);
    if (missing > 0) {
        hp_sink_put(out, spaces, (size_t)missing);
    }
    hp_sink_text(out, text);
}

void hp_text_value(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                   int width) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, view->options.metric, view->options.unit);
    hp_text_put(out, text, width);
}

void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, part, whole);
    hp_text_put(out, text, PERCENT_WIDTH);
}

void hp_text_error(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_amount *amount) {
    char text[HP_NUMBER_SIZE] = "";
    enum hp_metric metric = view->options.metric;
    if (amount->error->samples > 0 && amount->error->period > 0) {
        hp_text_half(text, view, amount, metric, view->options.unit);
    }
    unsigned flags =
        hp_precision_flags(&view->precision, amount->sum, amount->error, metric);
    hp_text_put(out, text, HP_ERROR_WIDTH);
    hp_sink_text(out, flags & HP_ROW_FEW_SAMPLES ? "*" : " ");
}

void hp_text_error_title(struct hp_sink *out, const struct hp_view *view) {
    char title[HP_NUMBER_SIZE];
    int width = snprintf(title, sizeof title, "± %g%%", view->options.confidence * 100);
    // The sign is one character in two bytes.
    hp_sink_print(out, "%*s%s ", HP_ERROR_WIDTH + 1 - width, "", title);
}

void hp_text_error_note(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out,
                  "± is half of the interval that holds the true value in %g%% of cases; "
                  "* less than 5 samples\n",
                  view->options.confidence * 100);
}

bool hp_text_has_errors(const struct hp_view *view) {
    return view->head.is_uncertain[hp_column_of(view->options.metric)];
}

const char *hp_text_bold(const struct hp_view *view) {
    return view->options.color ? "\033[1m" : "";
}

const char *hp_text_plain(const struct hp_view *view) {
    return view->options.color ? "\033[0m" : "";
}

const char *hp_text_plural(const char *what, bool is_one) {
    return is_one ? "" : what[strlen(what) - 1] == 's' ? "es" : "s";
}

void hp_text_rest(struct hp_sink *out, size_t rows, const char *what, hp_fixed value,
                  hp_fixed total) {
    char count[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    hp_text_share(share, value, total);
    hp_sink_print(out, "… %s more %s%s, ", count, what, hp_text_plural(what, rows == 1));
    hp_sink_print(out, "%s of the total: --limit=0 shows all\n", share);
}
