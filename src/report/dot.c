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
#include "report/report.h"
#include "report/text/text.h"
#include "view/chosen.h"
#include "view/edges.h"
#include "view/table.h"

#include "base/utf8.h"

enum {
    LEAST_NODE = 200, // 1/200 of what filters leave
    LEAST_EDGE = 1000,
    LINE = 40, // a name is broken where it may be, after so many characters
};

struct writer {
    struct hp_sink *out;
    const struct hp_report_options *options;
    struct hp_table table; // by cum
    size_t row_count;      // that are shown
    uint32_t *number_of;   // of each node: its place in the table, and one; 0: not shown
    struct hp_edges edges;
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
    hp_text_format(text, value, w->options->metric, w->options->unit);
    hp_sink_text(w->out, text);
}

static void put_share(const struct writer *w, hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, value, w->table.total);
    put_value(w, value);
    hp_sink_print(w->out, " (%s)", text);
}

// --- nodes and edges ----------------------------------------------------------------------

// From 0 to `most`.
static int scale(const struct writer *w, hp_fixed value, int most) {
    return w->table.left > 0 ? (int)(value * most / w->table.left) : 0;
}

static void put_node(const struct writer *w, size_t number) {
    const struct hp_row *row = &w->table.rows.at[number];
    int tint = 0xf8 - scale(w, row->cum, 0x70);
    hp_sink_print(w->out, "N%zu [label=\"", number + 1);
    put_name(w->out, hp_node_name(&w->table.naming, row->node));
    hp_sink_text(w->out, "\\n");
    put_share(w, row->flat);
    if (row->cum != row->flat) {
        hp_sink_text(w->out, "\\nof ");
        put_share(w, row->cum);
    }
    hp_sink_print(w->out, "\", fontsize=%d, fillcolor=\"#f8%02x%02x\"];\n",
                  9 + scale(w, row->flat, 16), (unsigned)tint, (unsigned)tint);
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
    return edge->value > 0 && edge->value * LEAST_EDGE >= w->table.left;
}

// --- the graph ----------------------------------------------------------------------------

static void choose_rows(struct writer *w) {
    const struct hp_table *table = &w->table;
    size_t most = hp_chosen_rows(w->options, table->rows.count);
    w->number_of = hp_alloc(table->naming.names.strings.count * sizeof *w->number_of);
    for (size_t i = 0; i < most; i++) {
        const struct hp_row *row = &table->rows.at[i];
        if (row->cum > 0 && row->cum * LEAST_NODE >= table->left) {
            w->number_of[row->node.n] = (uint32_t)++w->row_count;
        }
    }
}

// Nodes of both namings are the same, which the same profile and options have made.
static void find_edges(struct writer *w, const struct hp_profile *profile) {
    struct hp_traces traces;
    hp_traces_init(&traces, profile, w->options);
    size_t nodes = traces.naming.names.strings.count;
    bool *is_shown = hp_alloc(nodes * sizeof *is_shown);
    for (size_t i = 0; i < nodes; i++) {
        is_shown[i] = w->number_of[i] > 0;
    }
    hp_edges_init(&w->edges, &traces, w->options->metric, is_shown);
    free(is_shown);
    hp_traces_done(&traces);
}

static void put_title(const struct writer *w) {
    static const char *const metrics[HP_METRICS] = {
        [HP_INUSE_SPACE] = "in use",
        [HP_INUSE_OBJECTS] = "objects in use",
        [HP_ALLOC_SPACE] = "allocated",
        [HP_ALLOC_OBJECTS] = "objects allocated",
    };
    size_t left_out = w->table.rows.count - w->row_count, small = 0;
    hp_fixed flat = 0;
    for (size_t i = w->row_count; i < w->table.rows.count; i++) {
        flat += w->table.rows.at[i].flat;
    }
    for (size_t i = 0; i < w->edges.edges.count; i++) {
        small += !is_large(w, &w->edges.edges.at[i]);
    }
    const struct hp_profile *profile = w->table.naming.profile;
    hp_sink_print(w->out, "label=\"%s: ", metrics[w->options->metric]);
    put_value(w, w->table.total);
    if (profile->thread.n != 0) {
        hp_sink_text(w->out, " of thread ");
        put_name(w->out, hp_strtab_span(&profile->strings, profile->thread));
    }
    if (w->table.left != w->table.total) {
        hp_sink_text(w->out, ", of which filters leave ");
        put_share(w, w->table.left);
    }
    hp_sink_print(w->out, "\\l%zu of %zu nodes; the other %zu hold ", w->row_count,
                  w->table.rows.count, left_out);
    put_share(w, flat);
    hp_sink_print(w->out, " themselves\\l%zu of %zu edges\\l\";\n",
                  w->edges.edges.count - small, w->edges.edges.count);
}

static void put_graph(const struct writer *w) {
    hp_sink_text(w->out,
                 "digraph \"heap profile\" {\n"
                 "labelloc=t; labeljust=l; charset=\"utf-8\";\n"
                 "node [shape=box, style=filled];\n"
                 "edge [fontsize=10];\n");
    put_title(w);
    for (size_t i = 0; i < w->row_count; i++) {
        put_node(w, i);
    }
    const struct hp_edge *edge;
    hp_vec_each (edge, &w->edges.edges) {
        if (is_large(w, edge)) {
            put_edge(w, edge);
        }
    }
    hp_sink_text(w->out, "}\n");
}

static void write_dot(struct hp_sink *out, const struct hp_profile *profile,
                      const struct hp_report_options *options) {
    struct hp_report_options by_cum = *options;
    by_cum.sort = HP_SORT_CUM;
    by_cum.no_error = true;
    struct writer w = {.out = out, .options = options};
    hp_table_init(&w.table, profile, &by_cum, HP_TABLE_SORTED_ERRORS);
    choose_rows(&w);
    find_edges(&w, profile);
    put_graph(&w);
    hp_edges_done(&w.edges);
    free(w.number_of);
    hp_table_done(&w.table);
}

const struct hp_format_writer hp_dot_writer = {
    .name = "dot",
    .files = "*.dot *.gv",
    .help = "a call graph for Graphviz",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .one_metric = true,
    .unsigned_kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .write = write_dot,
};
