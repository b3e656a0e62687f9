// Rows that stand for inputs, threads, or all that has one label; of sizes and ages see size_rows.h.
//
// A label of a sample counts before one of its input.
#ifndef HP_VIEW_GROUPS_H
#define HP_VIEW_GROUPS_H

#include "view/top.h"

// Whether rows stand for what stacks are made of, whatever inputs they are of: see size_rows.h.
static inline bool hp_is_of_parts(enum hp_granularity by) {
    return by == HP_BY_SIZE || by == HP_BY_AGE;
}

// Whether rows stand for inputs, one or several.
static inline bool hp_groups_inputs(enum hp_granularity by) {
    return by == HP_BY_INPUT || by == HP_BY_PROGRAM || by == HP_BY_PROCESS;
}

// Whether anything has a thread, an age, or the label that is asked for.
bool hp_groups_exist(const struct hp_profile *profile,
                     const struct hp_report_options *options);

// Whether samples alone have what tells the rows apart: then it is of no matter which input they are of.
bool hp_groups_are_of_samples(const struct hp_profile *profile,
                              const struct hp_report_options *options);

// The key of the label that tells them apart in pprof profiles.
const char *hp_groups_key(const struct hp_report_options *options);

struct hp_group_name {
    HP_VEC(char) text; // "" for none
};

// What labels of samples tell; and what is said of those that tell nothing.
void hp_group_of_set(struct hp_group_name *name, const struct hp_profile *profile,
                     hp_string set, const struct hp_report_options *options);
struct hp_span hp_group_of_none(enum hp_granularity by);

struct hp_group_member {
    struct hp_span name; // of the group
    const struct hp_input_record *input;
};

// The inputs that are used, by the name of their group; to be freed.
struct hp_group_member *hp_group_members(const struct hp_view *view, size_t *count);

// The nodes of the groups.
struct hp_groups {
    hp_node_id *of_set;   // of each set of labels; 0 for none
    hp_node_id *of_input; // of each input
};

// Name them: they become nodes of the view's naming.
void hp_groups_init(struct hp_groups *groups, struct hp_view *view);
void hp_groups_done(struct hp_groups *groups);

// Add to the sums of a node.
void hp_groups_add(struct hp_top *top, hp_node_id node,
                   const struct hp_observation *seen);

// Add up input by input, and make a row of each group.  Of inputs that are not told of one by one only
// what samples have is known.
void hp_groups_sum(const struct hp_groups *groups, struct hp_view *view,
                   struct hp_top *top);

#endif
