// Reports as pictures, whatever format they are then written in.
#ifndef HP_REPORT_PICTURES_H
#define HP_REPORT_PICTURES_H

#include "draw/draw.h"
#include "report/format.h"

// hp_drawing_done() frees what is drawn.
typedef void hp_draw_fn(struct hp_drawing *drawing, const struct hp_view *view);

// Of stacks of names.
hp_draw_fn hp_flamegraph_draw;

// Of a graph.
hp_draw_fn hp_callgraph_draw;

#endif
