// The first line of a screen, which answers what holds memory:
//
//     59.5 MiB ± 1.2 MiB in use; 40% in lpInsert, 39% in _sdsnewlen
//     1.06 MiB ± 0.16 MiB in use; no function stands out, the first 10 hold 76%
//     107.4 MiB ± 5.2 MiB in use in 4 processes; most in worker
//     --focus=f leaves 12.0 MiB ± 2.3 MiB of 73.5 MiB in use (16.3%)
//
// A row is named only if sampling cannot have brought it to its place: its interval lies
// above those of the rows that follow.  Two rows are named at most.
#include "report/text/text_table.h"

#include "view/top.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_NAMED = 2,
    FIRST_ROWS = 10, // rows whose sum is written where none is named
    LEAST_ROOM = 12, // cells of a name, at least
};

// --- totals -------------------------------------------------------------------------------

// Write an amount of the report's metric with its interval: "59.5 MiB ± 1.2 MiB", "at
// least 17 objects".
static void put_amount(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_amount *amount) {
    enum hp_metric metric = view->options.metric;
    bool is_of_objects = hp_fraction(metric) != HP_SPACE_FRACTION;
    struct hp_interval range = hp_view_range(view, amount, metric);
    struct hp_text_estimate text;
    hp_text_estimate(&text, view, amount, metric);
    if (is_of_objects && isnan(range.high) && !isnan(range.low) && text.note) {
        char least[HP_NUMBER_SIZE];
        hp_format_grouped(least, (hp_int128)range.low);
        hp_sink_print(out, HP_MESSAGE("headline-least", "at least %s objects"), least);
        return;
    }
    hp_sink_text(out, text.value);
    text.note = NULL;
    if (view->head.is_total_uncertain[hp_column_of(metric)]) {
        hp_text_put_interval(out, &text);
    }
    if (is_of_objects && !view->projection) {
        hp_sink_text(out, strcmp(text.value, "1") == 0 ? " object" : " objects");
    }
}

// Write what the amount is of: " in use in 4 processes".
static void put_measure(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    uint64_t used = head->summary[HP_SIDE_ALL].merged_used;
    char count[HP_NUMBER_SIZE];
    bool are_processes = head->snapshots != HP_SNAPSHOTS_SUM &&
                         used == head->summary[HP_SIDE_ALL].used &&
                         head->processes->unidentified == 0;
    if (view->projection && view->options.metric == HP_INUSE_SPACE) {
        hp_sink_text(out, " of ");
        hp_sink_escaped(out, hp_span_of(view->type_name));
    } else if (view->projection) {
        hp_sink_text(out, " ");
        hp_sink_escaped(out, hp_view_string(view, view->type->unit));
        hp_sink_text(out, " of ");
        hp_sink_escaped(out, hp_span_of(view->type_name));
    } else {
        hp_sink_text(out, hp_column_of(view->options.metric) == HP_COLUMN_INUSE
                              ? " in use"
                              : " allocated");
    }
    if (used != 1) {
        hp_format_grouped(count, (hp_int128)used);
        hp_sink_print(out,
                      are_processes ? HP_MESSAGE("headline-processes", " in %s processes")
                                    : HP_MESSAGE("headline-dumps", " in %s dumps"),
                      count);
    }
    hp_text_put_lost(out, view);
}

// Write the filters: "--focus=f --ignore=g leave "; nothing and return false if there are
// none.
static bool put_filters(struct hp_sink *out, const struct hp_view *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        if (filter->rule != HP_PICK) {
            hp_sink_print(out, "%s--%s=", count++ > 0 ? " " : "",
                          hp_filter_rule_text(filter->rule));
            hp_sink_escaped(out, hp_span_of(filter->pattern));
        }
    }
    hp_sink_text(out, count == 0 ? "" : count == 1 ? " leaves " : " leave ");
    return count > 0;
}

// Write the sum that filters leave, and its share of the total.
static void put_filtered(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    enum hp_metric metric = view->options.metric;
    struct hp_amount left = {.sum = head->filtered.of[metric],
                             .error = &head->filtered_errors[hp_column_of(metric)]};
    char total[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &left);
    hp_sink_text(out, text.value);
    if (hp_text_has_errors(view)) {
        hp_text_put_interval(out, &text);
    }
    hp_text_format(total, head->whole.of[metric], metric, view->options.unit);
    hp_text_share(share, left.sum, hp_text_whole(view));
    hp_sink_print(out, " of %s", total);
    put_measure(out, view);
    hp_sink_print(out, " (%s)", share);
}

// Write the total, or the sum that filters leave.
static void put_sum(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    enum hp_metric metric = view->options.metric;
    struct hp_amount total = {.sum = head->whole.of[metric],
                              .error = &head->whole_errors[hp_column_of(metric)],
                              .is_total = true};
    if (!head->has_total) {
        hp_sink_print(out,
                      HP_MESSAGE("headline-moments",
                                 "%zu dumps of one process at several times, which have "
                                 "no total"),
                      head->summary[HP_SIDE_ALL].used);
    } else if (put_filters(out, view)) {
        put_filtered(out, view);
    } else {
        put_amount(out, view, &total);
        put_measure(out, view);
    }
}

// --- rows ---------------------------------------------------------------------------------

// The rows that the headline is about.
struct headline {
    const struct hp_view *view;
    const struct hp_field *flat;
    const struct hp_text_names *names;
    size_t named; // the first rows, which are named
};

static struct hp_amount amount_of(const struct headline *h, size_t row) {
    return hp_view_cell(h->view, row, h->flat, h->view->options.metric).amount;
}

// The interval of a row; both ends are its value if it is certain.
static struct hp_interval range_of(const struct headline *h, size_t row) {
    enum hp_metric metric = h->view->options.metric;
    struct hp_amount amount = amount_of(h, row);
    struct hp_interval range = {NAN, NAN};
    double value = hp_fixed_double(amount.sum, metric);
    if (hp_text_has_errors(h->view) && amount.error && amount.error->samples > 0) {
        range = hp_view_range(h->view, &amount, metric);
    }
    range.low = isnan(range.low) ? value : range.low;
    range.high = isnan(range.high) ? value : range.high;
    return range;
}

// Whether the row lies above those that follow.
static bool stands_out(const struct headline *h, size_t row) {
    double low = range_of(h, row).low, high = 0;
    for (size_t i = row + 1; i < h->view->rows.count && i < HP_LEAST_NEEDED; i++) {
        high = fmax(high, range_of(h, i).high);
    }
    return low > high;
}

// Whether the report has rows that can be named: they have shares, and contain no other
// row.
static bool has_rows(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool is_part = options->by == HP_BY_SIZE || options->by == HP_BY_AGE;
    return view->report->divides_stacks && options->sort == HP_SORT_FLAT && !is_part &&
           view->head.has_total && view->rows.count > 0 && hp_text_whole(view) > 0;
}

// The sum of the first rows.
static hp_fixed sum_of_first(const struct headline *h, size_t count) {
    hp_fixed sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += amount_of(h, i).sum;
    }
    return sum;
}

static void put_percent(struct hp_sink *out, const struct hp_view *view, hp_fixed part) {
    hp_sink_print(out, "%.0f%%", 100 * ((double)part / (double)hp_text_whole(view)));
}

// Write the name of a row in a number of cells (0: any number).
static void put_name(struct hp_sink *out, const struct headline *h, size_t row,
                     size_t room) {
    hp_node_id node = h->view->rows.at[row].node;
    struct hp_text_cut cut = {.room = room, .is_ascii = h->view->options.text.ascii};
    struct hp_buffer text = {0};
    hp_text_cut_name(&text, hp_text_name(h->names, node), &cut);
    hp_sink_put(out, text.text.at, text.text.count);
    hp_vec_done(&text.text);
    if (h->view->options.by == HP_BY_FUNCTION &&
        hp_view_origin(h->view, node)->function.n == 0) {
        hp_sink_print(out, HP_MESSAGE("headline-no-name", " (no name)"));
    }
}

// Write the named rows, with their shares unless too much was never sampled; `used`: cells
// of the line before them.
static void put_named(struct hp_sink *out, const struct headline *h, size_t used) {
    const struct hp_view *view = h->view;
    bool has_shares = hp_text_unsampled(view, NULL) == 0 && !view->head.is_filtered;
    size_t width = view->options.text.width,
           words = 8 * h->named; // "100% in " or "most in "
    size_t left = width > used + words ? width - used - words : 0;
    size_t room = width == 0 ? 0 : left / h->named;
    room = width > 0 && room < LEAST_ROOM ? LEAST_ROOM : room;
    for (size_t i = 0; i < h->named; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        if (has_shares) {
            put_percent(out, view, amount_of(h, i).sum);
            hp_sink_text(out, " in ");
        } else {
            hp_sink_text(out, i > 0 ? "" : "most in ");
        }
        put_name(out, h, i, room);
    }
}

// Write which rows hold most; `used`: cells of the line before it.
static void put_rows(struct hp_sink *out, struct headline *h, size_t used) {
    const struct hp_view *view = h->view;
    size_t first = view->rows.count < FIRST_ROWS ? view->rows.count : FIRST_ROWS;
    for (size_t i = 0; i < MOST_NAMED && i < view->rows.count && h->named == 0; i++) {
        h->named = stands_out(h, i) ? i + 1 : 0;
    }
    if (h->named > 0) {
        hp_sink_text(out, "; ");
        put_named(out, h, used + 2);
    } else if (hp_text_unsampled(view, NULL) == 0 && !view->head.is_filtered &&
               first > 1) {
        hp_sink_print(out, HP_MESSAGE("headline-none", "; no %s stands out"),
                      hp_view_row_kind(view));
        if (amount_of(h, first - 1).sum != 0 && first < view->rows.count) {
            hp_sink_print(out, HP_MESSAGE("headline-first", ", the first %zu hold "),
                          first);
            put_percent(out, view, sum_of_first(h, first));
        }
    }
}

size_t hp_text_named(const struct hp_view *view) {
    return !has_rows(view)                 ? 0
           : view->rows.count < MOST_NAMED ? view->rows.count
                                           : MOST_NAMED;
}

void hp_text_headline(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_text_names *names) {
    struct hp_text_cut cut = {.room = view->options.text.width,
                              .is_ascii = view->options.text.ascii};
    struct hp_buffer sum = {0}, shown = {0};
    struct hp_text_draft line;
    struct hp_span text = hp_text_made(&sum, view, put_sum);
    hp_text_draft_init(&line);
    hp_sink_put(&line.out, text.at, text.size);
    if (names && has_rows(view)) {
        struct headline h = {.view = view, .flat = view->fields.at, .names = names};
        put_rows(&line.out, &h, hp_text_cells(text, cut.is_ascii));
    }
    hp_text_cut_text(&shown, hp_text_draft_end(&line), &cut);
    hp_sink_put(out, shown.text.at, shown.text.count);
    hp_sink_text(out, "\n");
    hp_text_draft_done(&line);
    hp_vec_done(&sum.text);
    hp_vec_done(&shown.text);
}
