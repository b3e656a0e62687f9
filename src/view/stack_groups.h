// The group that each stack of a profile belongs to, by the rules of --groups.
//
// Rules are divided into blocks of consecutive rules that look from the same end.  The
// first block decides of which some rule matches a call of the stack: the call nearest to
// that end decides, and among the rules that match it the first one.
#ifndef HP_VIEW_STACK_GROUPS_H
#define HP_VIEW_STACK_GROUPS_H

#include "model/profile.h"

// The groups of the stacks of a profile.
struct hp_stack_groups {
    HP_VEC(const char *) names; // [0] is "(no group)"; borrowed from the rules
    uint32_t *of_stack;         // for each stack the index of its group in `names`
};

// Find the groups.  HP_E_USAGE: a pattern is wrong.  HP_E_LIMIT: there are too many rules,
// or matching takes too many steps.  Free with hp_stack_groups_done(), also after a
// failure.
HP_MUST_CHECK int hp_stack_groups_init(struct hp_stack_groups *groups,
                                       const struct hp_profile *profile,
                                       const struct hp_group_rule *rules, size_t count,
                                       struct hp_err *err);
void hp_stack_groups_done(struct hp_stack_groups *groups);

// Make a profile whose stacks are those of `profile`, each with one frame, which is named
// after its group.  Frame numbers are those of groups; stacks that are not visible have
// the frame after these.  `is_visible` may be NULL: all are.  The profile borrows from `profile`, must not be changed, and is freed with
// hp_grouped_profile_free(), for which NULL is fine.
struct hp_profile *hp_grouped_profile_new(const struct hp_profile *profile,
                                          const struct hp_stack_groups *groups,
                                          const bool *is_visible);
void hp_grouped_profile_free(struct hp_profile *grouped);

#endif
