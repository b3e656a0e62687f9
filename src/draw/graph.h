// A picture of a graph of calls: boxes with texts, lines with labels, in layers.
#ifndef HP_DRAW_GRAPH_H
#define HP_DRAW_GRAPH_H

#include "draw/draw.h"

// Draw a graph into `drawing`, which must not be initialized and is freed by
// hp_drawing_done().  If there are too many edges, the lightest are not drawn, and the
// last line of the legend says how many.
void hp_graph_draw(struct hp_drawing *drawing, const struct hp_graph *graph);

#endif
