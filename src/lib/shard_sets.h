// Shards of the same dumps among the partials given, of which what they have in common is taken once.
#ifndef HP_LIB_SHARD_SETS_H
#define HP_LIB_SHARD_SETS_H

#include "lib/partial_inputs.h"

// Before anything is taken over.  HP_E_DUPLICATE where a shard is there twice, or sets of shards have
// other ones; *shards says which there are, {0} if all.
HP_MUST_CHECK int hp_shard_sets_join(struct hp_taken_all *all, struct hp_shards *shards,
                                     struct hp_err *err);

#endif
