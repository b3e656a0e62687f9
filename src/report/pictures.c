#include "report/pictures.h"

// Draw a view with `draw` and write the picture with `write`.
static void write_with(struct hp_sink *out, const struct hp_view *view, hp_draw_fn *draw,
                       void (*write)(struct hp_sink *, const struct hp_drawing *)) {
    struct hp_drawing drawing;
    draw(&drawing, view);
    write(out, &drawing);
    hp_drawing_done(&drawing);
}

static void write_flames_svg(struct hp_sink *out, const struct hp_view *view) {
    write_with(out, view, hp_flamegraph_draw, hp_drawing_write_svg);
}

static void write_flames_pdf(struct hp_sink *out, const struct hp_view *view) {
    write_with(out, view, hp_flamegraph_draw, hp_drawing_write_pdf);
}

static void write_graph_svg(struct hp_sink *out, const struct hp_view *view) {
    write_with(out, view, hp_callgraph_draw, hp_drawing_write_svg);
}

static void write_graph_pdf(struct hp_sink *out, const struct hp_view *view) {
    write_with(out, view, hp_callgraph_draw, hp_drawing_write_pdf);
}

const struct hp_format hp_format_svg = {
    .name = "svg",
    .files = "*.svg",
    .help = "a flame graph, or of peek a call graph, for browsers, without scripts",
    .can = HP_IS_PICTURE | HP_CAN_UNIT | HP_HAS_SHORT_NAMES,
    .limit = 80, // nodes of a graph, unless --limit says otherwise
    .shape = HP_SHAPE_NAMES,
    .graphs = 1u << HP_REPORT_PEEK,
    .write = {[HP_REPORT_TOP] = write_flames_svg,
              [HP_REPORT_PEEK] = write_graph_svg,
              [HP_REPORT_STACKS] = write_flames_svg,
              [HP_REPORT_DIFF] = write_flames_svg,
              [HP_REPORT_MERGE] = write_flames_svg},
};

const struct hp_format hp_format_pdf = {
    .name = "pdf",
    .files = "*.pdf",
    .help = "the same on a page, names outside Latin-1 with question marks",
    .can = HP_IS_PICTURE | HP_CAN_UNIT | HP_HAS_SHORT_NAMES | HP_IS_BINARY,
    .limit = 80, // nodes of a graph, unless --limit says otherwise
    .shape = HP_SHAPE_NAMES,
    .graphs = 1u << HP_REPORT_PEEK,
    .write = {[HP_REPORT_TOP] = write_flames_pdf,
              [HP_REPORT_PEEK] = write_graph_pdf,
              [HP_REPORT_STACKS] = write_flames_pdf,
              [HP_REPORT_DIFF] = write_flames_pdf,
              [HP_REPORT_MERGE] = write_flames_pdf},
};
