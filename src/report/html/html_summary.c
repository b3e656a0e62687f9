// The first rows for programs that read the page, as many as fit:
//
//     {"schema": "hprof-agg.summary/1", "report": "top", "by": "function",
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
static void put_head(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    hp_sink_print(out,
                  "{\"schema\": \"hprof-agg.summary/1\", \"report\": \"%s\", "
                  "\"by\": \"%s\", \"view\": \"%s\",\n \"metric\": ",
                  view->report->name, hp_view_row_kind(view),
                  hp_frames_name(view->options.frames.fold));
    hp_json_string(out, hp_span_of(hp_view_metric_name(view, metric)));
    hp_sink_print(out, ", \"confidence\": %g, \"total\": ", view->options.confidence);
    hp_html_kind_of(view)->total(out, view);
    hp_sink_print(out, ",\n \"row_count\": %zu, \"rows\": [", view->rows.count);
}

// Write a row as an object, after a comma unless it is the first.
static void put_row(struct hp_sink *out, const struct hp_view *view, size_t row) {
    hp_sink_text(out, row > 0 ? ",\n  {" : "\n  {");
    hp_json_name(out, view, view->rows.at[row].node);
    hp_html_kind_of(view)->fields(out, view, row);
    hp_sink_text(out, "}");
}

// Append a row, or everything before the rows.  Returns false and appends nothing if
// there is no room for it.
static bool add(struct hp_buffer *text, const struct hp_view *view, size_t row,
                bool is_head) {
    struct hp_sink sink;
    struct hp_err err;
    size_t before = text->text.count;
    hp_sink_init(&sink, hp_buffer_write, text);
    if (is_head) {
        put_head(&sink, view);
    } else {
        put_row(&sink, view, row);
    }
    bool fits = hp_sink_close(&sink, &err) == HP_OK && text->text.count <= MOST;
    text->text.count = fits ? text->text.count : before;
    return fits;
}

void hp_html_summary(struct hp_sink *out, const struct hp_view *view) {
    struct hp_buffer text = {0};
    size_t row = 0, shown = hp_view_shown(view, view->rows.count);
    if (add(&text, view, 0, true)) {
        while (row < shown && add(&text, view, row, false)) {
            row++;
        }
        hp_sink_text(out, "<script id=\"summary\" type=\"application/json\">");
        hp_html_put_inert(out, (struct hp_span){text.text.at, text.text.count});
        hp_sink_text(out, "]}\n</script>\n");
    }
    hp_vec_done(&text.text);
}
