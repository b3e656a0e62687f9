// A call graph for Graphviz, as pprof and jeprof draw it:
//
//     digraph "heap profile" {
//     N1 [label="main\n0 B (0.0%)\nof 58.4 MiB (72.0%)", fontsize=9];
//     N2 [label="leaf\n58.4 MiB (72.0%)", fontsize=20];
//     N1 -> N2 [label=" 58.4 MiB", penwidth=4.6];
//     }
//
// A node has what it holds itself, and of how much with all that it calls; the more, the larger
// its letters and the redder its box.  Dotted edges lead over nodes that are left out because
// less than 1/200 of all passes them, or because of the limit.  Edges of less than 1/1000
// are left out too.
#include "base/utf8.h"
#include "report/format.h"
#include "report/text/text.h"
#include "view/top.h"

enum {
    LEAST_EDGE = 1000, // 1/1000 of what filters leave
    LINE = 40,         // a name is broken where it may be, after so many characters
};

struct writer {
    struct hp_sink *out;
    const struct hp_view *view;
    enum hp_metric metric;
    hp_fixed total, filtered;
    uint32_t *number_of; // of each node: its place among the rows, and one; 0: not shown
};

// --- texts --------------------------------------------------------------------------------

static void put_quoted(struct hp_sink *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') {
            hp_sink_print(out, "\\%c", text[i]);
        } else if (text[i] == '&') { // else "&lt;" would be "<"
            hp_sink_text(out, "&amp;");
        } else {
            hp_sink_put(out, text + i, 1);
        }
    }
}

static bool may_break_after(struct hp_span text, size_t at) {
    char c = text.at[at];
    return c == ',' || c == '/' || (c == ':' && at > 0 && text.at[at - 1] == ':');
}

// In lines that are not too long.
static void put_name(struct hp_sink *out, struct hp_span name) {
    for (size_t at = 0, line = 0; at < name.size; line++) {
        char escaped[HP_ESCAPE_MAX];
        size_t written;
        struct hp_span rest = hp_span_from(name, at);
        size_t size = hp_utf8_first(rest).size;
        hp_escape(rest.at, size, escaped, sizeof escaped, &written);
        put_quoted(out, escaped, written);
        if (line >= LINE && may_break_after(name, at)) {
            hp_sink_text(out, "\\n");
            line = 0;
        }
        at += size;
    }
}

static void put_value(const struct writer *w, hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, w->metric, w->view->options.unit);
    hp_sink_text(w->out, text);
}

static void put_share(const struct writer *w, hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, value, w->total);
    put_value(w, value);
    hp_sink_print(w->out, " (%s)", text);
}

// --- nodes and edges ----------------------------------------------------------------------

// From 0 to `most`.
static int scale(const struct writer *w, hp_fixed value, int most) {
    return w->filtered > 0 ? (int)(value * most / w->filtered) : 0;
}

static void put_node(const struct writer *w, size_t number) {
    hp_node_id node = w->view->rows.at[number].node;
    hp_fixed flat = hp_top_flat(w->view->extra, node, w->metric).sum;
    hp_fixed cum = hp_top_cum(w->view->extra, node, w->metric).sum;
    int tint = 0xf8 - scale(w, cum, 0x70);
    hp_sink_print(w->out, "N%zu [label=\"", number + 1);
    put_name(w->out, hp_view_node(w->view, node));
    hp_sink_text(w->out, "\\n");
    put_share(w, flat);
    if (cum != flat) {
        hp_sink_text(w->out, "\\nof ");
        put_share(w, cum);
    }
    hp_sink_print(w->out, "\", fontsize=%d, fillcolor=\"#f8%02x%02x\"];\n",
                  9 + scale(w, flat, 16), (unsigned)tint, (unsigned)tint);
}

static void put_edge(const struct writer *w, const struct hp_edge *edge) {
    int tenths = 10 + scale(w, edge->value, 50);
    hp_sink_print(w->out, "N%u -> N%u [label=\" ", (unsigned)w->number_of[edge->caller.n],
                  (unsigned)w->number_of[edge->callee.n]);
    put_value(w, edge->value);
    hp_sink_print(w->out, "\", weight=%d, penwidth=%d.%d%s];\n",
                  1 + scale(w, edge->value, 100), tenths / 10, tenths % 10,
                  edge->is_through ? ", style=dotted" : "");
}

static bool is_large(const struct writer *w, const struct hp_edge *edge) {
    return edge->value > 0 && edge->value * LEAST_EDGE >= w->filtered;
}

// --- the graph ----------------------------------------------------------------------------

static void put_title(const struct writer *w) {
    static const char *const metrics[HP_METRICS] = {
        [HP_INUSE_SPACE] = "in use",
        [HP_INUSE_OBJECTS] = "objects in use",
        [HP_ALLOC_SPACE] = "allocated",
        [HP_ALLOC_OBJECTS] = "objects allocated",
    };
    const struct hp_view *view = w->view;
    size_t rows = view->rows.count, edges = view->edges.edges.count, small = 0;
    hp_fixed flat = 0;
    for (size_t i = view->drawn; i < rows; i++) {
        flat += hp_top_flat(view->extra, view->rows.at[i].node, w->metric).sum;
    }
    for (size_t i = 0; i < edges; i++) {
        small += !is_large(w, &view->edges.edges.at[i]);
    }
    hp_sink_text(w->out, "label=\"");
    put_name(w->out, hp_span_of(view->projection ? view->type_name : metrics[w->metric]));
    hp_sink_text(w->out, ": ");
    put_value(w, w->total);
    if (view->head.thread.size > 0) {
        hp_sink_text(w->out, " of thread ");
        put_name(w->out, view->head.thread);
    }
    if (w->filtered != w->total) {
        hp_sink_text(w->out, ", of which filters leave ");
        put_share(w, w->filtered);
    }
    hp_sink_print(w->out, "\\l%zu of %zu nodes; the other %zu hold ", view->drawn, rows,
                  rows - view->drawn);
    put_share(w, flat);
    hp_sink_print(w->out, " themselves\\l%zu of %zu edges\\l\";\n", edges - small, edges);
}

static void put_graph(const struct writer *w) {
    hp_sink_text(w->out,
                 "digraph \"heap profile\" {\n"
                 "labelloc=t; labeljust=l; charset=\"utf-8\";\n"
                 "node [shape=box, style=filled];\n"
                 "edge [fontsize=10];\n");
    put_title(w);
    for (size_t i = 0; i < w->view->drawn; i++) {
        put_node(w, i);
    }
    const struct hp_edge *edge;
    hp_vec_each (edge, &w->view->edges.edges) {
        if (is_large(w, edge)) {
            put_edge(w, edge);
        }
    }
    hp_sink_text(w->out, "}\n");
}

static void write_dot(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    size_t nodes = view->naming.names.strings.count;
    struct writer w = {
        .out = out,
        .view = view,
        .metric = metric,
        .total = view->head.total.of[metric],
        .filtered = view->head.filtered.of[metric],
        .number_of = hp_alloc(nodes * sizeof *w.number_of),
    };
    for (size_t i = 0; i < view->drawn; i++) {
        w.number_of[view->rows.at[i].node.n] = (uint32_t)i + 1;
    }
    put_graph(&w);
    free(w.number_of);
}

const struct hp_format hp_format_dot = {
    .name = "dot",
    .files = "*.dot *.gv",
    .help = "a call graph for Graphviz",
    .can = HP_CAN_LIMIT | HP_CAN_UNIT | HP_HAS_SHORT_NAMES,
    .limit = 80, // more take Graphviz minutes
    .shape = HP_SHAPE_GRAPH,
    .write = {[HP_REPORT_TOP] = write_dot,
              [HP_REPORT_STACKS] = write_dot,
              [HP_REPORT_MERGE] = write_dot},
};
