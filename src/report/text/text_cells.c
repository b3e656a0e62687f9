#include "report/text/text.h"

#include "view/unseen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    // Cells of an amount where lines have any width.
    AMOUNT_WIDTH = 13,
    NARROW_AMOUNT = 11, // cells of an amount where lines must fit, at least
    ERROR_WIDTH = 18,   // room for "16.00 … 16.45 MiB" and a space
    WIDE_ERROR = 23,    // width of intervals in B or KiB
    ASCII_ERROR = 2,    // cells that "..." takes beyond "…"
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

void hp_text_put_p(struct hp_sink *out, double p) {
    char text[HP_NUMBER_SIZE];
    hp_text_p(text, p);
    hp_sink_print(out, text[0] == '<' ? "p < %s" : "p = %s", text + (text[0] == '<'));
}

void hp_text_series(char text[HP_TEXT_SERIES_SIZE], const double *values, size_t count) {
    static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

    enum {
        LEVELS = sizeof levels / sizeof *levels,
    };

    double means[HP_TEXT_SERIES_CELLS], most = 0;
    size_t run = (count + HP_TEXT_SERIES_CELLS - 1) / HP_TEXT_SERIES_CELLS, cells = 0;
    for (size_t i = 0; i < count; i += run, cells++) {
        size_t end = i + run < count ? i + run : count;
        double sum = 0;
        for (size_t j = i; j < end; j++) {
            sum += values[j];
        }
        means[cells] = sum / (double)(end - i);
        most = fmax(most, means[cells]);
    }
    text[0] = '\0';
    for (size_t i = 0; i < cells; i++) {
        double level = most > 0 ? ceil(means[i] / most * LEVELS) - 1 : 0;
        strcat(text, levels[(size_t)fmin(fmax(level, 0), LEVELS - 1)]);
    }
}

void hp_text_put_course(struct hp_sink *out, const struct hp_view *view, hp_fixed first,
                        hp_fixed last) {
    char from[HP_NUMBER_SIZE], to[HP_NUMBER_SIZE];
    hp_text_format(from, first, view->options.metric, view->options.unit);
    hp_text_format(to, last, view->options.metric, view->options.unit);
    char *unit = strchr(from, ' ');
    const char *other = strchr(to, ' ');
    if (unit && other && strcmp(unit, other) == 0) {
        *unit = '\0';
    }
    hp_sink_print(out, "%s → %s", from, to);
}

void hp_text_put_metric(struct hp_sink *out, const struct hp_view *view) {
    static const char *const names[] = {
        [HP_INUSE_SPACE] = "in use",
        [HP_INUSE_OBJECTS] = "objects in use",
        [HP_ALLOC_SPACE] = "allocated",
        [HP_ALLOC_OBJECTS] = "objects allocated",
    };
    if (view->projection) {
        hp_sink_escaped(out, hp_span_of(view->type_name));
    } else {
        hp_sink_text(out, names[view->options.metric]);
    }
    hp_text_put_lost(out, view);
}

// --- cells --------------------------------------------------------------------------------

// Cells of the column of amounts: enough for the total where lines must fit.
static int amount_width(const struct hp_view *view) {
    char total[HP_NUMBER_SIZE];
    enum hp_metric metric = view->options.metric;
    if (view->options.text.width == 0) {
        return AMOUNT_WIDTH;
    }
    hp_text_format(total, view->head.total.of[metric], metric, view->options.unit);
    int width = (int)strlen(total);
    return width > NARROW_AMOUNT ? width : NARROW_AMOUNT;
}

hp_fixed hp_text_whole(const struct hp_view *view) {
    return hp_view_is_of_differences(view) ? 0
                                           : view->head.total.of[view->options.metric];
}

void hp_text_of_total(struct hp_sink *out, const struct hp_view *view, hp_fixed value) {
    char share[HP_NUMBER_SIZE];
    if (!hp_view_is_of_differences(view)) {
        hp_text_share(share, value, hp_text_whole(view));
        hp_sink_print(out, HP_MESSAGE("share-of-total", " (%s of the total)"), share);
    }
}

// Cells of the column of intervals; numbers are long in small units.
static int error_width(const struct hp_view *view) {
    bool is_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    enum hp_unit unit = view->options.unit;
    bool is_wide = is_space && (unit == HP_UNIT_B || unit == HP_UNIT_KIB);
    return (is_wide ? WIDE_ERROR : ERROR_WIDTH) +
           (view->options.text.ascii ? ASCII_ERROR : 0);
}

struct hp_text_widths hp_text_widths_of(const struct hp_view *view) {
    return (struct hp_text_widths){amount_width(view), error_width(view)};
}

void hp_text_error_note(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out,
                  HP_MESSAGE("note-intervals",
                             "±, …: %g%% confidence interval; * fewer than 5 samples\n"),
                  view->options.confidence * 100);
}

bool hp_text_has_errors(const struct hp_view *view) {
    return view->head.is_uncertain[hp_column_of(view->options.metric)];
}

double hp_text_unsampled(const struct hp_view *view, double *highest) {
    enum hp_metric space = hp_column_of(view->options.metric) == HP_COLUMN_ALLOC
                               ? HP_ALLOC_SPACE
                               : HP_INUSE_SPACE;
    double total = hp_fixed_double(view->head.total.of[space], space);
    bool is_asked = hp_text_has_errors(view) && view->head.has_total &&
                    !view->report->growth && total > 0;
    struct hp_unseen unseen = {.is_known = false};
    if (is_asked) {
        unseen = hp_unseen_of(view);
    }
    if (highest) {
        *highest = fmin(unseen.highest / total, 1);
    }
    return unseen.is_known && unseen.is_much && unseen.stack > 0
               ? fmin(unseen.estimate / total, 1)
               : 0;
}

const char *hp_text_plural(const char *what, bool is_one) {
    return is_one ? "" : what[strlen(what) - 1] == 's' ? "es" : "s";
}

void hp_text_how_to_see_all(struct hp_sink *out, const struct hp_view *view) {
    if (view->fitting < hp_view_all_shown(view)) {
        hp_sink_print(out, HP_MESSAGE("cut-by-bytes", " (cut at --max-bytes=%llu)\n"),
                      (unsigned long long)view->options.max_bytes);
    } else {
        hp_sink_print(out, HP_MESSAGE("cut-by-limit", " (-n 0: all)\n"));
    }
}

void hp_text_put_part(struct hp_sink *out, const struct hp_view *view, hp_fixed value) {
    enum hp_metric metric = view->options.metric;
    bool is_of_objects = hp_fraction(metric) != HP_SPACE_FRACTION && !view->projection;
    bool has_shares = !hp_view_is_of_differences(view);
    char amount[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    hp_text_format(amount, value, metric, view->options.unit);
    hp_text_share(share, value, hp_text_whole(view));
    if (!has_shares || view->options.text.details) {
        hp_sink_print(out, "%s%s", amount,
                      !is_of_objects             ? ""
                      : strcmp(amount, "1") == 0 ? " object"
                                                 : " objects");
    }
    if (has_shares) {
        hp_sink_print(out, view->options.text.details ? " (%s)" : "%s", share);
    }
}

void hp_text_rest(struct hp_sink *out, const struct hp_view *view, size_t rows,
                  const char *what, hp_fixed value) {
    char count[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    hp_sink_print(out, HP_MESSAGE("rows-left", "… %s more %s%s, "), count, what,
                  hp_text_plural(what, rows == 1));
    hp_text_put_part(out, view, value);
    hp_text_how_to_see_all(out, view);
}
