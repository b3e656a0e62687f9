// Stacks that end too early: those that were recorded without the callers up to main or
// the start of a thread.  Only positive evidence counts: without binaries, complete
// stacks end in places without names, too.
#ifndef HP_VIEW_STACK_ENDS_H
#define HP_VIEW_STACK_ENDS_H

#include "view/view.h"

// Reasons why a stack ends too early.
enum hp_stack_end {
    HP_END_EMPTY,     // it has no frames
    HP_END_ALLOCATOR, // all of its frames are the allocator's
    HP_END_GENERATED, // its last frame is generated code
    HP_END_LIMIT,     // it has as many frames as the writer records, or "[truncated]"
    HP_END_BOUNDARY,  // its last frame is a function that changes stacks
    HP_ENDS,
};

// The shares of stacks of a profile in the metric of a report, 0 to 1.
struct hp_stack_ends {
    double early[HP_ENDS];
    double all;       // of all that end too early
    double two_names; // of those with generated code at whose address other code was
};

// Compute the shares.  Returns false if the profile has no memory in the metric.
bool hp_stack_ends_find(const struct hp_view *view, struct hp_stack_ends *ends);

// Add warnings to view->cautions: to a table of functions the main reason if more than a
// fifth of the memory is in stacks that end too early, to info all of them.
void hp_cautions_of_ends(struct hp_view *view);

#endif
