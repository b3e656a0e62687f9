// Libraries that a process had unloaded when a dump was made, while stacks that live still lead through them.  Other
// dumps of the process show what was there.
//
// An address in no row of its dump is in the code that all dumps of the process have there, if they have one: with a
// row of another file, or code of no file, nothing is said.
#ifndef HP_LIB_UNLOADED_H
#define HP_LIB_UNLOADED_H

#include "model/dump.h"
#include "model/profile.h"

struct hp_unloaded;

// Find the unloaded libraries of the inputs that count; at most `limit` bytes of an input are read.  NULL: there is
// nothing.  Free it with hp_unloaded_free().
struct hp_unloaded *hp_unloaded_find(const struct hp_profile *profile, uint64_t limit);
void hp_unloaded_free(struct hp_unloaded *unloaded); // NULL is fine

// Add to the map of a dump what had been unloaded.  Its process id is as the name tells it.
void hp_unloaded_place(struct hp_unloaded *unloaded, struct hp_dump *dump, uint64_t pid);

#endif
