// The call graph as a picture: the nodes and edges of dot.c in our own layout.  The
// larger the flat value of a function, the larger its letters; the larger its cum value,
// the redder its box; the more passes through an edge, the thicker its line.  A function
// that was asked for has a thick border.
#include "report/callgraph.h"

#include "draw/graph.h"
#include "report/text/text.h"
#include "view/top.h"

enum {
    LEAST_EDGE = 1000, // edges of less than 1/1000 of the filtered total are not drawn
    // Weight in the layout of an edge with the whole filtered total.
    WEIGHTS = 1000000,
};

// --- what dot.c has, too ------------------------------------------------------------------

void hp_callgraph_init(struct hp_callgraph *graph, const struct hp_view *view,
                       size_t most) {
    enum hp_metric metric = view->options.metric;
    size_t nodes = hp_node_count(&view->naming);
    *graph = (struct hp_callgraph){
        .view = view,
        .metric = metric,
        .total = view->head.total.of[metric],
        .filtered = view->head.filtered.of[metric],
        .drawn = view->drawn < most ? view->drawn : most,
        .number_of = hp_alloc(nodes * sizeof *graph->number_of),
        .names = hp_text_names_new(view),
    };
    for (size_t i = 0; i < graph->drawn; i++) {
        graph->number_of[view->rows.at[i].node.n] = (uint32_t)i + 1;
        hp_text_names_add(graph->names, view->rows.at[i].node, 0);
    }
    hp_text_names_make_distinct(graph->names);
}

void hp_callgraph_done(struct hp_callgraph *graph) {
    hp_text_names_free(graph->names);
    free(graph->number_of);
}

bool hp_callgraph_has(const struct hp_callgraph *graph, const struct hp_edge *edge) {
    return edge->value > 0 && edge->value * LEAST_EDGE >= graph->filtered &&
           graph->number_of[edge->caller.n] > 0 && graph->number_of[edge->callee.n] > 0;
}

int hp_callgraph_scale(const struct hp_callgraph *graph, hp_fixed value, int most) {
    return graph->filtered > 0 ? (int)(value * most / graph->filtered) : 0;
}

unsigned hp_callgraph_color(const struct hp_callgraph *graph, hp_fixed cum) {
    unsigned tint = (unsigned)(0xf8 - hp_callgraph_scale(graph, cum, 0x70));
    return 0xf80000U | tint << 8 | tint;
}

void hp_callgraph_put_value(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, graph->metric, graph->view->options.unit);
    hp_sink_text(out, text);
}

void hp_callgraph_put_share(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, value, graph->total);
    hp_callgraph_put_value(out, graph, value);
    hp_sink_print(out, " (%s)", text);
}

// --- texts --------------------------------------------------------------------------------

// Close the sink and return its text as a C string, which the caller frees.
static char *end_text(struct hp_sink *out, struct hp_buffer *text) {
    struct hp_err err;
    int ret = hp_sink_close(out, &err);
    // Cannot fail: the sink writes to memory.
    text->text.count = ret == HP_OK ? text->text.count : 0;
    hp_vec_push(&text->text, '\0');
    return text->text.at;
}

// The last pattern that selects the functions which the graph is about; NULL: it is about
// all functions.
static const char *find_pattern(const struct hp_view *view) {
    const char *pattern = NULL;
    for (size_t i = 0; i < view->filters.count && view->filters.focuses_picks; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        pattern = filter->rule == HP_PICK ? filter->pattern : pattern;
    }
    return pattern;
}

// Write the first line of the head: the metric, the total, and what filters leave of it.
static void put_measured(struct hp_sink *out, const struct hp_callgraph *graph) {
    static const char *const metrics[HP_METRICS] = {
        [HP_INUSE_SPACE] = "in use",
        [HP_INUSE_OBJECTS] = "objects in use",
        [HP_ALLOC_SPACE] = "allocated",
        [HP_ALLOC_OBJECTS] = "objects allocated",
    };
    const struct hp_view *view = graph->view;
    const char *pattern = find_pattern(view);
    const char *what = view->projection ? view->type_name : metrics[graph->metric];
    hp_sink_escaped(out, hp_span_of(what));
    hp_sink_text(out, ": ");
    hp_callgraph_put_value(out, graph, graph->total);
    if (view->head.thread.size > 0) {
        hp_sink_text(out, " of thread ");
        hp_sink_escaped(out, view->head.thread);
    }
    if (view->head.older_than > 0) {
        char age[HP_NUMBER_SIZE];
        hp_format_double(age, (double)view->head.older_than / 1e9);
        hp_sink_print(out, HP_MESSAGE("graph-older-than", ", %s s old or older"), age);
    }
    if (pattern) {
        hp_sink_text(out, ", of which stacks with ");
        hp_sink_escaped(out, hp_span_of(pattern));
        hp_sink_text(out, " hold ");
        hp_callgraph_put_share(out, graph, graph->filtered);
    } else if (graph->filtered != graph->total) {
        hp_sink_text(out, ", of which filters leave ");
        hp_callgraph_put_share(out, graph, graph->filtered);
    }
}

char *hp_callgraph_head(const struct hp_callgraph *graph) {
    const struct hp_view *view = graph->view;
    size_t rows = view->rows.count, edges = view->edges.edges.count, small = 0;
    struct hp_sink out;
    struct hp_buffer text = {0};
    hp_fixed flat = 0;
    for (size_t i = graph->drawn; i < rows; i++) {
        flat += hp_top_flat(view->extra, view->rows.at[i].node, graph->metric).sum;
    }
    for (size_t i = 0; i < edges; i++) {
        small += !hp_callgraph_has(graph, &view->edges.edges.at[i]);
    }
    hp_sink_init(&out, hp_buffer_write, &text);
    put_measured(&out, graph);
    hp_sink_print(
        &out, HP_MESSAGE("graph-nodes-left", "\n%zu of %zu nodes; the other %zu hold "),
        graph->drawn, rows, rows - graph->drawn);
    hp_callgraph_put_share(&out, graph, flat);
    hp_sink_print(&out, HP_MESSAGE("graph-edges-left", " themselves\n%zu of %zu edges\n"),
                  edges - small, edges);
    return end_text(&out, &text);
}

// --- nodes and edges ----------------------------------------------------------------------

// A copy of a name as a C string, which the caller frees.
static char *copy_name(struct hp_span name) {
    return hp_printed("%.*s", (int)name.size, name.at);
}

// The text in a box below the name: "58.4 MiB (72.0%)", and "of 70.1 MiB (86.4%)" if cum
// differs from flat.  The caller frees the text.
static char *node_text(const struct hp_callgraph *graph, hp_fixed flat, hp_fixed cum) {
    struct hp_sink out;
    struct hp_buffer text = {0};
    hp_sink_init(&out, hp_buffer_write, &text);
    hp_callgraph_put_share(&out, graph, flat);
    if (cum != flat) {
        hp_sink_text(&out, "\nof ");
        hp_callgraph_put_share(&out, graph, cum);
    }
    return end_text(&out, &text);
}

// Write an estimate with its error and its share: "58.4 MiB ± 4.1 MiB (72.0%)".
static void put_estimate(struct hp_sink *out, const struct hp_callgraph *graph,
                         const struct hp_amount *amount) {
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    hp_text_row_estimate(&text, graph->view, amount);
    hp_text_share(share, amount->sum, graph->total);
    hp_sink_text(out, text.value);
    hp_text_put_interval(out, &text);
    hp_sink_print(out, " (%s)", share);
}

// The tooltip of a node: full name and both estimates.  The caller frees the text.
static char *node_title(const struct hp_callgraph *graph, hp_node_id node) {
    struct hp_amount flat = hp_top_flat(graph->view->extra, node, graph->metric);
    struct hp_amount cum = hp_top_cum(graph->view->extra, node, graph->metric);
    struct hp_sink out;
    struct hp_buffer text = {0};
    hp_sink_init(&out, hp_buffer_write, &text);
    hp_sink_escaped(&out, hp_node_full_name(&graph->view->naming, node));
    hp_sink_text(&out, "\nflat ");
    put_estimate(&out, graph, &flat);
    hp_sink_text(&out, "\ncum ");
    put_estimate(&out, graph, &cum);
    return end_text(&out, &text);
}

// The tooltip of an edge: caller, callee and value.  The caller frees the text.
static char *edge_title(const struct hp_callgraph *graph, const struct hp_edge *edge) {
    const struct hp_naming *naming = &graph->view->naming;
    struct hp_sink out;
    struct hp_buffer text = {0};
    hp_sink_init(&out, hp_buffer_write, &text);
    hp_sink_escaped(&out, hp_node_full_name(naming, edge->caller));
    hp_sink_text(&out, edge->is_through ? "\ncalls, by way of what is not shown,\n"
                                        : "\ncalls\n");
    hp_sink_escaped(&out, hp_node_full_name(naming, edge->callee));
    hp_sink_text(&out, "\n");
    hp_callgraph_put_share(&out, graph, edge->value);
    return end_text(&out, &text);
}

// The label of an edge: its value.  The caller frees the text.
static char *edge_text(const struct hp_callgraph *graph, const struct hp_edge *edge) {
    struct hp_sink out;
    struct hp_buffer text = {0};
    hp_sink_init(&out, hp_buffer_write, &text);
    hp_callgraph_put_value(&out, graph, edge->value);
    return end_text(&out, &text);
}

// --- the picture --------------------------------------------------------------------------

// The graph as hp_graph_draw() takes it, and the texts that it borrows.
struct graph_picture {
    struct hp_callgraph graph;
    struct hp_graph drawn;
    HP_VEC(struct hp_graph_node) nodes;
    HP_VEC(struct hp_graph_edge) edges;
    HP_VEC(char *) texts; // all texts of nodes and edges; owned
    bool *is_picked;      // for each node: whether a pattern of the report selects it
};

// Take ownership of a text until the picture is drawn, and return it.
static const char *keep(struct graph_picture *p, char *text) {
    hp_vec_push(&p->texts, text);
    return text;
}

// Find the nodes that the patterns of the report select (is_picked).
static void find_picked(struct graph_picture *p) {
    const struct hp_view *view = p->graph.view;
    const struct hp_call *call;
    p->is_picked = hp_alloc(hp_node_count(&view->naming));
    hp_vec_each (call, &view->naming.calls) {
        p->is_picked[call->node.n] |= (call->marks & hp_mark_of(HP_PICK)) != 0;
    }
}

// The size of a node's letters in points, from 8 for no flat value to 24 for the whole
// filtered total.  It grows with the square root, computed on integers, which are the
// same on every machine.
static double letters_of(const struct hp_callgraph *graph, hp_fixed flat) {
    enum {
        LEAST = 80,
        MOST = 160
    };

    int part = hp_callgraph_scale(graph, flat > 0 ? flat : 0, MOST * MOST), root = 0;
    while ((root + 1) * (root + 1) <= part) {
        root++;
    }
    return (LEAST + root) / 10.;
}

static void add_node(struct graph_picture *p, size_t row) {
    const struct hp_callgraph *graph = &p->graph;
    hp_node_id node = graph->view->rows.at[row].node;
    hp_fixed flat = hp_top_flat(graph->view->extra, node, graph->metric).sum;
    hp_fixed cum = hp_top_cum(graph->view->extra, node, graph->metric).sum;
    struct hp_graph_node drawn = {
        .name = keep(p, copy_name(hp_text_name(graph->names, node))),
        .text = keep(p, node_text(graph, flat, cum)),
        .title = keep(p, node_title(graph, node)),
        .letters = letters_of(graph, flat),
        .border = p->is_picked[node.n] ? 2.5 : .6,
        .fill = hp_callgraph_color(graph, cum),
    };
    hp_vec_push(&p->nodes, drawn);
}

static void add_edge(struct graph_picture *p, const struct hp_edge *edge) {
    const struct hp_callgraph *graph = &p->graph;
    struct hp_graph_edge drawn = {
        .from = graph->number_of[edge->caller.n] - 1,
        .to = graph->number_of[edge->callee.n] - 1,
        .text = keep(p, edge_text(graph, edge)),
        .title = keep(p, edge_title(graph, edge)),
        .weight = 1 + hp_callgraph_scale(graph, edge->value, WEIGHTS),
        .width = .6 + hp_callgraph_scale(graph, edge->value, 30) / 10.,
        .is_dashed = edge->is_through,
    };
    hp_vec_push(&p->edges, drawn);
}

// Set p->drawn: add the edges, the title and the legend to the nodes.
static void describe(struct graph_picture *p) {
    const struct hp_edge *edge;
    const char *dashes = "";
    hp_vec_each (edge, &p->graph.view->edges.edges) {
        if (hp_callgraph_has(&p->graph, edge)) {
            add_edge(p, edge);
            dashes =
                edge->is_through
                    ? hp_words(HP_WORDS("graph-dashed",
                                        "dashed: by way of calls that are not shown"))
                    : dashes;
        }
    }
    const char *head = keep(p, hp_callgraph_head(&p->graph));
    p->drawn = (struct hp_graph){
        .title = head,
        .legend = keep(p, hp_printed("%s%s", head, dashes)),
        .nodes = p->nodes.at,
        .node_count = p->nodes.count,
        .edges = p->edges.at,
        .edge_count = p->edges.count,
    };
}

void hp_callgraph_draw(struct hp_drawing *drawing, const struct hp_view *view) {
    struct graph_picture p = {0};
    hp_callgraph_init(&p.graph, view, HP_GRAPH_NODES);
    find_picked(&p);
    for (size_t i = 0; i < p.graph.drawn; i++) {
        add_node(&p, i);
    }
    describe(&p);
    hp_graph_draw(drawing, &p.drawn);
    char **text;
    hp_vec_each (text, &p.texts) {
        free(*text);
    }
    hp_vec_done(&p.texts);
    hp_vec_done(&p.nodes);
    hp_vec_done(&p.edges);
    free(p.is_picked);
    hp_callgraph_done(&p.graph);
}
