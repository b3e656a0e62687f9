// The profile format of Valgrind's Callgrind, as KCachegrind and callgrind_annotate read
// it:
//
//     # callgrind format
//     events: InuseBytes InuseObjects      one or more; all costs are in their order
//     ob=(1) /srv/app                      object, file and function: a number, and the
//     fl=(1) app.c                         name after it at its first mention
//     fn=(1) main
//     12 4096 1                            line, and what it allocates itself
//     cob=(1)                              object, file and function that it calls,
//     cfl=(1)
//     cfn=(2) leaf
//     calls=7 0                            how often, and at which line the other begins
//     13 65536 7                           line, and what the other has by these calls
//
// Costs are whole numbers and not negative, so that a difference is four events: the new
// value, the old value, and by how much stacks have grown and shrunk; only the last two
// if the inputs are differences themselves.  Dumps contain no numbers of calls: the
// number of allocated objects is written instead.  A recursive function is f'2 at its
// second level, as with Valgrind's own --separate-recs.
#include "report/format.h"
#include "report/notes.h"

#include "base/hash.h"

#include <errno.h>

// A kind of cost: its name in the file, and a longer name for people.
struct event {
    const char *name, *help;
};

static const struct event events_of_metrics[HP_METRICS] = {
    [HP_INUSE_SPACE] = {"InuseBytes", "bytes in use"},
    [HP_INUSE_OBJECTS] = {"InuseObjects", "objects in use"},
    [HP_ALLOC_SPACE] = {"AllocBytes", "bytes allocated"},
    [HP_ALLOC_OBJECTS] = {"AllocObjects", "objects allocated"},
};

// Kinds of cost (events) in the Callgrind file of a comparison.
enum difference_event {
    EVENT_NEW,
    EVENT_OLD,
    EVENT_GREW,
    EVENT_SHRANK,
    DIFFERENCE_EVENTS,
};

static const struct event events_of_differences[DIFFERENCE_EVENTS] = {
    [EVENT_NEW] = {"New", "in one of the new inputs on average"},
    [EVENT_OLD] = {"Old", "in one of the base on average"},
    [EVENT_GREW] = {"Grew", "by how much stacks have grown"},
    [EVENT_SHRANK] = {"Shrank", "by how much stacks have shrunk"},
};

// --- functions and their calls --------------------------------------------------------------

// A function is a name in one file of one module.  Each further occurrence of it within
// one stack is a function of its own, of the next level: so the cost of a function is its
// own cost plus the costs of its calls, and nothing is counted twice.
struct callgrind_function {
    hp_module_id module;
    hp_string file;  // string of the profile; 0: unknown
    hp_node_id name; // node of the naming
    uint32_t level;  // 1 for the first occurrence in a stack, from the root
};

struct costs {
    // By event, in the order of the events of the file: a sum over stacks, or the value
    // of one stack.
    hp_int128 of[HP_METRICS];
    // The number that is written as the number of calls: one of objects.
    hp_int128 calls;
};

// The costs of one line of a function: its own, or those of its calls of one other
// function.
struct cost_row {
    uint32_t function, callee; // numbers in `functions`; 0: none
    uint32_t line;             // 0: unknown
    struct costs costs;
};

// All functions, and all costs by function, callee and line.
struct callgraph {
    HP_VEC(struct callgrind_function) functions; // [0] is no function
    HP_VEC(struct cost_row) rows;                // sorted by function, callee, line
};

// The key by which the index finds a row of costs: the first members of struct cost_row.
struct row_key {
    uint32_t function, callee, line;
};

// The last stack in which a function occurred, and how often it occurred there.
struct meeting {
    size_t stack; // number of that stack, + 1; 0: none yet
    // How often it has occurred in that stack.
    uint32_t level;
};

// State while the call graph of a Callgrind file is built.
struct callgraph_builder {
    struct callgraph *graph;
    const struct hp_stacks *stacks;
    struct hp_index functions, rows;
    HP_VEC(struct meeting) meetings; // for each function; used at level 1 only
};

// Find or add a function; returns its number.
static uint32_t add_function(struct callgraph_builder *b,
                             const struct callgrind_function *function) {
    uint32_t number =
        hp_index_of(&b->functions, &b->graph->functions, function, sizeof *function);
    if (number == b->graph->functions.count) {
        hp_vec_push(&b->graph->functions, *function);
        hp_vec_push(&b->meetings, (struct meeting){0});
    }
    return number;
}

// The number of the function of a call, with the level that it has in this stack.
static uint32_t meet(struct callgraph_builder *b, const struct hp_place *place,
                     uint32_t call, size_t stack) {
    struct callgrind_function function = {
        .module = place->frame ? place->frame->module : (hp_module_id){0},
        .file = place->lines ? place->lines[call].file : (hp_string){0},
        .name = place->calls[call].node,
        .level = 1,
    };
    uint32_t first = add_function(b, &function);
    struct meeting *meeting = &b->meetings.at[first];
    if (meeting->stack != stack + 1) {
        *meeting = (struct meeting){stack + 1, 1};
        return first;
    }
    function.level = ++meeting->level;
    return add_function(b, &function);
}

// Add costs to the row with this key; the row is added if there is none.
static void add_costs(struct callgraph_builder *b, struct row_key key,
                      const struct costs *costs) {
    uint32_t number = hp_index_of(&b->rows, &b->graph->rows, &key, sizeof key);
    if (number == b->graph->rows.count) {
        struct cost_row row = {key.function, key.callee, key.line, {{0}, 0}};
        hp_vec_push(&b->graph->rows, row);
    }
    struct costs *sum = &b->graph->rows.at[number].costs;
    for (int i = 0; i < HP_METRICS; i++) {
        sum->of[i] += costs->of[i];
    }
    sum->calls += costs->calls;
}

// Add a stack: from the root on, each function calls the next one.  The leaf gets the
// costs of the stack as its own; every other function gets them as costs of its call.
static void add_stack(struct callgraph_builder *b, size_t number,
                      const struct costs *costs) {
    const struct hp_stack_key *stack = &b->stacks->all.at[number];
    struct row_key caller = {0};
    for (uint32_t i = stack->depth; i-- > 0;) {
        struct hp_place place = hp_stacks_place(b->stacks, stack->at[i]);
        for (uint32_t call = place.count; call-- > 0;) {
            uint32_t function = meet(b, &place, call, number);
            if (caller.function) {
                caller.callee = function;
                add_costs(b, caller, costs);
            }
            caller =
                (struct row_key){function, 0, place.lines ? place.lines[call].line : 0};
        }
    }
    add_costs(b, caller, costs);
}

// Whether a stack has a cost other than 0.
static bool has_costs(const struct costs *costs) {
    bool any = false;
    for (int i = 0; i < HP_METRICS; i++) {
        any |= costs->of[i] != 0;
    }
    return any;
}

// Order rows by function, callee and line; a function's own costs, with callee 0, come
// first.
static int compare_rows(const void *left, const void *right) {
    const struct cost_row *a = left, *b = right;
    if (a->function != b->function) {
        return a->function < b->function ? -1 : 1;
    }
    if (a->callee != b->callee) {
        return a->callee < b->callee ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

// Build the call graph of all stacks; `costs` has one element for each, and stacks
// without costs are skipped. callgraph_done() frees it.
static void callgraph_init(struct callgraph *graph, const struct hp_stacks *stacks,
                           const struct costs *costs) {
    *graph = (struct callgraph){0};
    struct callgraph_builder b = {.graph = graph, .stacks = stacks};
    hp_vec_push(&graph->functions, (struct callgrind_function){0});
    hp_vec_push(&b.meetings, (struct meeting){0});
    for (size_t i = 0; i < stacks->all.count; i++) {
        if (has_costs(&costs[i])) {
            add_stack(&b, i, &costs[i]);
        }
    }
    hp_vec_sort(&graph->rows, compare_rows);
    hp_index_drop(&b.functions);
    hp_index_drop(&b.rows);
    hp_vec_done(&b.meetings);
}

static void callgraph_done(struct callgraph *graph) {
    hp_vec_done(&graph->functions);
    hp_vec_done(&graph->rows);
}

// --- what is written ------------------------------------------------------------------------

// State of writing a Callgrind file.
struct callgrind_writer {
    struct hp_sink *out;
    const struct hp_view *view;
    const struct hp_stacks *stacks;
    struct event events[HP_METRICS];
    // Number of events in use.
    size_t event_count;
    struct costs *costs; // costs of each stack, in the order of the events
    struct callgraph graph;
    struct hp_index file_index;
    HP_VEC(hp_string) files; // files whose names have been written
    bool *named_objects;     // for each module: whether its name has been written
    bool *named_functions;   // for each function: whether its name has been written
};

// --- costs --------------------------------------------------------------------------------

// Add an event; `whole` has its value for each stack.
static void add_event(struct callgrind_writer *w, const struct event *event,
                      const hp_int128 *whole) {
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        w->costs[i].of[w->event_count] = whole[i];
    }
    w->events[w->event_count++] = *event;
}

// Add the number of objects of each stack to its number of calls, which is written after
// "calls=".
static void count_calls(struct callgrind_writer *w, const hp_int128 *objects) {
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        w->costs[i].calls += objects[i];
    }
}

// Add an event for each metric of the inputs.  The requested metric comes first, because
// the first event is shown first.
static void add_metrics(struct callgrind_writer *w) {
    const struct hp_selection all = {HP_OF_ALL, 0};
    enum hp_metric calls = hp_view_has_metric(w->view, HP_ALLOC_OBJECTS)
                               ? HP_ALLOC_OBJECTS
                               : HP_INUSE_OBJECTS;
    for (unsigned i = 0; i < HP_METRICS; i++) {
        enum hp_metric metric =
            (enum hp_metric)((w->view->options.metric + i) % HP_METRICS);
        if (hp_view_has_metric(w->view, metric)) {
            hp_int128 *whole = hp_stacks_whole(w->stacks, all, metric);
            struct event of_type = {"Values", w->view->type_name};
            add_event(w, w->view->projection ? &of_type : &events_of_metrics[metric],
                      whole);
            if (metric == calls) {
                count_calls(w, whole);
            }
            free(whole);
        }
    }
}

// Add the events of a comparison.
static void add_difference(struct callgrind_writer *w) {
    const struct hp_selection of_base = {HP_OF_BASE, 0}, of_new = {HP_OF_NEW, 0};
    enum hp_metric metric = w->view->options.metric;
    hp_int128 *old = hp_stacks_whole(w->stacks, of_base, metric);
    hp_int128 *new = hp_stacks_whole(w->stacks, of_new, metric);
    hp_int128 *objects = hp_stacks_whole(w->stacks, of_new, HP_INUSE_OBJECTS);
    count_calls(w, objects);
    if (!hp_view_is_of_differences(w->view)) {
        add_event(w, &events_of_differences[EVENT_NEW], new);
        add_event(w, &events_of_differences[EVENT_OLD], old);
    }
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        hp_int128 growth = new[i] - old[i];
        new[i] = growth > 0 ? growth : 0;
        old[i] = growth < 0 ? -growth : 0;
    }
    add_event(w, &events_of_differences[EVENT_GREW], new);
    add_event(w, &events_of_differences[EVENT_SHRANK], old);
    free(old);
    free(new);
    free(objects);
}

// --- head ---------------------------------------------------------------------------------

static void put_integer(const struct callgrind_writer *w, hp_int128 number) {
    if (number > UINT64_MAX) { // readers would wrap it around
        w->out->error = EOVERFLOW;
    }
    hp_sink_integer(w->out, number);
}

// Write the rest of a line: the cost of each event, and the newline.
static void put_costs(const struct callgrind_writer *w, const struct costs *costs) {
    for (size_t i = 0; i < w->event_count; i++) {
        hp_sink_text(w->out, " ");
        put_integer(w, costs->of[i]);
    }
    hp_sink_text(w->out, "\n");
}

static void put_note(void *data, const char *note) {
    struct hp_sink *out = data;
    hp_sink_text(out, "desc: Note: ");
    hp_sink_escaped(out, hp_span_of(note));
    hp_sink_text(out, "\n");
}

// Write everything before the functions: remarks, events and the total.
static void put_head(const struct callgrind_writer *w) {
    hp_sink_print(w->out,
                  "# callgrind format\nversion: 1\ncreator: hprof-agg %s\n"
                  "cmd: heap profile\n",
                  hp_version());
    hp_notes_report(w->view, put_note, w->out);
    hp_sink_text(w->out, "positions: line\n");
    for (size_t i = 0; i < w->event_count; i++) {
        hp_sink_print(w->out, "event: %s : ", w->events[i].name);
        hp_sink_escaped(w->out, hp_span_of(w->events[i].help));
        hp_sink_text(w->out, "\n");
    }
    hp_sink_text(w->out, "events:");
    for (size_t i = 0; i < w->event_count; i++) {
        hp_sink_print(w->out, " %s", w->events[i].name);
    }
    struct costs total = {0};
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        for (size_t k = 0; k < w->event_count; k++) {
            total.of[k] += w->costs[i].of[k];
        }
    }
    hp_sink_text(w->out, "\nsummary:");
    put_costs(w, &total);
}

// --- body ---------------------------------------------------------------------------------

// Write a name after its number; "???" if it is not known.
static void put_name(const struct callgrind_writer *w, struct hp_span name) {
    hp_sink_text(w->out, " ");
    if (name.size > 0) {
        hp_sink_escaped(w->out, name);
    } else {
        hp_sink_text(w->out, "???");
    }
}

// Write "cfn=(2)".  Most of the file consists of these, and printf() would take a quarter
// of the time.
static void put_key(const struct callgrind_writer *w, const char *key, const char *what,
                    uint32_t number) {
    hp_sink_text(w->out, key);
    hp_sink_text(w->out, what);
    hp_sink_integer(w->out, number);
    hp_sink_text(w->out, ")");
}

// Write the object (library) of a function; its name only the first time.
static void put_object(struct callgrind_writer *w, const char *key, hp_module_id module) {
    put_key(w, key, "ob=(", module.n + 1);
    if (!w->named_objects[module.n]) {
        w->named_objects[module.n] = true;
        put_name(w, hp_view_string(w->view, hp_view_module(w->view, module)->path));
    }
    hp_sink_text(w->out, "\n");
}

// Write the file of a function; its name only the first time.
static void put_file(struct callgrind_writer *w, const char *key, hp_string file) {
    uint32_t number = hp_index_of(&w->file_index, &w->files, &file, sizeof file);
    put_key(w, key, "fl=(", number + 1);
    if (number == w->files.count) {
        hp_vec_push(&w->files, file);
        put_name(w, hp_view_string(w->view, file));
    }
    hp_sink_text(w->out, "\n");
}

// Write object, file and name of a function.  `key` is "c" for one that is called, else
// "".
static void put_function(struct callgrind_writer *w, const char *key, uint32_t number) {
    const struct callgrind_function *function = &w->graph.functions.at[number];
    put_object(w, key, function->module);
    put_file(w, key, function->file);
    put_key(w, key, "fn=(", number);
    if (!w->named_functions[number]) {
        w->named_functions[number] = true;
        put_name(w, hp_view_node(w->view, function->name));
        if (function->level > 1) {
            hp_sink_print(w->out, "'%u", (unsigned)function->level);
        }
    }
    hp_sink_text(w->out, "\n");
}

// Write the functions with their costs, in the order of rows.
static void put_body(struct callgrind_writer *w) {
    uint32_t function = 0;
    const struct cost_row *row;
    hp_vec_each (row, &w->graph.rows) {
        if (row->function != function) {
            function = row->function;
            hp_sink_text(w->out, "\n");
            put_function(w, "", function);
        }
        if (row->callee) {
            put_function(w, "c", row->callee);
            hp_sink_text(w->out, "calls=");
            put_integer(w, row->costs.calls > 0 ? row->costs.calls : 1);
            hp_sink_text(w->out, " 0\n");
        }
        hp_sink_integer(w->out, row->line);
        put_costs(w, &row->costs);
    }
}

static void write_callgrind(struct hp_sink *out, const struct hp_view *view) {
    size_t modules = hp_view_module_count(view);
    struct callgrind_writer w = {.out = out, .view = view, .stacks = &view->stacks};
    w.costs = hp_alloc(w.stacks->all.count * sizeof *w.costs);
    if (view->report->has_sides) {
        add_difference(&w);
    } else {
        add_metrics(&w);
    }
    callgraph_init(&w.graph, w.stacks, w.costs);
    w.named_objects = hp_alloc(modules * sizeof *w.named_objects);
    w.named_functions = hp_alloc(w.graph.functions.count * sizeof *w.named_functions);
    put_head(&w);
    put_body(&w);
    free(w.named_functions);
    free(w.named_objects);
    hp_index_drop(&w.file_index);
    hp_vec_done(&w.files);
    callgraph_done(&w.graph);
    free(w.costs);
}

const struct hp_format hp_format_callgrind = {
    .name = "callgrind",
    .files = "callgrind.out* *.callgrind",
    .help =
        "for KCachegrind and callgrind_annotate, by function and line, whatever --by says",
    .can = HP_READ_AS_INT64 | HP_CAN_ONLY_GROW | HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ADDRESSES,
    .write = {[HP_REPORT_TOP] = write_callgrind,
              [HP_REPORT_STACKS] = write_callgrind,
              [HP_REPORT_DIFF] = write_callgrind,
              [HP_REPORT_MERGE] = write_callgrind},
};
