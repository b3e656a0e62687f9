// The largest boxes of a flame graph as a tree, those below one by value; then the stacks, whatever
// is folded.  One after the other, so that there is memory for one of the two.
#include "view/flames.h"

enum {
    MOST_NODES = 100,
    MOST_BYTES = 1 << 20, // of boxes, about: what is smaller than these is merged
};

struct picker {
    const struct hp_flames *flames;
    HP_VEC(uint32_t) boxes; // of names, by value
};

static bool has_name(const struct hp_flame *flame) {
    return flame->parent != HP_NO_PARENT && flame->merged == 0;
}

// A box holds no more than the one that it is on, and comes after it.
static int by_value(const void *left, const void *right, void *context) {
    const struct hp_flame *flames = ((const struct picker *)context)->flames->all.at;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (flames[a].after != flames[b].after) {
        return flames[a].after > flames[b].after ? -1 : 1;
    }
    return (a > b) - (a < b);
}

static void pick(struct picker *picker) {
    for (uint32_t i = 0; i < picker->flames->all.count; i++) {
        if (has_name(&picker->flames->all.at[i])) {
            hp_vec_push(&picker->boxes, i);
        }
    }
    hp_vec_sort_r(&picker->boxes, by_value, picker);
    picker->boxes.count =
        picker->boxes.count < MOST_NODES ? picker->boxes.count : MOST_NODES;
}

// Of a box the one that was picked and is not yet in the tree which is the largest on it; `boxes` are
// by value.  HP_NO_PARENT: none.
static uint32_t next_on(const struct picker *picker, const bool *is_done, uint32_t box) {
    for (size_t i = 0; i < picker->boxes.count; i++) {
        uint32_t number = picker->boxes.at[i];
        if (!is_done[i] && picker->flames->all.at[number].parent == box) {
            return (uint32_t)i;
        }
    }
    return HP_NO_PARENT;
}

static void put_in_order(struct hp_view *view, const struct picker *picker) {
    bool is_done[MOST_NODES] = {false};
    uint32_t box_of[MOST_NODES],
        node = HP_NO_PARENT; // of each node; the one that is open
    while (view->tree.count < picker->boxes.count) {
        uint32_t next = next_on(picker, is_done, node == HP_NO_PARENT ? 0 : box_of[node]);
        if (next == HP_NO_PARENT) {
            node = view->tree.at[node].parent;
            continue;
        }
        const struct hp_flame *flame = &picker->flames->all.at[picker->boxes.at[next]];
        struct hp_page_node added = {.name = flame->name,
                                     .parent = node,
                                     .sum = flame->after,
                                     .error = flame->error};
        is_done[next] = true;
        if (node != HP_NO_PARENT) {
            view->tree.at[node].children++;
        }
        node = (uint32_t)view->tree.count;
        box_of[node] = picker->boxes.at[next];
        hp_vec_push(&view->tree, added);
    }
}

int hp_page_build(struct hp_view *view, struct hp_err *err) {
    struct hp_flames flames;
    struct picker picker = {.flames = &flames};
    int ret = view->report->build(view, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
    hp_flames_init(&flames, view, MOST_BYTES);
    pick(&picker);
    put_in_order(view, &picker);
    hp_vec_done(&picker.boxes);
    hp_flames_done(&flames);
    hp_stack_sums_done(&view->cache->sums);
    view->cache->sums = (struct hp_stack_sums){0};
    hp_stacks_done(&view->stacks);
    hp_stacks_init(&view->stacks, HP_STACKS_OF_SITES, &view->naming, &view->options);
    return HP_OK;
}
