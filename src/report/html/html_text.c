#include "report/html/html.h"

#include "report/text/text.h"

// The entity for a character that has a meaning in HTML; NULL: it has none.
static const char *entity_of(char c) {
    return c == '<'    ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '&'  ? "&amp;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

// Write text with entities; control characters must have been escaped before.
static void put_entities(struct hp_sink *out, struct hp_span text) {
    size_t start = 0;
    for (size_t i = 0; i < text.size; i++) {
        const char *entity = entity_of(text.at[i]);
        if (entity) {
            hp_sink_put(out, text.at + start, i - start);
            hp_sink_text(out, entity);
            start = i + 1;
        }
    }
    if (start < text.size) {
        hp_sink_put(out, text.at + start, text.size - start);
    }
}

void hp_html_text(struct hp_sink *out, struct hp_span text) {
    struct hp_buffer safe = {0};
    hp_text_append_safe(&safe, text);
    put_entities(out, (struct hp_span){safe.text.at, safe.text.count});
    hp_vec_done(&safe.text);
}

void hp_html_put_title(struct hp_sink *out, const char *key, const char *title) {
    hp_sink_print(out, "<th scope=\"col\" data-key=\"%s\">%s</th>", key, title);
}

void hp_html_put_cell(struct hp_sink *out, const char *key, const char *text) {
    hp_sink_print(out, "<td data-key=\"%s\">", key);
    hp_html_text(out, hp_span_of(text));
    hp_sink_text(out, "</td>");
}

void hp_html_put_amount(struct hp_sink *out, const struct hp_view *view, const char *key,
                        hp_fixed amount) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, amount, view->options.metric, view->options.unit);
    hp_html_put_cell(out, key, amount == 0 ? "-" : text);
}

// --- lines --------------------------------------------------------------------------------

// The text up to the first newline.
static struct hp_span first_line(struct hp_span text) {
    const char *end = text.size > 0 ? memchr(text.at, '\n', text.size) : NULL;
    return end ? (struct hp_span){text.at, (size_t)(end - text.at)} : text;
}

// Write a line as a list item, with " · " instead of the spaces between columns.
static void put_line(struct hp_sink *out, struct hp_span line) {
    hp_sink_text(out, "<li>");
    while (line.size > 0) {
        size_t end = 0, next;
        while (end < line.size &&
               !(line.at[end] == ' ' && end + 1 < line.size && line.at[end + 1] == ' ')) {
            end++;
        }
        for (next = end; next < line.size && line.at[next] == ' '; next++) {
        }
        put_entities(out, (struct hp_span){line.at, end});
        hp_sink_text(out, next < line.size && end > 0 ? " · " : "");
        line = hp_span_from(line, next);
    }
    hp_sink_text(out, "</li>\n");
}

void hp_html_lines(struct hp_sink *out, const struct hp_view *view, hp_writer *writer,
                   size_t left_out) {
    struct hp_buffer text = {0};
    struct hp_sink lines;
    struct hp_err err;
    hp_sink_init(&lines, hp_buffer_write, &text);
    writer(&lines, view);
    int ret = hp_sink_close(&lines, &err);
    struct hp_span left = {text.text.at, ret == HP_OK ? text.text.count : 0};
    size_t count = 0;
    for (size_t i = 0; i < left.size; i++) {
        count += left.at[i] == '\n' && (i == 0 || left.at[i - 1] != '\n');
    }
    for (; count > left_out; count--) {
        struct hp_span line = first_line(left);
        while (line.size == 0) {
            left = hp_span_from(left, 1);
            line = first_line(left);
        }
        put_line(out, line);
        left = hp_span_from(left, line.size);
    }
    hp_vec_done(&text.text);
}

void hp_html_answer(struct hp_sink *out, const struct hp_view *view, hp_writer *answer) {
    struct hp_buffer text = {0};
    put_entities(out, hp_text_made(&text, view, answer));
    hp_vec_done(&text.text);
}

// Whether a row holds nothing, or has not changed.
static bool is_nothing(const struct hp_view *view, size_t row) {
    enum hp_metric metric = view->options.metric;
    if (view->report->growth) {
        struct hp_growth growth = view->report->growth(view, row);
        return growth.before == growth.after;
    }
    const struct hp_field *field = &view->fields.at[view->options.sort == HP_SORT_CUM];
    return hp_view_cell(view, row, field, metric).amount.sum == 0;
}

size_t hp_html_shown(const struct hp_view *view) {
    size_t shown = hp_view_shown(view, view->rows.count);
    while (shown > 1 && view->options.limit != 0 && is_nothing(view, shown - 1)) {
        shown--;
    }
    return shown;
}
