// Rows that are inputs, programs, processes, threads or values of a label, instead of
// code.  In this file a group is the memory of one such row.  Rows of sizes and ages are
// in size_rows.h.
//
// If both a sample and its input have the label that is asked for, the sample's is used.
//
// hp_groups_init() makes a node of each group, hp_groups_sum() adds up the stacks and
// makes rows of the nodes.  hp_group_members() lists the inputs by group for other
// modules.
#ifndef HP_VIEW_GROUPS_H
#define HP_VIEW_GROUPS_H

#include "view/top.h"

// Whether rows of this granularity are single inputs or groups of inputs, unless labels
// of samples decide them.
static inline bool hp_groups_inputs(enum hp_granularity by) {
    return by == HP_BY_INPUT || by == HP_BY_PROGRAM || by == HP_BY_PROCESS;
}

// Whether the profile has any group: a thread, the label that is asked for, or a known
// program.  Always true for inputs, processes, sizes and ages.
bool hp_groups_exist(const struct hp_profile *profile,
                     const struct hp_report_options *options);

// Whether only samples, and no inputs, have the property that rows are made by.  The
// input of a sample then does not decide its row.
bool hp_groups_are_of_samples(const struct hp_profile *profile,
                              const struct hp_report_options *options);

// Whether the rows are whole inputs, or labels of which each partial that does not record
// its dumps individually has one value: then the sum of its dumps is in one row.
bool hp_groups_are_of_partials(const struct hp_profile *profile,
                               const struct hp_report_options *options);

// Return the key of the pprof label that rows are made by, as "thread".
const char *hp_groups_key(const struct hp_report_options *options);

// Buffer for the name of a group; {0} is empty.  The user frees `text`.
struct hp_group_name {
    HP_VEC(char) text; // not terminated by NUL; empty: the samples have no such label
};

// Return the number of sets of sample labels that may decide groups: all sets of the
// profile, or 0.  Labels "program" and "process" decide groups only if this program wrote
// one of the inputs; to other writers these names may mean anything.
size_t hp_group_sets(const struct hp_profile *profile,
                     const struct hp_report_options *options);

// Put the name of the group that a set of sample labels decides into `name`; "" if the
// labels decide none.  `set` is below hp_group_sets().  hp_group_of_none() returns the
// name of the group of samples without the label, as "[no thread]".
void hp_group_of_set(struct hp_group_name *name, const struct hp_profile *profile,
                     hp_string set, const struct hp_report_options *options);
struct hp_span hp_group_of_none(enum hp_granularity by);

// An input and the name of the group of rows that it belongs to.
struct hp_group_member {
    struct hp_span name; // name of the group
    const struct hp_input_record *input;
};

// Return the inputs that are used, sorted by the name of their group, then by number.
// The caller frees the array.
struct hp_group_member *hp_group_members(const struct hp_view *view, size_t *count);

// Nodes of the groups in the view's naming, by the labels of samples and by input.
struct hp_groups {
    hp_node_id *of_set;   // by set of sample labels; 0: the set decides no group
    hp_node_id *of_input; // by input; 0: the input is not used
};

// Add a node for each group to the view's naming.  Free with hp_groups_done().
void hp_groups_init(struct hp_groups *groups, struct hp_view *view);
void hp_groups_done(struct hp_groups *groups);

// Add the values and errors of a stack (`seen`) to both flat and cum of a node.
void hp_groups_add(struct hp_top *top, hp_node_id node,
                   const struct hp_observation *seen);

// Add up the profile input by input, and make a row of each group.  If a partial does not
// record its dumps individually, their stacks cannot be separated: then only labels of
// samples separate rows.
void hp_groups_sum(const struct hp_groups *groups, struct hp_view *view,
                   struct hp_top *top);

#endif
