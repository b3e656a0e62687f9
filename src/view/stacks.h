// The distinct stacks of a profile and their values.
//
// Stacks of names: stacks that differ only in addresses within functions are one.
//
// Stacks of addresses: stacks with different frames or different labels of samples
// differ.  Formats use them that keep frames apart, with files and lines.
//
// Stacks of sites: all calls, folded or not, distinguished by file and line, and by the
// facet of a page if it has one.
//
// A place is the visible part of a frame, or a folded call of it that stays in the stack.
// Its number is the number of its first call among the calls that filters do not hide, so
// that places are in the order of modules and offsets.
#ifndef HP_VIEW_STACKS_H
#define HP_VIEW_STACKS_H

#include "base/strtab.h"
#include "view/sites.h"

// --- stack order -----------------------------------------------------------------------
//
// The order of stacks by their names, from the root or from the leaf.

// A distinct stack.  Its steps are its elements and, if it is truncated, one step for the
// frames that were cut off.
struct hp_stack_key {
    const uint32_t *at; // leaf first: nodes of the naming, places or sites; at least one
    uint32_t depth;     // number of elements
    // Stacks of addresses: their set of labels, in profile->tags.sets.  Stacks of sites:
    // place of their value of the facet.  Stacks of names: their group, if stacks have
    // groups.  Else 0.
    hp_string tags;
    // Callers beyond its last element were cut off.  Always false for stacks of addresses
    // and of sites, whose last element then represents these callers.
    bool truncated;
};

// How to compare stacks.  A truncated stack has one more step after its last element.
struct hp_stack_order {
    const struct hp_stack_key *stacks;
    const uint32_t *rank; // rank of each node; NULL: the numbers of elements are ranks
    uint32_t truncated;   // rank of the step that represents the frames that were cut off
    bool from_leaf;       // compare from the leaf; false: from the root
};

// Number of steps of a stack.
static inline uint32_t hp_stack_steps(const struct hp_stack_key *stack) {
    return stack->depth + stack->truncated;
}

// The rank of step i, which must be below hp_stack_steps().
static inline uint32_t hp_stack_step(const struct hp_stack_order *order,
                                     const struct hp_stack_key *stack, uint32_t i) {
    uint32_t place = order->from_leaf ? i : hp_stack_steps(stack) - 1 - i;
    if (place == stack->depth) {
        return order->truncated;
    }
    return order->rank ? order->rank[stack->at[place]] : stack->at[place];
}

// Sort `count` stacks and write their numbers in this order.  A stack that is the
// beginning of another one comes first.  Stacks with equal steps are sorted by tags, then
// by number.
void hp_stack_order_sort(const struct hp_stack_order *order, uint32_t *numbers,
                         size_t count);

// --- stacks ----------------------------------------------------------------------------

// The number of a stack of the profile in a view whose filters leave nothing of it.
#define HP_NO_STACK UINT32_MAX

// The kind of elements that the stacks of a view consist of.

enum hp_stacks_of {
    HP_STACKS_OF_NAMES,     // nodes of the naming
    HP_STACKS_OF_TREE,      // nodes, sorted for a tree, from the root or from the leaf
    HP_STACKS_OF_ADDRESSES, // places
    HP_STACKS_OF_SITES,     // sites
};

// The distinct stacks of a view.
struct hp_stacks {
    enum hp_stacks_of of;
    const struct hp_naming *naming; // borrowed; for addresses a naming by function
    struct hp_arena arena;          // memory of the keys
    // The distinct stacks, sorted by the names, places or sites of their steps, from the
    // root (a tree may be from the leaf).
    HP_VEC(struct hp_stack_key)
    all;
    // For each stack of the profile its number in `all`, or HP_NO_STACK.
    uint32_t *of_profile;
    // Stacks of addresses only: calls that filters do not hide, by frame; the folded
    // calls of a frame come last.
    HP_VEC(struct hp_call)
    calls;
    HP_VEC(struct hp_line) lines; // source line of each of `calls`
    HP_VEC(uint32_t) frame_of;    // frame of each of `calls`; UINT32_MAX: none
    uint32_t *number_of; // by call of the naming, if it is not hidden: number in `calls`
    size_t place_count;  // upper limit of the numbers of places, exclusive
    // Stacks of sites only: the sites of all calls.
    struct hp_sites sites;
    // By set of labels: place of its value of the facet, borrowed; NULL: no facet.
    const uint32_t *facet_of_set;
    // By stack of the profile: its group, which separates stacks of names; borrowed, only
    // used while stacks are found.  NULL: there are no groups.
    const uint32_t *group_of;
};

// Find the distinct stacks.  Options used: invert for a tree; max_depth, max_samples and
// metric for addresses.  Borrows the naming, and adds the node "[other]" to it for
// addresses.
void hp_stacks_init(struct hp_stacks *stacks, enum hp_stacks_of of,
                    struct hp_naming *naming, const struct hp_report_options *options);
// Find the distinct stacks of names, of which those in different groups differ.
// `group_of` has the group of each stack of the profile, or is NULL.
void hp_stacks_init_groups(struct hp_stacks *stacks, struct hp_naming *naming,
                           const uint32_t *group_of);
// Find the distinct stacks whose elements are sites (calls as a page shows them).
// `facet_of_set` is that of struct hp_facet, or NULL.
void hp_stacks_init_sites(struct hp_stacks *stacks, struct hp_naming *naming,
                          const uint32_t *facet_of_set);
void hp_stacks_done(struct hp_stacks *stacks);

// The calls of one frame that belong to one element of a stack of addresses, a place; or
// none for an element that represents no frame.
struct hp_place {
    // NULL: the place represents no frame, as "[other]" does.
    const struct hp_frame *frame;
    const struct hp_call *calls; // innermost first
    const struct hp_line *lines; // one for each call; NULL: there are no symbols
    uint32_t count;              // number of calls; at least 1
};

struct hp_place hp_stacks_place(const struct hp_stacks *stacks, uint32_t place);

// --- sums ---------------------------------------------------------------------------------

// Selects inputs: all of them, the mean of the inputs of one side of a comparison, or one
// input.
struct hp_selection {
    enum {
        HP_OF_ALL,   // the sum of all inputs
        HP_OF_BASE,  // the mean of the base inputs
        HP_OF_NEW,   // the mean of the new inputs
        HP_OF_INPUT, // `input`
    } of;

    uint32_t input; // HP_OF_INPUT: number of the input in the history
};

// Errors of stacks.  Most stacks of a view are one stack of the profile, whose error is
// not copied.
struct hp_error_sums {
    // For each stack of the view: the stack of the profile whose error it has, + 1; or
    // the place in `own` | HP_OWN_ERROR; or 0: it has none.
    uint32_t *of;
    HP_VEC(struct hp_error) own;
};

// Values of the stacks of a view.  Selections except HP_OF_ALL need a profile with a
// history (the estimates of each input).
struct hp_stack_sums {
    struct hp_values *values;                // values of each stack
    struct hp_error_sums errors[HP_COLUMNS]; // {0}: errors are not added up
    bool *is_added;                          // by stack: whether anything was added
    // Stacks with is_added set, in any order.  One input has few of all stacks.
    HP_VEC(uint32_t) added;
    const struct hp_profile *profile; // profile of the naming, or `projection`
    struct hp_profile *projection;    // a sample type as a metric; owned; NULL: a metric
};

void hp_stack_sums_init(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                        bool errors);
// Prepare sums of a sample type, which takes the place of a metric.  It has no errors.
void hp_stack_sums_init_of_type(struct hp_stack_sums *sums,
                                const struct hp_stacks *stacks,
                                const struct hp_sample_type *type);
void hp_stack_sums_done(struct hp_stack_sums *sums);
void hp_stack_sums_clear(struct hp_stack_sums *sums);

// The error of a stack; {0} if there is none.  Valid until something is added.
const struct hp_error *hp_stack_sums_error(const struct hp_stack_sums *sums, size_t stack,
                                           enum hp_column column);

// Add the selected inputs.  For a mean, values are then divided by the number of inputs;
// errors are not, and stay those of the sum.
void hp_stack_sums_add(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                       struct hp_selection selection);

// Values of each stack as whole bytes or objects, which add up to the rounded total.  The
// caller frees the array.
hp_int128 *hp_stacks_whole(const struct hp_stacks *stacks, struct hp_selection selection,
                           enum hp_metric metric);

// The mean of `inputs` inputs from their sum, rounded.
hp_fixed hp_mean_of(hp_fixed sum, size_t inputs);

// Numbers of the stacks by value, the largest first; stacks of equal values by number.
// The caller frees the array.
uint32_t *hp_stacks_by_value(const struct hp_stacks *stacks,
                             const struct hp_stack_sums *sums, enum hp_metric metric);

#endif
