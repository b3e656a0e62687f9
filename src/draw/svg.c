// SVG 1.1: no script, no style sheet, no reference to anything outside the file.
//
//     <svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"
//      viewBox="0 0 600 400" font-family="Helvetica,Arial,sans-serif"
//      xml:space="preserve">
//     <title>heap profile</title>
//     <g class="node"><title>main
//     12.5 MiB</title><path d="M10 10h100v20h-100z" fill="#e69f00"/>
//     <text x="14" y="24" font-size="10" textLength="24">main</text></g>
//     </svg>
//
// Each text states its measured width, so that it is as wide with any font.
#include "draw/draw.h"
#include "draw/helvetica.h"

// --- texts --------------------------------------------------------------------------------

// Write text with the characters escaped that have a meaning in XML.
static void put_escaped(struct hp_sink *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '&':
            hp_sink_text(out, "&amp;");
            break;
        case '<':
            hp_sink_text(out, "&lt;");
            break;
        case '>':
            hp_sink_text(out, "&gt;");
            break;
        case '"':
            hp_sink_text(out, "&quot;");
            break;
        case '\'':
            hp_sink_text(out, "&#39;");
            break;
        default:
            hp_sink_put(out, text + i, 1);
        }
    }
}

// Write a text with unsafe and XML's own characters escaped; newlines are kept if
// `has_lines`.
static void put_text(struct hp_sink *out, struct hp_span text, bool has_lines) {
    while (text.size > 0) {
        struct hp_letter letter = hp_helvetica_letter(text);
        if (has_lines && text.at[0] == '\n') {
            hp_sink_text(out, "\n");
        } else {
            put_escaped(out, letter.as, letter.drawn);
        }
        text = hp_span_from(text, letter.size);
    }
}

// Write the title of a picture or a group, unless it is empty.
static void put_title(struct hp_sink *out, struct hp_span title) {
    if (title.size > 0) {
        hp_sink_text(out, "<title>");
        put_text(out, title, true);
        hp_sink_text(out, "</title>");
    }
}

// --- elements -----------------------------------------------------------------------------

// Write the text `before`, then a length in points.
static void put_number(struct hp_sink *out, const char *before, int32_t length) {
    hp_sink_text(out, before);
    hp_drawing_put_length(out, length);
}

// Write the attributes for fill and stroke, and close the element.
static void put_ink(struct hp_sink *out, const struct hp_ink *ink, bool is_filled) {
    if (is_filled && ink->fill != HP_NO_FILL) {
        hp_sink_print(out, "\" fill=\"#%06x", (unsigned)ink->fill);
    } else {
        hp_sink_text(out, "\" fill=\"none");
    }
    if (ink->line_width > 0) {
        hp_sink_print(out, "\" stroke=\"#%06x", (unsigned)ink->stroke);
        put_number(out, "\" stroke-width=\"", ink->line_width);
    }
    if (ink->is_dashed) {
        hp_sink_text(out, "\" stroke-dasharray=\"2 3");
    }
    hp_sink_text(out, "\"/>\n");
}

static void put_box(struct hp_sink *out, const struct hp_element *element) {
    const struct hp_box *box = &element->box;
    put_number(out, "M", box->x);
    put_number(out, " ", box->y);
    put_number(out, "h", box->width);
    put_number(out, "v", box->height);
    put_number(out, "h", -box->width);
    hp_sink_text(out, "z");
}

static void put_points(struct hp_sink *out, const struct hp_drawing *drawing,
                       const struct hp_element *element) {
    for (size_t i = 0; i < element->count; i++) {
        const struct hp_point *point = &drawing->points.at[element->first + i];
        put_number(out, i > 0 ? "L" : "M", point->x);
        put_number(out, " ", point->y);
    }
    hp_sink_text(out, element->kind == HP_ELEMENT_POLYGON ? "z" : "");
}

// Write a box, line or polygon; a hatched one is drawn a second time, filled with
// stripes.
static void put_path(struct hp_sink *out, const struct hp_drawing *drawing,
                     const struct hp_element *element) {
    bool is_hatched = element->ink.is_hatched;
    for (int layer = 0; layer < 1 + is_hatched; layer++) {
        hp_sink_text(out, "<path d=\"");
        if (element->kind == HP_ELEMENT_BOX) {
            put_box(out, element);
        } else {
            put_points(out, drawing, element);
        }
        if (layer == 1) {
            hp_sink_text(out, "\" fill=\"url(#hatch)\"/>\n");
        } else {
            put_ink(out, &element->ink, element->kind != HP_ELEMENT_LINE);
        }
    }
}

// Write a text with its measured width as textLength.
static void put_letters(struct hp_sink *out, const struct hp_element *element) {
    static const char *const anchors[] = {
        [HP_ANCHOR_START] = "",
        [HP_ANCHOR_MIDDLE] = "\" text-anchor=\"middle",
        [HP_ANCHOR_END] = "\" text-anchor=\"end",
    };
    const struct hp_letters *letters = &element->letters;
    put_number(out, "<text x=\"", element->box.x);
    put_number(out, "\" y=\"", element->box.y);
    put_number(out, "\" font-size=\"", letters->size);
    put_number(out, "\" textLength=\"", hp_text_advance(element->text, letters->size));
    hp_sink_text(out, anchors[letters->anchor]);
    if (letters->color != 0) {
        hp_sink_print(out, "\" fill=\"#%06x", (unsigned)letters->color);
    }
    hp_sink_text(out, "\" lengthAdjust=\"spacingAndGlyphs\">");
    put_text(out, element->text, false);
    hp_sink_text(out, "</text>\n");
}

// Begin a group: its class and its title, which viewers show as a tooltip.
static void put_group(struct hp_sink *out, const struct hp_element *element) {
    hp_sink_text(out, "<g");
    if (element->class) {
        hp_sink_print(out, " class=\"%s\"", element->class);
    }
    hp_sink_text(out, ">");
    put_title(out, element->text);
}

static void put_element(struct hp_sink *out, const struct hp_drawing *drawing,
                        const struct hp_element *element) {
    switch (element->kind) {
    case HP_ELEMENT_BOX:
    case HP_ELEMENT_LINE:
    case HP_ELEMENT_POLYGON:
        put_path(out, drawing, element);
        break;
    case HP_ELEMENT_TEXT:
        put_letters(out, element);
        break;
    case HP_ELEMENT_BEGIN:
        put_group(out, element);
        break;
    case HP_ELEMENT_END:
        hp_sink_text(out, "</g>\n");
        break;
    }
}

void hp_drawing_write_svg(struct hp_sink *out, const struct hp_drawing *drawing) {
    put_number(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", drawing->width);
    put_number(out, "\" height=\"", drawing->height);
    put_number(out, "\" viewBox=\"0 0 ", drawing->width);
    put_number(out, " ", drawing->height);
    hp_sink_text(
        out, "\"\n font-family=\"Helvetica,Arial,sans-serif\" xml:space=\"preserve\">\n");
    put_title(out, drawing->title);
    hp_sink_text(
        out,
        "\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<path d=\"M1 0v6\" stroke=\"#fff\" stroke-width=\"1.2\"/></pattern></defs>\n");
    const struct hp_element *element;
    hp_vec_each (element, &drawing->elements) {
        put_element(out, drawing, element);
    }
    hp_sink_text(out, "</svg>\n");
}
