// The data of schema/html.schema.json, in its order.  Large parts are written column by
// column from the view, and are never in memory as a whole.
#include "report/html/html.h"

#include "report/json/json.h"
#include "view/facet.h"
#include "view/flames.h"
#include "view/frame_rules.h"
#include "view/unseen.h"

// A column of the data: the sum of each stack in use or allocated.  It is over all
// inputs, over one side of a comparison, of the first dump of a trend, or separate for
// each value of the property that the page divides inputs by.
struct column {
    enum hp_column of;
    // 0: the base, or there are no sides; 1: new.
    int side;
    struct hp_html_sums *sums;
    // For each stack, and each place where it may end: the number of its sum in `sums`.
    const uint32_t *of_stack;
    uint32_t *split; // owns `of_stack` if there are several places; else NULL
    // For each value of a facet of inputs: its properties; or NULL
    struct hp_facet_part *parts;
};

// State of writing the data of a page.
struct html_writer {
    const struct hp_view *view;
    const struct hp_html_tables *tables;
    double dumps[2]; // number of inputs on each side of a comparison; else 1
    struct column columns[2 * HP_COLUMNS];
    size_t count;
    struct hp_html_series *series; // of a trend; or NULL
    struct hp_html_ends ends;
};

static bool is_trend(const struct hp_view *view) {
    return view->report == &hp_report_trend;
}

// Whether the page has a metric.  A trend tests growth of one metric; its page has the
// metrics of that metric's column only.
static bool has_metric(const struct hp_view *view, enum hp_metric metric) {
    bool has_values =
        !is_trend(view) || hp_column_of(metric) == hp_column_of(view->options.metric);
    return has_values && hp_view_has_metric(view, metric);
}

// The index in w->columns of the column of this kind, or with `is_base` of its base side:
// -1 if there is none.  The column of the new side follows that of the base.
static int column_number(const struct html_writer *w, enum hp_column column,
                         bool is_base) {
    int number = (int)w->count - 1;
    while (w->columns[number].of != column) {
        number--;
    }
    return !is_base ? number : w->view->report->has_sides ? number - 1 : -1;
}

// --- head ---------------------------------------------------------------------------------

// Write a member with a text, and the comma after it.
static void put_text(struct hp_sink *out, const char *key, struct hp_span text) {
    hp_sink_print(out, "\"%s\":", key);
    hp_json_string(out, text);
    hp_sink_text(out, ",\n");
}

// Write the values of --frames with the classes of code that each folds, as bits, and the
// names of the classes.
static void put_views(struct hp_sink *out) {
    static const enum hp_frames all[] = {HP_FRAMES_CODE, HP_FRAMES_OWN, HP_FRAMES_ALL,
                                         HP_FRAMES_RAW};

    struct hp_json json = {.out = out, .is_dense = true};
    hp_json_open(&json, "views", '{');
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hp_json_put_count(&json, hp_frames_name(all[i]), hp_folded_classes(all[i]));
    }
    hp_json_close(&json);
    hp_json_line(&json, 0);
    hp_json_open(&json, "classes", '[');
    for (enum hp_frame_class i = 0; i < HP_CLASSES; i++) {
        hp_json_put_word(&json, NULL, hp_frame_class_name(i));
    }
    hp_json_close(&json);
    hp_sink_text(out, ",\n");
}

// The name that the data uses for an order of rows.
static const char *sort_name(enum hp_sort sort) {
    return sort == HP_SORT_NAME ? "name" : sort == HP_SORT_CUM ? "cum" : "flat";
}

static void put_warnings(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out, "\"warnings\":[");
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        hp_sink_text(out, i > 0 ? ",\n" : "");
        hp_json_string(out, hp_view_warning(view, i));
    }
    hp_sink_text(out, "],\n");
}

static void put_inputs(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_input_summary *summary = &view->head.summary[HP_SIDE_ALL];
    hp_sink_print(out, "\"inputs\":{\"used\":%zu,\"skipped\":%zu},\n", summary->used,
                  summary->all - summary->used -
                      summary->left_out[HP_REASON_OTHER_MOMENT]);
}

static void put_filters(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out, "\"filters\":[");
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        hp_sink_print(out, "%s{\"rule\":\"%s\",\"pattern\":", i > 0 ? ",\n" : "",
                      hp_filter_rule_text(filter->rule));
        hp_json_string(out, hp_span_of(filter->pattern));
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "],\n");
}

// Write the options that restrict the inputs that were read, so that the page can show a
// complete command.
static void put_read(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    const char *comma = "";
    hp_sink_text(out, "\"read\":[");
    if (head->thread.size > 0) {
        hp_sink_text(out, "\"--thread=");
        hp_json_characters(out, head->thread);
        hp_sink_text(out, "\"");
        comma = ",";
    }
    if (head->older_than > 0) {
        char age[HP_NUMBER_SIZE];
        hp_format_double(age, (double)head->older_than / 1e9);
        hp_sink_print(out, "%s\"--older-than=%ss\"", comma, age);
    }
    hp_sink_text(out, "],\n");
}

// Write everything before the metrics.
static void put_head(struct hp_sink *out, const struct html_writer *w) {
    const struct hp_view *view = w->view;
    hp_sink_print(out,
                  "{\"schema\":\"hprof-agg.html/2\",\n"
                  "\"tool\":{\"name\":\"hprof-agg\",\"version\":\"%s\"},\n"
                  "\"report\":\"%s\",\n\"by\":\"%s\",\n\"view\":\"%s\",\n",
                  hp_version(), view->report->name, hp_view_row_kind(view),
                  hp_frames_name(view->options.frames.fold));
    put_views(out);
    size_t metric = 0;
    for (enum hp_metric i = 0; i < view->options.metric; i++) {
        metric += has_metric(view, i);
    }
    hp_sink_print(out, "\"metric\":%zu,\n\"sort\":\"%s\",\n", metric,
                  sort_name(view->options.sort));
    hp_sink_print(out, "\"confidence\":%g,\n\"choices\":%.12g,\n",
                  view->options.confidence, view->precision.among);
    put_warnings(out, view);
    put_inputs(out, view);
    put_read(out, view);
    put_filters(out, view);
}

// --- metrics ------------------------------------------------------------------------------

// Write a metric: its name, its unit, and the columns that contain it.
static void put_metric(struct hp_sink *out, const struct html_writer *w,
                       enum hp_metric metric) {
    const struct hp_view *view = w->view;
    bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
    hp_sink_text(out, "{");
    put_text(out, "name", hp_span_of(hp_view_metric_name(view, metric)));
    hp_sink_text(out, "\"unit\":");
    if (view->type && !is_space) {
        hp_json_string(out, hp_view_string(view, view->type->unit));
    } else {
        hp_sink_text(out, is_space ? "\"bytes\"" : "\"objects\"");
    }
    enum hp_column column = hp_column_of(metric);
    hp_sink_print(out, ",\"column\":%d,\"base\":%d,\"kind\":\"%s\"}",
                  column_number(w, column, false), column_number(w, column, true),
                  is_space ? "bytes" : "objects");
}

// Write the total in a metric, or what filters leave of it.
static void put_total(struct hp_sink *out, const struct html_writer *w,
                      enum hp_metric metric, bool is_filtered) {
    const struct hp_head *head = &w->view->head;
    enum hp_column column = hp_column_of(metric);
    struct hp_amount amount = {.sum = is_filtered ? head->filtered.of[metric]
                                                  : head->whole.of[metric],
                               .error = is_filtered ? &head->filtered_errors[column]
                                                    : &head->whole_errors[column]};
    hp_json_ends(&(struct hp_json){.out = out}, NULL, w->view, &amount, metric);
}

// The part that put_each() writes of each metric: its description, its total, or the sum
// that filters leave.
enum metric_part {
    METRICS,
    TOTAL,
    LEFT,
};

// Write an array with one part of each metric of the page.
static void put_each(struct hp_sink *out, const struct html_writer *w, const char *key,
                     enum metric_part part) {
    struct hp_json json = {.out = out, .is_dense = true};
    hp_json_open(&json, key, '[');
    for (enum hp_metric i = 0; i < HP_METRICS; i++) {
        if (!has_metric(w->view, i)) {
            continue;
        }
        if (json.has_item) {
            hp_json_line(&json, 0);
        }
        if (part == METRICS) {
            put_metric(hp_json_value(&json, NULL), w, i);
        } else {
            put_total(hp_json_value(&json, NULL), w, i, part == LEFT);
        }
    }
    hp_json_close(&json);
    hp_sink_text(out, ",\n");
}

// Write a column: how it was sampled (period, and in a comparison the largest weight of a
// sample on its side, because unsampled memory may be as much), and its distinct sums.
// In a trend the sampling of each dump is written with the dumps instead.
static void put_column(struct hp_sink *out, const struct html_writer *w,
                       const struct column *column) {
    static const char *const names[HP_COLUMNS] = {"inuse", "alloc"};
    static const char *const sides[] = {"base", "new"};
    const struct hp_view *view = w->view;
    const struct hp_error *all = &view->head.errors[column->of];
    bool compares = view->changes != NULL, has_sides = view->report->has_sides;
    double dumps = w->dumps[column->side];
    const char *intervals = !view->precision.is_known[column->of] ? "none"
                            : !compares && !view->head.is_uncertain[column->of]
                                ? "exact"
                                : "sampled";
    bool is_chosen = !compares && hp_unseen_in(view, column->of).is_much;
    uint64_t period = has_sides  ? all->period
                      : compares ? 0
                                 : view->precision.period[column->of];
    hp_sink_print(
        out,
        "{\"name\":\"%s\",\"side\":\"%s\",\"intervals\":\"%s\",\"period\":%.12g,"
        "\"weight\":%.12g,\"chosen\":%s,\n\"values\":",
        names[column->of],
        has_sides  ? sides[column->side]
        : compares ? "dump"
                   : "all",
        intervals, (double)period / dumps, has_sides ? all->max_weight / dumps : 0.0,
        is_chosen ? "true" : "false");
    hp_html_put_values(out, column->sums);
    hp_sink_text(out, "}");
}

static void put_columns(struct hp_sink *out, const struct html_writer *w) {
    hp_sink_text(out, "\"columns\":[");
    for (size_t i = 0; i < w->count; i++) {
        hp_sink_text(out, i > 0 ? ",\n" : "");
        put_column(out, w, &w->columns[i]);
    }
    hp_sink_text(out, "],\n");
}

static void put_strings(struct hp_sink *out, const struct hp_strtab *strings) {
    hp_sink_text(out, "\"strings\":[\"\"");
    for (uint32_t i = 1; i < strings->strings.count && !out->error; i++) {
        hp_sink_text(out, ",\n");
        hp_json_string(out, hp_strtab_span(strings, (hp_string){i}));
    }
    hp_sink_text(out, "],\n");
}

// --- facet --------------------------------------------------------------------------------

// Write, for each value of the label or property that the page divides inputs by, the
// sample period, -1 if its inputs do not have the column, and whether its largest rows
// are too high because much was not sampled (view/unseen.h).
static void put_parts(struct hp_sink *out, const struct hp_facet_part *parts,
                      size_t count) {
    hp_sink_text(out, "{\"period\":[");
    for (size_t i = 0; i < count; i++) {
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, parts[i].has_values ? (int64_t)parts[i].period : -1);
    }
    hp_sink_text(out, "],\"chosen\":[");
    for (size_t i = 0; i < count; i++) {
        hp_sink_print(out, "%s%s", i > 0 ? "," : "",
                      parts[i].is_chosen ? "true" : "false");
    }
    hp_sink_text(out, "]}");
}

// Write how the inputs with each value of the property that the page divides them by are
// sampled, column by column; null if it does not divide inputs.
static void put_facet_columns(struct hp_sink *out, const struct html_writer *w) {
    if (!w->columns[0].parts) {
        hp_sink_text(out, "null");
        return;
    }
    for (size_t i = 0; i < w->count; i++) {
        hp_sink_text(out, i > 0 ? ",\n" : "[");
        put_parts(out, w->columns[i].parts, w->view->facet.values.count);
    }
    hp_sink_text(out, "]");
}

// Return the value that end `i` of a stack has of the label or property which the page
// divides stacks by; a function for hp_html_put_numbers().
static uint32_t facet_at(const void *ends, size_t i) {
    return ((const struct hp_html_ends *)ends)->at[i].value;
}

// Write the label or property that the page divides stacks by: its key, its values, and
// the value of each end of a stack.
static void put_facet(struct hp_sink *out, const struct html_writer *w) {
    const struct hp_facet *facet = &w->view->facet;
    if (!facet->key) {
        hp_sink_text(out, "\"facet\":null,\n");
        return;
    }
    hp_sink_text(out, "\"facet\":{\"key\":");
    hp_json_string(out, hp_span_of(facet->key));
    hp_sink_text(out, ",\"values\":[");
    for (size_t i = 0; i < facet->values.count; i++) {
        hp_sink_text(out, i > 0 ? ",\n" : "");
        hp_json_string(out, hp_strtab_span(&facet->names, facet->values.at[i]));
    }
    hp_sink_text(out, "],\n\"columns\":");
    put_facet_columns(out, w);
    hp_sink_text(out, ",\n\"of\":");
    hp_html_put_numbers(out, w->ends.count, facet_at, &w->ends);
    hp_sink_text(out, "},\n");
}

// Find the properties of a column over the inputs with each value of the property that
// the page divides them by; NULL if it does not divide inputs.  The caller frees the
// result.
static struct hp_facet_part *find_parts(const struct hp_view *view,
                                        enum hp_column column) {
    size_t count = view->facet.values.count;
    if (!hp_facet_is_of_inputs(view)) {
        return NULL;
    }
    struct hp_facet_part *parts = hp_alloc(count * sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = hp_facet_part(view, i, column);
    }
    return parts;
}

// --- all ----------------------------------------------------------------------------------

// Write the totals; a comparison and a trend have theirs in other members.
static void put_totals(struct hp_sink *out, const struct html_writer *w) {
    if (w->view->changes) {
        hp_sink_text(out, "\"total\":null,\n\"filtered\":null,\n");
        hp_html_put_changes(out, w->view, w->tables);
        hp_html_put_series(out, w->view, w->tables, w->series);
        return;
    }
    put_each(out, w, "total", TOTAL);
    if (w->view->head.is_filtered) {
        put_each(out, w, "filtered", LEFT);
    } else {
        hp_sink_text(out, "\"filtered\":null,\n");
    }
    hp_sink_text(out, "\"comparison\":null,\n\"series\":null,\n");
}

// The numbers of a column's sums, which held_at() finds by end.
struct held_sums {
    const struct html_writer *w;
    const uint32_t *of_stack;
    size_t places;
};

static uint32_t held_at(const void *data, size_t i) {
    const struct held_sums *held = data;
    const struct hp_html_end *end = &held->w->ends.at[i];
    return held->of_stack[end->stack * held->places + end->place];
}

// Write the whole data; hp_html_block() calls it once or twice.
static void put_data(struct hp_sink *out, const void *data) {
    const struct html_writer *w = data;
    put_head(out, w);
    put_each(out, w, "metrics", METRICS);
    put_columns(out, w);
    put_totals(out, w);
    put_strings(out, &w->tables->strings);
    hp_html_put_tables(out, w->view, w->tables);
    put_facet(out, w);
    hp_html_put_nodes(out, w->view, w->tables, &w->ends);
    hp_sink_text(out, "\"sums\":[");
    for (size_t i = 0; i < w->count; i++) {
        struct held_sums held = {w, w->columns[i].of_stack, hp_html_end_places(w->view)};
        hp_sink_text(out, i > 0 ? ",\n" : "");
        hp_html_put_numbers(out, w->ends.count, held_at, &held);
    }
    hp_sink_text(out, "]}}\n");
}

// Read the sums of one side of a comparison into a column.
static void add_side(struct column *column, const struct hp_view *view) {
    struct hp_selection selection = {column->side ? HP_OF_NEW : HP_OF_BASE, 0};
    struct hp_stack_sums sums;
    hp_stack_sums_init(&sums, &view->stacks, true);
    hp_stack_sums_add(&sums, &view->stacks, selection);
    column->of_stack = hp_html_sums_read(column->sums, &sums);
    hp_stack_sums_done(&sums);
}

// Add a column for one side (0 if there are no sides), and read the sums of stacks in it;
// of a trend this reads all dumps.
static void add_column(struct html_writer *w, enum hp_column of, int side) {
    const struct hp_view *view = w->view;
    size_t stacks = view->stacks.all.count;
    struct column *column = &w->columns[w->count++];
    *column = (struct column){.of = of,
                              .side = side,
                              .sums = hp_html_sums_new(stacks, of, w->dumps[side]),
                              .parts = find_parts(view, of)};
    if (is_trend(view)) {
        w->series = hp_html_series_new(view, column->sums);
        column->of_stack = hp_html_series_first(w->series);
    } else if (view->changes) {
        add_side(column, view);
    } else if (hp_html_end_places(view) > 1) {
        column->of_stack = column->split = hp_html_split(view, column->sums);
    } else {
        column->of_stack = hp_html_sums_read(column->sums, hp_view_stack_sums(view));
    }
}

// Find the ends of stacks from the sums of all columns.
static void add_ends(struct html_writer *w) {
    const uint32_t *columns[sizeof w->columns / sizeof *w->columns];
    for (size_t i = 0; i < w->count; i++) {
        columns[i] = w->columns[i].of_stack;
    }
    hp_html_ends_init(&w->ends, w->view, columns, w->count);
}

void hp_html_data(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables) {
    struct html_writer w = {.view = view, .tables = tables, .dumps = {1, 1}};
    bool has_sides = view->report->has_sides;
    for (int side = 0; has_sides && side < 2; side++) {
        w.dumps[side] = (double)view->changes->by[0]->inputs[side];
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (has_metric(view, hp_space_of(i)) || has_metric(view, hp_objects_of(i))) {
            add_column(&w, i, 0);
            if (has_sides) {
                add_column(&w, i, 1);
            }
        }
    }
    add_ends(&w);
    hp_html_block(out, put_data, &w);
    for (size_t i = 0; i < w.count; i++) {
        hp_html_sums_free(w.columns[i].sums);
        free(w.columns[i].split);
        free(w.columns[i].parts);
    }
    hp_vec_done(&w.ends);
    hp_html_series_free(w.series);
}
