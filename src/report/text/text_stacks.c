//      153.5 MiB  73.7%  small
//                        main
//     ~20,000 x 96 B + 3 x 2 KiB
//
// One block per distinct stack, the allocating function first, largest stack first; and of which
// sizes its objects are, the largest part first, where that is known.
#include "report/text/text.h"

#include "view/size_rows.h"

enum {
    INDENT = HP_AMOUNT_WIDTH + 9, // of the callers, under the first function
    SIZES_INDENT = 5,
    MOST_SIZES = 3,
};

static void put_frames(struct hp_sink *out, const struct hp_view *view, uint32_t number) {
    const struct hp_stack_key *stack = &view->stacks.all.at[number];
    for (uint32_t k = 0; k < stack->depth; k++) {
        hp_sink_print(out, "%*s", k > 0 ? INDENT : 0, "");
        hp_sink_escaped(out, hp_view_node(view, (hp_node_id){stack->at[k]}));
        hp_sink_text(out, "\n");
    }
    if (stack->truncated) {
        hp_sink_print(out, "%*s[truncated]\n", INDENT, "");
    }
}

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

static void put_sizes(struct hp_sink *out, const struct hp_view *view, uint32_t number) {
    size_t count;
    const struct hp_size_part *const *parts = hp_view_stack_sizes(view, number, &count);
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

static void put_stack(struct hp_sink *out, const struct hp_view *view, uint32_t number) {
    enum hp_metric metric = view->options.metric;
    struct hp_amount amount = hp_view_stack_amount(view, number, metric);
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &amount);
    hp_text_put(out, text.value, HP_AMOUNT_WIDTH);
    hp_sink_text(out, " ");
    hp_text_percent(out, amount.sum, view->head.total.of[metric]);
    if (hp_text_has_errors(view)) {
        bool is_once = (hp_view_stack_flags(view, number) & HP_ROW_SEEN_ONCE) != 0;
        hp_sink_text(out, " ");
        hp_text_error(out, view, &amount, &text);
        hp_sink_text(out, is_once ? " seen once" : "");
    }
    hp_sink_text(out, "  ");
    put_frames(out, view, number);
    put_sizes(out, view, number);
    hp_sink_text(out, "\n");
}

void hp_text_stacks(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    size_t count = view->listed, shown = hp_view_shown(view, count);
    hp_fixed rest = view->head.filtered.of[metric];
    hp_text_head(out, view);
    for (size_t i = 0; i < shown; i++) {
        put_stack(out, view, view->by_value[i]);
        rest -= hp_view_stack_amount(view, view->by_value[i], metric).sum;
    }
    if (shown < count) {
        hp_text_rest(out, view, count - shown, "stack", rest);
    }
}
