// Shards: the stacks of a profile cut into n partials, and these joined again.
//
// Which shard a stack is in is told by texts alone, so that tasks that have read other dumps agree:
// XXH3-128 goes over 24 bytes of each frame from the root on, the digest of its module in canonical
// form and its offset, the low byte first; the first 64 bits modulo n are the number.  The digest of
// a module is that of its build id, or else its path, a zero byte, and offset and size of each extent.
#ifndef HP_PARTIAL_SHARDS_H
#define HP_PARTIAL_SHARDS_H

#include "base/digest.h"
#include "model/profile.h"

// Of a profile that gets no further modules meanwhile.
struct hp_sharder {
    const struct hp_profile *profile;
    struct hp_shards shards;
    struct hp_digester digester;
    HP_VEC(struct hp_digest) modules;
};

void hp_sharder_init(struct hp_sharder *sharder, const struct hp_profile *profile,
                     struct hp_shards shards);
void hp_sharder_done(struct hp_sharder *sharder);

// Whether a stack of these frames, from the root on, is in the shards that are present: all are
// of {0}.
bool hp_sharder_has(struct hp_sharder *sharder, const uint32_t *frames, size_t depth);

// A bit for each of so many, at most HP_SHARDS_MOST.
uint64_t hp_shards_all(uint32_t count);

#endif
