// The processed profile of the Firefox Profiler, version 60: newer readers upgrade it.
//
// Each series is a process, with a thread for each metric.  The samples of a thread have
// a stack, a time in milliseconds and a weight.  In a timeline the weight is what a stack
// has gained or lost since the previous dump: so the weights in a range of time add up to
// the change in that range, and all of them to the values of the last dump.  A counter
// shows the memory in use.  A single profile has its samples one millisecond apart,
// because samples at one time would be hard to select.
#include "base/hash.h"
#include "base/sink.h"
#include "report/format.h"
#include "report/json/json.h"
#include "report/json/json_writer.h"
#include "report/notes.h"
#include "view/rounding.h"
#include "view/view.h"

#include <math.h>
#include <string.h>

// --- firefox tables --------------------------------------------------------------------
//
// The tables that all threads of a Firefox profile share.
//
// A table is written column by column, as the
// Firefox Profiler wants it.  A row of a table is a number from 0 on; members that may
// have none contain the row + 1.  Every text is a number in `strings`.
//
// The tables and their columns that matter here:
//
//     stackTable     a tree: each stack is a frame and the stack of its caller, `prefix`
//     frameTable     a function, a line, and how deep it is inlined
//     funcTable      a name, a source file, and a resource
//     resourceTable  a library
//     sources        a source file
//
// Tables are written column by column, and texts are numbers in stringArray.

// A stack, as a node of the tree of stacks.
struct hp_firefox_node {
    uint32_t call;   // number of the call in view->stacks.calls
    uint32_t prefix; // index of the caller's node, + 1; 0: none
};

// A row of the function table; equal functions are one row.
struct hp_firefox_function {
    hp_string name;            // number in `strings`
    uint32_t source, resource; // rows + 1; 0: none
};

struct hp_firefox_tables {
    const struct hp_view *view;
    HP_VEC(struct hp_firefox_node) nodes; // the tree of stacks; callers come first
    uint32_t *stack_of;     // for each stack of the view: the node of its leaf
    uint32_t *frame_of;     // for each call: its row of the frame table, + 1; 0: none
    HP_VEC(uint32_t) calls; // for each row of the frame table: its call
    HP_VEC(uint32_t) function_of; // for each row of the frame table: its function
    HP_VEC(struct hp_firefox_function) functions;
    // Names of libraries and source files, in `strings`.
    HP_VEC(hp_string) resources, sources;
    uint32_t *resource_of; // for each module: its row of the resource table, + 1; 0: none
    struct hp_strtab files; // to find rows of `sources`: string n is row n - 1
    struct hp_strtab strings;
};

// The type of a function that writes the value of one row in a column of a table.
// hp_firefox_put_column() writes a whole column, "key": [...], with `count` rows.
typedef void hp_firefox_cell_fn(struct hp_sink *out, const void *data, size_t row);
void hp_firefox_put_column(struct hp_sink *out, const char *key, size_t count,
                           hp_firefox_cell_fn *cell, const void *data);
// Write a column that has the same value in all rows.
void hp_firefox_put_constant(struct hp_sink *out, const char *key, size_t count,
                             const char *value);

// --- the tree of stacks -------------------------------------------------------------------

// The calls of a stack and the nodes of the tree for them.
struct chain {
    HP_VEC(uint32_t) calls; // from the root; inlined calls are calls of their own
    HP_VEC(uint32_t) nodes;
};

// Collect the calls of a stack from the root; in a frame the outermost call comes first.
static void get_calls(const struct hp_stacks *stacks, const struct hp_stack_key *stack,
                      struct chain *chain) {
    chain->calls.count = 0;
    for (uint32_t i = stack->depth; i-- > 0;) {
        uint32_t count = hp_stacks_place(stacks, stack->at[i]).count;
        while (count-- > 0) {
            hp_vec_push(&chain->calls, stack->at[i] + count);
        }
    }
}

// Add a stack to the tree and return the node of its leaf.  Stacks are sorted, so that
// those with a common beginning follow one another: only the nodes of the last stack have
// to be compared.
static uint32_t add_stack(struct hp_firefox_tables *tables, struct chain *chain) {
    size_t common = 0;
    while (common < chain->nodes.count && common < chain->calls.count &&
           tables->nodes.at[chain->nodes.at[common]].call == chain->calls.at[common]) {
        common++;
    }
    chain->nodes.count = common;
    for (; common < chain->calls.count; common++) {
        uint32_t prefix = common > 0 ? chain->nodes.at[common - 1] + 1 : 0;
        struct hp_firefox_node node = {chain->calls.at[common], prefix};
        hp_vec_push(&chain->nodes, (uint32_t)tables->nodes.count);
        hp_vec_push(&tables->nodes, node);
        tables->frame_of[node.call] = 1;
    }
    return chain->nodes.at[chain->nodes.count - 1];
}

// Build the tree of all stacks.
static void make_tree(struct hp_firefox_tables *tables) {
    const struct hp_stacks *stacks = &tables->view->stacks;
    struct chain chain = {0};
    for (size_t i = 0; i < stacks->all.count; i++) {
        get_calls(stacks, &stacks->all.at[i], &chain);
        tables->stack_of[i] = add_stack(tables, &chain);
    }
    hp_vec_done(&chain.calls);
    hp_vec_done(&chain.nodes);
}

// --- frames and functions -----------------------------------------------------------------

// Find or add a row of the function table; returns its number.
static uint32_t add_function(struct hp_firefox_tables *tables, struct hp_index *index,
                             struct hp_firefox_function function) {
    uint32_t row = hp_index_of(index, &tables->functions, &function, sizeof function);
    if (row == tables->functions.count) {
        hp_vec_push(&tables->functions, function);
    }
    return row;
}

// Find or add the resource of a module; returns its row + 1, or 0 if there is no module.
static uint32_t add_resource(struct hp_firefox_tables *tables, hp_module_id module) {
    struct hp_span path =
        hp_view_string(tables->view, hp_view_module(tables->view, module)->path);
    if (module.n > 0 && !tables->resource_of[module.n]) {
        hp_vec_push(&tables->resources,
                    hp_strtab_add(&tables->strings, hp_span_module_name(path)));
        tables->resource_of[module.n] = (uint32_t)tables->resources.count;
    }
    return tables->resource_of[module.n];
}

// Find or add a source file; returns its row + 1, or 0 if the file is not known.
static uint32_t add_source(struct hp_firefox_tables *tables, struct hp_span file) {
    hp_string number = hp_strtab_add(&tables->files, file);
    if (number.n > tables->sources.count) {
        hp_vec_push(&tables->sources, hp_strtab_add(&tables->strings, file));
    }
    return number.n;
}

// Add the frame of a call, with its function, file and library.
static void add_frame(struct hp_firefox_tables *tables, struct hp_index *functions,
                      uint32_t call) {
    struct hp_place place = hp_stacks_place(&tables->view->stacks, call);
    struct hp_span name = hp_view_node(tables->view, place.calls[0].node);
    struct hp_firefox_function function = {
        .name = hp_strtab_add(&tables->strings, name),
        .source = place.lines ? add_source(tables, hp_view_string(tables->view,
                                                                  place.lines->file))
                              : 0,
        .resource = place.frame ? add_resource(tables, place.frame->module) : 0,
    };
    hp_vec_push(&tables->calls, call);
    tables->frame_of[call] = (uint32_t)tables->calls.count;
    hp_vec_push(&tables->function_of, add_function(tables, functions, function));
}

// Add the frames that occur in stacks, in the order of calls.
static void make_frames(struct hp_firefox_tables *tables) {
    struct hp_index functions = {0};
    for (uint32_t call = 0; call < tables->view->stacks.place_count; call++) {
        if (tables->frame_of[call]) {
            add_frame(tables, &functions, call);
        }
    }
    hp_index_drop(&functions);
}

// Build the tables of a view with stacks of addresses, which must outlive them.
// hp_firefox_tables_done() frees them.
static void hp_firefox_tables_init(struct hp_firefox_tables *tables,
                                   const struct hp_view *view) {
    const struct hp_stacks *stacks = &view->stacks;
    size_t modules = hp_view_module_count(view);
    *tables = (struct hp_firefox_tables){
        .view = view,
        .stack_of = hp_alloc(stacks->all.count * sizeof *tables->stack_of),
        .frame_of = hp_alloc(stacks->place_count * sizeof *tables->frame_of),
        .resource_of = hp_alloc(modules * sizeof *tables->resource_of),
    };
    make_tree(tables);
    make_frames(tables);
}

static void hp_firefox_tables_done(struct hp_firefox_tables *tables) {
    hp_vec_done(&tables->nodes);
    hp_vec_done(&tables->calls);
    hp_vec_done(&tables->functions);
    hp_vec_done(&tables->function_of);
    hp_vec_done(&tables->resources);
    hp_vec_done(&tables->sources);
    hp_strtab_done(&tables->files);
    hp_strtab_done(&tables->strings);
    free(tables->stack_of);
    free(tables->frame_of);
    free(tables->resource_of);
}

// --- columns ------------------------------------------------------------------------------

void hp_firefox_put_column(struct hp_sink *out, const char *key, size_t count,
                           hp_firefox_cell_fn *cell, const void *data) {
    hp_sink_print(out, "\"%s\": [", key);
    for (size_t row = 0; row < count; row++) {
        hp_sink_text(out, row > 0 ? "," : "");
        cell(out, data, row);
    }
    hp_sink_text(out, "],\n  ");
}

static void put_text(struct hp_sink *out, const void *data, size_t row) {
    (void)row;
    hp_sink_text(out, data);
}

void hp_firefox_put_constant(struct hp_sink *out, const char *key, size_t count,
                             const char *value) {
    hp_firefox_put_column(out, key, count, put_text, value);
}

static void put_number(struct hp_sink *out, uint32_t number) {
    hp_sink_print(out, "%u", (unsigned)number);
}

static void put_frame(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_number(out, tables->frame_of[tables->nodes.at[row].call] - 1);
}

// Return the calls of the frame in a row of the frame table.
static struct hp_place place_of(const struct hp_firefox_tables *tables, size_t row) {
    return hp_stacks_place(&tables->view->stacks, tables->calls.at[row]);
}

static void put_depth(struct hp_sink *out, const void *data, size_t row) {
    put_number(out, place_of(data, row).count - 1);
}

static void put_function(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_number(out, tables->function_of.at[row]);
}

static void put_line(struct hp_sink *out, const void *data, size_t row) {
    struct hp_place place = place_of(data, row);
    if (place.lines && place.lines->line > 0) {
        put_number(out, place.lines->line);
    } else {
        hp_sink_text(out, "null");
    }
}

// Write a row that is stored + 1, or `none` if there is none.
static void put_row_or(struct hp_sink *out, uint32_t row_and_one, const char *none) {
    if (row_and_one > 0) {
        put_number(out, row_and_one - 1);
    } else {
        hp_sink_text(out, none);
    }
}

static void put_prefix(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_row_or(out, tables->nodes.at[row].prefix, "null");
}

static void put_name(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_number(out, tables->functions.at[row].name.n);
}

static void put_resource(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_row_or(out, tables->functions.at[row].resource, "-1");
}

static void put_source(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_row_or(out, tables->functions.at[row].source, "null");
}

static void put_library(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_number(out, tables->resources.at[row].n);
}

static void put_file(struct hp_sink *out, const void *data, size_t row) {
    const struct hp_firefox_tables *tables = data;
    put_number(out, tables->sources.at[row].n);
}

// --- tables -------------------------------------------------------------------------------

// Write the end of a table: its length and the closing brace.
static void put_end(struct hp_sink *out, size_t count) {
    hp_sink_print(out, "\"length\": %zu},\n ", count);
}

static void put_stacks_and_frames(struct hp_sink *out,
                                  const struct hp_firefox_tables *tables) {
    size_t count = tables->nodes.count;
    hp_sink_text(out, "\"stackTable\": {");
    hp_firefox_put_column(out, "frame", count, put_frame, tables);
    hp_firefox_put_column(out, "prefix", count, put_prefix, tables);
    put_end(out, count);
    count = tables->calls.count;
    hp_sink_text(out, "\"frameTable\": {");
    hp_firefox_put_constant(out, "address", count, "-1");
    hp_firefox_put_column(out, "inlineDepth", count, put_depth, tables);
    hp_firefox_put_constant(out, "category", count, "0");
    hp_firefox_put_constant(out, "subcategory", count, "0");
    hp_firefox_put_column(out, "func", count, put_function, tables);
    hp_firefox_put_constant(out, "nativeSymbol", count, "null");
    hp_firefox_put_constant(out, "innerWindowID", count, "0");
    hp_firefox_put_column(out, "line", count, put_line, tables);
    hp_firefox_put_constant(out, "column", count, "null");
    put_end(out, count);
}

static void put_functions(struct hp_sink *out, const struct hp_firefox_tables *tables) {
    size_t count = tables->functions.count;
    hp_sink_text(out, "\"funcTable\": {");
    hp_firefox_put_column(out, "name", count, put_name, tables);
    hp_firefox_put_constant(out, "isJS", count, "false");
    hp_firefox_put_constant(out, "relevantForJS", count, "false");
    hp_firefox_put_column(out, "resource", count, put_resource, tables);
    hp_firefox_put_column(out, "source", count, put_source, tables);
    hp_firefox_put_constant(out, "lineNumber", count, "null");
    hp_firefox_put_constant(out, "columnNumber", count, "null");
    put_end(out, count);
}

static void put_strings(struct hp_sink *out, const struct hp_strtab *strings) {
    hp_sink_text(out, "\"stringArray\": [");
    for (uint32_t i = 0; i < strings->strings.count; i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "");
        hp_json_string(out, hp_strtab_span(strings, (hp_string){i}));
    }
    hp_sink_text(out, "]");
}

// Write all tables, the member "shared": {...}
static void hp_firefox_put_tables(struct hp_sink *out,
                                  const struct hp_firefox_tables *tables) {
    size_t count = tables->resources.count, files = tables->sources.count;
    hp_sink_text(out, "\"shared\": {\n ");
    put_stacks_and_frames(out, tables);
    put_functions(out, tables);
    hp_sink_text(out, "\"resourceTable\": {");
    hp_firefox_put_column(out, "name", count, put_library, tables);
    hp_firefox_put_constant(out, "host", count, "null");
    hp_firefox_put_constant(out, "type", count, "1");
    hp_firefox_put_constant(out, "lib", count, "null");
    put_end(out, count);
    hp_sink_text(out,
                 "\"nativeSymbols\": {\"libIndex\": [], \"address\": [], \"name\": [], "
                 "\"functionSize\": [], \"length\": 0},\n ");
    hp_sink_text(out, "\"sources\": {");
    hp_firefox_put_constant(out, "uuid", files, "null");
    hp_firefox_put_column(out, "filename", files, put_file, tables);
    put_end(out, files);
    put_strings(out, &tables->strings);
    hp_sink_text(out, "}");
}

// --- firefox ---------------------------------------------------------------------------

// State of writing a Firefox profile.
struct firefox_writer {
    struct hp_sink *out;
    const struct hp_view *view;
    const struct hp_stacks *stacks;
    struct hp_firefox_tables tables;
    const struct hp_series_dump *dumps; // dumps of the present series; NULL: no timeline
    size_t dump_count;                  // dumps of the present series; at least 1
    size_t series;                      // number of the present series, from 0 on
    size_t threads;                     // threads written so far
};

// --- dump by dump -------------------------------------------------------------------------

// The state of going through the dumps of a series: the rounded values of all stacks in
// one dump and in the one before.
struct dump_step {
    const struct firefox_writer *writer;
    enum hp_metric metric;
    // Index in the series of the dump to read next; `now` is of the dump before it
    size_t next;
    struct hp_stack_sums sums;
    // Values of the stacks in the dump that was read last, before rounding.
    hp_fixed *exact;
    // Rounded values of the stacks in that dump (`now`) and in the one before it; both
    // are zeros before the first dump.
    hp_int128 *before, *now;
};

// Return a state before the first dump; step_done() frees its members.
static struct dump_step step_new(const struct firefox_writer *w, enum hp_metric metric) {
    size_t count = w->stacks->all.count;
    struct dump_step step = {
        .writer = w,
        .metric = metric,
        .exact = hp_alloc(count * sizeof(hp_fixed)),
        .before = hp_alloc(count * sizeof(hp_int128)),
        .now = hp_alloc(count * sizeof(hp_int128)),
    };
    hp_stack_sums_init(&step.sums, w->stacks, false);
    return step;
}

// Read the next dump into step->now, and keep the previous values in step->before; false
// after the last dump.
static bool step_next(struct dump_step *step) {
    const struct firefox_writer *w = step->writer;
    if (step->next == w->dump_count) {
        return false;
    }
    hp_int128 *before = step->now;
    step->now = step->before;
    step->before = before;
    hp_stack_sums_clear(&step->sums);
    struct hp_selection selection = {HP_OF_ALL, 0};
    if (w->dumps) {
        selection =
            (struct hp_selection){HP_OF_INPUT, w->dumps[step->next].input->number};
    }
    hp_stack_sums_add(&step->sums, w->stacks, selection);
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        step->exact[i] = step->sums.values[i].of[step->metric];
    }
    hp_round_to_total(step->exact, w->stacks->all.count, step->metric, step->now);
    step->next++;
    return true;
}

static void step_done(struct dump_step *step) {
    hp_stack_sums_done(&step->sums);
    free(step->exact);
    free(step->before);
    free(step->now);
}

// --- columns of samples -------------------------------------------------------------------

// For each dump, the number of samples that one thread has in the dump, and the sum of
// their weights: the growth of all stacks since the dump before.
struct samples {
    size_t *counts; // in each dump: its number of samples
    // In each dump: by how much the sum of all stacks has grown since the dump before
    hp_int128 *gains;
    size_t count;
};

// Write the column of stacks and count samples.  The weights need another pass over the
// dumps, so that no more than two dumps are in memory.
static void put_stacks(const struct firefox_writer *w, enum hp_metric metric,
                       struct samples *samples) {
    struct dump_step step = step_new(w, metric);
    hp_sink_text(w->out, "\"stack\": [");
    while (step_next(&step)) {
        for (size_t i = 0; i < w->stacks->all.count; i++) {
            if (step.now[i] != step.before[i]) {
                hp_sink_print(w->out, "%s%u", samples->count > 0 ? "," : "",
                              (unsigned)w->tables.stack_of[i]);
                samples->count++;
                samples->counts[step.next - 1]++;
                samples->gains[step.next - 1] += step.now[i] - step.before[i];
            }
        }
    }
    hp_sink_text(w->out, "],\n  ");
    step_done(&step);
}

// Write the column of weights, for the same samples as put_stacks().
static void put_weights(const struct firefox_writer *w, enum hp_metric metric) {
    struct dump_step step = step_new(w, metric);
    struct hp_json json = {.out = w->out, .is_dense = true};
    hp_sink_text(w->out, "\"weight\": ");
    hp_json_open(&json, NULL, '[');
    while (step_next(&step)) {
        for (size_t i = 0; i < w->stacks->all.count; i++) {
            if (step.now[i] != step.before[i]) {
                hp_json_put_integer(&json, NULL, step.now[i] - step.before[i]);
            }
        }
    }
    hp_json_close(&json);
    hp_sink_text(w->out, ",\n  ");
    step_done(&step);
}

// The earliest time of the dumps of all series.
static double start_of(const struct firefox_writer *w) {
    double start = w->view->series[0].time;
    for (size_t i = 1; i < w->view->series_count; i++) {
        start = fmin(start, w->view->series[i].time);
    }
    return start;
}

// Write the time of a dump in milliseconds since the first dump.
static void put_time(const struct firefox_writer *w, size_t dump) {
    const uint64_t per_ms = 1000000;
    uint64_t ns = (uint64_t)hp_nanoseconds(w->dumps[dump].time) -
                  (uint64_t)hp_nanoseconds(start_of(w));
    hp_sink_print(w->out, "%llu.%06llu", (unsigned long long)(ns / per_ms),
                  (unsigned long long)(ns % per_ms));
}

// Write the column of times, for the same samples as put_stacks().
static void put_times(const struct firefox_writer *w, const struct samples *samples) {
    hp_sink_text(w->out, "\"time\": [");
    for (size_t dump = 0, all = 0; dump < w->dump_count; dump++) {
        for (size_t i = 0; i < samples->counts[dump]; i++, all++) {
            hp_sink_text(w->out, all > 0 ? "," : "");
            if (w->dumps) {
                put_time(w, dump);
            } else {
                hp_sink_print(w->out, "%zu", all);
            }
        }
    }
    hp_sink_text(w->out, "],\n  ");
}

// --- threads and counters -----------------------------------------------------------------

static bool is_space(enum hp_metric metric) {
    return hp_fraction(metric) == HP_SPACE_FRACTION;
}

// Write the thread of a metric; sets `samples`.
static void put_thread(const struct firefox_writer *w, enum hp_metric metric,
                       size_t number, struct samples *samples) {
    memset(samples->counts, 0, w->dump_count * sizeof *samples->counts);
    memset(samples->gains, 0, w->dump_count * sizeof *samples->gains);
    samples->count = 0;
    hp_sink_text(w->out, w->threads + number > 0 ? ",\n {\"name\": " : "{\"name\": ");
    hp_json_string(w->out, hp_span_of(hp_view_metric_name(w->view, metric)));
    hp_sink_print(
        w->out,
        ", \"processType\": \"default\", \"pid\": \"%zu\", "
        "\"tid\": %zu, \"isMainThread\": %s,\n  "
        "\"processStartupTime\": 0, \"processShutdownTime\": null, "
        "\"registerTime\": 0, \"unregisterTime\": null, \"pausedRanges\": [],\n  "
        "\"markers\": {\"data\": [], \"name\": [], \"startTime\": [], "
        "\"endTime\": [], \"phase\": [], \"category\": [], \"length\": 0},\n  "
        "\"samples\": {",
        w->series + 1, w->threads + number + 1, number > 0 ? "false" : "true");
    put_stacks(w, metric, samples);
    put_times(w, samples);
    put_weights(w, metric);
    hp_sink_print(w->out, "\"weightType\": \"%s\", \"length\": %zu}}",
                  is_space(metric) ? "bytes" : "samples", samples->count);
}

// Write a counter with the growth of memory in use in each dump.
static void put_counter(const struct firefox_writer *w, const hp_int128 *gains,
                        size_t main_thread) {
    hp_sink_print(w->out,
                  "%s{\"name\": \"in use\", \"category\": \"Memory\", \"description\": "
                  "\"Memory in use\", \"pid\": \"%zu\", \"mainThreadIndex\": %zu,\n  "
                  "\"samples\": {\"time\": [",
                  w->series > 0 ? ",\n " : "", w->series + 1, main_thread);
    for (size_t i = 0; i < w->dump_count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        put_time(w, i);
    }
    hp_sink_text(w->out, "],\n  \"count\": [");
    for (size_t i = 0; i < w->dump_count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        hp_sink_integer(w->out, gains[i]);
    }
    hp_sink_print(w->out, "], \"length\": %zu}}", w->dump_count);
}

// Write a thread for each metric.  The requested metric comes first, because the first
// thread is shown first.  Stores the growth of memory in use in `in_use`.
static void put_threads(struct firefox_writer *w, enum hp_metric first,
                        hp_int128 *in_use) {
    struct samples samples = {
        .counts = hp_alloc(w->dump_count * sizeof *samples.counts),
        .gains = hp_alloc(w->dump_count * sizeof *samples.gains),
    };
    size_t number = 0;
    for (unsigned i = 0; i < HP_METRICS; i++) {
        enum hp_metric metric = (enum hp_metric)((first + i) % HP_METRICS);
        if (hp_view_has_metric(w->view, metric)) {
            put_thread(w, metric, number++, &samples);
        }
        if (metric == HP_INUSE_SPACE) {
            memcpy(in_use, samples.gains, w->dump_count * sizeof *in_use);
        }
    }
    w->threads += number;
    free(samples.counts);
    free(samples.gains);
}

// Make the series that begins with dump `i` of the view the present one.  Returns the
// number of its dumps.
static size_t take_series(struct firefox_writer *w, size_t i) {
    w->dumps = w->view->series ? w->view->series + i : NULL;
    w->dump_count = w->dumps ? hp_series_length(w->dumps, w->view->series_count - i) : 1;
    w->series = w->dumps ? w->dumps->series : 0;
    return w->dump_count;
}

// Write the threads of all series, then their counters.
static void put_all_threads(struct firefox_writer *w) {
    size_t count = w->view->series ? w->view->series_count : 1, per_series = 0;
    hp_int128 *in_use = hp_alloc(count * sizeof *in_use);
    hp_sink_text(w->out, "\"threads\": [");
    for (size_t i = 0; i < count;) {
        size_t length = take_series(w, i);
        put_threads(w, w->view->options.metric, in_use + i);
        per_series = w->threads / (w->series + 1);
        i += length;
    }
    hp_sink_text(w->out, "],\n \"counters\": [");
    for (size_t i = 0; i < count && w->view->series;) {
        size_t length = take_series(w, i);
        put_counter(w, in_use + i, w->series * per_series);
        i += length;
    }
    hp_sink_text(w->out, "],\n ");
    free(in_use);
}

// --- the rest -----------------------------------------------------------------------------

// State while remarks are written as entries of the profile's information panel.
struct note_entries {
    struct hp_sink *out;
    size_t count;
};

// Write one remark as an entry of the profile's information panel.
static void put_note(void *data, const char *note) {
    struct note_entries *entries = data;
    hp_sink_print(entries->out,
                  "%s{\"label\": \"%zu\", \"format\": \"string\", \"value\": ",
                  entries->count > 0 ? ",\n   " : "", entries->count + 1);
    hp_json_string(entries->out, hp_span_of(note));
    hp_sink_text(entries->out, "}");
    entries->count++;
}

// Write everything before the threads.
static void put_meta(const struct firefox_writer *w) {
    uint64_t ms = 0;
    if (w->view->series && w->view->head.has_times && start_of(w) > 0) {
        ms = (uint64_t)hp_nanoseconds(start_of(w)) / 1000000;
    }
    hp_sink_print(w->out,
                  "{\"meta\": {\"interval\": 1, \"startTime\": %llu, \"processType\": 0, "
                  "\"product\": \"hprof-agg\", \"stackwalk\": 1,\n  \"version\": 32, "
                  "\"preprocessedProfileVersion\": 60, \"symbolicated\": true, "
                  "\"markerSchema\": [],\n  \"categories\": [{\"name\": \"Other\", "
                  "\"color\": \"grey\", \"subcategories\": [\"Other\"]}],\n  "
                  "\"importedFrom\": \"hprof-agg\", \"usesOnlyOneStackType\": true, "
                  "\"sourceCodeIsNotOnSearchfox\": true,\n  \"extra\": [{\"label\": "
                  "\"Numbers\", \"entries\": [",
                  (unsigned long long)ms);
    struct note_entries entries = {.out = w->out};
    hp_notes_report(w->view, put_note, &entries);
    hp_sink_text(w->out, "]}]},\n \"libs\": [], \"pages\": [],\n ");
}

static void write_firefox(struct hp_sink *out, const struct hp_view *view) {
    struct firefox_writer w = {.out = out, .view = view, .stacks = &view->stacks};
    hp_firefox_tables_init(&w.tables, view);
    put_meta(&w);
    put_all_threads(&w);
    hp_firefox_put_tables(out, &w.tables);
    hp_sink_text(out, "}\n");
    hp_firefox_tables_done(&w.tables);
}

const struct hp_format hp_format_firefox = {
    .name = "firefox",
    .files = "*.firefox.json",
    .help = "for profiler.firefox.com, by function and line, whatever --by says",
    .can = HP_READ_AS_DOUBLE | HP_CAN_NEGATIVE | HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ADDRESSES,
    .write = {[HP_REPORT_TOP] = write_firefox,
              [HP_REPORT_STACKS] = write_firefox,
              [HP_REPORT_MERGE] = write_firefox,
              [HP_REPORT_TIMELINE] = write_firefox},
};
