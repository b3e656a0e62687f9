// A picture as a list of boxes, lines, polygons and texts, and the writers of such lists.
//
// Map of src/draw:
//
//   draw.h             the list: begin, add elements, write it as SVG, PDF or PostScript
//   svg.c, pdf.c       the writers;  helvetica.h: the font that all text is measured in
//   graph.h            a call graph as a picture: measures texts, finds a layout, draws
//   graph_layout.h     the layout: places of boxes and edges, and below it the graph while
//                      it is laid out, which these four share:
//   layers.c           1. a layer for each node, circles broken
//   crossings.c        2. the order in each layer, with few crossings
//   coordinates.c      3. the x of each node and bend
//   routes.c           4. heights, boxes and lines
//
// Read draw.h and graph_layout.h first, then the files in the order above.
// Invariants: lengths are integers, the work is bounded for any graph, and the same input
// gives the same bytes on every machine.  An example:
//
//     struct hp_drawing drawing;
//     hp_drawing_init(&drawing, 600 * HP_POINT, 400 * HP_POINT, title);
//     hp_drawing_begin(&drawing, "node", full_name_and_interval);
//     hp_drawing_box(&drawing, (struct hp_box){x, y, width, height}, ink);
//     hp_drawing_text(&drawing, (struct hp_point){x, y}, name, letters);
//     hp_drawing_end(&drawing);
//     hp_drawing_write_svg(out, &drawing);
//     hp_drawing_done(&drawing);
//
// Lengths are whole hundredths of a point, so that a picture has the same bytes on every
// machine. x grows to the right, y downwards.  Elements that are added later lie on top.
// Untrusted text is made safe by the writers, and measured as it is written.  Only the
// sink of a writer can fail.
#ifndef HP_DRAW_DRAW_H
#define HP_DRAW_DRAW_H

#include "base/sink.h"
#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

enum {
    HP_POINT = 100,         // units of length in a point
    HP_LONGEST = 10000000,  // longest side of a drawing: 100,000 points
    HP_NO_FILL = 0x1000000, // instead of a colour: not filled
};

struct hp_point {
    int32_t x, y;
};

struct hp_box {
    int32_t x, y, width, height; // x, y: the upper left corner
};

// Colours are 0xRRGGBB.
struct hp_ink {
    uint32_t fill;      // colour of boxes and polygons, or HP_NO_FILL
    uint32_t stroke;    // colour of lines and outlines
    int32_t line_width; // 0: no line
    bool is_dashed;     // whether the line is dashed
    bool is_hatched;    // whether white stripes lie over the fill
};

// The part of a text that is placed at the given x.
enum hp_anchor {
    HP_ANCHOR_START, // the beginning of the text
    HP_ANCHOR_MIDDLE,
    HP_ANCHOR_END,
};

// How a text is written; the font is always Helvetica.
struct hp_letters {
    // Size of the letters, as a length.
    int32_t size;
    uint32_t color;
    enum hp_anchor anchor;
};

enum hp_element_kind {
    HP_ELEMENT_BOX,
    HP_ELEMENT_LINE,
    HP_ELEMENT_POLYGON,
    HP_ELEMENT_TEXT,
    HP_ELEMENT_BEGIN, // beginning of a group
    HP_ELEMENT_END,
};

// One element of a drawing; `kind` says which members are used.
struct hp_element {
    enum hp_element_kind kind;
    struct hp_ink ink;
    struct hp_box box;         // for a text, the anchor is its x and y
    size_t first, count;       // its points: a range of the drawing's points
    struct hp_letters letters; // for a text
    struct hp_span text;       // the text; for a group: its title
    const char *class;         // for a group: its class, or NULL
};

struct hp_drawing {
    int32_t width, height; // may be changed until the drawing is written
    struct hp_span title;  // title of the whole drawing
    struct hp_arena arena; // owns copies of all texts and titles
    HP_VEC(struct hp_element) elements;
    HP_VEC(struct hp_point) points;
};

// Begin an empty drawing; the title is copied.  hp_drawing_done() frees the drawing's
// members.
void hp_drawing_init(struct hp_drawing *drawing, int32_t width, int32_t height,
                     struct hp_span title);
void hp_drawing_done(struct hp_drawing *drawing);

// Begin a group, which is one thing for the reader: all elements up to the matching
// hp_drawing_end().  `class` is one word that names its kind and stays the caller's.
// `title` is shown while a pointer rests on the group: the full name and interval.  It
// may have several lines, so that the caller makes names in it safe with
// hp_sink_escaped(), and it may be empty.  Groups can be nested.
void hp_drawing_begin(struct hp_drawing *drawing, const char *class,
                      struct hp_span title);
void hp_drawing_end(struct hp_drawing *drawing);

// Add a box.
void hp_drawing_box(struct hp_drawing *drawing, struct hp_box box, struct hp_ink ink);

// Add a line through all points.  The tip of an arrow is at the last point; its head is
// as wide as three lines and two points.  Fewer than two points draw nothing.
void hp_drawing_line(struct hp_drawing *drawing, const struct hp_point *points,
                     size_t count, struct hp_ink ink, bool has_arrow);

// Add a closed polygon.  Fewer than three points draw nothing.
void hp_drawing_polygon(struct hp_drawing *drawing, const struct hp_point *points,
                        size_t count, struct hp_ink ink);

// Add one line of UTF-8, with `at` on its baseline.  A viewer of the SVG that lacks
// Helvetica stretches or squeezes the text to its width in Helvetica.
void hp_drawing_text(struct hp_drawing *drawing, struct hp_point at, struct hp_span text,
                     struct hp_letters letters);

// Width of a text in letters of `size`, by the standard widths of Helvetica (Adobe's AFM
// files).  A character outside of Windows' Latin-1 takes 2/3 of the size; from Hangul on
// it takes the whole size.
int32_t hp_text_advance(struct hp_span text, int32_t size);

// Number of bytes of the longest beginning of a text, in whole characters, that is no
// wider than `width` in letters of `size`.
size_t hp_text_fitting(struct hp_span text, int32_t size, int32_t width);

// Write a length as a number of points: "12.5".
void hp_drawing_put_length(struct hp_sink *out, int32_t length);

// Write the drawing as an SVG file or as a PDF of one page.  Failures stay in the sink.
void hp_drawing_write_svg(struct hp_sink *out, const struct hp_drawing *drawing);
void hp_drawing_write_pdf(struct hp_sink *out, const struct hp_drawing *drawing);

// Write the drawing as a PostScript file of one page; hatched areas are gray.
void hp_drawing_write_ps(struct hp_sink *out, const struct hp_drawing *drawing);

#endif
