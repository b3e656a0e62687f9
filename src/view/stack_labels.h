// Stacks by the value of a label: each stack gets an outermost frame that is named after
// the value, "version=v1.2", as by pprof's -tagroot.
#ifndef HP_VIEW_STACK_LABELS_H
#define HP_VIEW_STACK_LABELS_H

#include "view/view.h"

// Whether the view is a list of stacks, by the value of a label.
bool hp_stacks_are_by_label(const struct hp_view *view);

// Make a profile with a stack for each stack of view->profile and each value of the label
// options.label.  Labels of samples come before those of inputs.  If inputs have the
// label, the profile must have a history, and the sizes of objects are unknown.  The new
// profile borrows from the old one, must not be changed, and is freed with
// hp_labelled_profile_free(), for which NULL is fine.
struct hp_profile *hp_labelled_profile_new(const struct hp_view *view);
void hp_labelled_profile_free(struct hp_profile *labelled);

#endif
