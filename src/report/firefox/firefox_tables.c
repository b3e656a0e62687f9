// The tables and their columns that matter here:
//
//     stackTable     a tree: each stack is a frame and the stack of its caller, `prefix`
//     frameTable     a function, a line, and how deep it is inlined
//     funcTable      a name, a source file, and a resource
//     resourceTable  a library
//     sources        a source file
//
// Tables are written column by column, and texts are numbers in stringArray.
#include "report/firefox/firefox_tables.h"

#include "base/hash.h"
#include "report/json/json_text.h"

#include <string.h>

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

// Find or add a row of the function table.
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
                    hp_strtab_add(&tables->strings, hp_span_basename(path)));
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

void hp_firefox_tables_init(struct hp_firefox_tables *tables,
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

void hp_firefox_tables_done(struct hp_firefox_tables *tables) {
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

// The place of the frame in a row of the frame table.
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

// End a table of `count` rows.
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

void hp_firefox_put_tables(struct hp_sink *out, const struct hp_firefox_tables *tables) {
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
