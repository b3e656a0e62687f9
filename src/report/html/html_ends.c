// The ends of stacks.  If the facet of a page divides inputs, a stack has one end for
// each value of the facet whose inputs have memory in the stack, all at the same node;
// otherwise it has one end.
#include "report/html/html.h"

#include "view/stacks.h"

size_t hp_html_end_places(const struct hp_view *view) {
    return view->facet.inputs.count > 0 ? view->facet.values.count : 1;
}

// --- what inputs hold -----------------------------------------------------------------------

// Add to `held` the sums of stacks in all inputs that have value number `place` of the
// label or property that the page divides inputs by.
static void add_inputs(struct hp_stack_sums *held, const struct hp_view *view,
                       uint32_t place) {
    const struct hp_facet_input *input;
    hp_vec_each (input, &view->facet.inputs) {
        if (input->place == place) {
            hp_stack_sums_add(held, &view->stacks,
                              (struct hp_selection){HP_OF_INPUT, input->record->number});
        }
    }
}

// Whether samples of some stack have the label that the page divides stacks by
// themselves, so that the stack belongs to one value of it as a whole.
static bool has_labels(const struct hp_view *view) {
    const struct hp_stack_key *stack;
    hp_vec_each (stack, &view->stacks.all) {
        if (stack->tags.n != HP_OF_INPUTS) {
            return true;
        }
    }
    return false;
}

// Set the sums in `split` of stacks whose samples have a label themselves: it takes
// precedence over the label of their input, so that the stack belongs to the value of its
// own label as a whole.
static void take_labels(uint32_t *split, const struct hp_view *view,
                        struct hp_html_sums *sums, struct hp_stack_sums *held) {
    size_t places = view->facet.values.count;
    hp_stack_sums_add(held, &view->stacks, (struct hp_selection){HP_OF_ALL, 0});
    const uint32_t *number = hp_html_sums_read(sums, held);
    for (size_t i = 0; i < view->stacks.all.count; i++) {
        uint32_t own = view->stacks.all.at[i].tags.n;
        if (own != HP_OF_INPUTS) {
            split[i * places + own] = number[i];
        }
    }
}

uint32_t *hp_html_split(const struct hp_view *view, struct hp_html_sums *sums) {
    size_t stacks = view->stacks.all.count, places = view->facet.values.count;
    uint32_t *split = hp_alloc(stacks * places * sizeof *split);
    struct hp_stack_sums held;
    hp_stack_sums_init(&held, &view->stacks, true);
    for (uint32_t place = 0; place < places; place++) {
        add_inputs(&held, view, place);
        const uint32_t *number = hp_html_sums_read(sums, &held);
        for (size_t i = 0; i < stacks; i++) {
            bool is_of_inputs = view->stacks.all.at[i].tags.n == HP_OF_INPUTS;
            split[i * places + place] = is_of_inputs ? number[i] : 0;
        }
        hp_stack_sums_clear(&held);
    }
    if (has_labels(view)) {
        take_labels(split, view, sums, &held);
    }
    hp_stack_sums_done(&held);
    return split;
}

// --- ends -----------------------------------------------------------------------------------

// Whether any of `count` columns has a sum other than 0 at index `end` (stack and place).
static bool holds(const uint32_t *const *columns, size_t count, size_t end) {
    for (size_t i = 0; i < count; i++) {
        if (columns[i][end] != 0) {
            return true;
        }
    }
    return false;
}

// Add an end of a stack with its value of the label or property that the page divides
// stacks by.
static void add_end(struct hp_html_ends *ends, const struct hp_view *view, uint32_t stack,
                    uint32_t place) {
    bool is_split = view->facet.inputs.count > 0;
    uint32_t value = is_split ? place : view->stacks.all.at[stack].tags.n;
    hp_vec_push(ends, ((struct hp_html_end){stack, place, value}));
}

// Find the ends of stacks: the values of the label or property that the page divides
// inputs by (places) for which a stack has a sum in any of the columns.  A stack without
// any sum has an end as well, at place 0.
void hp_html_ends_init(struct hp_html_ends *ends, const struct hp_view *view,
                       const uint32_t *const *columns, size_t count) {
    uint32_t places = (uint32_t)hp_html_end_places(view);
    *ends = (struct hp_html_ends){.count = 0};
    for (uint32_t stack = 0; stack < view->stacks.all.count; stack++) {
        size_t before = ends->count;
        for (uint32_t place = 0; place < places; place++) {
            if (places > 1 && holds(columns, count, (size_t)stack * places + place)) {
                add_end(ends, view, stack, place);
            }
        }
        if (ends->count == before) {
            add_end(ends, view, stack, 0);
        }
    }
}
