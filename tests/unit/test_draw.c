// Tests of drawings: widths of texts, and the writers for SVG, PDF and PostScript.
#include "draw/draw.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static struct hp_drawing drawing;

// Everything that a writer has written.
static struct {
    char text[1 << 16];
    size_t size;
} written;

// A hp_write_fn that appends to `written`.
static int keep(void *data, const void *bytes, size_t size) {
    (void)data;
    cr_assert_lt(written.size + size, sizeof written.text);
    memcpy(written.text + written.size, bytes, size);
    written.size += size;
    written.text[written.size] = '\0';
    return 0;
}

static void setup(void) {
    hp_drawing_init(&drawing, 200 * HP_POINT, 100 * HP_POINT, hp_span_of("a & b"));
    written.size = 0;
}

static void done(void) {
    hp_drawing_done(&drawing);
}

TestSuite(draw, .init = setup, .fini = done);

// Write the drawing with one of the writers.
static void write_by(void (*writer)(struct hp_sink *, const struct hp_drawing *)) {
    struct hp_sink sink;
    struct hp_err err;
    hp_sink_init(&sink, keep, NULL);
    writer(&sink, &drawing);
    cr_assert_eq(hp_sink_close(&sink, &err), HP_OK);
}

// Draw a text of 10 points.
static void add_text(const char *text) {
    hp_drawing_text(&drawing, (struct hp_point){10 * HP_POINT, 20 * HP_POINT},
                    hp_span_of(text), (struct hp_letters){.size = 10 * HP_POINT});
}

// --- widths ----------------------------------------------------------------------------

// Width of a text in thousandths of the font size.
static int32_t thousandths(const char *text) {
    return hp_text_advance(hp_span_of(text), 1000);
}

Test(draw, measures_texts_by_the_widths_of_helvetica) {
    cr_expect_eq(thousandths(""), 0);
    cr_expect_eq(thousandths("Wil"), 944 + 222 + 222);
    cr_expect_eq(thousandths("'@~"), 191 + 1015 + 584);
    cr_expect_eq(thousandths("\u00e4\u2026\u00b1"), 556 + 1000 + 584);
    cr_expect_eq(hp_text_advance(hp_span_of("Wil"), 10 * HP_POINT), 1388);
}

Test(draw, measures_what_stands_for_what_cannot_be_drawn) {
    cr_expect_eq(thousandths("\x1b"), thousandths("\\x1B"));
    cr_expect_eq(thousandths("\xff"), thousandths("\\xFF"));
    cr_expect_eq(thousandths("\u202e"), thousandths("\\u{202E}"));
    cr_expect_eq(thousandths("\uffff"), thousandths("\\u{FFFF}"));
    cr_expect_eq(thousandths("\u0416"), 667);
    cr_expect_eq(thousandths("\u6f22"), 1000);
}

Test(draw, fits_whole_characters) {
    static const char text[] = "a\u00e4\u6f22"; // widths 556, 556 and 1000
    cr_expect_eq(hp_text_fitting(hp_span_of(text), 1000, 555), 0);
    cr_expect_eq(hp_text_fitting(hp_span_of(text), 1000, 1112), 3);
    cr_expect_eq(hp_text_fitting(hp_span_of(text), 1000, 2111), 3);
    cr_expect_eq(hp_text_fitting(hp_span_of(text), 1000, 2112), 6);
}

Test(draw, does_not_wrap_around_for_a_long_text) {
    static char text[1 << 20];
    memset(text, '@', sizeof text - 1);
    cr_expect_eq(hp_text_advance(hp_span_of(text), 100 * HP_POINT), INT32_MAX);
}

// --- SVG -------------------------------------------------------------------------------

// Expect that the output contains a text.
static void expect(const char *text) {
    cr_expect(strstr(written.text, text) != NULL, "no %s in %s", text, written.text);
}

Test(draw, writes_boxes_lines_and_texts_as_svg) {
    struct hp_ink ink = {.fill = 0xe69f00, .stroke = 0x102030, .line_width = 50};
    hp_drawing_begin(&drawing, "node", hp_span_of("main\n12.5 MiB"));
    hp_drawing_box(&drawing, (struct hp_box){1000, 1050, 10005, 2000}, ink);
    add_text("main");
    hp_drawing_end(&drawing);
    ink.is_dashed = true;
    hp_drawing_line(&drawing, (struct hp_point[]){{0, 0}, {-150, 300}}, 2, ink, false);
    write_by(hp_drawing_write_svg);
    expect("width=\"200\" height=\"100\" viewBox=\"0 0 200 100\"");
    expect("<title>a &amp; b</title>");
    expect("<g class=\"node\"><title>main\n12.5 MiB</title>");
    expect(
        "<path d=\"M10 10.5h100.05v20h-100.05z\" fill=\"#e69f00\" stroke=\"#102030\" "
        "stroke-width=\"0.5\"/>");
    expect(
        "<text x=\"10\" y=\"20\" font-size=\"10\" textLength=\"21.67\" "
        "lengthAdjust=\"spacingAndGlyphs\">main</text>");
    expect(
        "</g>\n<path d=\"M0 0L-1.5 3\" fill=\"none\" stroke=\"#102030\" "
        "stroke-width=\"0.5\" stroke-dasharray=\"2 3\"/>\n</svg>\n");
}

Test(draw, leaves_no_markup_of_a_name_in_svg) {
    static const char name[] = "<script>\"'&]]>\x01\n\xff\u202e\uffff";
    static const char inert[] =
        "&lt;script&gt;&quot;&#39;&amp;]]&gt;\\x01\\x0A\\xFF"
        "\\u{202E}\\u{FFFF}</text>";
    add_text(name);
    write_by(hp_drawing_write_svg);
    expect(inert);
}

Test(draw, points_an_arrow_at_the_last_point_of_a_line) {
    struct hp_ink ink = {.stroke = 0, .line_width = HP_POINT};
    struct hp_point down[] = {{1000, 0}, {1000, 2000}};
    hp_drawing_line(&drawing, down, 2, ink, true);
    write_by(hp_drawing_write_svg);
    expect("d=\"M10 0L10 15\""); // line of one point: the arrow is five points long
    expect("d=\"M10 20L7.5 15L12.5 15z\""); // the arrow is five points wide
}

Test(draw, draws_nothing_of_too_few_points) {
    struct hp_point point = {0, 0};
    hp_drawing_line(&drawing, &point, 1, (struct hp_ink){.line_width = 1}, true);
    hp_drawing_polygon(&drawing, &point, 1, (struct hp_ink){.fill = 0});
    cr_expect_eq(drawing.elements.count, 0);
}

// --- PDF -------------------------------------------------------------------------------

// Find bytes in the output, which may contain NULs.
static const char *find(const char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= written.size; i++) {
        if (memcmp(written.text + i, text, size) == 0) {
            return written.text + i;
        }
    }
    return NULL;
}

Test(draw, writes_the_offsets_of_the_objects_of_a_pdf) {
    add_text("main");
    write_by(hp_drawing_write_pdf);
    const char *end = find("startxref\n");
    cr_assert_not_null(end);
    const char *table = written.text + strtoul(end + 10, NULL, 10);
    cr_assert_eq(strncmp(table, "xref\n0 8\n", 9), 0);
    for (unsigned i = 1; i <= 7; i++) {
        char begin[16];
        snprintf(begin, sizeof begin, "%u 0 obj\n", i);
        size_t at = strtoul(table + 9 + (size_t)i * 20, NULL, 10);
        cr_expect_eq(strncmp(written.text + at, begin, strlen(begin)), 0);
    }
}

// The uncompressed drawing operators of a PDF.
static const char *contents(void) {
    static char text[1 << 16];
    uLongf size = sizeof text - 1;
    const char *stream = find("/FlateDecode /Length ");
    cr_assert_not_null(stream);
    size_t packed = strtoul(stream + 21, NULL, 10);
    const char *data = strstr(stream, "stream\n") + 7;
    cr_assert_eq(uncompress((Bytef *)text, &size, (const Bytef *)data, packed), Z_OK);
    text[size] = '\0';
    return text;
}

Test(draw, counts_from_the_lower_edge_in_pdf) {
    hp_drawing_box(&drawing, (struct hp_box){1000, 1000, 5000, 2000},
                   (struct hp_ink){.fill = 0xff8000});
    add_text("main");
    write_by(hp_drawing_write_pdf);
    const char *drawn = contents();
    cr_expect_not_null(strstr(drawn, "1.000 0.502 0.000 rg\n10 70 50 20 re\nf\n"));
    cr_expect_not_null(strstr(drawn, "BT /F 10 Tf 10 80 Td (main) Tj ET\n"));
}

Test(draw, leaves_no_operator_of_a_name_in_pdf) {
    add_text("a) Tj (b\\\x01");
    write_by(hp_drawing_write_pdf);
    cr_expect_not_null(strstr(contents(), "(a\\) Tj \\(b\\\\\\\\x01) Tj ET\n"));
}

Test(draw, says_that_a_pdf_lacks_characters) {
    add_text("\u00e4\u2026");
    write_by(hp_drawing_write_pdf);
    cr_expect_not_null(strstr(contents(), "(\xe4\x85) Tj"));
    cr_expect_null(strstr(contents(), "Latin-1"));
    cr_expect_not_null(find("/MediaBox [0 0 200 100]"));
    written.size = 0;
    add_text("\u6f22x");
    write_by(hp_drawing_write_pdf);
    cr_expect_not_null(strstr(contents(), "(?x) Tj"));
    cr_expect_not_null(strstr(contents(), "Latin-1"));
    cr_expect_not_null(find("/MediaBox [0 -14 200 100]"));
}

Test(draw, scales_what_no_reader_shows) {
    drawing.width = 28800 * HP_POINT;
    write_by(hp_drawing_write_pdf);
    cr_expect_not_null(find("/MediaBox [0 0 14400 50]"));
    cr_expect_not_null(strstr(contents(), "0.5000 0 0 0.5000 0 0 cm\n"));
}

Test(draw, calls_in_postscript_what_pdf_has_by_these_names) {
    hp_drawing_box(&drawing, (struct hp_box){1000, 1000, 5000, 2000},
                   (struct hp_ink){.fill = 0xff8000});
    add_text("a) (b\u2026");
    write_by(hp_drawing_write_ps);
    cr_expect_eq(
        strncmp(written.text, "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 201 101\n", 42), 0);
    cr_expect_not_null(find("<</PageSize[201 101]>>setpagedevice\n"));
    cr_expect_not_null(find("1.000 0.502 0.000 rg\n10 70 50 20 re\nf\n"));
    cr_expect_not_null(find("(a\\) \\(b\x85) Tj ET\nshowpage\n"));
}
