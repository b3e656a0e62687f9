//      153.5 MiB  73.7%  small
//                        main
//     ~20,000 x 96 B + 3 x 2 KiB
//
// One block for each distinct stack: the largest stack first, and in it the allocating
// function first.  The last line has the sizes of its objects, if they are known; the
// part with the most bytes comes first.
#include "report/text/text.h"

#include "view/size_rows.h"

enum {
    // Cells of a share.
    SHARE_WIDTH = 6,
    // Cells before the sizes.
    SIZES_INDENT = 5,
    // Sizes of a stack listed before " + N more sizes".  N is never 1: four are all
    // listed.
    MOST_SIZES = 3,
};

// Indices into `parts`: the columns before the first function.  BEFORE is the value with
// its spaces, and is never dropped.
enum {
    SHARE,
    ERROR,
    SEEN,
    BEFORE,
    PARTS,
};

// State of writing the report of stacks.
struct stack_blocks {
    struct hp_sink *out;
    const struct hp_view *view;
    struct hp_text_part parts[PARTS];
    struct hp_text_widths widths;
    int indent;  // cells before callers, below the first function
    size_t room; // cells of the name of the first function; 0: any
    struct hp_text_names *names;
};

// Set the widths of columns so that the first `shown` stacks fit.
static void measure(struct stack_blocks *blocks, size_t shown) {
    const struct hp_view *view = blocks->view;
    blocks->widths = hp_text_widths_of(view);
    for (size_t i = 0; i < shown; i++) {
        struct hp_amount amount =
            hp_view_stack_amount(view, view->by_value[i], view->options.metric);
        hp_text_widen(&blocks->widths, view, &amount);
    }
}

// Drop columns until names have room; set `parts`, `room` and `indent`.
static void fit(struct stack_blocks *blocks) {
    static const char seen_once[] = " seen once";
    const struct hp_view *view = blocks->view;
    bool has_errors = hp_text_has_errors(view);
    size_t error = (size_t)blocks->widths.error + 2;
    blocks->parts[SEEN] = (struct hp_text_part){sizeof seen_once - 1, 1, !has_errors};
    blocks->parts[ERROR] = (struct hp_text_part){error, 2, !has_errors};
    blocks->parts[SHARE] = (struct hp_text_part){SHARE_WIDTH + 1, 3, false};
    blocks->parts[BEFORE] =
        (struct hp_text_part){(size_t)blocks->widths.amount + 2, 0, false};
    blocks->room = hp_text_fit(view, blocks->parts, PARTS);
    blocks->indent =
        blocks->widths.amount + 2 + (blocks->parts[SHARE].is_gone ? 0 : SHARE_WIDTH + 1);
}

// Find distinct names for all frames that are shown.
static void name_frames(struct stack_blocks *blocks, size_t shown) {
    const struct hp_view *view = blocks->view;
    size_t width = view->options.text.width, indent = (size_t)blocks->indent;
    size_t of_callers = width > indent ? width - indent : width > 0;
    blocks->names = hp_text_names_new(view);
    for (size_t i = 0; i < shown; i++) {
        const struct hp_stack_key *stack = &view->stacks.all.at[view->by_value[i]];
        for (uint32_t k = 0; k < stack->depth; k++) {
            hp_text_names_add(blocks->names, (hp_node_id){stack->at[k]},
                              k > 0 ? of_callers : blocks->room);
        }
    }
    hp_text_names_make_distinct(blocks->names);
}

// Write the frames of a stack, each on a line.
static void put_frames(const struct stack_blocks *blocks, uint32_t number) {
    const struct hp_stack_key *stack = &blocks->view->stacks.all.at[number];
    for (uint32_t k = 0; k < stack->depth; k++) {
        if (k > 0) {
            hp_sink_print(blocks->out, "%s%*s", HP_TEXT_ROW, blocks->indent, "");
        }
        hp_text_put_name(blocks->out, blocks->names, (hp_node_id){stack->at[k]});
        hp_sink_text(blocks->out, "\n");
    }
    if (stack->truncated) {
        hp_sink_print(blocks->out, "%*s[truncated]\n", blocks->indent, "");
    }
}

// Write one size with the number of its objects, "20,000 x 96 B"; "~" says that some
// could have other sizes.
static void put_part(struct hp_sink *out, const struct hp_size_part *part) {
    char objects[HP_NUMBER_SIZE], size[HP_NUMBER_SIZE];
    hp_int128 count = hp_fixed_round(part->objects, HP_INUSE_OBJECTS);
    hp_format_grouped(objects, count);
    hp_format_size(size, part->size);
    if (part->size == HP_MIXED_SIZES) {
        hp_sink_text(out, "mixed sizes");
    } else {
        hp_sink_print(out, "%s%s x %s", part->is_likely ? "~" : "",
                      count == 0 ? "<1" : objects, size);
    }
}

// Write the line with the sizes of a stack's objects; nothing if no size is known.
static void put_sizes(struct hp_sink *out, const struct hp_view *view, uint32_t number) {
    size_t count;
    const struct hp_size_part *const *parts =
        hp_view_stack_sizes(view, number, hp_column_of(view->options.metric), &count);
    if (count == 0 || (count == 1 && parts[0]->size == HP_MIXED_SIZES)) {
        return;
    }
    size_t shown = count <= MOST_SIZES + 1 ? count : MOST_SIZES;
    hp_sink_print(out, "%*s", SIZES_INDENT, "");
    for (size_t i = 0; i < shown; i++) {
        hp_sink_text(out, i > 0 ? " + " : "");
        put_part(out, parts[i]);
    }
    if (shown < count) {
        hp_sink_print(out, " + %zu more sizes", count - shown);
    }
    hp_sink_text(out, "\n");
}

static void put_stack(const struct stack_blocks *blocks, uint32_t number) {
    struct hp_sink *out = blocks->out;
    const struct hp_view *view = blocks->view;
    enum hp_metric metric = view->options.metric;
    struct hp_amount amount = hp_view_stack_amount(view, number, metric);
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &amount);
    hp_sink_text(out, HP_TEXT_ROW);
    hp_text_put_value(out, &text, blocks->widths.amount);
    if (!blocks->parts[SHARE].is_gone) {
        hp_sink_text(out, " ");
        hp_text_percent(out, amount.sum, hp_text_whole(view));
    }
    if (!blocks->parts[ERROR].is_gone) {
        hp_sink_text(out, " ");
        hp_text_error(out, view, &amount, &text, blocks->widths.error);
    }
    if (!blocks->parts[SEEN].is_gone &&
        (hp_view_stack_flags(view, number) & HP_ROW_SEEN_ONCE) != 0) {
        hp_sink_text(out, " seen once");
    }
    hp_sink_text(out, "  ");
    put_frames(blocks, number);
    put_sizes(out, view, number);
    hp_sink_text(out, "\n");
}

void hp_text_stacks(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    size_t count = view->listed, shown = hp_view_shown(view, count);
    hp_fixed rest = view->head.filtered.of[metric];
    struct stack_blocks blocks = {.out = out, .view = view};
    measure(&blocks, shown);
    fit(&blocks);
    name_frames(&blocks, shown);
    hp_text_head(out, view);
    for (size_t i = 0; i < shown; i++) {
        put_stack(&blocks, view->by_value[i]);
        rest -= hp_view_stack_amount(view, view->by_value[i], metric).sum;
    }
    if (shown < count) {
        hp_text_rest(out, view, count - shown, "stack", rest);
    }
    hp_text_names_free(blocks.names);
}
