// Libraries that a process had unloaded before a dump was made, while live stacks still
// lead through them.  Other dumps of the process show what was mapped there.
//
// An address in no row of its dump is attributed to the code that all other dumps of the
// process have there.  If they disagree, or one has code of no file there, the address
// stays unmapped.
#ifndef HP_LIB_UNLOADED_H
#define HP_LIB_UNLOADED_H

#include "model/dump.h"
#include "model/profile.h"

// The rows of memory maps that were of unloaded libraries.  Opaque.
struct hp_unloaded;

// Find the libraries that processes had unloaded, by reading all dumps of each process
// with unmapped addresses again, at most `limit` bytes of each dump.  Returns NULL if
// there are no such libraries; else free the result with hp_unloaded_free().
struct hp_unloaded *hp_unloaded_find(const struct hp_profile *profile, uint64_t limit);
void hp_unloaded_free(struct hp_unloaded *unloaded); // NULL is fine

// Add to the map of a dump the rows of unloaded libraries of its process that contain
// addresses of the dump, unless something is mapped there.  `pid` is the process id in
// the name of the dump.
void hp_unloaded_place(struct hp_unloaded *unloaded, struct hp_dump *dump, uint64_t pid);

#endif
