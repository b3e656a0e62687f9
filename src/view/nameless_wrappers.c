#include "view/nameless_wrappers.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_LEVELS = 16, // most frames that all stacks share
    MOST_CALLERS = 4, // most functions that call them
    LEAST_STACKS = 4, // fewer stacks may share frames of the program
};

// A function that calls the shared frames, and the memory that is allocated through it.
struct caller {
    hp_node_id node;
    hp_fixed value;
};

// What is found out about the stacks that begin with `leaf`.
struct search {
    const struct hp_view *view;
    hp_node_id leaf;
    hp_node_id shared[MOST_LEVELS]; // functions that all stacks share, leaf first
    size_t levels, stacks;
    HP_VEC(struct caller) callers;
};

// Return frame `level` of a stack from the leaf, without folded calls, as a node; 0: it
// has a name, or there is none.  *has_more: the stack goes on after it.
static hp_node_id node_at(const struct hp_view *view, const struct hp_stack *stack,
                          size_t level, bool *has_more) {
    const struct hp_naming *naming = &view->naming;
    hp_node_id found = {0};
    *has_more = false;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t frame = stack->frames[i].n;
        const struct hp_call *call = &naming->calls.at[naming->first_call.at[frame]];
        bool is_only =
            naming->first_call.at[frame + 1] - naming->first_call.at[frame] == 1;
        if (is_only && call->is_folded) {
            continue;
        }
        if (level == 0 && found.n > 0) {
            *has_more = true;
            return found;
        }
        if (level == 0) {
            bool is_nameless = is_only && call->line == 0;
            found = is_nameless ? call->node : (hp_node_id){0};
            if (found.n == 0) {
                return found;
            }
        } else {
            level--;
        }
    }
    return found;
}

// Return whether a stack begins with the leaf.
static bool is_meant(const struct search *search, const struct hp_stack *stack) {
    bool has_more;
    return node_at(search->view, stack, 0, &has_more).n == search->leaf.n;
}

// Return the function that all stacks share at a level; 0: there is none, or it is the
// last of a stack.
static hp_node_id shared_at(struct search *search, size_t level) {
    hp_node_id shared = {0};
    const struct hp_stack *stack;
    search->stacks = 0;
    hp_vec_each (stack, &search->view->profile->stacks) {
        bool has_more;
        if (!is_meant(search, stack)) {
            continue;
        }
        hp_node_id node = node_at(search->view, stack, level, &has_more);
        if (!has_more || (search->stacks > 0 && node.n != shared.n)) {
            return (hp_node_id){0};
        }
        shared = node;
        search->stacks++;
    }
    return shared;
}

// Add a value to that of a caller.
static void add_caller(struct search *search, hp_node_id node, hp_fixed value) {
    struct caller *caller;
    hp_vec_each (caller, &search->callers) {
        if (caller->node.n == node.n) {
            caller->value += value;
            return;
        }
    }
    hp_vec_push(&search->callers, ((struct caller){node, value}));
}

static int by_value(const void *left, const void *right) {
    const struct caller *a = left, *b = right;
    return a->value != b->value ? (a->value > b->value ? -1 : 1)
                                : (a->node.n > b->node.n) - (a->node.n < b->node.n);
}

// Find the functions that call the shared ones.  Removes all if the first few do not
// carry 95 % of the memory.
static void find_callers(struct search *search) {
    hp_fixed total = 0, few = 0;
    const struct hp_stack *stack;
    hp_vec_each (stack, &search->view->profile->stacks) {
        bool has_more;
        if (is_meant(search, stack)) {
            hp_fixed value = stack->values.of[search->view->options.metric];
            hp_node_id node = node_at(search->view, stack, search->levels, &has_more);
            total += value;
            if (node.n > 0 && has_more) {
                add_caller(search, node, value);
            }
        }
    }
    hp_vec_sort(&search->callers, by_value);
    if (search->callers.count > MOST_CALLERS) {
        search->callers.count = MOST_CALLERS;
    }
    for (size_t i = 0; i < search->callers.count; i++) {
        few += search->callers.at[i].value;
    }
    if (few < total - total / 20) {
        search->callers.count = 0;
    }
}

// Append the number in the name of a node, "app+0x1234", if its module is that of the
// leaf, whose name has `head` bytes before the number.  Returns the length.
static size_t put_number(const struct search *search, hp_node_id node, size_t head,
                         char *text, size_t room) {
    const struct hp_naming *naming = &search->view->naming;
    struct hp_span name = hp_node_full_name(naming, node);
    struct hp_span leaf = hp_node_full_name(naming, search->leaf);
    bool is_same = name.size > head && memcmp(name.at, leaf.at, head) == 0;
    int size =
        is_same ? snprintf(text, room, "|%.*s", (int)(name.size - head), name.at + head)
                : 0;
    return size > 0 && (size_t)size < room ? (size_t)size : 0;
}

// Append a text, with a backslash before each character that means something in a
// regular expression.
static size_t put_escaped(struct hp_span text, char *out, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < text.size && used + 2 < room; i++) {
        if (strchr("\\^$.[|()?*+{", text.at[i])) {
            out[used++] = '\\';
        }
        out[used++] = text.at[i];
    }
    return used;
}

// Write the pattern of all functions that were found.
static bool put_pattern(const struct search *search, char *pattern, size_t room) {
    struct hp_span leaf = hp_node_full_name(&search->view->naming, search->leaf);
    size_t head = leaf.size;
    while (head > 2 && memcmp(leaf.at + head - 2, "0x", 2) != 0) {
        head--;
    }
    if (head <= 2 || room < leaf.size * 2 + 16) {
        return false;
    }
    size_t used = 1;
    *pattern = '^';
    used += put_escaped((struct hp_span){leaf.at, head}, pattern + used, room - used - 8);
    size_t open = used;
    for (size_t i = 0; i < search->levels; i++) {
        used +=
            put_number(search, search->shared[i], head, pattern + used, room - used - 3);
    }
    for (size_t i = 0; i < search->callers.count; i++) {
        used += put_number(search, search->callers.at[i].node, head, pattern + used,
                           room - used - 3);
    }
    pattern[open] = '(';
    memcpy(pattern + used, ")$", sizeof ")$");
    return true;
}

size_t hp_nameless_wrappers(const struct hp_view *view, hp_node_id leaf, char *pattern,
                            size_t room) {
    struct search search = {.view = view, .leaf = leaf};
    hp_node_id shared = shared_at(&search, 0);
    bool has_caller = shared.n > 0, are_many = search.stacks >= LEAST_STACKS;
    while (shared.n > 0 && search.levels < MOST_LEVELS) {
        search.shared[search.levels++] = shared;
        shared = are_many ? shared_at(&search, search.levels) : (hp_node_id){0};
    }
    if (has_caller && are_many) {
        find_callers(&search);
    }
    size_t count = search.levels + search.callers.count;
    bool is_written = has_caller && put_pattern(&search, pattern, room);
    hp_vec_done(&search.callers);
    return is_written ? count : 0;
}
