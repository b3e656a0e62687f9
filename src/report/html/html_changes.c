// The parts of a page of a comparison: its table, tree and sentence, and in its data the
// results that the script cannot compute: how much rows and boxes of the flame graph
// changed, and how certain that is.
#include "report/html/html.h"

#include "report/json/json.h"
#include "report/text/text.h"
#include "view/flames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- head ---------------------------------------------------------------------------------

// Return the changes of functions by flat or by cum, as the table is sorted.
static const struct hp_difference *own(const struct hp_view *view) {
    return view->changes->by[view->options.sort == HP_SORT_CUM];
}

// Return the index of the first input of a side of the comparison that is used.
static size_t first_of(const struct hp_view *view, bool is_base) {
    size_t i = 0;
    while (i + 1 < view->head.input_count && !(hp_input_is_used(&view->head.inputs[i]) &&
                                               view->head.inputs[i].is_base == is_base)) {
        i++;
    }
    return i;
}

// Write the file name of the first input of a side of the comparison.
static void put_input(struct hp_sink *out, const struct hp_view *view, bool is_base) {
    const char *name = view->head.inputs[first_of(view, is_base)].public.name;
    hp_html_text(out, hp_span_basename(hp_span_of(name)));
}

// Write the title of a page of differences of profiles: the input, or how many there are.
static void put_title_of_differences(struct hp_sink *out, const struct hp_view *view) {
    size_t inputs = view->head.summary[HP_SIDE_ALL].used;
    hp_sink_text(out, "difference of heap profiles, ");
    if (inputs == 1) {
        put_input(out, view, false);
    } else {
        hp_sink_print(out, "%zu dumps", inputs);
    }
}

// Write the title: both inputs, or how many there are on each side.
static void title(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = own(view);
    if (hp_view_is_of_differences(view)) {
        put_title_of_differences(out, view);
        return;
    }
    hp_sink_text(out, "heap profiles, ");
    if (difference->inputs[0] == 1 && difference->inputs[1] == 1) {
        put_input(out, view, true);
        hp_sink_text(out, " to ");
        put_input(out, view, false);
    } else {
        hp_sink_print(out, "%zu base to %zu new", difference->inputs[0],
                      difference->inputs[1]);
    }
}

// Write the value of one side of the comparison with its interval.
static void put_side(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_change *change, int side) {
    struct hp_text_estimate text;
    hp_text_measure(&text, side ? change->after : change->before,
                    hp_change_side(change, side, view->options.confidence),
                    view->options.metric, view->options.unit);
    hp_sink_text(out, text.value);
    hp_text_put_interval(out, &text);
}

// Write a change, and its p-value if that is known: "+9.5 MiB, p 0.01".
static void put_growth(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_change *change) {
    char growth[HP_SIGNED_SIZE], p[HP_NUMBER_SIZE];
    hp_text_signed(growth, change->after - change->before, view->options.metric,
                   view->options.unit);
    hp_sink_text(out, growth);
    if (!isnan(change->p)) {
        hp_text_p(p, change->p);
        hp_sink_text(out, ", p ");
        hp_html_text(out, hp_span_of(p));
    }
}

// Write ", significant" (or the words of the test for that) or ", may be chance"; nothing
// if the change was not tested.
static void put_verdict(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_change *change, bool is_significant) {
    if (!isnan(change->p)) {
        hp_sink_print(out, ", %s",
                      is_significant ? hp_difference_mark(own(view)->test)
                                     : "not significant");
    }
}

// What the sides are called.
static const char *const *names_of_sides(const struct hp_view *view) {
    static const char *const names[][2] = {{"base", "new"}, {"shrank", "grew"}};
    return names[hp_view_is_of_differences(view)];
}

// Write what follows the value of a side: "61.3 MiB → 70.8 MiB: ", or in a difference of
// two profiles "20.5 MiB that shrank, 5.0 MiB that grew: ".
static void put_after_side(struct hp_sink *out, const struct hp_view *view, int side) {
    if (hp_view_is_of_differences(view)) {
        hp_sink_print(out, " that %s%s", names_of_sides(view)[side], side ? ": " : ", ");
    } else {
        hp_sink_text(out, side ? ": " : " → ");
    }
}

// Write the values of both sides with intervals, the change, and whether it is
// significant; for the sentence.
static void put_both(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_change *change) {
    for (int side = 0; side < 2; side++) {
        put_side(out, view, change, side);
        put_after_side(out, view, side);
    }
    put_growth(out, view, change);
    put_verdict(out, view, change, change->p < 1 - view->options.confidence);
}

// Write the change of a row, unless it equals the change of the total, which the sentence
// has already.
static void put_unless_said(struct hp_sink *out, const struct hp_view *view,
                            const struct hp_change *row) {
    const struct hp_change *total = &own(view)->total;
    bool is_sure = total->p < 1 - view->options.confidence;
    if (row->after - row->before != total->after - total->before ||
        row->is_significant != is_sure) {
        hp_sink_text(out, ", ");
        put_growth(out, view, row);
        put_verdict(out, view, row, row->is_significant);
    }
}

// Write the change of the total, and the row that changed most.
static void sentence(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables) {
    const struct hp_difference *difference = own(view);
    if (hp_view_is_of_differences(view)) {
        put_both(out, view, &difference->total);
    } else {
        hp_html_answer(out, view, hp_text_diff_answer);
    }
    if (view->head.is_filtered) {
        hp_sink_text(out, "; filters leave ");
        put_both(out, view, &difference->filtered);
    }
    if (difference->rows.count > 0 &&
        difference->rows.at[0].before != difference->rows.at[0].after) {
        hp_sink_text(out, "; most in ");
        hp_html_text(out, hp_html_name(view, tables, view->rows.at[0].node));
        put_unless_said(out, view, &difference->rows.at[0]);
    }
}

// Write how to read intervals and p-values, if there are any.
static void notes(struct hp_sink *out, const struct hp_view *view) {
    if (own(view)->test != HP_TEST_NONE) {
        hp_text_mark_lines(out, view, hp_html_shown(view));
    }
}

// --- table and tree -----------------------------------------------------------------------

static void titles(struct hp_sink *out, const struct hp_view *view) {
    char interval[64];
    snprintf(interval, sizeof interval, "%g%% CI", 100 * view->options.confidence);
    hp_html_put_title(out, "base", names_of_sides(view)[0]);
    hp_html_put_title(out, "new", names_of_sides(view)[1]);
    hp_html_put_title(out, "delta", "change");
    if (!hp_view_is_of_differences(view)) {
        hp_html_put_title(out, "delta-interval", interval);
        hp_html_put_title(out, "p", "p");
    }
    hp_html_put_title(out, "status", "status");
}

// Write an end of the interval of a change; "?" if too few processes leave it open.
static void put_end(char text[HP_SIGNED_SIZE], const struct hp_view *view, double end) {
    if (isinf(end)) {
        strcpy(text, "?");
    } else {
        hp_text_signed(text, hp_text_fixed(end, view->options.metric),
                       view->options.metric, view->options.unit);
    }
}

// Write the interval of a change; empty if it is not known.
static void put_range(struct hp_sink *out, const struct hp_view *view,
                      struct hp_interval range) {
    char low[HP_SIGNED_SIZE], high[HP_SIGNED_SIZE], text[2 * HP_SIGNED_SIZE + 8] = "";
    if (isinf(range.low) && isinf(range.high)) {
        strcpy(text, "?");
    } else if (!isnan(range.low)) {
        put_end(low, view, range.low);
        put_end(high, view, range.high);
        snprintf(text, sizeof text, "%s … %s", low, high);
    }
    hp_html_put_cell(out, "delta-interval", text);
}

// Write a p-value, with a star if the change is significant.
static void put_p(struct hp_sink *out, double p, bool is_significant) {
    char text[HP_NUMBER_SIZE], marked[HP_NUMBER_SIZE + 2];
    hp_text_p(text, p);
    snprintf(marked, sizeof marked, "%s%s", text, is_significant ? " *" : "");
    hp_html_put_cell(out, "p", marked);
}

static void cells(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const struct hp_change *change = &own(view)->rows.at[row];
    char growth[HP_SIGNED_SIZE];
    hp_text_signed(growth, change->after - change->before, view->options.metric,
                   view->options.unit);
    hp_html_put_amount(out, view, "base", change->before);
    hp_html_put_amount(out, view, "new", change->after);
    hp_html_put_cell(out, "delta", growth);
    if (!hp_view_is_of_differences(view)) {
        put_range(out, view, hp_change_range(change, view->options.confidence));
        put_p(out, change->p, change->is_significant);
    }
    hp_html_put_cell(out, "status", hp_change_status(change));
}

void hp_html_change_node(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_page_node *node) {
    char text[HP_NUMBER_SIZE];
    struct hp_change change = {.before = node->before, .after = node->sum, .p = node->p};
    for (int side = 0; side < 2; side++) {
        hp_text_format(text, side ? node->sum : node->before, view->options.metric,
                       view->options.unit);
        hp_sink_text(out, text);
        put_after_side(out, view, side);
    }
    put_growth(out, view, &change);
    hp_sink_text(out, node->is_significant ? " * " : " ");
}

// --- data ---------------------------------------------------------------------------------

// The type of a function that returns change number `i` of `data`.
typedef const struct hp_change *change_fn(const void *data, size_t i);

// Changes of a comparison that are written as columns of numbers.
struct changes {
    const struct hp_view *view;
    size_t count;
    change_fn *at;
    const void *data;
};

// The columns in which changes are written to the data of the page.
enum change_number {
    LOW,
    HIGH,
    P,
    Q,
    SIGNIFICANT,
    NUMBERS,
};

// One number of change `i`.
static double number_of(const struct changes *changes, size_t i,
                        enum change_number number) {
    const struct hp_change *change = changes->at(changes->data, i);
    struct hp_interval range = {NAN, NAN};
    if (number == LOW || number == HIGH) {
        range = hp_change_range(change, changes->view->options.confidence);
    }
    return number == LOW    ? range.low
           : number == HIGH ? range.high
           : number == P    ? change->p
           : number == Q    ? change->q
                            : change->is_significant;
}

// Write changes as columns, each after a comma, and the closing brace.
static void put_numbers(struct hp_sink *out, const struct changes *changes) {
    static const char *const names[NUMBERS] = {"low", "high", "p", "q", "significant"};
    for (enum change_number number = 0; number < NUMBERS; number++) {
        hp_sink_print(out, ",\n\"%s\":[", names[number]);
        for (size_t i = 0; i < changes->count && !out->error; i++) {
            hp_sink_put(out, ",", i > 0);
            (number == P || number == Q
                 ? hp_json_p
                 : hp_json_double)(out, number_of(changes, i, number));
        }
        hp_sink_text(out, "]");
    }
    hp_sink_text(out, "}");
}

static const struct hp_change *row_at(const void *data, size_t i) {
    return &((const struct hp_difference *)data)->rows.at[i];
}

static const struct hp_change *box_at(const void *data, size_t i) {
    return &((const struct hp_page_changes *)data)->boxes.at[i].change;
}

// Write the number of a node's name as element `i` of an array.
static void put_name(struct hp_sink *out, const struct hp_html_tables *tables, size_t i,
                     hp_node_id node) {
    hp_sink_put(out, ",", i > 0);
    hp_html_put_integer(out, (int64_t)tables->number_of[node.n] - 1);
}

// Write the changes of all rows, by flat or by cum.
static void put_rows(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables, const char *key,
                     const struct hp_difference *rows) {
    struct changes changes = {view, rows->rows.count, row_at, rows};
    hp_sink_print(out, "\"%s\":{\"name\":[", key);
    for (size_t i = 0; i < changes.count; i++) {
        put_name(out, tables, i, rows->rows.at[i].node);
    }
    hp_sink_text(out, "]");
    put_numbers(out, &changes);
    hp_sink_text(out, ",\n");
}

// Write the changes of the boxes of the flame graph, which are in the order of its tree.
static void put_boxes(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_html_tables *tables) {
    const struct hp_page_changes *all = view->changes;
    struct changes changes = {view, all->boxes.count, box_at, all};
    hp_sink_text(out, "\"boxes\":{\"parent\":[");
    for (size_t i = 0; i < changes.count; i++) {
        uint32_t parent = all->boxes.at[i].parent;
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, parent == HP_NO_PARENT ? -1 : (int64_t)parent);
    }
    hp_sink_text(out, "],\n\"name\":[");
    for (size_t i = 0; i < changes.count; i++) {
        put_name(out, tables, i, all->boxes.at[i].name);
    }
    hp_sink_text(out, "]");
    put_numbers(out, &changes);
    hp_sink_text(out, "},\n");
}

// Write both sides and the change as members of an object: "base":ESTIMATE,"new":ESTIMATE,
// "delta":ESTIMATE, or with other names of the sides.
static void put_estimates(struct hp_json *json, const struct hp_view *view,
                          const struct hp_change *change, const char *const sides[2]) {
    double confidence = view->options.confidence;
    const struct hp_amount amounts[] = {
        {.sum = change->before, .range = hp_change_side(change, 0, confidence)},
        {.sum = change->after, .range = hp_change_side(change, 1, confidence)},
        {.sum = change->after - change->before,
         .range = hp_change_range(change, confidence)},
    };
    const char *const names[] = {sides[0], sides[1], "delta"};
    for (size_t i = 0; i < 3; i++) {
        struct hp_json estimate = {.out = hp_json_value(json, names[i])};
        hp_json_ends(&estimate, NULL, view, &amounts[i], view->options.metric);
    }
}

// Write a change in the data; its keys do not depend on the inputs.
static void put_change(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_change *change) {
    static const char *const sides[] = {"base", "new"};
    struct hp_json json = {.out = out, .is_dense = true};
    hp_json_open(&json, NULL, '{');
    put_estimates(&json, view, change, sides);
    hp_json_put_p(&json, "p", change->p);
    hp_json_close(&json);
}

void hp_html_put_changes(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_html_tables *tables) {
    const struct hp_page_changes *changes = view->changes;
    const struct hp_difference *difference = own(view);
    hp_sink_print(
        out,
        "\"comparison\":{\"inputs\":[%zu,%zu],\n\"sides\":[\"%s\",\"%s\"],\n\"total\":",
        difference->inputs[0], difference->inputs[1], names_of_sides(view)[0],
        names_of_sides(view)[1]);
    put_change(out, view, &difference->total);
    hp_sink_text(out, ",\n\"filtered\":");
    if (view->head.is_filtered) {
        put_change(out, view, &difference->filtered);
        hp_sink_text(out, ",\n");
    } else {
        hp_sink_text(out, "null,\n");
    }
    put_rows(out, view, tables, "flat", changes->by[0]);
    put_rows(out, view, tables, "cum", changes->by[1]);
    put_boxes(out, view, tables);
}

// --- summary ------------------------------------------------------------------------------

// Write the members of a change in the summary.
static void put_summed(struct hp_json *json, const struct hp_view *view,
                       const struct hp_change *change) {
    put_estimates(json, view, change, names_of_sides(view));
    if (!hp_view_is_of_differences(view)) {
        hp_json_put_p(json, "p", change->p);
    }
}

static void total(struct hp_json *json, const struct hp_view *view) {
    hp_json_open(json, "total", '{');
    put_summed(json, view, &own(view)->total);
    hp_json_close(json);
}

static void fields(struct hp_json *json, const struct hp_view *view, size_t row) {
    put_summed(json, view, &own(view)->rows.at[row]);
}

const struct hp_html_kind hp_html_diff = {
    .title = title,
    .head = hp_text_diff_facts,
    .titles = titles,
    .notes = notes,
    .total = total,
    .sentence = sentence,
    .cells = cells,
    .node = hp_html_change_node,
    .fields = fields,
};
