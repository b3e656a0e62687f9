// A profile as its distinct stacks, of names or of addresses, and what they hold.
//
// Of names: stacks that differ only in addresses within functions are one.  Of addresses, with
// the labels of samples: for formats that keep frames apart, and their files and lines.
//
// Of sites: all calls, whatever is folded, apart by file and line, and by a facet if there is one.
//
// A place is what is left of a frame, or a call of it that stays in a stack although it is
// folded.  It is called by the number of its first call among those that filters do not hide, so
// that places are in the order of modules and offsets.
#ifndef HP_VIEW_STACKS_H
#define HP_VIEW_STACKS_H

#include "view/sites.h"
#include "view/stack_order.h"

// Stands for a stack of the profile of which filters leave nothing.
#define HP_NO_STACK UINT32_MAX

enum hp_stacks_of {
    HP_STACKS_OF_NAMES,
    HP_STACKS_OF_TREE, // of names, for a tree, which may be from the leaf
    HP_STACKS_OF_ADDRESSES,
    HP_STACKS_OF_SITES,
};

struct hp_stacks {
    enum hp_stacks_of of;
    const struct hp_naming *naming; // of addresses: by function
    struct hp_arena arena;
    HP_VEC(struct hp_stack_key)
    all;                  // by name, place or site; from the root, if not of a tree
    uint32_t *of_profile; // each stack of the profile -> in `all`, or HP_NO_STACK
    // Of addresses:
    HP_VEC(struct hp_call)
    calls; // that are not hidden; of each frame the folded ones last
    HP_VEC(struct hp_line) lines; // of each of them
    HP_VEC(uint32_t) frame_of;    // of each of them
    uint32_t *number_of;          // of each call of the naming that is not hidden
    size_t place_count;           // places are less than this
    // Of sites:
    struct hp_sites sites;
    const uint32_t *facet_of_set; // by which stacks are kept apart; NULL: none
};

// Of a tree options->invert is looked at, of addresses max_depth and, by metric, max_samples.  The
// naming is borrowed; "[other]" may be added to it.
void hp_stacks_init(struct hp_stacks *stacks, enum hp_stacks_of of,
                    struct hp_naming *naming, const struct hp_report_options *options);
// Of sites; the numbers are those of struct hp_facet.
void hp_stacks_init_sites(struct hp_stacks *stacks, struct hp_naming *naming,
                          const uint32_t *facet_of_set);
void hp_stacks_done(struct hp_stacks *stacks);

struct hp_place {
    const struct hp_frame *frame; // NULL: the node stands for no frame
    const struct hp_call *calls;  // innermost first
    const struct hp_line *lines;  // of the calls; NULL: there are no symbols
    uint32_t count;               // of calls; at least 1
};

struct hp_place hp_stacks_place(const struct hp_stacks *stacks, uint32_t place);

// --- sums ---------------------------------------------------------------------------------

// Which inputs count: all, the mean of those of one side of a comparison, or a single one.
struct hp_selection {
    enum {
        HP_OF_ALL,
        HP_OF_BASE,
        HP_OF_NEW,
        HP_OF_INPUT,
    } of;

    uint32_t input; // its number in the history
};

// The errors of stacks.  Most are those of one stack of the profile, which are not copied.
struct hp_error_sums {
    uint32_t *
        of; // of each stack that of the profile, + 1, or with HP_OWN_ERROR in `own`; 0: none
    HP_VEC(struct hp_error) own;
};

// What the stacks hold.  All but HP_OF_ALL need a history.
struct hp_stack_sums {
    struct hp_values *values;                // of each stack
    struct hp_error_sums errors[HP_COLUMNS]; // {0} if not asked for
    bool *is_added;                   // of each stack, if something was added to it
    HP_VEC(uint32_t) added;           // these, in any order: of one input most are none
    const struct hp_profile *profile; // that of the naming, or
    struct hp_profile *projection;    // one of a sample type
};

void hp_stack_sums_init(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                        bool errors);
// Of a sample type: its values are in the place of a metric's, and there are no errors.
void hp_stack_sums_init_of_type(struct hp_stack_sums *sums,
                                const struct hp_stacks *stacks,
                                const struct hp_sample_type *type);
void hp_stack_sums_done(struct hp_stack_sums *sums);
void hp_stack_sums_clear(struct hp_stack_sums *sums);

// Until something is added.
const struct hp_error *hp_stack_sums_error(const struct hp_stack_sums *sums, size_t stack,
                                           enum hp_column column);

// Of a mean errors stay those of the sum.
void hp_stack_sums_add(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                       struct hp_selection selection);

// Whole bytes or objects of each stack, which add up to the rounded total; to be freed.
hp_int128 *hp_stacks_whole(const struct hp_stacks *stacks, struct hp_selection selection,
                           enum hp_metric metric);

// The sum of so many inputs for one of them.
hp_fixed hp_mean_of(hp_fixed sum, size_t inputs);

// Numbers of the stacks, the one with the largest value first, ties as they are; to be freed.
uint32_t *hp_stacks_by_value(const struct hp_stacks *stacks,
                             const struct hp_stack_sums *sums, enum hp_metric metric);

#endif
