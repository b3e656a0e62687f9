// The part of a page that can be read, printed and mailed without the script: a sentence,
// a table with intervals, and the largest nodes of the tree of calls; and the writers for
// a single profile.
#include "report/html/html.h"

#include "report/json/json.h"
#include "report/text/text_table.h"

#include <math.h>
#include <stdio.h>

// --- head ---------------------------------------------------------------------------------

// Write the title: the name of the input, or how many there are.
static void title(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    char count[HP_NUMBER_SIZE];
    if (head->input_count == 1) {
        hp_sink_text(out, "heap profile of ");
        hp_html_text(out, hp_span_basename(hp_span_of(head->inputs[0].public.name)));
    } else {
        size_t used = head->summary[HP_SIDE_ALL].used;
        hp_format_grouped(count, (hp_int128)used);
        hp_sink_print(out, "heap profile of %s dump%s", count, used == 1 ? "" : "s");
    }
}

// Write the first line of the text report.
static void sentence(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables) {
    (void)tables;
    struct hp_text_draft line;
    struct hp_text_names *names = hp_text_names_new(view);
    for (size_t i = 0; i < hp_text_named(view); i++) {
        hp_text_names_add(names, view->rows.at[i].node, 0);
    }
    hp_text_names_make_distinct(names);
    hp_text_draft_init(&line);
    hp_text_headline(&line.out, view, names);
    hp_html_text(out, hp_text_draft_end(&line));
    hp_text_draft_done(&line);
    hp_text_names_free(names);
}

// --- table --------------------------------------------------------------------------------

// Whether the table has a column for numbers of objects.
static bool counts_objects(const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    enum hp_metric objects = hp_objects_of(hp_column_of(metric));
    return !view->projection && metric != objects && hp_view_has_metric(view, objects);
}

// Write the titles of an estimate: its value, its interval and its share.
static void put_estimate_titles(struct hp_sink *out, const struct hp_view *view,
                                const struct hp_view_column *column) {
    char text[64], key[64];
    hp_html_put_title(out, column->key, column->title);
    snprintf(text, sizeof text, "%g%% CI", 100 * view->options.confidence);
    snprintf(key, sizeof key, "%s-interval", column->key);
    hp_html_put_title(out, key, text);
    snprintf(text, sizeof text, "%s%%", column->title);
    snprintf(key, sizeof key, "%s-share", column->key);
    hp_html_put_title(out, key, text);
}

static void titles(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_field *field;
    hp_vec_each (field, &view->fields) {
        if (field->column.title && field->column.cell == HP_CELL_ESTIMATE) {
            put_estimate_titles(out, view, &field->column);
        } else if (field->column.title) {
            hp_html_put_title(out, field->column.key, field->column.title);
        }
    }
    if (counts_objects(view)) {
        hp_html_put_title(out, "objects", "objects");
    }
}

// Write the line of titles.
static void put_titles(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out, "<thead>\n<tr>");
    hp_html_put_title(out, "name", hp_view_row_kind(view));
    hp_html_kind_of(view)->titles(out, view);
    hp_html_put_title(out, "class", "class");
    hp_sink_text(out, "</tr>\n</thead>\n");
}

// Write an estimate as three cells: value, interval with its mark, and share.
static void put_estimate(struct hp_sink *out, const struct hp_view *view, const char *key,
                         const struct hp_amount *amount) {
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    unsigned flags = hp_precision_flags(&view->precision, amount->sum, amount->error,
                                        view->options.metric);
    bool is_few = (flags & (HP_ROW_SEEN_ONCE | HP_ROW_FEW_SAMPLES)) != 0;
    hp_text_row_estimate(&text, view, amount);
    hp_text_share(share, amount->sum, view->head.total.of[view->options.metric]);
    hp_sink_print(out,
                  "<td data-key=\"%s\">%s</td><td data-key=\"%s-interval\">%s%s</td>"
                  "<td data-key=\"%s-share\">%s</td>",
                  key, text.value, key, text.interval, is_few && text.is_wide ? " *" : "",
                  key, share);
}

// The class of a node; "" if rows have none.
static const char *class_name(const struct hp_view *view, hp_node_id node) {
    enum hp_frame_class class = hp_node_class(&view->naming, node);
    return class < HP_CLASSES ? hp_frame_class_name(class) : "";
}

// Write the attributes by which the script finds a node: data-name="7" data-class="own".
static void put_identity(struct hp_sink *out, const struct hp_view *view, hp_node_id node,
                         const struct hp_html_tables *tables) {
    uint32_t number = tables->number_of[node.n];
    if (number > 0) {
        hp_sink_print(out, " data-name=\"%u\"", (unsigned)number - 1);
    }
    hp_sink_print(out, " data-class=\"%s\"", class_name(view, node));
}

// Write the full name as a tooltip, if it differs from the name that is shown.
static void put_full_name(struct hp_sink *out, const struct hp_view *view,
                          hp_node_id node, const struct hp_html_tables *tables) {
    struct hp_span full = hp_node_full_name(&view->naming, node);
    if (!hp_span_equal(full, hp_html_name(view, tables, node))) {
        hp_sink_text(out, " title=\"");
        hp_html_text(out, full);
        hp_sink_text(out, "\"");
    }
}

// Write the cells of a column.
static void put_field(struct hp_sink *out, const struct hp_view *view, size_t row,
                      const struct hp_field *field) {
    enum hp_metric metric = view->options.metric;
    struct hp_content content = hp_view_cell(view, row, field, metric);
    if (field->column.cell == HP_CELL_ESTIMATE) {
        put_estimate(out, view, field->column.key, &content.amount);
    } else {
        char text[HP_SIGNED_SIZE];
        struct hp_text_cell cell = hp_text_field_cell(field, &content);
        hp_text_cell_number(view, metric, &cell, text);
        hp_html_put_cell(out, field->column.key, text);
    }
}

static void cells(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const struct hp_field *field;
    hp_vec_each (field, &view->fields) {
        if (field->column.title) {
            put_field(out, view, row, field);
        }
    }
    if (counts_objects(view)) {
        enum hp_metric objects = hp_objects_of(hp_column_of(view->options.metric));
        char text[HP_NUMBER_SIZE];
        hp_fixed count = hp_view_cell(view, row, view->fields.at, objects).amount.sum;
        hp_text_format(text, count, objects, view->options.unit);
        hp_html_put_cell(out, "objects", text);
    }
}

// Write a row of the table.
static void put_row(struct hp_sink *out, const struct hp_view *view, size_t row,
                    const struct hp_html_tables *tables) {
    hp_node_id node = view->rows.at[row].node;
    hp_sink_text(out, "<tr");
    put_identity(out, view, node, tables);
    hp_sink_text(out, "><th scope=\"row\"");
    put_full_name(out, view, node, tables);
    hp_sink_text(out, ">");
    hp_html_text(out, hp_html_name(view, tables, node));
    hp_sink_text(out, "</th>");
    hp_html_kind_of(view)->cells(out, view, row);
    hp_html_put_cell(out, "class", class_name(view, node));
    hp_sink_text(out, "</tr>\n");
}

void hp_html_table(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_html_tables *tables) {
    size_t shown = hp_html_shown(view);
    char rows[HP_NUMBER_SIZE], all[HP_NUMBER_SIZE];
    hp_sink_text(out, "<table id=\"table\">\n");
    put_titles(out, view);
    hp_sink_text(out, "<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        put_row(out, view, i, tables);
    }
    hp_sink_text(out, "</tbody>\n</table>\n");
    hp_format_grouped(rows, (hp_int128)shown);
    hp_format_grouped(all, (hp_int128)view->rows.count);
    hp_sink_print(out, "<div class=\"row\"><p id=\"rest\">%s of %s</p>\n", rows, all);
}

// --- tree ---------------------------------------------------------------------------------

// Write the value of a node with its error and share.
static void put_node_value(struct hp_sink *out, const struct hp_view *view,
                           const struct hp_page_node *node) {
    enum hp_metric metric = view->options.metric;
    bool has_errors = view->head.is_uncertain[hp_column_of(metric)];
    struct hp_amount amount = {.sum = node->sum,
                               .error = has_errors ? &node->error : NULL,
                               .range = {NAN, NAN}};
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    hp_text_row_estimate(&text, view, &amount);
    hp_text_share(share, node->sum, view->head.total.of[metric]);
    hp_sink_text(out, text.value);
    hp_text_put_interval(out, &text);
    hp_sink_print(out, " %s ", share);
}

// Write a node; if it has children, the element stays open for them.
static void put_node(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_page_node *node,
                     const struct hp_html_tables *tables) {
    hp_sink_text(out, node->children > 0 ? "<details open" : "<p");
    put_identity(out, view, node->name, tables);
    hp_sink_text(out, node->children > 0 ? "><summary>" : ">");
    hp_html_kind_of(view)->node(out, view, node);
    hp_html_text(out, hp_html_name(view, tables, node->name));
    hp_sink_text(out, node->children > 0 ? "</summary>\n" : "</p>\n");
}

void hp_html_tree(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables) {
    const struct hp_page_node *nodes = view->tree.at;
    uint32_t open = HP_NO_PARENT;
    hp_sink_text(out, "<div id=\"tree\">\n");
    for (uint32_t i = 0; i < view->tree.count; i++) {
        for (; open != nodes[i].parent; open = nodes[open].parent) {
            hp_sink_text(out, "</details>\n");
        }
        put_node(out, view, &nodes[i], tables);
        open = nodes[i].children > 0 ? i : open;
    }
    for (; open != HP_NO_PARENT; open = nodes[open].parent) {
        hp_sink_text(out, "</details>\n");
    }
    hp_sink_text(out, "</div>\n");
}

// --- a single profile ---------------------------------------------------------------------

static void notes(struct hp_sink *out, const struct hp_view *view) {
    if (view->head.is_uncertain[hp_column_of(view->options.metric)]) {
        hp_text_error_note(out, view);
    }
}

static void total(struct hp_json *json, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    struct hp_amount amount = {.sum = view->head.whole.of[metric],
                               .error = &view->head.whole_errors[hp_column_of(metric)]};
    hp_json_ends(json, "total", view, &amount, metric);
}

// Write flat and cum as members of an object.
static void fields(struct hp_json *json, const struct hp_view *view, size_t row) {
    enum hp_metric metric = view->options.metric;
    for (size_t i = 0; i < 2; i++) {
        const struct hp_field *field = &view->fields.at[i];
        struct hp_amount amount = hp_view_cell(view, row, field, metric).amount;
        hp_json_ends(json, field->column.key, view, &amount, metric);
    }
}

const struct hp_html_kind hp_html_top = {
    .title = title,
    .head = hp_text_facts,
    .titles = titles,
    .notes = notes,
    .total = total,
    .sentence = sentence,
    .cells = cells,
    .node = put_node_value,
    .fields = fields,
};

const struct hp_html_kind *hp_html_kind_of(const struct hp_view *view) {
    return view->report->has_sides ? &hp_html_diff
           : view->changes         ? &hp_html_trend
                                   : &hp_html_top;
}
