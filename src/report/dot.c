// A call graph for Graphviz, as pprof and jeprof draw it:
//
//     digraph "heap profile" {
//     N1 [label="main\n0 B (0.0%)\nof 58.4 MiB (72.0%)", fontsize=9];
//     N2 [label="leaf\n58.4 MiB (72.0%)", fontsize=20];
//     N1 -> N2 [label=" 58.4 MiB", penwidth=4.6];
//     }
//
// A node shows its flat value, and "of" its cum value if that differs; the larger the
// values, the larger its letters and the redder its box.  Dotted edges replace paths over
// nodes that are not drawn, because less than 1/200 of the total passes through them or
// because of the limit.  Edges of less than 1/1000 are not drawn.  Boxes have the names
// that the rows of a table have, all distinct.
#include "base/utf8.h"
#include "report/callgraph.h"
#include "view/top.h"

#include <string.h>

enum {
    // Characters in a line of a name, after which it is broken at the next possible
    // place.
    LINE = 40,
};

// --- texts --------------------------------------------------------------------------------

// Write text inside a quoted string of the DOT language.
static void put_quoted(struct hp_sink *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') {
            hp_sink_print(out, "\\%c", text[i]);
        } else if (text[i] == '&') { // "&lt;" would otherwise be read as "<"
            hp_sink_text(out, "&amp;");
        } else {
            hp_sink_put(out, text + i, 1);
        }
    }
}

// Whether a name may be broken after a character: after ',', '/' and "::".
static bool may_break_after(struct hp_span text, size_t at) {
    char c = text.at[at];
    return c == ',' || c == '/' || (c == ':' && at > 0 && text.at[at - 1] == ':');
}

// Write a name, made safe, with line breaks where it is too long.
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

// --- nodes and edges ----------------------------------------------------------------------

// Write a node; its number is that of its row, from 1 on.
static void put_node(struct hp_sink *out, const struct hp_callgraph *graph,
                     size_t number) {
    const struct hp_view *view = graph->view;
    hp_node_id node = view->rows.at[number].node;
    hp_fixed flat = hp_top_flat(view->extra, node, graph->metric).sum;
    hp_fixed cum = hp_top_cum(view->extra, node, graph->metric).sum;
    hp_sink_print(out, "N%zu [label=\"", number + 1);
    put_name(out, hp_text_name(graph->names, node));
    hp_sink_text(out, "\\n");
    hp_callgraph_put_share(out, graph, flat);
    if (cum != flat) {
        hp_sink_text(out, "\\nof ");
        hp_callgraph_put_share(out, graph, cum);
    }
    hp_sink_print(out, "\", fontsize=%d, fillcolor=\"#%06x\"];\n",
                  9 + hp_callgraph_scale(graph, flat, 16),
                  hp_callgraph_color(graph, cum));
}

// Write an edge with its value, and the thickness of its line.
static void put_edge(struct hp_sink *out, const struct hp_callgraph *graph,
                     const struct hp_edge *edge) {
    int tenths = 10 + hp_callgraph_scale(graph, edge->value, 50);
    hp_sink_print(out, "N%u -> N%u [label=\" ",
                  (unsigned)graph->number_of[edge->caller.n],
                  (unsigned)graph->number_of[edge->callee.n]);
    hp_callgraph_put_value(out, graph, edge->value);
    hp_sink_print(out, "\", weight=%d, penwidth=%d.%d%s];\n",
                  1 + hp_callgraph_scale(graph, edge->value, 100), tenths / 10,
                  tenths % 10, edge->is_through ? ", style=dotted" : "");
}

// --- the graph ----------------------------------------------------------------------------

// Write the head of the graph as the label of the whole picture, lines to the left.
static void put_title(struct hp_sink *out, const struct hp_callgraph *graph) {
    char *head = hp_callgraph_head(graph);
    hp_sink_text(out, "label=\"");
    for (const char *line = head; *line != '\0';) {
        size_t size = strcspn(line, "\n");
        put_quoted(out, line, size);
        hp_sink_text(out, "\\l");
        line += size + (line[size] == '\n');
    }
    hp_sink_text(out, "\";\n");
    free(head);
}

static void write_dot(struct hp_sink *out, const struct hp_view *view) {
    struct hp_callgraph graph;
    hp_callgraph_init(&graph, view, SIZE_MAX);
    hp_sink_text(out,
                 "digraph \"heap profile\" {\n"
                 "labelloc=t; labeljust=l; charset=\"utf-8\";\n"
                 "node [shape=box, style=filled];\n"
                 "edge [fontsize=10];\n");
    put_title(out, &graph);
    for (size_t i = 0; i < graph.drawn; i++) {
        put_node(out, &graph, i);
    }
    const struct hp_edge *edge;
    hp_vec_each (edge, &view->edges.edges) {
        if (hp_callgraph_has(&graph, edge)) {
            put_edge(out, &graph, edge);
        }
    }
    hp_sink_text(out, "}\n");
    hp_callgraph_done(&graph);
}

const struct hp_format hp_format_dot = {
    .name = "dot",
    .files = "*.dot *.gv",
    .help = "a call graph for Graphviz",
    .can = HP_CAN_ONLY_GROW | HP_CAN_LIMIT | HP_CAN_UNIT | HP_HAS_SHORT_NAMES,
    .limit = 80, // Graphviz takes minutes for more nodes
    .shape = HP_SHAPE_GRAPH,
    .write = {[HP_REPORT_TOP] = write_dot,
              [HP_REPORT_PEEK] = write_dot,
              [HP_REPORT_STACKS] = write_dot,
              [HP_REPORT_MERGE] = write_dot},
};
