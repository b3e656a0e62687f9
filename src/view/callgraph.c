#include "view/callgraph.h"

struct row_key {
    uint32_t function, callee, line;
};

// When a function of level 1 was last met.
struct meeting {
    size_t stack; // its number and one
    uint32_t level;
};

struct builder {
    struct hp_callgraph *graph;
    const struct hp_stacks *stacks;
    struct hp_strtab functions, rows; // the bytes of all keys, to find them again
    HP_VEC(struct meeting) meetings;  // of each function
};

static uint32_t add_function(struct builder *b,
                             const struct hp_callgraph_function *function) {
    struct hp_span key = {(const char *)function, sizeof *function};
    uint32_t number = hp_strtab_add(&b->functions, key).n;
    if (number == b->graph->functions.count) {
        hp_vec_push(&b->graph->functions, *function);
        hp_vec_push(&b->meetings, (struct meeting){0});
    }
    return number;
}

// The function of a call, of the level it has in this stack.
static uint32_t meet(struct builder *b, const struct hp_place *place, uint32_t call,
                     size_t stack) {
    struct hp_callgraph_function function = {
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

static void add_costs(struct builder *b, struct row_key key,
                      const struct hp_callgraph_costs *costs) {
    struct hp_span bytes = {(const char *)&key, sizeof key};
    uint32_t number = hp_strtab_add(&b->rows, bytes).n - 1;
    if (number == b->graph->rows.count) {
        struct hp_callgraph_row row = {key.function, key.callee, key.line, {{0}, 0}};
        hp_vec_push(&b->graph->rows, row);
    }
    struct hp_callgraph_costs *sum = &b->graph->rows.at[number].costs;
    for (int i = 0; i < HP_METRICS; i++) {
        sum->of[i] += costs->of[i];
    }
    sum->calls += costs->calls;
}

// From the root, each function calls the next.
static void add_stack(struct builder *b, size_t number,
                      const struct hp_callgraph_costs *costs) {
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

static bool has_costs(const struct hp_callgraph_costs *costs) {
    bool any = false;
    for (int i = 0; i < HP_METRICS; i++) {
        any |= costs->of[i] != 0;
    }
    return any;
}

static int compare_rows(const void *left, const void *right) {
    const struct hp_callgraph_row *a = left, *b = right;
    if (a->function != b->function) {
        return a->function < b->function ? -1 : 1;
    }
    if (a->callee != b->callee) {
        return a->callee < b->callee ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

void hp_callgraph_init(struct hp_callgraph *graph, const struct hp_stacks *stacks,
                       const struct hp_callgraph_costs *costs) {
    *graph = (struct hp_callgraph){0};
    struct builder b = {.graph = graph, .stacks = stacks};
    hp_vec_push(&graph->functions, (struct hp_callgraph_function){0});
    hp_vec_push(&b.meetings, (struct meeting){0});
    for (size_t i = 0; i < stacks->all.count; i++) {
        if (has_costs(&costs[i])) {
            add_stack(&b, i, &costs[i]);
        }
    }
    if (graph->rows.count > 0) {
        qsort(graph->rows.at, graph->rows.count, sizeof *graph->rows.at, compare_rows);
    }
    hp_strtab_done(&b.functions);
    hp_strtab_done(&b.rows);
    hp_vec_done(&b.meetings);
}

void hp_callgraph_done(struct hp_callgraph *graph) {
    hp_vec_done(&graph->functions);
    hp_vec_done(&graph->rows);
}
