// Effects of folding: how much memory it attributes to functions that did not allocate it
// themselves, and how much more it would move if libraries were folded, too.
//
// The results feed the hints that a report shows below its table.
#ifndef HP_VIEW_CHARGES_H
#define HP_VIEW_CHARGES_H

#include "view/view.h"

// Sums over the stacks that the filters leave, in the metric of the report.  In a diff
// they cover the new side, per input on average; in a trend the last dump of each series;
// otherwise the whole profile.
struct hp_charges {
    hp_fixed total; // sum of all stacks, including those that the filters drop
    // Memory attributed to a caller, by the class of the call that allocated it.
    hp_fixed moved[HP_CLASSES];
    hp_fixed all_moved; // the sum of `moved`
    bool is_go;         // some of that memory was allocated by Go code
    hp_fixed libraries; // memory attributed to functions of libraries
};

// Compute the effects of folding.  The result is {0} if nothing is moved: rows are
// modules, addresses or properties of inputs, or no more than the allocator is folded.
struct hp_charges hp_charges_of(const struct hp_view *view);

// Return the largest amount that one function would have if libraries were folded as
// well.
hp_fixed hp_largest_owner(const struct hp_view *view);

// Whether the share of memory whose allocating call has a known source file differs by
// more than `least` between the two sides of a diff.  Also requires that more than
// `least` of a side is in modules that the other side does not have: modules on both
// sides in one build cannot explain the difference.  shares[2]: the known share of each
// side, NAN where it has nothing.
bool hp_files_differ(const struct hp_view *view, double least, double shares[2]);

// Return the name of a likely wrapper: the first function of a table sorted by flat, if
// more than a quarter of the total is attributed to it and its name looks like an
// allocating function's, or if it has no name.  NULL: there is none, or wrappers are not
// folded.  `*share` is its share of the total.  The name is written into `name` (of
// `room` bytes) as a pattern that matches it, quoted for a shell if need be.
const char *hp_likely_wrapper(const struct hp_view *view, double *share, char *name,
                              size_t room);

#endif
