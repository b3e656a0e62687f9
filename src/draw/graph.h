// A picture of a graph of calls: boxes with texts, lines with labels, in layers.
#ifndef HP_DRAW_GRAPH_H
#define HP_DRAW_GRAPH_H

#include "draw/draw.h"

// To be undone by hp_drawing_done().  Edges that are too many are left out, and the last line of the
// legend says so.
void hp_graph_draw(struct hp_drawing *drawing, const struct hp_graph *graph);

#endif
