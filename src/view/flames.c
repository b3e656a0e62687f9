// Stacks are sorted from the root.  So the stacks that pass through a box are adjacent,
// and differences of running sums are the values of boxes.  Boxes are found level by
// level; boxes too small to be drawn are never divided.
#include "view/flames.h"

enum {
    LEAST_SHARE = 1000, // smaller boxes than 1/1000 of the total are merged
    BOX_BYTES = 400,    // approximate size of a box in a file, without its name
};

// State while the boxes of a flame graph are made.
struct flame_grower {
    const struct hp_view *view;
    struct hp_flames *flames;
    hp_fixed *running[2];     // by side, for each stack: sum of the stacks before it
    uint32_t *innermost;      // for each stack: the box furthest from the root on its way
    size_t bytes, most_bytes; // approximate size of the boxes so far, and its limit
};

static hp_fixed larger(hp_fixed a, hp_fixed b) {
    return a > b ? a : b;
}

// Return the sum of the stacks [first, end) on side `side` of a comparison: 0 is before,
// 1 is after.
static hp_fixed held(const struct flame_grower *g, int side, uint32_t first,
                     uint32_t end) {
    const hp_fixed *running = g->running[side];
    return running ? running[end] - running[first] : 0;
}

// Return the node at a distance `depth` from the root of a stack; HP_NO_NODE: the stack
// is shorter.
static uint32_t name_at(const struct flame_grower *g, uint32_t stack, uint32_t depth) {
    const struct hp_stack_key *key = &g->view->stacks.all.at[stack];
    if (depth < key->truncated) {
        return g->view->naming.truncated.n;
    }
    depth -= key->truncated;
    return depth < key->depth ? key->at[key->depth - 1 - depth] : HP_NO_NODE;
}

// Append a box, and make it the innermost one of its stacks.
static void add_box(struct flame_grower *g, struct hp_flame box) {
    struct hp_flames *flames = g->flames;
    for (uint32_t i = box.stacks; i < box.end; i++) {
        g->innermost[i] = (uint32_t)flames->all.count;
    }
    flames->depth = box.depth > flames->depth ? box.depth : flames->depth;
    bool has_name = box.parent != HP_NO_PARENT && box.merged == 0;
    g->bytes += BOX_BYTES;
    g->bytes += has_name ? hp_node_full_name(&g->view->naming, box.name).size : 0;
    hp_vec_push(&flames->all, box);
}

// Add the boxes on a box: one for each callee, and one for the small ones together.  The
// box's own (flat) value stays a part of its width that has no box on it, as do small
// callees that are too small even together.
static void grow(struct flame_grower *g, uint32_t number) {
    struct hp_flames *flames = g->flames;
    const struct hp_flame parent = flames->all.at[number];
    struct hp_flame rest = {.parent = number, .depth = parent.depth + 1};
    for (uint32_t first = parent.stacks, end; first < parent.end; first = end) {
        uint32_t name = name_at(g, first, parent.depth);
        end = first + 1;
        while (end < parent.end && name_at(g, end, parent.depth) == name) {
            end++;
        }
        hp_fixed before = held(g, 0, first, end), after = held(g, 1, first, end);
        struct hp_flame box = {.name = {name}, .parent = number, .depth = rest.depth};
        box.stacks = first;
        box.end = end;
        box.before = before;
        box.after = after;
        if (name == HP_NO_NODE) {
            flames->all.at[number].width += larger(before, after);
        } else if (larger(before, after) >= flames->least) {
            add_box(g, box);
        } else {
            rest.merged++;
            rest.before += before;
            rest.after += after;
        }
    }
    rest.width = larger(rest.before, rest.after);
    if (rest.width >= flames->least) {
        add_box(g, rest);
    } else {
        flames->all.at[number].width += rest.width;
    }
}

// Make all boxes of at least `least`.  Returns false if they would take too many bytes.
static bool grow_all(struct flame_grower *g, hp_fixed least) {
    uint32_t end = (uint32_t)g->view->stacks.all.count;
    struct hp_flame all = {.parent = HP_NO_PARENT, .end = end};
    g->flames->all.count = 0;
    g->flames->depth = 0;
    g->flames->least = least > 1 ? least : 1; // a value of 0 has no box
    g->bytes = 0;
    all.before = held(g, 0, 0, end);
    all.after = held(g, 1, 0, end);
    add_box(g, all);
    for (uint32_t i = 0; i < g->flames->all.count && g->bytes <= g->most_bytes; i++) {
        grow(g, i);
    }
    return g->bytes <= g->most_bytes;
}

// Set widths and positions.  A box is at least as wide as the boxes on it together, and
// these begin at its left edge.
static void place_all(struct hp_flames *flames) {
    for (size_t i = flames->all.count; i-- > 1;) {
        struct hp_flame *flame = &flames->all.at[i];
        flames->all.at[flame->parent].width += flame->width;
    }
    hp_fixed *used = hp_alloc(flames->all.count * sizeof *used);
    for (size_t i = 1; i < flames->all.count; i++) {
        struct hp_flame *flame = &flames->all.at[i];
        flame->left = flames->all.at[flame->parent].left + used[flame->parent];
        used[flame->parent] += flame->width;
    }
    free(used);
}

// --- values -------------------------------------------------------------------------------

// Return the running sums of the view's stacks over the selected inputs, one more than
// there are stacks; the caller frees them.  Negative values, as in a difference of
// profiles, have no width and are added as 0.
static hp_fixed *run(const struct hp_view *view, struct hp_selection selection) {
    size_t count = view->stacks.all.count;
    hp_fixed *running = hp_alloc((count + 1) * sizeof *running);
    struct hp_stack_sums sums;
    hp_stack_sums_init(&sums, &view->stacks, false);
    hp_stack_sums_add(&sums, &view->stacks, selection);
    for (size_t i = 0; i < count; i++) {
        running[i + 1] = running[i] + larger(sums.values[i].of[view->options.metric], 0);
    }
    hp_stack_sums_done(&sums);
    return running;
}

// Add the error of each stack to its innermost box, and from there down to the root.
static void add_errors(const struct flame_grower *g) {
    struct hp_flame *flames = g->flames->all.at;
    for (size_t i = 0; i < g->view->stacks.all.count; i++) {
        struct hp_amount amount =
            hp_view_stack_amount(g->view, i, g->view->options.metric);
        hp_error_add(&flames[g->innermost[i]].error, amount.error);
    }
    for (size_t i = g->flames->all.count; i-- > 1;) {
        hp_error_add(&flames[flames[i].parent].error, &flames[i].error);
    }
}

// Make members whose nodes are the boxes that each stack of the profile passes through.
static void find_members(struct hp_members *members, const struct flame_grower *g) {
    const struct hp_flames *flames = g->flames;
    *members = (struct hp_members){.node_count = flames->all.count};
    hp_vec_push(&members->first, (size_t)0);
    for (size_t i = 0; i < g->view->profile->stacks.count; i++) {
        uint32_t stack = g->view->stacks.of_profile[i];
        uint32_t box = stack == HP_NO_STACK ? HP_NO_PARENT : g->innermost[stack];
        for (; box != HP_NO_PARENT; box = flames->all.at[box].parent) {
            hp_vec_push(&members->nodes, (hp_node_id){box});
        }
        hp_vec_push(&members->first, members->nodes.count);
    }
}

void hp_page_sides(const struct hp_view *view, struct hp_sides *sides) {
    if (view->report->has_sides) {
        hp_sides_init(sides, view->profile);
    } else {
        hp_trend_sides(hp_largest_trend(view->extra), view, sides);
    }
}

// Replace of_node and open_nodes of `open`, which are indexed by node, by arrays indexed
// by box: a box has the modules of its function.
static void take_sets_of_boxes(struct hp_open_code *open,
                               const struct hp_flames *flames) {
    uint64_t *sets[2] = {open->of_node, open->open_nodes};
    for (int which = 0; which < 2; which++) {
        uint64_t *of_node = sets[which];
        sets[which] = hp_alloc(flames->all.count * sizeof *sets[which]);
        for (size_t i = 1; i < flames->all.count; i++) {
            sets[which][i] = of_node[flames->all.at[i].name.n];
        }
        free(of_node);
    }
    open->of_node = sets[0];
    open->open_nodes = sets[1];
}

// Compare the two sides box by box.
static void compare(const struct flame_grower *g) {
    struct hp_flames *flames = g->flames;
    struct hp_sides sides;
    struct hp_members members;
    struct hp_open_code open;
    hp_page_sides(g->view, &sides);
    find_members(&members, g);
    hp_open_code_init(&open, g->view, &sides,
                      hp_sides_have_same_processes(g->view->profile, &sides));
    if (open.modules.count > 0) {
        take_sets_of_boxes(&open, flames);
    }
    hp_difference_init(&flames->difference, g->view, &sides, &members, &open);
    hp_open_code_done(&open);
    for (uint32_t i = 0; i < flames->difference.rows.count; i++) {
        flames->all.at[flames->difference.rows.at[i].node.n].change = i + 1;
    }
    hp_members_done(&members);
    hp_sides_done(&sides);
}

// Compute the running sums of one side or both: a comparison has two sides, a trend the
// first and last dump, other reports only side 1.
static void run_all(struct flame_grower *g) {
    const struct hp_view *view = g->view;
    if (view->report->has_sides) {
        g->running[0] = run(view, (struct hp_selection){HP_OF_BASE, 0});
        g->running[1] = run(view, (struct hp_selection){HP_OF_NEW, 0});
    } else if (g->flames->is_comparison) {
        const struct hp_trend *trend = hp_largest_trend(view->extra);
        for (int side = 0; side < 2; side++) {
            size_t dump = trend->place + (side ? trend->dumps - 1 : 0);
            uint32_t number = view->series[dump].input->number;
            g->running[side] = run(view, (struct hp_selection){HP_OF_INPUT, number});
        }
    } else {
        g->running[1] = run(view, (struct hp_selection){HP_OF_ALL, 0});
    }
}

void hp_flames_init(struct hp_flames *flames, const struct hp_view *view,
                    size_t most_bytes) {
    struct flame_grower g = {.view = view, .flames = flames, .most_bytes = most_bytes};
    size_t count = view->stacks.all.count;
    *flames = (struct hp_flames){.is_comparison = view->report->has_sides ||
                                                  view->report == &hp_report_trend};
    g.innermost = hp_alloc(count * sizeof *g.innermost);
    run_all(&g);
    hp_fixed whole =
        larger(held(&g, 0, 0, (uint32_t)count), held(&g, 1, 0, (uint32_t)count));
    for (hp_fixed least = whole / LEAST_SHARE; !grow_all(&g, least); least += least + 1) {
    }
    place_all(flames);
    if (flames->is_comparison) {
        compare(&g);
    } else if (view->precision.is_known[hp_column_of(view->options.metric)]) {
        add_errors(&g);
    }
    free(g.running[0]);
    free(g.running[1]);
    free(g.innermost);
}

void hp_flames_done(struct hp_flames *flames) {
    hp_vec_done(&flames->all);
    if (flames->is_comparison) {
        hp_difference_done(&flames->difference);
    }
}

const struct hp_change *hp_flame_change(const struct hp_flames *flames,
                                        const struct hp_flame *flame) {
    return flame->change > 0 ? &flames->difference.rows.at[flame->change - 1] : NULL;
}
