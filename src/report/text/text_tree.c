// A tree of calls, as lines:
//
//         cum   cum%        cum at 95%         flat  function
//    81.1 MiB 100.0%         ± 4.8 MiB            -  _start
//    81.1 MiB 100.0%         ± 4.8 MiB            -  main
//    58.4 MiB  72.0%         ± 3.9 MiB     58.4 MiB  ├ leaf_mixed
//    12.0 MiB  14.8%   9.6 … 14.7 MiB             -  └ run
//    12.0 MiB  14.8%   9.6 … 14.7 MiB      12.0 MiB    leaf_big
//
// Where a function has several children the tree goes one step to the right; a function
// without a branch before it is the only child of the one above it.  Far to the right,
// the number of steps is written instead of them.  Frames of code that is not the
// program's share a line, and so do those of a function that calls itself:
//
//     22.5 MiB  58.8%         ± 3.4 MiB            -  parse recurse x10, innermost 18.1 MiB
#include "report/text/text_table.h"

#include "view/report_tree.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 11,      // cells of a value; narrow, because a tree needs room
    SHARE_WIDTH = 6, // cells of a share
    MOST_STEPS = 8,  // most steps that are drawn
    // The number of steps is reduced to this at least if names would have no room
    // otherwise.
    LEAST_STEPS = 2,
    LEAST_NAME = 16, // least cells of a name after all steps
    // Room for "[12] ".
    FAR_SIZE = 16,
    // Room for " recurse x10, innermost 18.1 MiB".
    RECURSION_SIZE = 48 + HP_NUMBER_SIZE,
};

// The columns.
enum {
    CUM,
    SHARE,
    ERROR,
    FLAT,
};

// State of drawing the tree.
struct drawing {
    struct hp_text_table table;
    uint32_t most_steps; // most steps that are drawn; of more, the number is written
    struct hp_text_widths widths;
    struct hp_text_names *names;
    uint32_t *steps; // for each node: steps before its name
    // For each step: whether its branch continues further down.
    bool is_open[MOST_STEPS + 1];
};

// Set the widths of columns so that the values of all lines fit.
static void measure(struct drawing *drawing, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    const struct hp_tree_node *node;
    struct hp_text_widths *widths = &drawing->widths;
    *widths = hp_text_widths_of(view);
    widths->amount = view->options.text.width > 0 ? widths->amount : WIDTH;
    hp_vec_each (node, &tree->nodes) {
        struct hp_amount cum = hp_tree_cum(tree, node);
        if (node->run > 0) {
            hp_text_widen(widths, view, &cum);
        }
    }
}

// Add the columns that fit, then draw fewer steps until names have room.
static void fit(struct drawing *drawing, const struct hp_view *view) {
    struct hp_text_table *table = &drawing->table;
    int width = drawing->widths.amount;
    hp_text_table_add(table, "cum", width, 0);
    hp_text_table_add(table, "cum%", SHARE_WIDTH, 1);
    hp_text_table_add_error(table, "cum", drawing->widths.error, 2)->is_gone =
        !hp_text_has_errors(view);
    hp_text_table_add(table, "flat", width, 3)->is_gone = view->options.tree.invert;
    hp_text_table_fit(table, 1);
    drawing->most_steps = MOST_STEPS;
    while (table->room > 0 && drawing->most_steps > LEAST_STEPS &&
           table->room < LEAST_NAME + 2 * drawing->most_steps) {
        drawing->most_steps--;
    }
}

// Whether a node has siblings, so that it has a branch before it.
static bool is_branch(const struct hp_tree *tree, const struct hp_tree_node *node) {
    return node->parent == HP_NO_PARENT ? tree->roots > 1
                                        : tree->nodes.at[node->parent].shown > 1;
}

// Count the branches of the tree from the root to each node.
static void count_steps(struct drawing *drawing, const struct hp_tree *tree) {
    for (size_t i = 0; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[i];
        bool is_root = node->parent == HP_NO_PARENT;
        drawing->steps[i] =
            (is_root ? 0 : drawing->steps[node->parent]) + is_branch(tree, node);
    }
}

// Format the number of steps of a node that is too far to the right, "[12] "; returns its
// width in cells.
static size_t far_right(char text[FAR_SIZE], uint32_t steps) {
    return (size_t)snprintf(text, FAR_SIZE, "[%u] ", (unsigned)steps);
}

// Cells of the name of a node, after its steps; 0: any.
static size_t room_of(const struct drawing *drawing, size_t number) {
    char text[FAR_SIZE];
    uint32_t steps = drawing->steps[number];
    size_t used = steps > drawing->most_steps ? far_right(text, steps) + 2 : 2 * steps;
    size_t room = drawing->table.room;
    return room > used ? room - used : room > 0;
}

// Whether all frames of a line are of one function, which calls itself.
static bool is_recursion(const struct hp_tree_node *node) {
    bool is_one = node->run > 1;
    for (uint32_t i = 1; i < node->run; i++) {
        is_one &= node[i].name.n == node->name.n;
    }
    return is_one;
}

// The text after the name of a function that calls itself: how often, and what the
// innermost call holds if that is less.  It is shorter where a name would have no room.
// Returns its width in cells.
static size_t end_of_recursion(const struct hp_view *view,
                               const struct hp_tree_node *node, size_t room,
                               char text[RECURSION_SIZE]) {
    const struct hp_tree *tree = view->extra;
    hp_fixed first = hp_tree_cum(tree, node).sum;
    hp_fixed last = hp_tree_cum(tree, node + node->run - 1).sum;
    char number[HP_NUMBER_SIZE];
    hp_text_format(number, last, view->options.metric, view->options.unit);
    if (first == last) {
        hp_message_print(text, RECURSION_SIZE,
                         HP_MESSAGE("tree-recursion", " recurse x%u"),
                         (unsigned)node->run);
    } else {
        hp_message_print(text, RECURSION_SIZE,
                         HP_MESSAGE("tree-recursion-ends", " recurse x%u, innermost %s"),
                         (unsigned)node->run, number);
    }
    if (first != last && room > 0 && strlen(text) + LEAST_NAME > room) {
        hp_message_print(text, RECURSION_SIZE,
                         HP_MESSAGE("tree-recursion-short", " x%u to %s"),
                         (unsigned)node->run, number);
    }
    return strlen(text);
}

// Find distinct names for all nodes, except those of runs (several frames in one line of
// text): a run is named as a whole, unless it is a recursion.
static void name_nodes(struct drawing *drawing, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    drawing->names = hp_text_names_new(view);
    for (size_t i = 0; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[i];
        char end[RECURSION_SIZE];
        size_t room = room_of(drawing, i);
        size_t used = is_recursion(node) ? end_of_recursion(view, node, room, end) : 0;
        if (node->run == 1 || used > 0) {
            hp_text_names_add(drawing->names, node->name,
                              room > used ? room - used : room > 0);
        }
    }
    hp_text_names_make_distinct(drawing->names);
}

// Append to the name of a line.
static void append(struct drawing *drawing, const char *text) {
    hp_text_table_name(&drawing->table, hp_span_of(text));
}

// Append the steps before the name of a node: lines of branches that continue, then its
// own branch.
static void append_branches(struct drawing *drawing, const struct hp_tree *tree,
                            size_t number) {
    const struct hp_tree_node *node = &tree->nodes.at[number];
    bool branches = is_branch(tree, node);
    uint32_t steps = drawing->steps[number];
    char text[FAR_SIZE];
    if (steps > drawing->most_steps) {
        far_right(text, steps);
        append(drawing, text);
        append(drawing, branches ? "├ " : "");
        return;
    }
    for (uint32_t step = 1; step + branches <= steps; step++) {
        append(drawing, drawing->is_open[step] ? "│ " : "  ");
    }
    if (branches) {
        append(drawing, node->is_last ? "└ " : "├ ");
        drawing->is_open[steps] = !node->is_last;
    }
}

// Bytes at the beginning of two names that are a common scope or folder:
// "tokio::runtime".  `size`: the most that it can be.
static size_t common_path(struct hp_span a, struct hp_span b, size_t size) {
    size_t same = 0, path = 0;
    bool has_slash = false;
    size = size < a.size ? size : a.size;
    size = size < b.size ? size : b.size;
    while (same < size && a.at[same] == b.at[same] && !strchr("<( {", a.at[same])) {
        bool is_scope = a.at[same] == ':' && same > 0 && a.at[same - 1] == ':';
        path = is_scope ? same - 1 : path;
        has_slash |= a.at[same] == '/';
        path = a.at[same] == '/' || (has_slash && a.at[same] == '.') ? same : path;
        same++;
    }
    return path;
}

// Return the file name, without folders, of the module of a node.
static struct hp_span file_of(const struct hp_view *view, hp_node_id node) {
    hp_module_id module = hp_view_origin(view, node)->module;
    struct hp_span path = hp_view_string(view, hp_view_module(view, module)->path);
    for (size_t i = path.size; i > 0; i--) {
        if (path.at[i - 1] == '/') {
            return (struct hp_span){path.at + i, path.size - i};
        }
    }
    return path;
}

// Append a name, made safe and shortened.
static void append_cut(struct hp_buffer *out, struct hp_span name,
                       const struct hp_text_cut *cut) {
    struct hp_buffer safe = {0};
    hp_text_append_safe(&safe, name);
    hp_text_cut_name(out, (struct hp_span){safe.text.at, safe.text.count}, cut);
    hp_vec_done(&safe.text);
}

// The beginning that all names of a run have in common, or else their common module; ""
// if there is neither.
static struct hp_span common_of(const struct hp_view *view,
                                const struct hp_tree_node *node) {
    struct hp_span first = hp_view_node(view, node->name),
                   file = file_of(view, node->name);
    size_t path = first.size;
    for (uint32_t i = 1; i < node->run; i++) {
        struct hp_span other = file_of(view, node[i].name);
        path = path == 0 ? 0
                         : common_path(first, hp_view_node(view, node[i].name), path + 2);
        file.size = hp_span_compare(file, other) == 0 ? file.size : 0;
    }
    return path > 0 ? (struct hp_span){first.at, path} : file;
}

// Append the text of a run with 0 to 2 names: "tokio::runtime … 23 frames", "read_all …
// parse, 23 frames", "23 frames".
static void build_run(struct hp_buffer *out, const struct hp_span *names, size_t count,
                      uint32_t frames, struct hp_text_cut cut) {
    static const char dots[] = " … ";
    char end[FAR_SIZE + 16];
    size_t used = (size_t)snprintf(end, sizeof end, "%s%u frames",
                                   count == 2   ? ", "
                                   : count == 1 ? dots
                                                : "",
                                   (unsigned)frames);
    used += count == 2 ? sizeof dots - 1 : 0;
    cut.room = cut.room > used ? (cut.room - used) / (count == 2 ? 2 : 1) : cut.room > 0;
    for (size_t i = 0; i < count; i++) {
        hp_vec_append(&out->text, dots, i > 0 ? sizeof dots - 1 : 0);
        append_cut(out, names[i], &cut);
    }
    hp_vec_append(&out->text, end, strlen(end));
}

// Append the text of a run: what its names have in common, or else its first and last
// name; fewer names where there is no room.
static void append_run(struct drawing *drawing, const struct hp_view *view,
                       const struct hp_tree_node *node, size_t room) {
    struct hp_span common = common_of(view, node);
    struct hp_span first = common.size > 0 ? common : hp_view_node(view, node->name);
    struct hp_span names[] = {first, hp_view_node(view, node[node->run - 1].name)};
    struct hp_text_cut cut = {.room = room, .is_ascii = view->options.text.ascii};
    struct hp_buffer text = {0};
    size_t count = common.size > 0 ? 1 : 2, cells;
    do {
        text.text.count = 0;
        build_run(&text, names, count, node->run, cut);
        cells = hp_text_cells(hp_buffer_span(&text), view->options.text.ascii);
    } while (room > 0 && cells > room && count-- > 0);
    hp_text_table_name(&drawing->table, hp_buffer_span(&text));
    hp_vec_done(&text.text);
}

// Write the line of a node.
static void put_node(struct drawing *drawing, const struct hp_view *view, size_t number) {
    const struct hp_tree *tree = view->extra;
    const struct hp_tree_node *node = &tree->nodes.at[number];
    struct hp_amount cum = hp_tree_cum(tree, node);
    hp_fixed flat = hp_tree_flat(tree, node);
    struct hp_text_cell *cells = drawing->table.cells.at;
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &cum);
    cells[CUM] = hp_text_amount_cell(cum.sum, &text);
    cells[SHARE] = hp_text_share_cell(cum.sum, hp_text_whole(view));
    cells[ERROR] = hp_text_error_cell(view, &cum, &text);
    cells[FLAT] = flat == 0 ? (struct hp_text_cell){.kind = HP_TEXT_DASH}
                            : hp_text_amount_cell(flat, &text);
    append_branches(drawing, tree, number);
    if (is_recursion(node)) {
        char end[RECURSION_SIZE];
        end_of_recursion(view, node, room_of(drawing, number), end);
        hp_text_table_name(&drawing->table, hp_text_name(drawing->names, node->name));
        append(drawing, end);
    } else if (node->run > 1) {
        append_run(drawing, view, node, room_of(drawing, number));
    } else {
        hp_text_table_name(&drawing->table, hp_text_name(drawing->names, node->name));
    }
    hp_text_table_put(&drawing->table, HP_TEXT_CELLS);
}

// The nodes that are not shown: those that the view omits, and those that --max-bytes has
// no room for.
struct hidden {
    // Their number; the sum of their flat values; the largest cum value of any of them,
    // without its sign.
    size_t count;
    hp_fixed flat, most;
};

// Sum up the nodes that are not shown, from node `from` on.
static struct hidden hidden_from(const struct hp_tree *tree, size_t from) {
    struct hidden hidden = {tree->hidden, tree->hidden_flat, tree->hidden_most};
    for (size_t i = from; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[i];
        hp_fixed cum = hp_tree_cum(tree, node).sum, size = cum < 0 ? -cum : cum;
        hidden.count++;
        hidden.flat += hp_tree_flat(tree, node);
        hidden.most = size > hidden.most ? size : hidden.most;
    }
    return hidden;
}

// Write how many nodes are not shown, and their sum; nothing if all are shown.  In an
// inverted tree, values of nodes contain each other, so that the largest value is written
// instead of the sum.
static void put_hidden(struct hp_sink *out, const struct hp_view *view, size_t from) {
    const struct hp_tree *tree = view->extra;
    struct hidden hidden = hidden_from(tree, from);
    enum hp_metric metric = view->options.metric;
    char count[HP_NUMBER_SIZE], most[HP_NUMBER_SIZE];
    bool inverted = view->options.tree.invert;
    if (hidden.count == 0) {
        return;
    }
    hp_format_grouped(count, (hp_int128)hidden.count);
    hp_sink_print(out, HP_MESSAGE("nodes-left", "… %s more node%s, "), count,
                  hidden.count == 1 ? "" : "s");
    if (inverted) {
        hp_text_format(most, hidden.most, metric, view->options.unit);
        hp_sink_print(out, HP_MESSAGE("nodes-left-none-above", "none of more than %s"),
                      most);
    } else {
        hp_text_put_part(out, view, hidden.flat);
    }
    if (view->options.tree.min_share > 0 && from == tree->nodes.count) {
        hp_sink_text(out, "\n");
    } else {
        hp_text_how_to_see_all(out, view);
    }
}

void hp_text_tree(struct hp_text_page *page, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    size_t count = tree->nodes.count;
    struct drawing drawing = {.steps = hp_alloc(count * sizeof *drawing.steps)};
    hp_text_table_init(&drawing.table, page);
    measure(&drawing, view);
    fit(&drawing, view);
    count_steps(&drawing, tree);
    name_nodes(&drawing, view);
    hp_text_head(&page->lines, view);
    hp_text_table_put(&drawing.table, HP_TEXT_TITLES);
    size_t shown = hp_view_fitting(view, count);
    for (size_t i = 0; i < shown; i++) {
        if (tree->nodes.at[i].run > 0) {
            put_node(&drawing, view, i);
        }
    }
    struct hp_text_draft rest;
    hp_text_draft_init(&rest);
    put_hidden(&rest.out, view, shown);
    hp_text_finish(&drawing.table, hp_text_draft_end(&rest));
    hp_text_draft_done(&rest);
    hp_text_names_free(drawing.names);
    hp_text_table_done(&drawing.table);
    free(drawing.steps);
}
