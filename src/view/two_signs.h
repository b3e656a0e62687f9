// The two signs of a difference of two profiles: what grew is above zero, and what shrank below.
//
// A report of two sides is one of a profile in which what shrank is the base and what grew is new, so that new less
// base is the difference.  How much there was on either side is not known, nor what came and went in one stack.
#ifndef HP_VIEW_TWO_SIGNS_H
#define HP_VIEW_TWO_SIGNS_H

#include "view/view.h"

// Whether values below zero say that the inputs are such differences.
bool hp_is_of_differences(const struct hp_profile *profile);

// What a difference has no part in, by one sentence that names it.
HP_MUST_CHECK int hp_two_signs_refuse(const struct hp_view *view, struct hp_err *err);

// Show both sides of differences where the report has sides, and what grew alone where that is asked for; HP_OK.
// What is then looked at borrows from the profile.
int hp_two_signs_take(struct hp_view *view);

void hp_two_signs_free(struct hp_profile *profile); // NULL is fine

#endif
