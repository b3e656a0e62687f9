// The document: its policy and style, the part that can be read without a script, the
// script, and the data last.  Nothing is fetched, and nothing runs except the script of
// the build, which the policy identifies by its digest.
#include "report/html/html.h"

#include "report/text/text.h"

enum {
    MOST_WARNINGS = 3,   // that are shown at first
    WARNING_CELLS = 280, // cells of a warning that is not unfolded: two lines
};

// Write the Content-Security-Policy: only the script and style of the build, and images
// as data.
static void put_policy(struct hp_sink *out) {
    hp_sink_print(out,
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                  "'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; "
                  "img-src data:; base-uri 'none'; form-action 'none'\">\n",
                  hp_html_script_sha256, hp_html_style_sha256);
}

// Write the head of the document.
static void put_head(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out,
                  "<!DOCTYPE html>\n<html lang=\"en\" data-report=\"%s\">\n<head>\n"
                  "<meta charset=\"utf-8\">\n",
                  view->report->name);
    put_policy(out);
    hp_sink_print(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"hprof-agg %s\">\n<title>",
        hp_version());
    hp_html_kind_of(view)->title(out, view);
    hp_sink_text(out, "</title>\n<style>");
    hp_sink_put(out, hp_html_style, hp_html_style_size);
    hp_sink_text(out, "</style>\n</head>\n<body>\n");
}

// Write a warning; a long one without the folders of paths, and cut: it can be unfolded.
static void put_warning(struct hp_sink *out, const struct hp_view *view, size_t i) {
    struct hp_span whole = hp_view_warning(view, i);
    struct hp_text_cut cut = {.room = WARNING_CELLS};
    struct hp_buffer text = {0}, shown = {0};
    hp_text_append_shortened(&text, hp_view_short_warning(view, i));
    hp_text_cut_text(&shown, hp_buffer_span(&text), &cut);
    bool is_long = hp_text_cells(whole, false) > WARNING_CELLS / 2;
    hp_sink_text(out, is_long ? "<li><details><summary>" : "<li>");
    hp_html_text(out, is_long ? hp_buffer_span(&shown) : whole);
    if (is_long) {
        hp_sink_text(out, "</summary>\n");
        hp_html_text(out, whole);
        hp_sink_text(out, "</details>");
    }
    hp_sink_text(out, "</li>\n");
    hp_vec_done(&text.text);
    hp_vec_done(&shown.text);
}

// Write the warnings as a list; nothing if there are none.  Those after the first
// MOST_WARNINGS can be unfolded.
static void put_warnings(struct hp_sink *out, const struct hp_view *view) {
    size_t count = hp_view_warning_count(view);
    hp_sink_text(out, count > 0 ? "<ul id=\"warnings\">\n" : "");
    for (size_t i = 0; i < count; i++) {
        if (i == MOST_WARNINGS) {
            hp_sink_print(out, "<li><details><summary>%zu more</summary>\n<ul>\n",
                          count - i);
        }
        put_warning(out, view, i);
    }
    hp_sink_text(out, count > MOST_WARNINGS ? "</ul></details></li>\n" : "");
    hp_sink_text(out, count > 0 ? "</ul>\n" : "");
}

// Write facts about the inputs and the method, which can be unfolded.
static void put_facts(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out,
                 "<details><summary>Inputs and method</summary>\n"
                 "<ul id=\"facts\" class=\"facts\">\n");
    hp_html_lines(out, view, hp_html_kind_of(view)->head, 0);
    hp_sink_text(out, "</ul></details>\n");
}

// Write the header: title, sentence and warnings.
static void put_header(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables) {
    hp_sink_text(out, "<header id=\"head\">\n<h1 id=\"title\">");
    hp_html_kind_of(view)->title(out, view);
    hp_sink_text(out, "</h1>\n<p id=\"sentence\">");
    hp_html_kind_of(view)->sentence(out, view, tables);
    hp_sink_text(out, "</p>\n");
    put_warnings(out, view);
    hp_sink_text(out, "</header>\n");
}

// --- what the script draws into -----------------------------------------------------------

// Write the section for the dumps of a trend, which the script fills.
static void put_series(struct hp_sink *out) {
    hp_sink_text(out,
                 "<section id=\"series\" aria-labelledby=\"series-title\" "
                 "data-help=\"Draw from one dump to another to compare.\" "
                 "data-untold=\"Slope shown; no significance test for a selection.\" "
                 "hidden>\n"
                 "<h2 id=\"series-title\">Over the dumps</h2>\n"
                 "<p class=\"hint\" id=\"series-text\"></p>\n"
                 "<svg role=\"img\" aria-labelledby=\"series-title series-text\"></svg>\n"
                 "<ol class=\"row\"></ol>\n"
                 "<details><summary>The numbers</summary>\n"
                 "<div class=\"neighbors\" tabindex=\"0\" role=\"region\" "
                 "aria-label=\"The numbers\"></div></details>\n</section>\n");
}

// Write an item of a list with the attribute data-KEY="VALUE" and a text.
static void put_item(struct hp_sink *out, const char *key, const char *value,
                     const char *text) {
    hp_sink_print(out, "<li data-%s=\"%s\">%s</li>", key, value, text);
}

// Write the legend of the flame graph: the classes of code that occur in stacks.
static void put_classes(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables) {
    bool has[HP_CLASSES + 1] = {0};
    const hp_node_id *name;
    hp_vec_each (name, &tables->names.nodes) {
        has[hp_node_class(&view->naming, *name)] = true;
    }
    for (enum hp_frame_class i = 0; i < HP_CLASSES; i++) {
        if (has[i]) {
            put_item(out, "class", hp_frame_class_name(i), hp_frame_class_name(i));
        }
    }
}

// Write the legend of the flame graph of a comparison: the looks of changes.
static void put_looks(struct hp_sink *out, const struct hp_view *view) {
    static const char *const looks[][2] = {
        {"more-sure", "▲ grew (red: by how much)"},
        {"less-sure", "▼ shrank (blue: by how much; striped: gone)"},
        {"maybe", "not significant; pale: unchanged"},
        {"more", "grew, not tested"},
        {"less", "shrank, not tested"},
    };

    if (hp_view_is_of_differences(view)) {
        put_item(out, "change", "more", "grew more");
        put_item(out, "change", "less", "shrank more");
        return;
    }
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        put_item(out, "change", looks[i][0], looks[i][1]);
    }
}

// Write the section for the flame graph, which the script fills.
static void put_flames(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables) {
    hp_sink_text(out,
                 "<section id=\"flames\" aria-labelledby=\"flames-title\" hidden>\n"
                 "<div class=\"row\"><h2 id=\"flames-title\">Flame graph</h2>\n"
                 "<ul class=\"row legend\">");
    if (view->changes) {
        put_looks(out, view);
    } else {
        put_classes(out, view, tables);
    }
    hp_sink_text(out,
                 "</ul></div>\n<div class=\"where\"><nav aria-label=\"Calls\"></nav>\n"
                 "<p><strong>");
    if (hp_html_kind_of(view) == &hp_html_trend) {
        hp_sink_text(out,
                     "The last dump against the first, where a step counts as growth "
                     "does. ");
    }
    hp_sink_text(out,
                 "Click: zoom in. Shift-click: who calls it, what it "
                 "holds</strong></p></div>\n"
                 "<canvas role=\"img\" aria-label=\"Flame graph\"></canvas>\n"
                 "</section>\n");
}

// --- all ----------------------------------------------------------------------------------

// Write the main part: tools, table, sections for the script, and tree.
static void put_main(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables) {
    hp_sink_print(
        out,
        "<main id=\"main\">\n<div id=\"tools\" data-facets=\"By class, module …\" data-help=\"/ searches; Enter or a "
        "click opens a function; Escape returns\" data-none=\"No matches "
        "(case-sensitive)\">\n"
        "<input id=\"search\" type=\"search\" autocomplete=\"off\" aria-label=\"Search\" "
        "placeholder=\"Function, file or module\" hidden>\n"
        "<div class=\"row\"><p id=\"result\"></p></div>\n"
        "<ul id=\"filters\" aria-label=\"Filters\"></ul>\n</div>\n"
        "<section id=\"rows\" aria-labelledby=\"rows-title\">\n"
        "<h2 id=\"rows-title\">By %s</h2>\n",
        hp_view_row_kind(view));
    hp_html_table(out, view, tables);
    hp_sink_text(out, "<ul id=\"notes\" class=\"facts\">\n");
    hp_html_lines(out, view, hp_html_kind_of(view)->notes, 0);
    hp_sink_text(out, "</ul></div>\n<ul id=\"charges\" class=\"facts\">\n");
    hp_html_lines(out, view, hp_text_folding_notes, 0);
    hp_sink_text(out, "</ul>\n</section>\n");
    put_flames(out, view, tables);
    if (hp_html_kind_of(view) == &hp_html_trend) {
        put_series(out);
    }
    hp_sink_text(out,
                 "<section id=\"calls\" aria-labelledby=\"calls-title\">\n"
                 "<h2 id=\"calls-title\">Calls</h2>\n");
    hp_html_tree(out, view, tables);
    hp_sink_text(out, "</section>\n");
    put_facts(out, view);
    hp_sink_text(out, "<p id=\"live\" aria-live=\"polite\"></p>\n</main>\n");
}

static void write_html(struct hp_sink *out, const struct hp_view *view) {
    struct hp_html_tables tables;
    hp_html_tables_init(&tables, view);
    put_head(out, view);
    put_header(out, view, &tables);
    put_main(out, view, &tables);
    hp_sink_text(out, "<script>");
    hp_sink_put(out, hp_html_script, hp_html_script_size);
    hp_sink_text(out, "</script>\n");
    hp_html_summary(out, view);
    hp_html_data(out, view, &tables);
    hp_sink_text(out, "</body>\n</html>\n");
    hp_html_tables_done(&tables);
}

// A page does not depend on a terminal.
static void complete(struct hp_report_options *options) {
    options->text = (struct hp_text_options){.width = 0};
}

const struct hp_format hp_format_html = {
    .name = "html",
    .files = "*.html *.htm",
    .help = "one page for browsers, with all stacks, which needs nothing else",
    .can = HP_READ_AS_DOUBLE | HP_CAN_LIMIT | HP_CAN_INTERVALS | HP_CAN_ALL_ENDS |
           HP_CAN_UNIT | HP_HAS_ALL_METRICS | HP_HAS_SHORT_NAMES,
    .limit = 15,
    .shape = HP_SHAPE_PAGE,
    .complete = complete,
    .write = {[HP_REPORT_TOP] = write_html,
              [HP_REPORT_DIFF] = write_html,
              [HP_REPORT_TREND] = write_html},
};
