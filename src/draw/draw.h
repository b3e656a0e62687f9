// A picture as a list of boxes, lines, polygons and texts, and the writers of such lists.
//
//     struct hp_drawing drawing;
//     hp_drawing_init(&drawing, 600 * HP_POINT, 400 * HP_POINT, hp_span_of("heap profile"));
//     hp_drawing_begin(&drawing, "node", full_name_and_interval);
//     hp_drawing_box(&drawing, (struct hp_box){x, y, width, height}, ink);
//     hp_drawing_text(&drawing, (struct hp_point){x, y}, name, letters);
//     hp_drawing_end(&drawing);
//     hp_drawing_write_svg(out, &drawing);
//     hp_drawing_done(&drawing);
//
// Lengths are whole hundredths of a point, so that a picture has the same bytes on every
// machine; x grows to the right, y downwards.  What is added later lies on top.  Text from
// outside is made safe by the writers, and measured as it is written.  Nothing here fails but
// the sink that is written to.
#ifndef HP_DRAW_DRAW_H
#define HP_DRAW_DRAW_H

#include "base/sink.h"
#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

enum {
    HP_POINT = 100,         // so many units of length
    HP_LONGEST = 10000000,  // of a side of a drawing: 100,000 points
    HP_NO_FILL = 0x1000000, // instead of a colour
};

struct hp_point {
    int32_t x, y;
};

struct hp_box {
    int32_t x, y, width, height; // x, y: the upper left corner
};

// Colours are 0xRRGGBB.
struct hp_ink {
    uint32_t fill;      // of boxes and polygons, or HP_NO_FILL
    uint32_t stroke;    // of lines and outlines
    int32_t line_width; // 0: no line
    bool is_dashed;     // the line
    bool is_hatched;    // the fill, with white stripes
};

enum hp_anchor {
    HP_ANCHOR_START, // where text begins
    HP_ANCHOR_MIDDLE,
    HP_ANCHOR_END,
};

// Helvetica.
struct hp_letters {
    int32_t size;
    uint32_t color;
    enum hp_anchor anchor;
};

enum hp_element_kind {
    HP_ELEMENT_BOX,
    HP_ELEMENT_LINE,
    HP_ELEMENT_POLYGON,
    HP_ELEMENT_TEXT,
    HP_ELEMENT_BEGIN, // of a group
    HP_ELEMENT_END,
};

struct hp_element {
    enum hp_element_kind kind;
    struct hp_ink ink;
    struct hp_box box;         // of a text: x, y of its anchor
    size_t first, count;       // of its points
    struct hp_letters letters; // of a text
    struct hp_span text;       // of a text; of a group: its title
    const char *class;         // of a group, or NULL
};

struct hp_drawing {
    int32_t width, height; // may be changed until it is written
    struct hp_span title;  // of all
    struct hp_arena arena; // of the texts
    HP_VEC(struct hp_element) elements;
    HP_VEC(struct hp_point) points;
};

void hp_drawing_init(struct hp_drawing *drawing, int32_t width, int32_t height,
                     struct hp_span title);
void hp_drawing_done(struct hp_drawing *drawing);

// What is drawn until hp_drawing_end() is one thing: `class`, a word that stays the caller's,
// says which, and `title` is shown where a pointer rests on it: the full name and interval.  It
// may have several lines, so that names in it are to be made safe before, by
// hp_sink_escaped(), and may be empty.  Groups may be in groups.
void hp_drawing_begin(struct hp_drawing *drawing, const char *class,
                      struct hp_span title);
void hp_drawing_end(struct hp_drawing *drawing);

void hp_drawing_box(struct hp_drawing *drawing, struct hp_box box, struct hp_ink ink);

// Through all points; the tip of an arrow is the last of them, and its head is as wide as three
// lines and two points.  Fewer than two points draw nothing.
void hp_drawing_line(struct hp_drawing *drawing, const struct hp_point *points,
                     size_t count, struct hp_ink ink, bool has_arrow);

// Closed.  Fewer than three points draw nothing.
void hp_drawing_polygon(struct hp_drawing *drawing, const struct hp_point *points,
                        size_t count, struct hp_ink ink);

// One line of UTF-8, `at` on its baseline.  Of what is wider here than by Helvetica, as where
// there are only other fonts, the letters are drawn closer together.
void hp_drawing_text(struct hp_drawing *drawing, struct hp_point at, struct hp_span text,
                     struct hp_letters letters);

// How wide a text of that size is, by the standard widths of Helvetica (Adobe's AFM files);
// a character that is not in Windows' Latin-1 counts 2/3 of the size, from Hangul on all of it.
int32_t hp_text_advance(struct hp_span text, int32_t size);

// How many bytes from the first on are not wider than `width`, in whole characters.
size_t hp_text_fitting(struct hp_span text, int32_t size, int32_t width);

// For the writers: "12.5".
void hp_drawing_put_length(struct hp_sink *out, int32_t length);

void hp_drawing_write_svg(struct hp_sink *out, const struct hp_drawing *drawing);
void hp_drawing_write_pdf(struct hp_sink *out, const struct hp_drawing *drawing);

// The same page; what is hatched is gray.
void hp_drawing_write_ps(struct hp_sink *out, const struct hp_drawing *drawing);

#endif
