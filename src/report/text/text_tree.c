//         cum   cum%        cum at 95%         flat  function
//    81.1 MiB 100.0%         ± 4.8 MiB            -  _start
//    81.1 MiB 100.0%         ± 4.8 MiB            -  main
//    58.4 MiB  72.0%         ± 3.9 MiB     58.4 MiB  ├ leaf_mixed
//    12.0 MiB  14.8%   9.6 … 14.7 MiB             -  └ run
//    12.0 MiB  14.8%   9.6 … 14.7 MiB      12.0 MiB    leaf_big
//
// Where there are several the tree goes one step to the right; a function without a mark is
// the only one below that above it.  Far to the right the number of steps stands for them.
#include "report/text/text.h"

#include "view/report_tree.h"

enum {
    WIDTH = 11,     // of a value: a tree needs room
    MOST_STEPS = 8, // that are drawn
};

struct drawing {
    uint32_t *steps;              // of each node
    bool is_open[MOST_STEPS + 1]; // the branch of this step goes on further down
};

static void put_titles(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out, "%s%*s   cum%%", hp_text_bold(view), WIDTH, "cum");
    if (hp_text_has_errors(view)) {
        hp_sink_text(out, " ");
        hp_text_error_title(out, view, "cum");
    }
    if (!view->options.invert) {
        hp_sink_print(out, " %*s", WIDTH, "flat");
    }
    hp_sink_print(out, "  %s%s\n", hp_granularity_text(view->options.by),
                  hp_text_plain(view));
}

static bool is_branch(const struct hp_tree *tree, const struct hp_tree_node *node) {
    return node->parent == HP_NO_PARENT ? tree->roots > 1
                                        : tree->nodes.at[node->parent].shown > 1;
}

static void put_branches(struct hp_sink *out, struct drawing *drawing,
                         const struct hp_tree *tree, size_t number) {
    const struct hp_tree_node *node = &tree->nodes.at[number];
    bool branches = is_branch(tree, node);
    bool is_root = node->parent == HP_NO_PARENT;
    uint32_t steps = (is_root ? 0 : drawing->steps[node->parent]) + branches;
    drawing->steps[number] = steps;
    if (steps > MOST_STEPS) {
        hp_sink_print(out, "[%u] %s", (unsigned)steps, branches ? "├ " : "");
        return;
    }
    for (uint32_t step = 1; step + branches <= steps; step++) {
        hp_sink_text(out, drawing->is_open[step] ? "│ " : "  ");
    }
    if (branches) {
        hp_sink_text(out, node->is_last ? "└ " : "├ ");
        drawing->is_open[steps] = !node->is_last;
    }
}

static void put_node(struct hp_sink *out, struct drawing *drawing,
                     const struct hp_view *view, size_t number) {
    const struct hp_tree *tree = view->extra;
    const struct hp_tree_node *node = &tree->nodes.at[number];
    struct hp_amount cum = {.sum = node->cum, .error = &node->error};
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &cum);
    hp_text_put(out, text.value, WIDTH);
    hp_sink_text(out, " ");
    hp_text_percent(out, node->cum, view->head.total.of[view->options.metric]);
    if (hp_text_has_errors(view)) {
        hp_sink_text(out, " ");
        hp_text_error(out, view, &cum, &text);
    }
    if (node->flat == 0 && !view->options.invert) {
        hp_sink_print(out, " %*s", WIDTH, "-");
    } else if (!view->options.invert) {
        hp_sink_text(out, " ");
        hp_text_value_of(out, view, node->flat, &text, WIDTH);
    }
    hp_sink_text(out, "  ");
    put_branches(out, drawing, tree, number);
    hp_sink_escaped(out, hp_view_node(view, node->name));
    hp_sink_text(out, "\n");
}

void hp_text_tree(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    size_t count = tree->nodes.count;
    struct drawing drawing = {.steps = hp_alloc(count * sizeof *drawing.steps)};
    hp_text_head(out, view);
    put_titles(out, view);
    for (size_t i = 0; i < count; i++) {
        put_node(out, &drawing, view, i);
    }
    if (tree->hidden > 0) {
        char hidden[HP_NUMBER_SIZE];
        hp_format_grouped(hidden, (hp_int128)tree->hidden);
        hp_sink_print(out, "… %s more node%s%s\n", hidden, tree->hidden == 1 ? "" : "s",
                      view->options.min_share > 0 ? "" : ": --limit=0 shows all");
    }
    if (hp_text_has_errors(view)) {
        hp_text_error_note(out, view);
    }
    hp_text_charges(out, view);
    free(drawing.steps);
}
