// Write the graph of calls for Graphviz as jeprof does, or draw it.  Nodes are the rows
// with the largest cum.  Edges are added by size, as long as both ends have few edges and
// the edge is not too small; the largest edge into each node is always kept.
#include "cli/jeprof/jeprof.h"

#include "cli/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// All calls from one node to another, with the sum of their values.
struct edge {
    size_t from, to; // numbers of nodes, from 1 on
    double value;
};

// The graph; `stacks` is borrowed.
struct dot_graph {
    const struct hp_jeprof_stacks *stacks;
    struct hp_jeprof_sums sums;
    // Sum of the shown stacks, and the values up to which nodes and edges are dropped.
    double total, node_limit, edge_limit;
    size_t count;    // number of nodes: the first rows of sums.order
    size_t *node_of; // number of the node of each row; 0: none
    struct edge *edges;
    struct hp_jeprof_set pairs; // keys of edges: pairs of nodes
    size_t *in, *out;           // number of kept edges into and out of each node
    size_t edge_count;          // number of kept edges, which come first in `edges`
};

static struct hp_jeprof_number number(const struct dot_graph *graph, double value) {
    return hp_jeprof_number(graph->stacks->options, value);
}

// Select the nodes: the rows with the largest cum, at most `most` and at most
// options->nodecount, and only those whose cum is above node_limit.
static void find_nodes(struct dot_graph *graph, size_t most) {
    const struct hp_jeprof_options *options = graph->stacks->options;
    const struct hp_jeprof_sums *sums = &graph->sums;
    graph->node_limit = trunc(options->nodefraction * graph->total);
    graph->edge_limit = trunc(options->edgefraction * graph->total);
    most = most < options->nodecount ? most : options->nodecount;
    graph->count = sums->count < most ? sums->count : most;
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

// Add the value of one call to the edge between two nodes; add the edge if it is new.
static void add_edge(struct dot_graph *graph, size_t from, size_t to, double value) {
    size_t pair[2] = {from, to}, before = graph->pairs.count;
    size_t found = hp_jeprof_set_add(&graph->pairs, pair, sizeof pair);
    if (found == before) {
        graph->edges = hp_cli_grow(graph->edges, before, sizeof *graph->edges);
        graph->edges[before] = (struct edge){from, to, 0};
    }
    graph->edges[found].value += value;
}

// Find all edges: pairs of a caller and its callee, next to each other in a shown stack,
// that are both nodes.
static void find_edges(struct dot_graph *graph) {
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

// Order edges by value, the largest first.
static int compare_edges(const void *left, const void *right) {
    const struct edge *a = left, *b = right;
    return a->value != b->value ? (a->value < b->value ? 1 : -1)
           : a->from != b->from ? (a->from < b->from ? -1 : 1)
                                : (a->to > b->to) - (a->to < b->to);
}

// Whether to keep an edge, after all larger ones were kept or not: it is the first into
// its node, or it is above edge_limit and both of its nodes have fewer edges than
// --maxdegree.
static bool is_kept(const struct dot_graph *graph, const struct edge *edge) {
    size_t most = graph->stacks->options->maxdegree;
    return graph->in[edge->to] == 0 ||
           (fabs(edge->value) > graph->edge_limit && graph->out[edge->from] < most &&
            graph->in[edge->to] < most);
}

// Sort the edges by size and keep those that is_kept() selects.
static void keep_edges(struct dot_graph *graph) {
    size_t size = (graph->count + 1) * sizeof(size_t);
    graph->in = hp_cli_resize(NULL, size);
    graph->out = hp_cli_resize(NULL, size);
    memset(graph->in, 0, size);
    memset(graph->out, 0, size);
    if (graph->pairs.count > 0) {
        qsort(graph->edges, graph->pairs.count, sizeof *graph->edges, compare_edges);
    }
    for (size_t i = 0; i < graph->pairs.count; i++) {
        struct edge edge = graph->edges[i];
        if (is_kept(graph, &edge)) {
            graph->out[edge.from]++;
            graph->in[edge.to]++;
            graph->edges[graph->edge_count++] = edge;
        }
    }
}

// Build the graph.  Prints the limits to standard error if there are any.
static void graph_init(struct dot_graph *graph, const struct hp_jeprof_stacks *stacks,
                       size_t most) {
    const char *units = hp_jeprof_units(stacks->options);
    *graph = (struct dot_graph){.stacks = stacks, .total = hp_jeprof_shown(stacks)};
    hp_jeprof_sums_init(&graph->sums, stacks, true, true);
    find_nodes(graph, most);
    if (graph->count > 0 && (graph->node_limit > 0 || graph->edge_limit > 0)) {
        fprintf(stderr, "Dropping nodes with <= %s %s; edges with <= %s abs(%s)\n",
                number(graph, graph->node_limit).text, units,
                number(graph, graph->edge_limit).text, units);
    }
    find_edges(graph);
    keep_edges(graph);
}

static void graph_done(struct dot_graph *graph) {
    hp_jeprof_sums_done(&graph->sums);
    hp_jeprof_set_done(&graph->pairs);
    free(graph->node_of);
    free(graph->edges);
    free(graph->in);
    free(graph->out);
}

// Name of a node, safe for a terminal.
static const char *name_of(const struct dot_graph *graph, size_t node) {
    return graph->stacks->rows.items[graph->sums.order[node - 1]].at;
}

// --- writing ---------------------------------------------------------------------------

// Write a name so that it can be within quotation marks; if `breaks` is set, spaces and
// "::" become line breaks of the label.
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

// Write the beginning of the file with the legend.
static void write_head(FILE *out, const struct dot_graph *graph, const char *program) {
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

// Write a node; the font size grows with its flat value.
static void write_node(FILE *out, const struct dot_graph *graph, size_t node) {
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

// Write an edge; its line is dashed if the callee is inlined.
static void write_edge(FILE *out, const struct dot_graph *graph,
                       const struct edge *edge) {
    bool is_inlined = strstr(name_of(graph, edge->to), "(inline)") != NULL;
    double share = graph->total != 0 ? fabs(3 * (edge->value / graph->total)) : 0;
    double weight = pow(fabs(edge->value), 0.7);
    fprintf(out, "N%zu -> N%zu [label=%s, weight=%.0f, style=\"setlinewidth(%f)%s\"];\n",
            edge->from, edge->to, number(graph, edge->value).text,
            weight > 100000 ? 100000 : trunc(weight), (share > 1 ? 1 : share) * 2,
            is_inlined ? ",dashed" : "");
}

bool hp_jeprof_write_dot(FILE *out, const struct hp_jeprof_stacks *stacks,
                         const char *program) {
    struct dot_graph graph;
    graph_init(&graph, stacks, SIZE_MAX);
    bool has_nodes = graph.count > 0;
    if (has_nodes) {
        write_head(out, &graph, program);
    }
    for (size_t i = 1; i <= graph.count; i++) {
        write_node(out, &graph, i);
    }
    for (size_t i = 0; i < graph.edge_count; i++) {
        write_edge(out, &graph, &graph.edges[i]);
    }
    fputs(has_nodes ? "}\n" : "", out);
    graph_done(&graph);
    return has_nodes;
}

// --- pictures --------------------------------------------------------------------------

// A text under construction; the caller frees the result of end_text().
struct text {
    FILE *out;
    char *at;
    size_t size;
};

static FILE *begin_text(struct text *text) {
    *text = (struct text){0};
    text->out = open_memstream(&text->at, &text->size);
    if (text->out == NULL) {
        hp_cli_out_of_memory(0, NULL);
    }
    return text->out;
}

static char *end_text(struct text *text) {
    if (fclose(text->out) != 0) {
        hp_cli_out_of_memory(0, NULL);
    }
    return text->at;
}

// The text in the corner of a picture; the caller frees it.
static char *legend_of(const struct dot_graph *graph, const char *program) {
    const struct hp_jeprof_stacks *stacks = graph->stacks;
    const char *units = hp_jeprof_units(stacks->options);
    struct text text;
    FILE *out = begin_text(&text);
    fprintf(out, "%s\nTotal %s: %s\nFocusing on: %s\n", program, units,
            number(graph, stacks->total).text, number(graph, graph->total).text);
    fprintf(out, "Dropped nodes with <= %s abs(%s)\nDropped edges with <= %s %s\n",
            number(graph, graph->node_limit).text, units,
            number(graph, graph->edge_limit).text, units);
    return end_text(&text);
}

// Return the text with flat and cum in a node; the caller frees it.
static char *node_text(const struct dot_graph *graph, double flat, double cum) {
    struct text text;
    FILE *out = begin_text(&text);
    fprintf(out, "%s (%s)", number(graph, flat).text,
            hp_jeprof_share(flat, graph->total).text);
    if (flat != cum) {
        fprintf(out, "\nof %s (%s)", number(graph, cum).text,
                hp_jeprof_share(cum, graph->total).text);
    }
    return end_text(&text);
}

// The tooltip of a node; the caller frees it.
static char *node_title(const char *name, const char *numbers) {
    struct text text;
    FILE *out = begin_text(&text);
    fprintf(out, "%s\n%s", name, numbers);
    return end_text(&text);
}

// The tooltip of an edge; the caller frees it.
static char *edge_title(const struct dot_graph *graph, const struct edge *edge) {
    struct text text;
    FILE *out = begin_text(&text);
    fprintf(out, "%s\ncalls\n%s\n%s %s", name_of(graph, edge->from),
            name_of(graph, edge->to), number(graph, edge->value).text,
            hp_jeprof_units(graph->stacks->options));
    return end_text(&text);
}

// A node of the picture; the caller frees its text and title.
static struct hp_graph_node node_of(const struct dot_graph *graph, size_t node) {
    size_t row = graph->sums.order[node - 1];
    double flat = graph->sums.flat[row], cum = graph->sums.cum[row];
    bool shades = graph->stacks->options->is_on[HP_JEPROF_HEAPCHECK];
    char *text = node_text(graph, flat, cum);
    return (struct hp_graph_node){
        .name = name_of(graph, node),
        .text = text,
        .title = node_title(name_of(graph, node), text),
        .letters = graph->total > 0 ? 8 + 50 * sqrt(fabs(flat / graph->total)) : 8,
        .border = shades && flat < 0 ? 3 : .7,
        .fill = shades && flat > 0 ? 0xc0c0c0 : 0xffffff,
    };
}

// An edge of the picture; the caller frees its text and title.
static struct hp_graph_edge edge_of(const struct dot_graph *graph,
                                    const struct edge *edge) {
    double share = graph->total != 0 ? fabs(3 * (edge->value / graph->total)) : 0;
    return (struct hp_graph_edge){
        .from = edge->from - 1,
        .to = edge->to - 1,
        .text = strdup(number(graph, edge->value).text),
        .title = edge_title(graph, edge),
        .weight = fabs(edge->value),
        .width = .5 + (share > 1 ? 1 : share) * 2,
        .is_dashed = strstr(name_of(graph, edge->to), "(inline)") != NULL,
    };
}

// A hp_write_fn that writes to a FILE.
static int write_bytes(void *out, const void *bytes, size_t size) {
    return fwrite(bytes, 1, size, out) == size ? 0 : EIO;
}

// Draw the graph with the library.
static int draw(FILE *out, const struct dot_graph *graph, const char *program,
                const char *format, struct hp_err *err) {
    struct hp_graph_node *nodes = hp_cli_resize(NULL, (graph->count + 1) * sizeof *nodes);
    struct hp_graph_edge *edges =
        hp_cli_resize(NULL, (graph->edge_count + 1) * sizeof *edges);
    char *legend = legend_of(graph, program);
    struct hp_graph drawn = {.title = legend,
                             .legend = legend,
                             .nodes = nodes,
                             .node_count = graph->count,
                             .edges = edges,
                             .edge_count = graph->edge_count};
    for (size_t i = 0; i < graph->count; i++) {
        nodes[i] = node_of(graph, i + 1);
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        edges[i] = edge_of(graph, &graph->edges[i]);
    }
    int ret = hp_graph_write(&drawn, format, write_bytes, out, err);
    for (size_t i = 0; i < graph->count; i++) {
        free((void *)(uintptr_t)nodes[i].text);
        free((void *)(uintptr_t)nodes[i].title);
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        free((void *)(uintptr_t)edges[i].text);
        free((void *)(uintptr_t)edges[i].title);
    }
    free(nodes);
    free(edges);
    free(legend);
    return ret;
}

int hp_jeprof_draw(FILE *out, const struct hp_jeprof_stacks *stacks, const char *program,
                   const char *format, struct hp_err *err) {
    struct dot_graph graph;
    graph_init(&graph, stacks, HP_GRAPH_NODES);
    if (graph.count == HP_GRAPH_NODES && graph.sums.count > HP_GRAPH_NODES) {
        hp_cli_message(HP_MESSAGE("jeprof-nodes-cut",
                                  "only the %d largest nodes are drawn"),
                       HP_GRAPH_NODES);
    }
    int ret = graph.count > 0 ? draw(out, &graph, program, format, err) : HP_E_EMPTY;
    graph_done(&graph);
    return ret;
}
