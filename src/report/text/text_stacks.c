//      153.5 MiB  73.7%  small
//                        main
//     group: parser
//     ~20,000 x 96 B + 3 x 2 KiB
//
// One block for each distinct stack: the largest stack first, and in it the allocating
// function first.  With --groups its group follows.  The last line has the sizes of its objects, if they are known; the
// part with the most bytes comes first.
#include "report/text/text_table.h"

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

// The columns.
enum {
    VALUE,
    SHARE,
    ERROR,
    SEEN,
};

// State of writing the report of stacks.
struct stack_blocks {
    struct hp_sink *out; // lines that are not part of the table
    const struct hp_view *view;
    struct hp_text_table table; // a stack with its first function
    struct hp_text_widths widths;
    int indent; // cells before callers, below the first function
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

static const char seen_once[] = " seen once";

// Add the columns that fit; set `indent`.
static void fit(struct stack_blocks *blocks) {
    struct hp_text_table *table = &blocks->table;
    bool has_errors = hp_text_has_errors(blocks->view);
    hp_text_table_add(table, "", blocks->widths.amount, 0);
    hp_text_table_add(table, "", SHARE_WIDTH, 3);
    hp_text_table_add_error(table, "", blocks->widths.error, 2)->is_gone = !has_errors;
    struct hp_text_column *seen = hp_text_table_add(table, "", sizeof seen_once - 1, 1);
    seen->is_glued = true;
    seen->is_gone = !has_errors;
    hp_text_table_fit(table, 1);
    seen->width = 0; // other rows have no space instead
    table->is_source = true;
    blocks->indent = blocks->widths.amount + 2 +
                     (table->columns.at[SHARE].is_gone ? 0 : SHARE_WIDTH + 1);
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
                              k > 0 ? of_callers : blocks->table.room);
        }
    }
    hp_text_names_make_distinct(blocks->names);
}

// Write the callers of the first function of a stack, each on a line.
static void put_callers(const struct stack_blocks *blocks,
                        const struct hp_stack_key *stack) {
    for (uint32_t k = 1; k < stack->depth; k++) {
        hp_text_page_put(blocks->table.page, blocks->indent,
                         hp_text_name(blocks->names, (hp_node_id){stack->at[k]}));
    }
    if (stack->truncated) {
        hp_sink_print(blocks->out, "%*s[truncated]\n", blocks->indent, "");
    }
}

// Write the line with the group of a stack; nothing if there are no groups.
static void put_group(const struct stack_blocks *blocks, uint32_t number) {
    struct hp_span group = hp_view_stack_group(blocks->view, number);
    const struct hp_text_options *text = &blocks->view->options.text;
    struct hp_buffer safe = {{0}}, line = {{0}};
    if (group.size == 0) {
        return;
    }
    hp_text_append_safe(&safe, hp_span_of("group: "));
    hp_text_append_safe(&safe, group);
    hp_text_cut_text(&line, hp_buffer_span(&safe),
                     &(struct hp_text_cut){.room = text->width > 2 * SIZES_INDENT
                                                       ? text->width - SIZES_INDENT
                                                       : text->width,
                                           .is_ascii = text->ascii});
    hp_text_page_put(blocks->table.page, SIZES_INDENT, hp_buffer_span(&line));
    hp_vec_done(&safe.text);
    hp_vec_done(&line.text);
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

static void put_stack(struct stack_blocks *blocks, uint32_t number) {
    const struct hp_view *view = blocks->view;
    const struct hp_stack_key *stack = &view->stacks.all.at[number];
    struct hp_amount amount = hp_view_stack_amount(view, number, view->options.metric);
    struct hp_text_cell *cells = blocks->table.cells.at;
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &amount);
    cells[VALUE] = hp_text_amount_cell(amount.sum, &text);
    cells[SHARE] = hp_text_share_cell(amount.sum, hp_text_whole(view));
    cells[ERROR] = hp_text_error_cell(view, &amount, &text);
    if (hp_view_stack_flags(view, number) & HP_ROW_SEEN_ONCE) {
        cells[SEEN] = (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = seen_once};
    }
    if (stack->depth > 0) {
        hp_text_table_name(&blocks->table,
                           hp_text_name(blocks->names, (hp_node_id){stack->at[0]}));
    }
    hp_text_table_put(&blocks->table, HP_TEXT_CELLS);
    put_callers(blocks, stack);
    put_group(blocks, number);
    put_sizes(blocks->out, view, number);
    hp_sink_text(blocks->out, "\n");
}

void hp_text_stacks(struct hp_text_page *page, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    size_t count = view->listed, shown = hp_view_shown(view, count);
    hp_fixed rest = view->head.filtered.of[metric];
    struct stack_blocks blocks = {.out = &page->lines, .view = view};
    hp_text_table_init(&blocks.table, page);
    measure(&blocks, shown);
    fit(&blocks);
    name_frames(&blocks, shown);
    hp_text_head(blocks.out, view);
    for (size_t i = 0; i < shown; i++) {
        put_stack(&blocks, view->by_value[i]);
        rest -= hp_view_stack_amount(view, view->by_value[i], metric).sum;
    }
    struct hp_text_draft line;
    hp_text_draft_init(&line);
    if (shown < count) {
        hp_text_rest(&line.out, view, count - shown, "stack", rest);
    }
    hp_text_finish(&blocks.table, hp_text_draft_end(&line));
    hp_text_draft_done(&line);
    hp_text_names_free(blocks.names);
    hp_text_table_done(&blocks.table);
}
