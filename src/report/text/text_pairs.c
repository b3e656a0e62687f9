// The stack that allocated and the stack that freed, side by side:
//
//     628 of 1,000 were allocated by     and freed by
//     parse                              drop
//     main                               main
#include "report/text/text.h"

#include "view/recent_rows.h"

#include <stdio.h>

enum {
    // Cells before the left stack.
    INDENT = 5,
    // Least and most cells of the left column.
    LEAST_ROOM = 16,
    MOST_ROOM = 60, // including the spaces after a name
};

// Cells of the left column: half of a line, but not less or more than these limits.
static size_t room_of(const struct hp_view *view) {
    size_t width = view->options.text.width;
    size_t half = width > INDENT ? (width - INDENT) / 2 : 0;
    return width == 0 || half > MOST_ROOM ? MOST_ROOM
           : half < LEAST_ROOM            ? LEAST_ROOM
                                          : half;
}

// Store the name of a frame, shortened to its column; "" below the end of a stack.
static void cut_name(struct hp_buffer *out, const struct hp_view *view,
                     const struct hp_visible_frames *frames, size_t depth) {
    struct hp_text_cut cut = {.room = room_of(view) - 2,
                              .is_ascii = view->options.text.ascii};
    struct hp_buffer safe = {0};
    out->text.count = 0;
    if (depth < frames->nodes.count) {
        hp_text_append_safe(&safe, hp_node_name(&view->naming, frames->nodes.at[depth]));
        hp_text_cut_name(out, hp_buffer_span(&safe), &cut);
    }
    hp_vec_done(&safe.text);
}

// The text of a buffer; "" if it was never filled.
static struct hp_span name_in(const struct hp_buffer *buffer) {
    return buffer->text.count > 0 ? hp_buffer_span(buffer) : hp_span_of("");
}

// Write the left column, padded.
static void put_left(struct hp_sink *out, const struct hp_view *view,
                     struct hp_span text) {
    size_t cells = hp_text_cells(text, view->options.text.ascii), room = room_of(view);
    hp_sink_print(out, "%*s", INDENT, "");
    hp_sink_put(out, text.at, text.size);
    hp_sink_print(out, "%*s", cells < room ? (int)(room - cells) : 1, "");
}

// Write both stacks line by line, leaves first.
static void put_stacks(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_recent_pair *pair) {
    struct hp_visible_frames makes = {.truncated = false}, frees = {.truncated = false};
    struct hp_buffer left = {0}, right = {0};
    size_t depth = hp_recent_stack(view, pair->alloc, &makes);
    size_t other = hp_recent_stack(view, pair->free, &frees);
    for (size_t i = 0; i < (depth > other ? depth : other); i++) {
        cut_name(&left, view, &makes, i);
        cut_name(&right, view, &frees, i);
        put_left(out, view, name_in(&left));
        hp_sink_put(out, name_in(&right).at, right.text.count);
        hp_sink_text(out, "\n");
    }
    hp_vec_done(&left.text);
    hp_vec_done(&right.text);
    hp_visible_frames_done(&makes);
    hp_visible_frames_done(&frees);
}

void hp_text_recent_pair(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const struct hp_recent_rows *rows = view->extra;
    const struct hp_recent_row *of = &rows->rows.at[row];
    char count[HP_NUMBER_SIZE], all[HP_NUMBER_SIZE], title[2 * HP_NUMBER_SIZE + 32];
    if (of->pair.count > 0) {
        hp_format_grouped(count, (hp_int128)of->pair.count);
        hp_format_grouped(all, (hp_int128)of->sampled);
        snprintf(title, sizeof title, "%s of %s were allocated by", count, all);
        put_left(out, view, hp_span_of(title));
        hp_sink_text(out, "and freed by\n");
        put_stacks(out, view, &of->pair);
    }
}
