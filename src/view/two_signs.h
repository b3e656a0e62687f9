// Differences of two profiles as inputs: values above zero grew, and values below zero
// shrank.
//
// A report with two sides shows such an input as a profile with two sides: the decreases
// are its base, and the increases are its new side, so that new minus base is the
// difference.  The values of both profiles are not known, nor memory that was allocated
// and freed again within one stack.
#ifndef HP_VIEW_TWO_SIGNS_H
#define HP_VIEW_TWO_SIGNS_H

#include "view/view.h"

// Whether the inputs are differences of two profiles, as values below zero show.
bool hp_is_of_differences(const struct hp_profile *profile);

// Fail with HP_E_EMPTY, and one sentence that names the input, if inputs are differences,
// and the report or its options make no sense for these or another input is a dump.
HP_MUST_CHECK int hp_two_signs_refuse(const struct hp_view *view, struct hp_err *err);

// Replace view->profile by one with both sides, if the report has sides, or by one with
// growth only, if options.only_grown is set.  The replacement borrows from the profile.
// Returns HP_OK.
int hp_two_signs_take(struct hp_view *view);

void hp_two_signs_free(struct hp_profile *profile); // NULL is permitted

#endif
