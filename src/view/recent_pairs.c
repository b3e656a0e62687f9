#include "view/recent_pairs.h"

void hp_recent_pairs_add(struct hp_recent_pairs *pairs, uint32_t alloc, uint32_t freed) {
    hp_vec_push(&pairs->all, (uint64_t)alloc << 32 | freed);
}

// Order of the numbers that combine two stacks.
static int by_stacks(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

struct hp_recent_pair hp_recent_pairs_most(struct hp_recent_pairs *pairs) {
    struct hp_recent_pair most = {.count = 0};
    const uint64_t *all = pairs->all.at;
    hp_vec_sort(&pairs->all, by_stacks);
    for (size_t i = 0, end; i < pairs->all.count; i = end) {
        for (end = i + 1; end < pairs->all.count && all[end] == all[i];) {
            end++;
        }
        if (end - i > most.count) {
            most = (struct hp_recent_pair){end - i, (uint32_t)(all[i] >> 32),
                                           (uint32_t)all[i]};
        }
    }
    return most;
}

size_t hp_recent_stack(const struct hp_view *view, uint32_t stack,
                       struct hp_visible_frames *frames) {
    const struct hp_stack *of = &view->profile->stacks.at[stack];
    return hp_visible_nodes(&view->naming, of, frames) ? frames->nodes.count : 0;
}

void hp_recent_stack_text(const struct hp_view *view, uint32_t stack,
                          struct hp_buffer *text) {
    struct hp_visible_frames frames = {.truncated = false};
    text->text.count = 0;
    for (size_t i = hp_recent_stack(view, stack, &frames); i-- > 0;) {
        hp_buffer_append(text, hp_node_name(&view->naming, frames.nodes.at[i]));
        hp_buffer_append(text, (struct hp_span){";", i > 0});
    }
    hp_buffer_append(text, (struct hp_span){"", 1});
    hp_visible_frames_done(&frames);
}
