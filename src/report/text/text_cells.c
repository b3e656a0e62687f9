#include "report/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PERCENT_WIDTH = 6,
    ERROR_WIDTH = 18, // "16.00 … 16.45 MiB", and a space more
    WIDE_ERROR = 23,  // of whole bytes
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
    int missing = width;
    for (const char *c = text; *c != '\0'; c++) {
        missing -=
            ((unsigned char)*c & 0xc0) != 0x80; // but for what continues a character
    }
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

void hp_text_value_of(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                      const struct hp_text_estimate *text, int width) {
    if (value == text->sum) {
        hp_text_put(out, text->value, width);
    } else {
        hp_text_value(out, view, value, width);
    }
}

// In small units numbers are long.
static int error_width(const struct hp_view *view) {
    bool is_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    enum hp_unit unit = view->options.unit;
    return is_space && (unit == HP_UNIT_B || unit == HP_UNIT_KIB) ? WIDE_ERROR
                                                                  : ERROR_WIDTH;
}

void hp_text_error(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_amount *amount, const struct hp_text_estimate *text) {
    unsigned flags = hp_precision_flags(&view->precision, amount->sum, amount->error,
                                        view->options.metric);
    hp_text_put(out, text->interval, error_width(view));
    // One object may have much weight: it is told of even where little is open.
    hp_sink_text(out, flags & HP_ROW_SEEN_ONCE     ? "!"
                      : flags & HP_ROW_FEW_SAMPLES ? "*"
                                                   : " ");
}

void hp_text_error_title(struct hp_sink *out, const struct hp_view *view,
                         const char *of) {
    char title[HP_NUMBER_SIZE];
    snprintf(title, sizeof title, "%s at %g%%", of, view->options.confidence * 100);
    hp_text_put(out, title, error_width(view));
    hp_sink_text(out, " ");
}

void hp_text_error_blank(struct hp_sink *out, const struct hp_view *view) {
    hp_text_put(out, "", error_width(view) + 1);
}

void hp_text_error_note(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out,
                  "± or low … high holds the true value in %g%% of cases; * fewer than 5 "
                  "effective samples, ! one object\n",
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

void hp_text_rest(struct hp_sink *out, const struct hp_view *view, size_t rows,
                  const char *what, hp_fixed value) {
    enum hp_metric metric = view->options.metric;
    bool is_of_objects = hp_fraction(metric) != HP_SPACE_FRACTION && !view->projection;
    char count[HP_NUMBER_SIZE], amount[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    hp_text_format(amount, value, metric, view->options.unit);
    hp_text_share(share, value, view->head.total.of[metric]);
    hp_sink_print(out, "… %s more %s%s, ", count, what, hp_text_plural(what, rows == 1));
    if (is_of_objects) {
        strcat(amount, strcmp(amount, "1") == 0 ? " object" : " objects");
    }
    hp_sink_print(out, "%s (%s of the total): --limit=0 shows all\n", amount, share);
}
