// Draw reports as pictures, which pictures.c writes as SVG or PDF.
#ifndef HP_REPORT_PICTURES_H
#define HP_REPORT_PICTURES_H

#include "draw/draw.h"
#include "report/format.h"

// The type of a function that draws a view into an uninitialized drawing, which
// hp_drawing_done() frees.
typedef void hp_draw_fn(struct hp_drawing *drawing, const struct hp_view *view);

// Draw a flame graph; the view must have stacks of names (HP_SHAPE_NAMES).
hp_draw_fn hp_flamegraph_draw;

// Draw a call graph; the view must have a graph (HP_SHAPE_GRAPH).
hp_draw_fn hp_callgraph_draw;

#endif
