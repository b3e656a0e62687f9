// The first rows for programs that read the page, as many as fit:
//
//     {"schema": "hprof-agg.summary/2", "report": "top", "by": "function",
//      "view": "code", "metric": "inuse-space", "confidence": 0.95, "total": ESTIMATE,
//      "row_count": 123,
//      "rows": [{"name": "f", "class": "own", "flat": ESTIMATE, "cum": ESTIMATE}]}
//
// ESTIMATE is as in JSON reports; names are those of the table.
#include "report/html/html.h"

#include "report/json/json.h"
#include "view/frame_rules.h"

enum {
    MOST = 8000, // bytes of the summary before `<`, `>` and `&` are escaped
};

// Write everything before the rows.
static void put_head(struct hp_json *json, const struct hp_view *view) {
    hp_json_open(json, NULL, '{');
    hp_json_put_word(json, "schema", "hprof-agg.summary/2");
    hp_json_put_word(json, "report", view->report->name);
    hp_json_put_word(json, "by", hp_view_row_kind(view));
    hp_json_put_word(json, "view", hp_frames_name(view->options.frames.fold));
    hp_json_line(json, 1);
    hp_json_put_word(json, "metric", hp_view_metric_name(view, view->options.metric));
    hp_sink_print(hp_json_value(json, "confidence"), "%g", view->options.confidence);
    hp_html_kind_of(view)->total(json, view);
    hp_json_line(json, 1);
    hp_json_put_count(json, "row_count", view->rows.count);
    hp_json_open(json, "rows", '[');
}

// Write a row as an object.
static void put_row(struct hp_json *json, const struct hp_view *view, size_t row) {
    hp_json_row(json, 2);
    hp_json_name(json, view, view->rows.at[row].node);
    hp_html_kind_of(view)->fields(json, view, row);
    hp_json_close(json);
}

// Append a row, or everything before the rows (HP_NO_ROW).  Returns false and appends
// nothing if there is no room for it.
static bool add(struct hp_json *json, struct hp_buffer *text, const struct hp_view *view,
                size_t row) {
    struct hp_sink sink;
    struct hp_err err;
    size_t before = text->text.count;
    hp_sink_init(&sink, hp_buffer_write, text);
    json->out = &sink;
    if (row == HP_NO_ROW) {
        put_head(json, view);
    } else {
        put_row(json, view, row);
    }
    bool fits = hp_sink_close(&sink, &err) == HP_OK && text->text.count <= MOST;
    text->text.count = fits ? text->text.count : before;
    return fits;
}

void hp_html_summary(struct hp_sink *out, const struct hp_view *view) {
    struct hp_buffer text = {0};
    struct hp_json json = {.out = NULL};
    size_t row = 0, shown = hp_view_shown(view, view->rows.count);
    if (add(&json, &text, view, HP_NO_ROW)) {
        while (row < shown && add(&json, &text, view, row)) {
            row++;
        }
        hp_sink_text(out, "<script id=\"summary\" type=\"application/json\">");
        hp_html_put_inert(out, hp_buffer_span(&text));
        hp_sink_text(out, "]}\n</script>\n");
    }
    hp_vec_done(&text.text);
}
