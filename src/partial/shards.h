// Shards: the stacks of a profile cut into n partials, and these joined again.
//
// Which shard a stack is in is told by texts alone, so that tasks that have read other dumps agree:
// XXH3-128 goes over 24 bytes of each frame from the root on, the digest of its module in canonical
// form and its offset, the low byte first; the first 64 bits modulo n are the number.  The digest of
// a module is that of its build id, or else its path, a zero byte, and offset and size of each extent.
#ifndef HP_PARTIAL_SHARDS_H
#define HP_PARTIAL_SHARDS_H

#include "model/profile.h"

// Of each stack its number, below `count`; to be freed.
uint32_t *hp_shards_of_stacks(const struct hp_profile *profile, uint32_t count);

// A bit for each of so many, at most HP_SHARDS_MOST.
uint64_t hp_shards_all(uint32_t count);

#endif
