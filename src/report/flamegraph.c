// A flame graph as a picture: the box of a function is above the box of its caller, and
// as wide as the cum value of the function in that stack.
//
//     inuse-space: 81.1 MiB ± 4.8 MiB
//     2 inputs · boxes of less than 83.0 KiB (0.1%) are merged
//     ■ own  ■ library
//     [leaf_mixed           ][run    ]
//     [main                                  ]
//     [all                                   ]
//
// The colours follow the set that Okabe and Ito chose for people with any colour vision,
// but are lighter, so that names can be read on them.  Rare classes differ in lightness.
#include "report/pictures.h"

#include "report/text/text.h"
#include "view/flames.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 1200 * HP_POINT,
    MARGIN = 10 * HP_POINT,
    // Height of a row of boxes.
    ROW = 16 * HP_POINT,
    LETTERS = 10 * HP_POINT,
    TITLE_LETTERS = 14 * HP_POINT,
    // Height of the head above the boxes.
    HEAD = 4 * ROW,
    PAD = 3 * HP_POINT,   // between a name and the sides of its box
    LEAST_CHARACTERS = 5, // shortest name that is worth showing truncated, in characters
    // Average width of the letters of a name is never below this.
    LEAST_LETTER = LETTERS * 2 / 5,
    GRAY = 0x383838,
    SHADES = 5,   // shades of each colour
    DARKEST = 60, // a shade darkens a colour by 0/60 to 4/60
    // Bytes that an SVG may have, approximately; smaller boxes are merged to keep to it.
    MOST_BYTES = 1900000,
};

// How boxes of one class, or of one kind of change, look.
struct style {
    const char *name; // in the legend and in tooltips
    uint32_t color;
    bool is_hatched;
    // Whether the legend appends the mark of a significant change to the name.
    bool is_marked;
};

// Styles of boxes by enum hp_frame_class, then that of the box for everything, then that
// of merged boxes.
static const struct style classes[] = {
    [HP_CLASS_NONE] = {"none", 0xd8d8d8},
    [HP_CLASS_ALLOCATOR] = {"allocator", 0xc4a6f2},
    [HP_CLASS_START_UP] = {"start-up", 0x989898},
    [HP_CLASS_WRAPPER] = {"wrapper", 0x86d3ae},
    [HP_CLASS_STANDARD] = {"standard", 0xf7ee8e},
    [HP_CLASS_LIBRARY] = {"library", 0x9ad2f2},
    [HP_CLASS_OWN] = {"own", 0xf3c060},
    [HP_CLASS_GENERATED] = {"generated", 0xf5a97f},
    [HP_CLASSES] = {"all", 0xf2f2f2},
    {"smaller", 0xf8f8f8},
};

enum {
    MERGED = HP_CLASSES + 1,
    SAME = 0, // from here on kinds of changes: indices into `changes`
    GREW,
    GREW_SURELY,
    SHRANK,
    SHRANK_SURELY,
    GONE,
    GONE_SURELY,
    MORE, // in a difference of two profiles, which has no p-values
    LESS,
};

// Styles of boxes in a comparison.
static const struct style changes[] = {
    [SAME] = {"no change", 0xececec},
    [GREW] = {"more, maybe by chance", 0xf7d4b8},
    [GREW_SURELY] = {"more, ", 0xe88a4a, .is_marked = true},
    [SHRANK] = {"less, maybe by chance", 0xc3def2},
    [SHRANK_SURELY] = {"less, ", 0x62a9dc, .is_marked = true},
    [GONE] = {"gone, maybe by chance", 0xc3def2, true},
    [GONE_SURELY] = {"gone, ", 0x62a9dc, true, true},
    [MORE] = {"grew", 0xe88a4a},
    [LESS] = {"shrank", 0x62a9dc},
};

enum {
    MOST_STYLES = MERGED + 1,
};

// State while the picture of a flame graph is drawn.
struct flame_picture {
    const struct hp_view *view;
    struct hp_flames flames;
    struct hp_drawing drawing;
    // The text that is being made; reused for each box.
    struct hp_buffer text;
    bool is_used[MOST_STYLES]; // styles that boxes have, for the legend
};

// The text that was made last; valid until the next one is begun.
static struct hp_span text_of(const struct flame_picture *p) {
    return (struct hp_span){p->text.text.at, p->text.text.count};
}

// Begin a text: write it to `out`, then call end_text().
static void begin_text(struct flame_picture *p, struct hp_sink *out) {
    p->text.text.count = 0;
    hp_sink_init(out, hp_buffer_write, &p->text);
}

// The finished text, valid until the next one is begun; empty if it could not be made.
static struct hp_span end_text(struct flame_picture *p, struct hp_sink *out) {
    struct hp_err err;
    int ret = hp_sink_close(out, &err);
    return ret == HP_OK ? text_of(p) : (struct hp_span){0};
}

// --- what a box says ----------------------------------------------------------------------

static void put_value(struct hp_sink *out, const struct flame_picture *p,
                      hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, p->view->options.metric, p->view->options.unit);
    hp_sink_text(out, text);
}

// Write the share that a box has of everything that is shown.
static void put_share(struct hp_sink *out, const struct flame_picture *p,
                      const struct hp_flame *flame) {
    const struct hp_flame *all = p->flames.all.at;
    char share[HP_NUMBER_SIZE];
    hp_text_share(share, flame->after, all->after);
    hp_sink_print(out, " (%s)", share);
}

// Write the estimate of a box with its error and its share.
static void put_estimate(struct hp_sink *out, const struct flame_picture *p,
                         const struct hp_flame *flame) {
    struct hp_amount amount = {.sum = flame->after, .error = &flame->error};
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, p->view, &amount);
    hp_sink_text(out, text.value);
    hp_text_put_interval(out, &text);
    put_share(out, p, flame);
}

// The words for a significant change: "significant", or "beyond sampling error".
static const char *mark_of(const struct flame_picture *p) {
    return hp_difference_mark(p->flames.difference.test);
}

// Write how much stacks grew and shrank in a difference of two profiles: "grew 2.0 MiB,
// shrank 12.0 MiB: -10.0 MiB".
static void put_signs(struct hp_sink *out, const struct flame_picture *p,
                      const struct hp_flame *flame) {
    char growth[HP_SIGNED_SIZE];
    hp_text_signed(growth, flame->after - flame->before, p->view->options.metric,
                   p->view->options.unit);
    hp_sink_text(out, "grew ");
    put_value(out, p, flame->after);
    hp_sink_text(out, ", shrank ");
    put_value(out, p, flame->before);
    hp_sink_print(out, ": %s", growth);
}

// Write the change of a box: "10.0 MiB before, 12.0 MiB after: +2.0 MiB (0.4 … 3.6 MiB),
// 2-sided p 0.012, grew".  Interval and p-value are missing if the box was not tested.
static void put_change(struct hp_sink *out, const struct flame_picture *p,
                       const struct hp_flame *flame) {
    const struct hp_change *change = hp_flame_change(&p->flames, flame);
    enum hp_metric metric = p->view->options.metric;
    char growth[HP_SIGNED_SIZE], p_value[HP_NUMBER_SIZE];
    if (hp_view_is_of_differences(p->view)) {
        put_signs(out, p, flame);
        return;
    }
    put_value(out, p, flame->before);
    hp_sink_text(out, " before, ");
    put_value(out, p, flame->after);
    hp_text_signed(growth, flame->after - flame->before, metric, p->view->options.unit);
    hp_sink_print(out, " after: %s", growth);
    if (!change || isnan(change->p)) {
        return;
    }
    struct hp_text_estimate text;
    hp_text_measure(&text, change->after - change->before,
                    hp_change_range(change, p->view->options.confidence), metric,
                    p->view->options.unit);
    hp_text_put_interval(out, &text);
    hp_text_p(p_value, change->p);
    hp_sink_print(out, ", 2-sided p %s%s%s", p_value, change->is_significant ? ", " : "",
                  change->is_significant ? mark_of(p) : "");
}

// The tooltip of a box: its full name, its value or change, and its class.
static struct hp_span title_of(struct flame_picture *p, const struct hp_flame *flame,
                               struct hp_span name, int style) {
    struct hp_sink out;
    begin_text(p, &out);
    hp_sink_escaped(&out, name);
    hp_sink_text(&out, "\n");
    if (p->flames.is_comparison) {
        put_change(&out, p, flame);
    } else {
        put_estimate(&out, p, flame);
        if (style < (int)HP_CLASSES) {
            hp_sink_print(&out, "\n%s", classes[style].name);
        }
    }
    return end_text(p, &out);
}

// --- boxes --------------------------------------------------------------------------------

// The number of the style of a box, in `classes` or in `changes`.
static int style_of(const struct flame_picture *p, const struct hp_flame *flame) {
    if (p->flames.is_comparison) {
        const struct hp_change *change = hp_flame_change(&p->flames, flame);
        bool is_sure = change && change->is_significant;
        if (hp_view_is_of_differences(p->view) && flame->after != flame->before) {
            return flame->after > flame->before ? MORE : LESS;
        }
        return flame->after == flame->before  ? SAME
               : flame->after > flame->before ? GREW + is_sure
               : flame->after > 0             ? SHRANK + is_sure
                                              : GONE + is_sure;
    }
    return flame->merged > 0 ? MERGED
           : flame->parent == HP_NO_PARENT
               ? (int)HP_CLASSES
               : (int)hp_node_class(&p->view->naming, flame->name);
}

// A shade of a colour that depends on the name alone: adjacent boxes can be
// distinguished, and a function has the same shade everywhere.
static uint32_t shade(uint32_t color, struct hp_span name) {
    uint32_t hash = 0, shaded = 0;
    for (size_t i = 0; i < name.size; i++) {
        hash = hash * 31 + (unsigned char)name.at[i];
    }
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t part = color >> shift & 0xff;
        shaded |= (part - part * (hash / 7 % SHADES) / DARKEST) << shift;
    }
    return shaded;
}

static const struct style *styles_of(const struct flame_picture *p) {
    return p->flames.is_comparison ? changes : classes;
}

// Shorten a name to `room`: by dropping its less important parts as on a terminal, or
// else by truncating it.  Returns an empty text if so little would be left that it says
// nothing.
static struct hp_span shorten(struct flame_picture *p, struct hp_span name,
                              int32_t room) {
    static const char mark[] = "…";
    int32_t size = hp_text_advance(name, LETTERS);
    struct hp_text_cut cut = {.room = room > 0 ? (size_t)(room / LEAST_LETTER) : 0};
    p->text.text.count = 0;
    if (size <= room) {
        hp_text_append_safe(&p->text, name);
    }
    for (; size > room && cut.room >= LEAST_CHARACTERS; cut.room--) {
        p->text.text.count = 0;
        hp_text_cut_name(&p->text, name, &cut);
        size = hp_text_advance(text_of(p), LETTERS);
    }
    if (size > room) {
        room -= hp_text_advance(hp_span_of(mark), LETTERS);
        name.size = hp_text_fitting(name, LETTERS, room);
        p->text.text.count = 0;
        hp_text_append_safe(&p->text, name);
        hp_vec_append(&p->text.text, mark, sizeof mark - 1);
        return name.size >= LEAST_CHARACTERS ? text_of(p) : (struct hp_span){0};
    }
    return text_of(p);
}

// Draw the name of a box, and after it the value or change of the box if all of that
// fits.
static void draw_name(struct flame_picture *p, struct hp_box box, struct hp_span name,
                      const struct hp_flame *flame) {
    const struct hp_report_options *options = &p->view->options;
    struct hp_letters letters = {.size = LETTERS};
    struct hp_point at = {box.x + PAD, box.y + ROW - 5 * HP_POINT};
    int32_t end = box.x + box.width - PAD;
    struct hp_span shown = shorten(p, name, end - at.x);
    char amount[HP_SIGNED_SIZE];
    if (shown.size == 0) {
        return;
    }
    hp_drawing_text(&p->drawing, at, shown, letters);
    at.x += hp_text_advance(shown, LETTERS) + 2 * PAD;
    if (p->flames.is_comparison) {
        hp_text_signed(amount, flame->after - flame->before, options->metric,
                       options->unit);
    } else {
        hp_text_format(amount, flame->after, options->metric, options->unit);
    }
    letters.color = GRAY;
    if (at.x + hp_text_advance(hp_span_of(amount), LETTERS) <= end) {
        hp_drawing_text(&p->drawing, at, hp_span_of(amount), letters);
    }
}

// The position and size in the picture of the box of `flame`; callees are above their
// callers.
static struct hp_box place(const struct flame_picture *p, const struct hp_flame *flame) {
    hp_fixed whole = p->flames.all.at[0].width > 0 ? p->flames.all.at[0].width : 1;
    hp_fixed room = WIDTH - 2 * MARGIN, end = flame->left + flame->width;
    int32_t left = (int32_t)(flame->left * room / whole);
    uint32_t above = p->flames.depth - flame->depth;
    return (struct hp_box){MARGIN + left, HEAD + (int32_t)above * ROW,
                           (int32_t)(end * room / whole) - left, ROW};
}

// Draw a box with its name and tooltip as one group.
static void draw_box(struct flame_picture *p, const struct hp_flame *flame) {
    int number = style_of(p, flame);
    struct style style = styles_of(p)[number];
    char few[32];
    snprintf(few, sizeof few, "%u smaller", (unsigned)flame->merged);
    struct hp_span name = hp_span_of(flame->merged > 0 ? few : "all"), full = name;
    if (flame->parent != HP_NO_PARENT && flame->merged == 0) {
        name = hp_view_node(p->view, flame->name);
        full = hp_node_full_name(&p->view->naming, flame->name);
        style.color = p->flames.is_comparison ? style.color : shade(style.color, full);
    }
    struct hp_box box = place(p, flame);
    p->is_used[number] = true;
    hp_drawing_begin(&p->drawing, NULL, title_of(p, flame, full, number));
    hp_drawing_box(&p->drawing, box,
                   (struct hp_ink){.fill = style.color,
                                   .stroke = 0xffffff,
                                   .line_width = HP_POINT / 2,
                                   .is_hatched = style.is_hatched});
    draw_name(p, box, name, flame);
    hp_drawing_end(&p->drawing);
}

// --- the head -----------------------------------------------------------------------------

// Write the metric and the total, or in a comparison the change of the total.
static void put_whole(struct hp_sink *out, const struct flame_picture *p) {
    const struct hp_view *view = p->view;
    const struct hp_head *head = &view->head;
    enum hp_metric metric = view->options.metric;
    struct hp_amount total = {.sum = head->filtered.of[metric],
                              .error = &head->filtered_errors[hp_column_of(metric)],
                              .is_total = true};
    struct hp_text_estimate text;
    hp_sink_print(out, "%s: ", hp_view_metric_name(view, metric));
    if (p->flames.is_comparison) {
        put_change(out, p, p->flames.all.at);
        return;
    }
    hp_text_estimate(&text, view, &total, metric);
    hp_sink_text(out, text.value);
    hp_text_put_interval(out, &text);
}

// Write the second line: the inputs, the level of intervals, filters, and the size below
// which boxes are merged.
static void put_inputs(struct hp_sink *out, const struct flame_picture *p) {
    const struct hp_head *head = &p->view->head;
    const struct hp_input_summary *summary = head->summary;
    enum hp_metric metric = p->view->options.metric;
    char number[HP_NUMBER_SIZE];
    hp_format_grouped(number, (hp_int128)summary[HP_SIDE_ALL].merged_used);
    hp_sink_print(out, "%s input%s", number,
                  hp_text_plural("input", summary[HP_SIDE_ALL].merged_used == 1));
    if (p->view->precision.is_known[hp_column_of(metric)]) {
        hp_sink_print(out, " · intervals at %g%%", p->view->options.confidence * 100);
    }
    if (head->is_filtered && !p->flames.is_comparison) {
        hp_sink_text(out, " · filters leave this of ");
        put_value(out, p, head->total.of[metric]);
    }
    hp_sink_text(out, " · boxes of less than ");
    put_value(out, p, p->flames.least);
    hp_sink_text(out, " are merged");
}

// Draw the styles that boxes of this picture have.
static void draw_legend(struct flame_picture *p) {
    const struct style *styles = styles_of(p);
    size_t count =
        p->flames.is_comparison ? sizeof changes / sizeof *changes : HP_CLASSES;
    struct hp_point at = {MARGIN, HEAD - ROW};
    char name[64];
    for (size_t i = count; i-- > 0;) {
        if (!p->is_used[i]) {
            continue;
        }
        struct hp_box box = {at.x, at.y - LETTERS * 4 / 5, LETTERS, LETTERS};
        hp_drawing_box(&p->drawing, box,
                       (struct hp_ink){.fill = styles[i].color,
                                       .is_hatched = styles[i].is_hatched});
        at.x += LETTERS + PAD;
        snprintf(name, sizeof name, "%s%s", styles[i].name,
                 styles[i].is_marked ? mark_of(p) : "");
        hp_drawing_text(&p->drawing, at, hp_span_of(name),
                        (struct hp_letters){.size = LETTERS});
        at.x += hp_text_advance(hp_span_of(name), LETTERS) + 4 * PAD;
    }
}

static void draw_head(struct flame_picture *p) {
    struct hp_sink out;
    begin_text(p, &out);
    put_whole(&out, p);
    hp_drawing_text(&p->drawing, (struct hp_point){MARGIN, 20 * HP_POINT},
                    end_text(p, &out), (struct hp_letters){.size = TITLE_LETTERS});
    begin_text(p, &out);
    put_inputs(&out, p);
    hp_drawing_text(&p->drawing, (struct hp_point){MARGIN, 34 * HP_POINT},
                    end_text(p, &out),
                    (struct hp_letters){.size = LETTERS, .color = GRAY});
    draw_legend(p);
}

static void draw(struct flame_picture *p) {
    int32_t rows = (int32_t)p->flames.depth + 1;
    struct hp_box page = {0, 0, WIDTH, HEAD + rows * ROW + MARGIN};
    hp_drawing_init(&p->drawing, page.width, page.height, hp_span_of("heap profile"));
    hp_drawing_box(&p->drawing, page, (struct hp_ink){.fill = 0xffffff});
    for (size_t i = 0; i < p->flames.all.count; i++) {
        draw_box(p, &p->flames.all.at[i]);
    }
    draw_head(p);
}

void hp_flamegraph_draw(struct hp_drawing *drawing, const struct hp_view *view) {
    struct flame_picture p = {.view = view};
    hp_flames_init(&p.flames, view, MOST_BYTES);
    draw(&p);
    *drawing = p.drawing;
    hp_flames_done(&p.flames);
    hp_vec_done(&p.text.text);
}
