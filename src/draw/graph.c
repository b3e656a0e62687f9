#include "draw/graph.h"

#include "base/utf8.h"
#include "draw/graph_layout.h"

enum {
    MARGIN = 12 * HP_POINT,
    // Distance from the left and right border of a box to its text; above and below half
    // of it.
    PADDING = 6 * HP_POINT,
    LEADING = 118,  // height of a line of text, in 1/100 of the size of its letters
    BASE_LINE = 92, // base line of a text from the top of its line, in the same unit
    LABEL = 9 * HP_POINT,   // size of the letters of edges
    LEGEND = 11 * HP_POINT, // size of the letters of the legend, above the graph
    NAME_WIDTH = 17,        // longest line of a name, in sizes of its letters
    // Lines of a name before it is truncated.
    NAME_LINES = 5,
    MOST_LETTERS = 100 * HP_POINT,
    WIDEST = 8 * HP_POINT, // thickest line of an edge
    // Weight of the heaviest edge, after scaling.
    HEAVIEST = 1000000,
    TEXT_COLOR = 0x1a1a1a,
    LINE_COLOR = 0x5a5a5a,
};

// Lines of text, which point into a text of the caller.
struct text_lines {
    HP_VEC(struct hp_span) at;
    // Width of the widest line.
    int64_t width;
    int32_t letters; // size of the letters
};

// State while the picture of a graph is drawn.
struct painter {
    const struct hp_graph *graph;
    struct hp_layout layout;
    struct text_lines *texts; // texts of each node
    struct text_lines legend;
    struct hp_drawing *drawing;
    int64_t top; // y of the layout in the picture
    // Scale of the drawing: all lengths are multiplied by part / whole.
    int64_t whole, part;
};

// --- texts --------------------------------------------------------------------------------

// Add a line and measure it.
static void add_line(struct text_lines *lines, struct hp_span line) {
    int32_t width = hp_text_advance(line, lines->letters);
    lines->width = width > lines->width ? width : lines->width;
    hp_vec_push(&lines->at, line);
}

// Add the lines of a text; NULL has no lines.
static void add_lines(struct text_lines *lines, const char *text) {
    while (text && *text != '\0') {
        size_t size = strcspn(text, "\n");
        add_line(lines, (struct hp_span){text, size});
        text += size + (text[size] == '\n');
    }
}

// Whether a name may be broken after a character: after ',', '/', ' ' and "::".
static bool may_break_after(struct hp_span text, size_t at) {
    char c = text.at[at];
    return c == ',' || c == '/' || c == ' ' ||
           (c == ':' && at > 0 && text.at[at - 1] == ':');
}

// Length of the next line of a name in bytes: as much as fits, up to the last place where
// the name may be broken; at least one character.
static size_t line_of(struct hp_span name, int32_t letters) {
    int32_t width = letters * NAME_WIDTH;
    size_t fitting = hp_text_fitting(name, letters, width), size = fitting;
    if (fitting == name.size) {
        return fitting;
    }
    while (size > 0 && !may_break_after(name, size - 1)) {
        size--;
    }
    return size > 0 ? size : fitting > 0 ? fitting : hp_utf8_first(name).size;
}

// Add a name in at most NAME_LINES lines; "…" says that there is more.
static void add_name(struct text_lines *lines, const char *text) {
    struct hp_span name = hp_span_of(text);
    for (size_t i = 0; i < NAME_LINES && name.size > 0; i++) {
        size_t size = line_of(name, lines->letters);
        add_line(lines, (struct hp_span){name.at, size});
        name = hp_span_from(name, size);
    }
    if (name.size > 0) {
        add_line(lines, hp_span_of("…"));
    }
}

// Height of all lines together.
static int64_t height_of(const struct text_lines *lines) {
    return (int64_t)lines->at.count * lines->letters * LEADING / 100;
}

// --- sizes --------------------------------------------------------------------------------

// Convert a number of points to a length, limited to the range from 1 to `most`.
static int32_t length_of(double points, int32_t most) {
    double length = points * HP_POINT + .5;
    return length > most ? most : length >= 1 ? (int32_t)length : 1;
}

// Set the texts of all nodes and the sizes of their boxes.
static void measure_nodes(struct painter *p) {
    const struct hp_graph *graph = p->graph;
    for (size_t i = 0; i < p->layout.node_count; i++) {
        const struct hp_graph_node *node = &graph->nodes[i];
        struct text_lines *lines = &p->texts[i];
        lines->letters = length_of(node->letters, MOST_LETTERS);
        add_name(lines, node->name);
        add_lines(lines, node->text);
        p->layout.nodes[i].width = lines->width + 2 * PADDING;
        p->layout.nodes[i].height = height_of(lines) + PADDING;
    }
}

// Set the edges of the layout.  Weights are scaled so that the heaviest has always the
// same weight, whatever unit the caller uses.
static void measure_edges(struct painter *p) {
    const struct hp_graph *graph = p->graph;
    double heaviest = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        heaviest = graph->edges[i].weight > heaviest ? graph->edges[i].weight : heaviest;
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct hp_graph_edge *edge = &graph->edges[i];
        double weight = heaviest > 0 ? edge->weight * (HEAVIEST / heaviest) : 0;
        struct hp_span text = hp_span_of(edge->text ? edge->text : "");
        p->layout.edges[i] = (struct hp_layout_edge){
            .from = (uint32_t)edge->from,
            .to = (uint32_t)edge->to,
            .weight = weight >= 1 ? (int64_t)weight : 1,
            .line_width = length_of(edge->width, WIDEST),
            .label_width = hp_text_advance(text, LABEL),
            .label_height = text.size > 0 ? LABEL * LEADING / 100 : 0,
        };
    }
}

// --- drawing ------------------------------------------------------------------------------

// Scale a length of the layout to the drawing.
static int32_t scaled(const struct painter *p, int64_t length) {
    return (int32_t)(length * p->part / p->whole);
}

static struct hp_point point_at(const struct painter *p, int64_t x, int64_t y) {
    return (struct hp_point){scaled(p, x), scaled(p, y)};
}

// Draw lines of text below each other, from the top at `at`.
static void draw_lines(const struct painter *p, const struct text_lines *lines,
                       enum hp_anchor anchor, struct hp_layout_point at) {
    struct hp_letters letters = {scaled(p, lines->letters), TEXT_COLOR, anchor};
    const struct hp_span *line;
    hp_vec_each (line, &lines->at) {
        int64_t base = at.y + (int64_t)lines->letters * BASE_LINE / 100;
        hp_drawing_text(p->drawing, point_at(p, at.x, base), *line, letters);
        at.y += (int64_t)lines->letters * LEADING / 100;
    }
}

// The title of a group, or another text if it has none.
static struct hp_span title_of(const char *title, const char *otherwise) {
    return hp_span_of(title ? title : otherwise ? otherwise : "");
}

static struct hp_span first_line(struct hp_span text) {
    const char *end = text.size > 0 ? memchr(text.at, '\n', text.size) : NULL;
    return end ? (struct hp_span){text.at, (size_t)(end - text.at)} : text;
}

// Draw the box of a node with its texts, as one group.
static void draw_node(const struct painter *p, size_t i) {
    const struct hp_graph_node *node = &p->graph->nodes[i];
    const struct hp_layout_node *found = &p->layout.nodes[i];
    int64_t x = found->at.x + MARGIN, y = found->at.y + p->top;
    struct hp_box box = {scaled(p, x), scaled(p, y), scaled(p, found->width),
                         scaled(p, found->height)};
    struct hp_ink ink = {.fill = node->fill,
                         .stroke = TEXT_COLOR,
                         .line_width = scaled(p, length_of(node->border, 10 * HP_POINT))};
    hp_drawing_begin(p->drawing, "node", title_of(node->title, node->name));
    hp_drawing_box(p->drawing, box, ink);
    draw_lines(p, &p->texts[i], HP_ANCHOR_MIDDLE,
               (struct hp_layout_point){x + found->width / 2, y + PADDING / 2});
    hp_drawing_end(p->drawing);
}

// Draw the line of an edge and its label, as one group.
static void draw_edge(const struct painter *p, size_t i) {
    const struct hp_graph_edge *edge = &p->graph->edges[i];
    const struct hp_layout_edge *found = &p->layout.edges[i];
    struct hp_ink ink = {.fill = HP_NO_FILL,
                         .stroke = LINE_COLOR,
                         .line_width = scaled(p, length_of(edge->width, WIDEST)),
                         .is_dashed = edge->is_dashed};
    struct hp_point *points = hp_alloc(found->count * sizeof *points);
    for (size_t k = 0; k < found->count; k++) {
        const struct hp_layout_point *at = &p->layout.points.at[found->first + k];
        points[k] = point_at(p, at->x + MARGIN, at->y + p->top);
    }
    hp_drawing_begin(p->drawing, "edge", title_of(edge->title, edge->text));
    hp_drawing_line(p->drawing, points, found->count, ink, true);
    free(points);
    if (edge->text) {
        struct text_lines label = {.letters = LABEL};
        add_line(&label, hp_span_of(edge->text));
        draw_lines(p, &label, HP_ANCHOR_START,
                   (struct hp_layout_point){found->label_at.x + MARGIN,
                                            found->label_at.y + p->top});
        hp_vec_done(&label.at);
    }
    hp_drawing_end(p->drawing);
}

// Find a scale with which no side is longer than a drawing may be.
static void find_scale(struct painter *p, int64_t width, int64_t height) {
    p->whole = width > height ? width : height;
    p->part = p->whole < HP_LONGEST ? p->whole : HP_LONGEST;
}

// Draw the legend, the edges, and the nodes on top of them.
static void draw(struct painter *p) {
    int64_t width = p->layout.width > p->legend.width ? p->layout.width : p->legend.width;
    width += 2 * (int64_t)MARGIN;
    int64_t height = p->top + p->layout.height + MARGIN;
    find_scale(p, width, height);
    hp_drawing_init(p->drawing, scaled(p, width), scaled(p, height),
                    first_line(title_of(p->graph->title, NULL)));
    draw_lines(p, &p->legend, HP_ANCHOR_START, (struct hp_layout_point){MARGIN, MARGIN});
    for (size_t i = 0; i < p->layout.edge_count; i++) {
        if (p->layout.edges[i].is_drawn) {
            draw_edge(p, i);
        }
    }
    for (size_t i = 0; i < p->layout.node_count; i++) {
        draw_node(p, i);
    }
}

// Return a line for the legend that says how many edges are not drawn; NULL: all are
// drawn.  The caller frees it.
static char *count_left_out(const struct painter *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->layout.edge_count; i++) {
        count += !p->layout.edges[i].is_drawn;
    }
    return count > 0 ? hp_printed(HP_MESSAGE("graph-edges-not-drawn",
                                             "%zu edges are too many and not drawn"),
                                  count)
                     : NULL;
}

void hp_graph_draw(struct hp_drawing *drawing, const struct hp_graph *graph) {
    struct painter p = {.graph = graph, .drawing = drawing, .legend.letters = LEGEND};
    p.layout.node_count = graph->node_count;
    p.layout.edge_count = graph->edge_count;
    p.layout.nodes = hp_alloc(graph->node_count * sizeof *p.layout.nodes);
    p.layout.edges = hp_alloc(graph->edge_count * sizeof *p.layout.edges);
    p.texts = hp_alloc(graph->node_count * sizeof *p.texts);
    measure_nodes(&p);
    measure_edges(&p);
    hp_layout_find(&p.layout);
    char *left_out = count_left_out(&p);
    add_lines(&p.legend, graph->legend);
    add_lines(&p.legend, left_out);
    p.top = 2 * (int64_t)MARGIN + height_of(&p.legend);
    draw(&p);
    for (size_t i = 0; i < graph->node_count; i++) {
        hp_vec_done(&p.texts[i].at);
    }
    hp_vec_done(&p.legend.at);
    hp_layout_done(&p.layout);
    free(left_out);
    free(p.layout.nodes);
    free(p.layout.edges);
    free(p.texts);
}

// --- for programs -------------------------------------------------------------------------

// Check a graph that comes through the public API.  HP_E_LIMIT: it has too many nodes;
// HP_E_USAGE: an edge leads to no node.
static int check(const struct hp_graph *graph, struct hp_err *err) {
    if (graph->node_count > HP_GRAPH_NODES) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("graph-too-large",
                                  "a graph of %zu nodes is too large to be drawn"),
                       graph->node_count);
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct hp_graph_edge *edge = &graph->edges[i];
        if (edge->from >= graph->node_count || edge->to >= graph->node_count) {
            return hp_fail(err, HP_E_USAGE,
                           HP_MESSAGE("graph-edge-nowhere", "edge %zu leads to no node"),
                           i);
        }
    }
    return HP_OK;
}

int hp_graph_write(const struct hp_graph *graph, const char *format, hp_write_fn *write,
                   void *data, struct hp_err *err) {
    static const struct {
        const char *name;
        void (*write)(struct hp_sink *out, const struct hp_drawing *drawing);
    } formats[] = {{"svg", hp_drawing_write_svg},
                   {"pdf", hp_drawing_write_pdf},
                   {"ps", hp_drawing_write_ps}};

    size_t count = sizeof formats / sizeof *formats, i = 0;
    struct hp_drawing drawing;
    struct hp_sink sink;
    while (i < count && strcmp(formats[i].name, format) != 0) {
        i++;
    }
    if (i == count) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("graph-no-such-picture", "no picture is drawn as '%s'"),
                       format);
    }
    int ret = check(graph, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_sink_init(&sink, write, data);
    hp_graph_draw(&drawing, graph);
    formats[i].write(&sink, &drawing);
    hp_drawing_done(&drawing);
    return hp_sink_close(&sink, err);
}
