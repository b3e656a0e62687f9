// The graph of calls as jeprof writes it for Graphviz: nodes by what they hold with their
// callees, edges by their size, as long as both ends have few and the edge is not too small;
// each node keeps the first that leads to it.
#include "cli/jeprof/jeprof_reports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    size_t from, to; // nodes, from 1 on
    double value;
};

struct graph {
    const struct hp_jeprof_stacks *stacks;
    struct hp_jeprof_sums sums;
    double total, node_limit, edge_limit;
    size_t count;    // of nodes: the first of sums.order
    size_t *node_of; // of each row; 0: none
    struct edge *edges;
    struct hp_jeprof_set pairs; // as many as edges
    size_t *in, *out;           // edges of each node so far
};

static struct hp_jeprof_number number(const struct graph *graph, double value) {
    return hp_jeprof_number(graph->stacks->options, value);
}

static void find_nodes(struct graph *graph) {
    const struct hp_jeprof_options *options = graph->stacks->options;
    const struct hp_jeprof_sums *sums = &graph->sums;
    graph->node_limit = trunc(options->nodefraction * graph->total);
    graph->edge_limit = trunc(options->edgefraction * graph->total);
    graph->count = sums->count < options->nodecount ? sums->count : options->nodecount;
    while (graph->count > 0 &&
           fabs(sums->cum[sums->order[graph->count - 1]]) <= graph->node_limit) {
        graph->count--;
    }
    size_t rows = graph->stacks->rows.count + 1;
    graph->node_of = hp_cli_resize(NULL, rows * sizeof *graph->node_of);
    memset(graph->node_of, 0, rows * sizeof *graph->node_of);
    for (size_t i = 0; i < graph->count; i++) {
        graph->node_of[sums->order[i]] = i + 1;
    }
}

static void add_edge(struct graph *graph, size_t from, size_t to, double value) {
    size_t pair[2] = {from, to}, before = graph->pairs.count;
    size_t found = hp_jeprof_set_add(&graph->pairs, pair, sizeof pair);
    if (found == before) {
        graph->edges = hp_cli_grow(graph->edges, before, sizeof *graph->edges);
        graph->edges[before] = (struct edge){from, to, 0};
    }
    graph->edges[found].value += value;
}

static void find_edges(struct graph *graph) {
    const struct hp_jeprof_stacks *stacks = graph->stacks;
    for (size_t i = 0; i < stacks->keys.count; i++) {
        const struct hp_jeprof_stack *stack = &stacks->stacks[i];
        bool is_shown = hp_jeprof_stack_is_shown(stacks, stack);
        for (size_t k = 1; is_shown && k < stack->count; k++) {
            size_t from = graph->node_of[stacks->frames[stack->frames[k]].row];
            size_t to = graph->node_of[stacks->frames[stack->frames[k - 1]].row];
            if (from > 0 && to > 0) {
                add_edge(graph, from, to, stack->value);
            }
        }
    }
}

static int compare_edges(const void *left, const void *right) {
    const struct edge *a = left, *b = right;
    return a->value != b->value ? (a->value < b->value ? 1 : -1)
           : a->from != b->from ? (a->from < b->from ? -1 : 1)
                                : (a->to > b->to) - (a->to < b->to);
}

// --- writing ------------------------------------------------------------------------------

// Within quotation marks; spaces and "::" end a line of the label.
static void put_label(FILE *out, const char *name, bool breaks) {
    while (*name != '\0') {
        size_t spaces = strspn(name, " ");
        if (breaks && (spaces > 0 || strncmp(name, "::", 2) == 0)) {
            fputs("\\n", out);
            name += spaces > 0 ? spaces : 2;
            continue;
        }
        fprintf(out, "%s%c", *name == '"' || *name == '\\' ? "\\" : "", *name);
        name++;
    }
}

static void write_head(FILE *out, const struct graph *graph, const char *program) {
    const struct hp_jeprof_stacks *stacks = graph->stacks;
    const char *units = hp_jeprof_units(stacks->options);
    fputs("digraph \"", out);
    put_label(out, program, false);
    fprintf(out, "; %s %s\" {\n", number(graph, stacks->total).text, units);
    fputs(
        "node [width=0.375,height=0.25];\n"
        "Legend [shape=box,fontsize=24,shape=plaintext,label=\"",
        out);
    put_label(out, program, false);
    fprintf(out,
            "\\lTotal %s: %s\\lFocusing on: %s\\lDropped nodes with <= %s abs(%s)\\l"
            "Dropped edges with <= %s %s\\l\"];\n",
            units, number(graph, stacks->total).text, number(graph, graph->total).text,
            number(graph, graph->node_limit).text, units,
            number(graph, graph->edge_limit).text, units);
}

static void write_node(FILE *out, const struct graph *graph, size_t node) {
    const struct hp_jeprof_stacks *stacks = graph->stacks;
    size_t row = graph->sums.order[node - 1];
    double flat = graph->sums.flat[row], cum = graph->sums.cum[row];
    double size = graph->total > 0 ? 8 + 50 * sqrt(fabs(flat / graph->total)) : 8;
    bool shades = stacks->options->is_on[HP_JEPROF_HEAPCHECK];
    fprintf(out, "N%zu [label=\"", node);
    put_label(out, stacks->rows.items[row].at, true);
    fprintf(out, "\\n%s (%s)", number(graph, flat).text,
            hp_jeprof_share(flat, graph->total).text);
    if (flat != cum) {
        fprintf(out, "\\rof %s (%s)", number(graph, cum).text,
                hp_jeprof_share(cum, graph->total).text);
    }
    fprintf(out, "\\r\",shape=box,fontsize=%.1f%s];\n", size,
            shades && flat > 0   ? ",style=filled,fillcolor=gray"
            : shades && flat < 0 ? ",peripheries=3"
                                 : "");
}

static bool is_kept(const struct graph *graph, const struct edge *edge) {
    size_t most = graph->stacks->options->maxdegree;
    return graph->in[edge->to] == 0 ||
           (fabs(edge->value) > graph->edge_limit && graph->out[edge->from] < most &&
            graph->in[edge->to] < most);
}

static void write_edge(FILE *out, const struct graph *graph, const struct edge *edge) {
    size_t row = graph->sums.order[edge->to - 1];
    bool is_inlined = strstr(graph->stacks->rows.items[row].at, "(inline)") != NULL;
    double share = graph->total != 0 ? fabs(3 * (edge->value / graph->total)) : 0;
    double weight = pow(fabs(edge->value), 0.7);
    fprintf(out, "N%zu -> N%zu [label=%s, weight=%.0f, style=\"setlinewidth(%f)%s\"];\n",
            edge->from, edge->to, number(graph, edge->value).text,
            weight > 100000 ? 100000 : trunc(weight), (share > 1 ? 1 : share) * 2,
            is_inlined ? ",dashed" : "");
}

static void write_edges(FILE *out, struct graph *graph) {
    size_t size = (graph->count + 1) * sizeof(size_t);
    graph->in = hp_cli_resize(NULL, size);
    graph->out = hp_cli_resize(NULL, size);
    memset(graph->in, 0, size);
    memset(graph->out, 0, size);
    if (graph->pairs.count > 0) {
        qsort(graph->edges, graph->pairs.count, sizeof *graph->edges, compare_edges);
    }
    for (size_t i = 0; i < graph->pairs.count; i++) {
        const struct edge *edge = &graph->edges[i];
        if (is_kept(graph, edge)) {
            graph->out[edge->from]++;
            graph->in[edge->to]++;
            write_edge(out, graph, edge);
        }
    }
}

static void write_graph(FILE *out, struct graph *graph, const char *program) {
    const char *units = hp_jeprof_units(graph->stacks->options);
    if (graph->node_limit > 0 || graph->edge_limit > 0) {
        fprintf(stderr, "Dropping nodes with <= %s %s; edges with <= %s abs(%s)\n",
                number(graph, graph->node_limit).text, units,
                number(graph, graph->edge_limit).text, units);
    }
    write_head(out, graph, program);
    for (size_t i = 1; i <= graph->count; i++) {
        write_node(out, graph, i);
    }
    find_edges(graph);
    write_edges(out, graph);
    fputs("}\n", out);
}

bool hp_jeprof_write_dot(FILE *out, const struct hp_jeprof_stacks *stacks,
                         const char *program) {
    struct graph graph = {.stacks = stacks, .total = hp_jeprof_shown(stacks)};
    hp_jeprof_sums_init(&graph.sums, stacks, true, true);
    find_nodes(&graph);
    bool has_nodes = graph.count > 0;
    if (has_nodes) {
        write_graph(out, &graph, program);
    }
    hp_jeprof_sums_done(&graph.sums);
    hp_jeprof_set_done(&graph.pairs);
    free(graph.node_of);
    free(graph.edges);
    free(graph.in);
    free(graph.out);
    return has_nodes;
}
