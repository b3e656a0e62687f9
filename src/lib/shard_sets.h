// Shards of the same dumps among the partials.  The data that they have in common is used
// once.
#ifndef HP_LIB_SHARD_SETS_H
#define HP_LIB_SHARD_SETS_H

#include "lib/partial_inputs.h"

// Join the shards of each set; call it before any partial is taken over.  HP_E_DUPLICATE
// if a shard is given twice, or different sets have different shards.  *shards becomes
// the shards that are present, {0} if all are.
HP_MUST_CHECK int hp_shard_sets_join(struct hp_taken_all *all, struct hp_shards *shards,
                                     struct hp_err *err);

#endif
