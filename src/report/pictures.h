// Reports as pictures; every format of pictures can write them.
#ifndef HP_REPORT_PICTURES_H
#define HP_REPORT_PICTURES_H

#include "draw/draw.h"
#include "report/format.h"

// Draw a view into an uninitialized drawing, which hp_drawing_done() frees.
typedef void hp_draw_fn(struct hp_drawing *drawing, const struct hp_view *view);

// A flame graph; takes a view with stacks of names.
hp_draw_fn hp_flamegraph_draw;

// A call graph; takes a view with a graph.
hp_draw_fn hp_callgraph_draw;

#endif
