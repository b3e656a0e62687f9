// PDF 1.4 (PDF 32000-1 describes a later one): one page as large as the drawing, in one
// of the fonts that every reader has, so that no font is in the file.  Neither a time nor
// the name of a machine is in it, so that the same drawing gives the same bytes.
//
//     1 catalog, 2 pages, 3 page, 4 font, 5 hatching, 6 contents of the page, 7 title
//
// The y axis points upwards in PDF.  Tooltips are for screens: a PDF has none.
#include "base/memory.h"
#include "draw/draw.h"
#include "draw/helvetica.h"

#include <zlib.h>

enum {
    OBJECTS = 7,                     // numbered as above
    LARGEST_PAGE = 14400 * HP_POINT, // longest side that readers show
    ONE = 10000,                     // the denominator that scales are written with
    NOTE_SIZE = 8 * HP_POINT,        // letters of the note below the drawing
    NOTE_HEIGHT = 14 * HP_POINT,
};

// State while the contents of the page are written.
struct pdf_writer {
    const struct hp_drawing *drawing;
    struct hp_sink out;       // writes the contents of the page
    struct hp_buffer encoded; // the last text, in the font's encoding
    bool has_others;          // whether some character of the texts is not in the font
};

// Return the factor for all lengths, times ONE, with which no side of the page is too
// long.
static int32_t scale_of(const struct hp_drawing *drawing) {
    int32_t side = drawing->width > drawing->height ? drawing->width : drawing->height;
    return side > LARGEST_PAGE ? (int32_t)((int64_t)LARGEST_PAGE * ONE / side) : ONE;
}

static int32_t scaled(int32_t length, int32_t scale) {
    return (int32_t)((int64_t)length * scale / ONE);
}

// --- what is drawn ------------------------------------------------------------------------

// Write a point, with y counted from below, and an operator.
static void put_point(struct pdf_writer *w, int32_t x, int32_t y, const char *operator) {
    hp_drawing_put_length(&w->out, x);
    hp_sink_text(&w->out, " ");
    hp_drawing_put_length(&w->out, w->drawing->height - y);
    hp_sink_text(&w->out, operator);
}

// Write a colour as three numbers from 0 to 1, and the operator that sets it.
static void put_color(struct pdf_writer *w, uint32_t color, const char *operator) {
    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned thousandths = ((color >> shift & 0xff) * 1000 + 127) / 255;
        hp_sink_print(&w->out, "%u.%03u ", thousandths / 1000, thousandths % 1000);
    }
    hp_sink_text(&w->out, operator);
}

// Write the path of a box, line or polygon.
static void put_outline(struct pdf_writer *w, const struct hp_element *element) {
    const struct hp_box *box = &element->box;
    if (element->kind == HP_ELEMENT_BOX) {
        put_point(w, box->x, box->y + box->height, " ");
        hp_drawing_put_length(&w->out, box->width);
        hp_sink_text(&w->out, " ");
        hp_drawing_put_length(&w->out, box->height);
        hp_sink_text(&w->out, " re\n");
        return;
    }
    for (size_t i = 0; i < element->count; i++) {
        const struct hp_point *point = &w->drawing->points.at[element->first + i];
        put_point(w, point->x, point->y, i > 0 ? " l\n" : " m\n");
    }
}

// Write a path and the operator that fills and strokes it as its ink says.
static void put_path(struct pdf_writer *w, const struct hp_element *element) {
    const struct hp_ink *ink = &element->ink;
    bool is_filled = element->kind != HP_ELEMENT_LINE && ink->fill != HP_NO_FILL;
    bool is_stroked = ink->line_width > 0;
    if (is_filled) {
        put_color(w, ink->fill, "rg\n");
    }
    if (is_stroked) {
        put_color(w, ink->stroke, "RG\n");
        hp_drawing_put_length(&w->out, ink->line_width);
        hp_sink_text(&w->out, ink->is_dashed ? " w [2 3] 0 d\n" : " w [] 0 d\n");
    }
    put_outline(w, element);
    bool is_open = element->kind == HP_ELEMENT_LINE;
    hp_sink_text(&w->out, is_filled && is_stroked ? "b\n"
                          : is_filled             ? "f\n"
                          : !is_stroked           ? "n\n"
                          : is_open               ? "S\n"
                                                  : "s\n");
    if (ink->is_hatched) {
        hp_sink_text(&w->out, "/Pattern cs /H scn\n");
        put_outline(w, element);
        hp_sink_text(&w->out, "f\n");
    }
}

// Encode a text for the font, characters that it lacks as "?", into w->encoded.  Returns
// the width in 1/1000 of the size of the letters.
static int64_t encode(struct pdf_writer *w, struct hp_span text) {
    struct hp_letter other = hp_helvetica_letter(hp_span_of("?"));
    int64_t width = 0;
    w->encoded.text.count = 0;
    while (text.size > 0) {
        struct hp_letter letter = hp_helvetica_letter(text);
        if (letter.is_escape) {
            hp_vec_append(&w->encoded.text, letter.as, letter.drawn);
        } else {
            w->has_others |= letter.pdf == 0;
            letter.width = letter.pdf ? letter.width : other.width;
            letter.pdf = letter.pdf ? letter.pdf : other.pdf;
            hp_vec_push(&w->encoded.text, (char)letter.pdf);
        }
        width += letter.width;
        text = hp_span_from(text, letter.size);
    }
    return width;
}

// Write a line of text so that its anchor is at `at`, measured in the PDF's font.
static void put_letters(struct pdf_writer *w, struct hp_point at, struct hp_span text,
                        const struct hp_letters *letters) {
    int64_t width = encode(w, text) * letters->size / 1000;
    int64_t left = letters->anchor == HP_ANCHOR_START ? 0
                   : letters->anchor == HP_ANCHOR_END ? width
                                                      : width / 2;
    put_color(w, letters->color, "rg\nBT /F ");
    hp_drawing_put_length(&w->out, letters->size);
    hp_sink_text(&w->out, " Tf ");
    put_point(w, at.x - (int32_t)left, at.y, " Td (");
    for (size_t i = 0; i < w->encoded.text.count; i++) {
        char c = w->encoded.text.at[i];
        hp_sink_text(&w->out, c == '(' || c == ')' || c == '\\' ? "\\" : "");
        hp_sink_put(&w->out, &c, 1);
    }
    hp_sink_text(&w->out, ") Tj ET\n");
}

// Write all elements; groups have no meaning in a PDF.  A note on missing characters goes
// below the drawing.
static void put_elements(struct pdf_writer *w) {
    static const char note[] = "? stands for what is not in Latin-1, too: the SVG has it";
    const struct hp_letters small = {.size = NOTE_SIZE, .color = 0x606060};
    const struct hp_element *element;
    hp_vec_each (element, &w->drawing->elements) {
        if (element->kind == HP_ELEMENT_TEXT) {
            put_letters(w, (struct hp_point){element->box.x, element->box.y},
                        element->text, &element->letters);
        } else if (element->kind < HP_ELEMENT_TEXT) {
            put_path(w, element);
        }
    }
    if (w->has_others) {
        put_letters(w, (struct hp_point){NOTE_SIZE, w->drawing->height + NOTE_SIZE},
                    hp_span_of(note), &small);
    }
}

// --- the file -----------------------------------------------------------------------------

// The file around the page; it counts bytes, because the end of a PDF lists the offset of
// every object.
struct file {
    struct hp_sink *out; // the sink that `plain` delivers to
    struct hp_sink plain;
    size_t written;          // bytes delivered to `out`
    size_t offsets[OBJECTS]; // offset of each object
    // Number of objects so far.
    size_t count;
};

// The write function of `plain`, which passes the bytes on to `out`: never fails, because
// `out` remembers its own failure.
static int deliver(void *data, const void *bytes, size_t size) {
    struct file *file = data;
    hp_sink_put(file->out, bytes, size);
    file->written += size;
    return 0;
}

HP_PRINTF(2, 3)

// Begin the next object with formatted text, and remember its offset.
static void put_object(struct file *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = hp_vprinted(format, args);
    va_end(args);
    file->offsets[file->count++] = file->written + file->plain.used;
    hp_sink_print(&file->plain, "%zu 0 obj\n", file->count);
    hp_sink_text(&file->plain, text);
    free(text);
}

// Write a text in UTF-16 as hexadecimal numbers.
static void put_utf16(struct file *file, struct hp_span text) {
    while (text.size > 0) {
        struct hp_utf8 c = hp_utf8_first(text);
        if (c.code >= 0x10000) {
            hp_sink_print(&file->plain, "%04X", (unsigned)(0xd7c0 + (c.code >> 10)));
        }
        hp_sink_print(&file->plain, "%04X",
                      (unsigned)(c.code < 0x10000 ? c.code : 0xdc00 | (c.code & 0x3ff)));
        text = hp_span_from(text, c.size);
    }
}

// Write the object with the title of the document.
static void put_title(struct file *file, struct hp_span title) {
    put_object(file, "<< /Producer (hprof-agg) /Title <FEFF");
    while (title.size > 0) {
        struct hp_letter letter = hp_helvetica_letter(title);
        put_utf16(file, (struct hp_span){letter.as, letter.drawn});
        title = hp_span_from(title, letter.size);
    }
    hp_sink_text(&file->plain, "> >>\nendobj\n");
}

// Write the contents of the page, compressed.
static void put_contents(struct file *file, const struct hp_buffer *contents) {
    uLongf size = compressBound((uLong)contents->text.count);
    Bytef *packed = hp_alloc(size);
    compress2(packed, &size, (const Bytef *)contents->text.at,
              (uLong)contents->text.count,
              Z_DEFAULT_COMPRESSION); // cannot fail: there is enough room
    put_object(file, "<< /Filter /FlateDecode /Length %lu >>\nstream\n",
               (unsigned long)size);
    hp_sink_put(&file->plain, packed, size);
    hp_sink_text(&file->plain, "\nendstream\nendobj\n");
    free(packed);
}

// Write the first three objects: catalog, pages and page.  The page is higher by the note
// if there is one.
static void put_page(struct file *file, const struct pdf_writer *w, int32_t scale) {
    int32_t below = w->has_others ? NOTE_HEIGHT : 0;
    put_object(file, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    put_object(file, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    put_object(file, "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /MediaBox [0 ");
    hp_drawing_put_length(&file->plain, scaled(-below, scale));
    hp_sink_text(&file->plain, " ");
    hp_drawing_put_length(&file->plain, scaled(w->drawing->width, scale));
    hp_sink_text(&file->plain, " ");
    hp_drawing_put_length(&file->plain, scaled(w->drawing->height, scale));
    hp_sink_text(&file->plain,
                 "]\n/Resources << /Font << /F 4 0 R >> /Pattern << /H 5 0 R >> >> >>\n"
                 "endobj\n");
}

// Write the font, and the pattern for hatched areas.
static void put_resources(struct file *file) {
    static const char stripes[] = "1 G 1 w 0 0 m 8 8 l -1 7 m 1 9 l 7 -1 m 9 1 l S";
    put_object(file,
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica\n"
               "/Encoding /WinAnsiEncoding >>\nendobj\n");
    put_object(file,
               "<< /Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1\n"
               "/BBox [0 0 8 8] /XStep 8 /YStep 8 /Resources << >> /Length %zu >>\n"
               "stream\n%s\nendstream\nendobj\n",
               sizeof stripes - 1, stripes);
}

// Write the table of offsets, in the fixed width that PDF requires, and the trailer.
static void put_end(struct file *file) {
    size_t start = file->written + file->plain.used;
    hp_sink_print(&file->plain, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (size_t i = 0; i < OBJECTS; i++) {
        hp_sink_print(&file->plain, "%010zu 00000 n \n", file->offsets[i]);
    }
    hp_sink_print(
        &file->plain,
        "trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
        OBJECTS + 1, start);
}

// Close `sink`; if it has failed and `out` has not, set the error of `out`.
static void finish(struct hp_sink *sink, struct hp_sink *out) {
    struct hp_err err;
    if (hp_sink_close(sink, &err) != HP_OK && !out->error) {
        out->error = err.sys;
    }
}

void hp_drawing_write_pdf(struct hp_sink *out, const struct hp_drawing *drawing) {
    struct hp_buffer contents = {0};
    struct pdf_writer w = {.drawing = drawing};
    struct file file = {.out = out};
    int32_t scale = scale_of(drawing);
    hp_sink_init(&w.out, hp_buffer_write, &contents);
    hp_sink_print(&w.out, "%d.%04d 0 0 %d.%04d 0 0 cm\n", scale / ONE, scale % ONE,
                  scale / ONE, scale % ONE);
    put_elements(&w);
    finish(&w.out, out);
    hp_sink_init(&file.plain, deliver, &file);
    hp_sink_text(&file.plain, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    put_page(&file, &w, scale);
    put_resources(&file);
    put_contents(&file, &contents);
    put_title(&file, drawing->title);
    put_end(&file);
    finish(&file.plain, out);
    hp_vec_done(&contents.text);
    hp_vec_done(&w.encoded.text);
}

// --- PostScript ---------------------------------------------------------------------------

// Defines the PDF operators as PostScript procedures, and Helvetica with the characters
// of WinAnsiEncoding that names contain.
static const char prologue[] =
    "/m{moveto}bind def/l{lineto}bind def/w{setlinewidth}bind def/d{setdash}bind def\n"
    "/re{4 2 roll moveto 1 index 0 rlineto 0 exch rlineto neg 0 rlineto closepath}bind def\n"
    "/rg{3 array astore/FC exch def}bind def/RG{3 array astore/SC exch def}bind def\n"
    "/f{FC aload pop setrgbcolor fill}bind def/S{SC aload pop setrgbcolor stroke}bind def\n"
    "/s{closepath S}bind def/b{closepath gsave f grestore S}bind def/n{newpath}bind def\n"
    "/cs{pop}bind def/scn{pop .8 .8 .8 rg}bind def\n"
    "/BT{}def/ET{}def/Tf{exch pop/HL exch selectfont}bind def/Td{moveto}bind def\n"
    "/Tj{FC aload pop setrgbcolor show}bind def/F/F def\n"
    "/Helvetica findfont dup length dict begin{1 index/FID eq{pop pop}{def}ifelse}forall\n"
    "/Encoding ISOLatin1Encoding 256 array copy dup 133/ellipsis put dup 45/hyphen put def\n"
    "currentdict end/HL exch definefont pop\n";

void hp_drawing_write_ps(struct hp_sink *out, const struct hp_drawing *drawing) {
    struct hp_buffer contents = {0};
    struct pdf_writer w = {.drawing = drawing};
    int32_t scale = scale_of(drawing);
    hp_sink_init(&w.out, hp_buffer_write, &contents);
    put_elements(&w);
    finish(&w.out, out);
    int32_t below = w.has_others ? NOTE_HEIGHT : 0;
    int32_t width = scaled(drawing->width, scale) / HP_POINT + 1;
    int32_t height = scaled(drawing->height + below, scale) / HP_POINT + 1;
    hp_sink_print(out,
                  "%%!PS-Adobe-3.0\n%%%%BoundingBox: 0 0 %d %d\n%%%%EndComments\n"
                  "<</PageSize[%d %d]>>setpagedevice\n%s",
                  width, height, width, height, prologue);
    hp_sink_print(out, "[%d.%04d 0 0 %d.%04d 0 %d] concat\n", scale / ONE, scale % ONE,
                  scale / ONE, scale % ONE, scaled(below, scale) / HP_POINT);
    hp_sink_put(out, contents.text.at, contents.text.count);
    hp_sink_text(out, "showpage\n%%EOF\n");
    hp_vec_done(&contents.text);
    hp_vec_done(&w.encoded.text);
}
