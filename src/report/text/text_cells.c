#include "report/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    // Cells of an amount where lines have any width.
    AMOUNT_WIDTH = 13,
    NARROW_AMOUNT = 11, // cells of an amount where lines must fit, at least
    PERCENT_WIDTH = 6,
    ERROR_WIDTH = 18, // room for "16.00 … 16.45 MiB" and a space
    WIDE_ERROR = 23,  // width of intervals in B or KiB
    ASCII_ERROR = 2,  // cells that "..." takes beyond "…"
    // Least cells of a name at 40 columns; one more for each 5 columns, up to MOST_NAME.
    LEAST_NAME = 20,
    MOST_NAME = 28,
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
    int missing = width - (int)hp_text_cells(hp_span_of(text), false);
    hp_sink_print(out, "%*s%s", missing > 0 ? missing : 0, "", text);
}

void hp_text_put_value(struct hp_sink *out, const struct hp_text_estimate *text,
                       int width) {
    hp_text_put(out, text->is_alone ? "-" : text->value, width);
}

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

void hp_text_value(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                   int width) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, view->options.metric, view->options.unit);
    hp_text_put(out, text, width);
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

void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, part, whole);
    hp_text_put(out, text, PERCENT_WIDTH);
}

void hp_text_value_of(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                      const struct hp_text_estimate *text, int width) {
    if (value == text->sum || text->is_alone) {
        hp_text_put_value(out, text, width);
    } else {
        hp_text_value(out, view, value, width);
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

void hp_text_error(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_amount *amount, const struct hp_text_estimate *text,
                   int width) {
    unsigned flags = hp_precision_flags(&view->precision, amount->sum, amount->error,
                                        view->options.metric);
    int shorter =
        (int)hp_text_cells(hp_span_of(text->interval), view->options.text.ascii) -
        (int)hp_text_cells(hp_span_of(text->interval), false);
    hp_text_put(out, text->interval, width - shorter);
    // A single sampled object can have much weight: it is marked even if its interval is
    // narrow.
    hp_sink_text(out, flags & HP_ROW_SEEN_ONCE     ? "!"
                      : flags & HP_ROW_FEW_SAMPLES ? "*"
                                                   : " ");
}

void hp_text_error_title(struct hp_sink *out, const struct hp_view *view, const char *of,
                         int width) {
    char title[HP_NUMBER_SIZE];
    snprintf(title, sizeof title, "%s at %g%%", of, view->options.confidence * 100);
    hp_text_put(out, title, width);
    hp_sink_text(out, " ");
}

void hp_text_error_blank(struct hp_sink *out, int width) {
    hp_text_put(out, "", width + 1);
}

void hp_text_error_note(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(
        out,
        HP_MESSAGE(
            "note-intervals",
            "± or low … high holds the true value in %g%% of cases; * fewer than 5 "
            "effective samples, ! one sampled object\n"),
        view->options.confidence * 100);
}

// --- columns ------------------------------------------------------------------------------

// The least cells that a name gets before columns are dropped.  Names of lines and
// addresses get half as much again, for the file and line beside the function.
static size_t least_name(const struct hp_view *view) {
    size_t least = LEAST_NAME + (view->options.text.width - HP_LEAST_WIDTH) / 5;
    enum hp_granularity by = view->options.by;
    bool has_place = by == HP_BY_LINE || by == HP_BY_ADDRESS;
    least = least < MOST_NAME ? least : MOST_NAME;
    return has_place ? least + least / 2 : least;
}

// The column to drop next: the lowest `leaves`, the last one of equals; NULL if none can
// be dropped.
static struct hp_text_part *next_to_leave(struct hp_text_part *parts, size_t count) {
    struct hp_text_part *next = NULL;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].leaves > 0 && !parts[i].is_gone &&
            (!next || parts[i].leaves <= next->leaves)) {
            next = &parts[i];
        }
    }
    return next;
}

size_t hp_text_fit(const struct hp_view *view, struct hp_text_part *parts, size_t count) {
    size_t width = view->options.text.width, used = 0;
    if (width == 0) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        used += parts[i].is_gone ? 0 : parts[i].cells;
    }
    while (used + least_name(view) > width) {
        struct hp_text_part *part = next_to_leave(parts, count);
        if (!part) {
            break;
        }
        part->is_gone = true;
        used -= part->cells;
    }
    return width > used + 1 ? width - used : 1;
}

bool hp_text_has_errors(const struct hp_view *view) {
    return view->head.is_uncertain[hp_column_of(view->options.metric)];
}

const char *hp_text_bold(const struct hp_view *view) {
    return view->options.text.color ? "\033[1m" : "";
}

const char *hp_text_plain(const struct hp_view *view) {
    return view->options.text.color ? "\033[0m" : "";
}

const char *hp_text_plural(const char *what, bool is_one) {
    return is_one ? "" : what[strlen(what) - 1] == 's' ? "es" : "s";
}

void hp_text_how_to_see_all(struct hp_sink *out, const struct hp_view *view) {
    if (view->fitting < hp_view_all_shown(view)) {
        hp_sink_print(out, HP_MESSAGE("cut-by-bytes", ": cut at --max-bytes=%llu\n"),
                      (unsigned long long)view->options.max_bytes);
    } else {
        hp_sink_print(out, HP_MESSAGE("cut-by-limit", ": --limit=0 shows all\n"));
    }
}

void hp_text_rest(struct hp_sink *out, const struct hp_view *view, size_t rows,
                  const char *what, hp_fixed value) {
    enum hp_metric metric = view->options.metric;
    bool is_of_objects = hp_fraction(metric) != HP_SPACE_FRACTION && !view->projection;
    char count[HP_NUMBER_SIZE], amount[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    hp_text_format(amount, value, metric, view->options.unit);
    hp_sink_print(out, HP_MESSAGE("rows-left", "… %s more %s%s, "), count, what,
                  hp_text_plural(what, rows == 1));
    if (is_of_objects) {
        strcat(amount, strcmp(amount, "1") == 0 ? " object" : " objects");
    }
    hp_sink_text(out, amount);
    hp_text_of_total(out, view, value);
    hp_text_how_to_see_all(out, view);
}
