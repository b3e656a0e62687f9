#include "draw/draw.h"

#include "draw/helvetica.h"

#include <math.h>

// Copy a text of the caller, who may free it before the drawing is written, to the
// drawing's arena.
static struct hp_span keep(struct hp_drawing *drawing, struct hp_span text) {
    char *copy = hp_arena_alloc(&drawing->arena, text.size, 1);
    if (text.size > 0) {
        memcpy(copy, text.at, text.size);
    }
    return (struct hp_span){copy, text.size};
}

void hp_drawing_init(struct hp_drawing *drawing, int32_t width, int32_t height,
                     struct hp_span title) {
    *drawing = (struct hp_drawing){.width = width, .height = height};
    drawing->title = keep(drawing, title);
}

void hp_drawing_done(struct hp_drawing *drawing) {
    hp_vec_done(&drawing->elements);
    hp_vec_done(&drawing->points);
    hp_arena_done(&drawing->arena);
}

void hp_drawing_begin(struct hp_drawing *drawing, const char *class,
                      struct hp_span title) {
    struct hp_element group = {.kind = HP_ELEMENT_BEGIN, .class = class};
    group.text = keep(drawing, title);
    hp_vec_push(&drawing->elements, group);
}

void hp_drawing_end(struct hp_drawing *drawing) {
    hp_vec_push(&drawing->elements, (struct hp_element){.kind = HP_ELEMENT_END});
}

void hp_drawing_box(struct hp_drawing *drawing, struct hp_box box, struct hp_ink ink) {
    struct hp_element element = {.kind = HP_ELEMENT_BOX, .ink = ink, .box = box};
    hp_vec_push(&drawing->elements, element);
}

// Append an element with copies of its points.
static void add_points(struct hp_drawing *drawing, struct hp_element element,
                       const struct hp_point *points, size_t count) {
    element.first = drawing->points.count;
    element.count = count;
    hp_vec_append(&drawing->points, points, count);
    hp_vec_push(&drawing->elements, element);
}

// Compute the head of an arrow: its tip and both ends of its base.  Returns the middle of
// the base, where the line ends.
static struct hp_point find_head(struct hp_point from, struct hp_point tip,
                                 int32_t line_width, struct hp_point head[3]) {
    double x = tip.x - from.x, y = tip.y - from.y, length = sqrt(x * x + y * y);
    double size = 3 * line_width + 2 * HP_POINT, along = size < length ? size : length;
    double unit_x = length > 0 ? x / length : 0, unit_y = length > 0 ? y / length : 1;
    double base_x = tip.x - unit_x * along, base_y = tip.y - unit_y * along;
    head[0] = tip;
    head[1] = (struct hp_point){(int32_t)(base_x - unit_y * size / 2),
                                (int32_t)(base_y + unit_x * size / 2)};
    head[2] = (struct hp_point){(int32_t)(base_x + unit_y * size / 2),
                                (int32_t)(base_y - unit_x * size / 2)};
    return (struct hp_point){(int32_t)base_x, (int32_t)base_y};
}

void hp_drawing_line(struct hp_drawing *drawing, const struct hp_point *points,
                     size_t count, struct hp_ink ink, bool has_arrow) {
    struct hp_element element = {.kind = HP_ELEMENT_LINE, .ink = ink};
    struct hp_point head[3];
    if (count < 2) {
        return;
    }
    add_points(drawing, element, points, count);
    if (has_arrow) {
        drawing->points.at[drawing->points.count - 1] =
            find_head(points[count - 2], points[count - 1], ink.line_width, head);
        hp_drawing_polygon(drawing, head, 3, (struct hp_ink){.fill = ink.stroke});
    }
}

void hp_drawing_polygon(struct hp_drawing *drawing, const struct hp_point *points,
                        size_t count, struct hp_ink ink) {
    struct hp_element element = {.kind = HP_ELEMENT_POLYGON, .ink = ink};
    if (count >= 3) {
        add_points(drawing, element, points, count);
    }
}

void hp_drawing_text(struct hp_drawing *drawing, struct hp_point at, struct hp_span text,
                     struct hp_letters letters) {
    struct hp_element element = {.kind = HP_ELEMENT_TEXT, .letters = letters};
    element.box = (struct hp_box){.x = at.x, .y = at.y};
    element.text = keep(drawing, text);
    hp_vec_push(&drawing->elements, element);
}

void hp_drawing_put_length(struct hp_sink *out, int32_t length) {
    int32_t size = length < 0 ? -length : length, rest = size % HP_POINT;
    hp_sink_print(out,
                  rest == 0        ? "%s%d"
                  : rest % 10 == 0 ? "%s%d.%d"
                                   : "%s%d.%02d",
                  length < 0 ? "-" : "", (int)(size / HP_POINT),
                  (int)(rest % 10 == 0 ? rest / 10 : rest));
}

// --- widths -------------------------------------------------------------------------------

int32_t hp_text_advance(struct hp_span text, int32_t size) {
    int64_t sum = 0;
    while (text.size > 0) {
        struct hp_letter letter = hp_helvetica_letter(text);
        sum += letter.width;
        text = hp_span_from(text, letter.size);
    }
    int64_t advance = (sum * size + 999) / 1000;
    return advance < INT32_MAX ? (int32_t)advance : INT32_MAX;
}

size_t hp_text_fitting(struct hp_span text, int32_t size, int32_t width) {
    int64_t sum = 0;
    size_t fitting = 0;
    while (fitting < text.size) {
        struct hp_letter letter = hp_helvetica_letter(hp_span_from(text, fitting));
        sum += (int64_t)letter.width * size;
        if (sum > (int64_t)width * 1000) {
            break;
        }
        fitting += letter.size;
    }
    return fitting;
}
