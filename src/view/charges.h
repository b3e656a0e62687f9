// What folding moves: how much is charged to functions that did not allocate it themselves, and
// what would come of folding more.
#ifndef HP_VIEW_CHARGES_H
#define HP_VIEW_CHARGES_H

#include "view/view.h"

// Of what filters leave: of a diff what is new, one input on average, of a trend what the last
// dumps of its series hold, of others all.
struct hp_charges {
    hp_fixed total;             // also of what filters do not leave
    hp_fixed moved[HP_CLASSES]; // by the class of the call that allocated it
    hp_fixed all_moved;
    bool is_go;         // some of it by Go
    hp_fixed libraries; // charged to them
};

// Nothing is moved where modules, addresses or groups of inputs are rows.
struct hp_charges hp_charges_of(const struct hp_view *view);

// What the first function would be charged with if libraries were folded as well.
hp_fixed hp_largest_owner(const struct hp_view *view);

// Whether the source files of calls that allocate are known for shares of the two sides of a diff
// that are further apart than `least`, which is more than what both have in one build can make.
bool hp_files_differ(const struct hp_view *view, double least, double shares[2]);

// The name of the function that most is charged to by itself, in a table sorted by that, if it
// looks as if others should be, and its share of all; or NULL.  The name is a pattern for it, in
// the buffer.
const char *hp_suspect(const struct hp_view *view, double *share, char *name,
                       size_t room);

#endif
