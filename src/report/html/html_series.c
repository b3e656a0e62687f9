// The dumps of a trend: the sums of stacks as changes from one dump to the next, and how
// functions grew, which the script cannot compute.
#include "report/html/html.h"

#include "report/json/json.h"
#include "view/flames.h"

#include <math.h>

// The stacks whose sum in a dump differs from that in the previous dump.
struct series_changes {
    HP_VEC(uint32_t) stacks; // ascending numbers of stacks, each minus the one before
    // For each of them: the number of its sum in this dump; 0: none.
    HP_VEC(uint32_t) sums;
};

// The sums of stacks in the first dump of a trend, and the changes in each later dump.
struct hp_html_series {
    size_t stacks, dumps;
    uint32_t *first; // for each stack: the number of its sum in the first dump
    struct series_changes *changes; // for each dump; none for the first one
};

// --- reading ------------------------------------------------------------------------------

// Find the stacks whose number of a sum differs between `before` and `now`, and update
// `before`.
static void find_changes(struct series_changes *changes, uint32_t *before,
                         const uint32_t *now, size_t stacks) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < stacks; i++) {
        if (before[i] != now[i]) {
            hp_vec_push(&changes->stacks, i - last);
            hp_vec_push(&changes->sums, now[i]);
            before[i] = now[i];
            last = i;
        }
    }
}

struct hp_html_series *hp_html_series_new(const struct hp_view *view,
                                          struct hp_html_sums *sums) {
    struct hp_html_series *series = hp_alloc(sizeof *series);
    size_t stacks = view->stacks.all.count, size = stacks * sizeof *series->first;
    uint32_t *before = hp_alloc(size);
    struct hp_stack_sums held;
    *series = (struct hp_html_series){
        .stacks = stacks,
        .dumps = view->series_count,
        .first = hp_alloc(size),
        .changes = hp_alloc(view->series_count * sizeof *series->changes),
    };
    hp_stack_sums_init(&held, &view->stacks, true);
    for (size_t i = 0; i < series->dumps; i++) {
        uint32_t number = view->series[i].input->number;
        hp_stack_sums_clear(&held);
        hp_stack_sums_add(&held, &view->stacks,
                          (struct hp_selection){HP_OF_INPUT, number});
        const uint32_t *now = hp_html_sums_read(sums, &held);
        if (i == 0) {
            memcpy(series->first, now, size);
            memcpy(before, now, size);
        }
        find_changes(&series->changes[i], before, now, stacks);
    }
    hp_stack_sums_done(&held);
    free(before);
    return series;
}

void hp_html_series_free(struct hp_html_series *series) {
    if (series) {
        for (size_t i = 0; i < series->dumps; i++) {
            hp_vec_done(&series->changes[i].stacks);
            hp_vec_done(&series->changes[i].sums);
        }
        free(series->changes);
        free(series->first);
        free(series);
    }
}

const uint32_t *hp_html_series_first(const struct hp_html_series *series) {
    return series->first;
}

// --- dumps --------------------------------------------------------------------------------

// The earliest time of the dumps.
static double start_of(const struct hp_view *view) {
    double start = INFINITY;
    for (size_t i = 0; i < view->series_count; i++) {
        start = fmin(start, view->series[i].time);
    }
    return start;
}

// Write the names of the dumps.
static void put_names(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out, "\"dumps\":{\"name\":[");
    for (size_t i = 0; i < view->series_count; i++) {
        hp_sink_text(out, i > 0 ? "," : "");
        hp_json_string(out, hp_span_of(view->series[i].input->public.name));
    }
    hp_sink_text(out, "],\n");
}

// Write the names, times and sampling of the dumps.
static void put_dumps(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_error *sampled = view->changes->sampled;
    double start = start_of(view);
    put_names(out, view);
    hp_sink_text(out, "\"time\":[");
    for (size_t i = 0; i < view->series_count; i++) {
        hp_sink_print(out, "%s%.12g", i > 0 ? "," : "", view->series[i].time - start);
    }
    hp_sink_text(out, "],\n\"period\":[");
    for (size_t i = 0; i < view->series_count; i++) {
        hp_sink_print(out, "%s%llu", i > 0 ? "," : "",
                      (unsigned long long)sampled[i].period);
    }
    hp_sink_text(out, "],\n\"weight\":[");
    for (size_t i = 0; i < view->series_count; i++) {
        hp_sink_print(out, "%s%.12g", i > 0 ? "," : "", sampled[i].max_weight);
    }
    hp_sink_text(out, "]},\n");
}

// Write the changes of stacks in each dump but the first.
static void put_changes(struct hp_sink *out, const struct hp_html_series *series) {
    hp_sink_text(out, "\"changes\":[");
    for (size_t i = 1; i < series->dumps; i++) {
        const struct series_changes *changes = &series->changes[i];
        hp_sink_text(out, i > 1 ? ",\n{\"stack\":" : "{\"stack\":");
        hp_html_put_integers(out, changes->stacks.count, changes->stacks.at);
        hp_sink_text(out, ",\"sum\":");
        hp_html_put_integers(out, changes->sums.count, changes->sums.at);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "],\n");
}

// --- rows ---------------------------------------------------------------------------------

// The columns in which the growth of rows is written to the data of the page.
enum number {
    SLOPE,
    LEAST,
    P,
    SAMPLING,
    Q,
    SHAPE,
    SIGNIFICANT,
    NUMBERS,
};

// Write one number of the growth of a row.
static void put_number(struct hp_sink *out, const struct hp_trend_row *row,
                       enum number number) {
    const double numbers[NUMBERS] = {
        [SLOPE] = row->slope,
        [LEAST] = row->rise.least,
        [P] = row->rise.p,
        [SAMPLING] = row->sampling.p,
        [Q] = row->q,
        [SHAPE] = row->shape,
        [SIGNIFICANT] = row->is_significant,
    };
    bool is_p = number == P || number == SAMPLING || number == Q;
    (is_p              ? hp_json_p
     : number == LEAST ? hp_json_rough
                       : hp_json_double)(out, numbers[number]);
}

static const char *const number_names[NUMBERS] = {"slope",      "least", "p",
                                                  "sampling",   "q",     "shape",
                                                  "significant"};

// Write the growth of all rows of a series as columns.
static void put_rows(struct hp_sink *out, const struct hp_html_tables *tables,
                     const struct hp_trend *trend) {
    size_t count = trend->rows.count;
    hp_sink_text(out, "{\"name\":[");
    for (size_t i = 0; i < count; i++) {
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out,
                            (int64_t)tables->number_of[trend->rows.at[i].node.n] - 1);
    }
    hp_sink_text(out, "]");
    for (enum number number = 0; number < NUMBERS; number++) {
        hp_sink_print(out, ",\n\"%s\":[", number_names[number]);
        for (size_t i = 0; i < count && !out->error; i++) {
            hp_sink_put(out, ",", i > 0);
            put_number(out, &trend->rows.at[i], number);
        }
        hp_sink_text(out, "]");
    }
    hp_sink_text(out, "}");
}

// Write the growth of a total as an object.
static void put_sum(struct hp_sink *out, const struct hp_trend_row *row) {
    for (enum number number = 0; number < NUMBERS; number++) {
        hp_sink_print(out, "%c\"%s\":", number == 0 ? '{' : ',', number_names[number]);
        put_number(out, row, number);
    }
    hp_sink_text(out, "}");
}

// Write one series: its dumps, total and rows, by flat and by cum.
static void put_process(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables, size_t i) {
    bool by_cum = view->options.sort == HP_SORT_CUM;
    const struct hp_trends *own = view->extra, *other = &view->changes->other;
    const struct hp_trend *trend = &own->of[i];
    hp_sink_print(out,
                  "{\"name\":\"%s\",\"first\":%zu,\"count\":%zu,\"told\":%s,\n\"total\":",
                  trend->name, trend->place, trend->dumps,
                  trend->can_test_growth ? "true" : "false");
    put_sum(out, &trend->total);
    hp_sink_text(out, ",\n\"filtered\":");
    if (view->head.is_filtered) {
        put_sum(out, &trend->filtered);
    } else {
        hp_sink_text(out, "null");
    }
    hp_sink_text(out, ",\n\"flat\":");
    put_rows(out, tables, by_cum ? &other->of[i] : trend);
    hp_sink_text(out, ",\n\"cum\":");
    put_rows(out, tables, by_cum ? trend : &other->of[i]);
    hp_sink_text(out, "}");
}

void hp_html_put_series(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables,
                        const struct hp_html_series *series) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *largest = series ? hp_largest_trend(trends) : NULL;
    if (!series) {
        hp_sink_text(out, "\"series\":null,\n");
        return;
    }
    hp_sink_print(out, "\"series\":{\"unit\":\"%s\",\"seconds\":%.12g,\"shapes\":[",
                  largest->unit->name, largest->unit->seconds);
    for (enum hp_trend_shape i = HP_TREND_NONE; i < HP_TREND_SHAPES; i++) {
        hp_sink_print(out, "%s\"%s\"", i > 0 ? "," : "", hp_trend_shape_label(i));
    }
    hp_sink_print(out, "],\n\"process\":%zu,\n", (size_t)(largest - trends->of));
    put_dumps(out, view);
    put_changes(out, series);
    hp_sink_text(out, "\"processes\":[");
    for (size_t i = 0; i < trends->count; i++) {
        hp_sink_text(out, i > 0 ? ",\n" : "");
        put_process(out, view, tables, i);
    }
    hp_sink_text(out, "]},\n");
}
