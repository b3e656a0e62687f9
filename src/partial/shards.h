// Shards: n partials that share the stacks of one profile. Each stack is in one of them;
// all shards describe the same dumps, and read together they give the whole profile.
//
// The shard of a stack depends on texts and addresses alone, so that tasks that have read
// different dumps agree. It is the hash of the stack modulo n. That hash is the first 64
// bits of an XXH3-128 over 24 bytes for each frame from the root on: the digest of the frame's module in canonical form,
// and its address, low byte first. The digest of a module covers its build id, or its
// path if it has none, a zero byte, and address and size of each extent.
#ifndef HP_PARTIAL_SHARDS_H
#define HP_PARTIAL_SHARDS_H

#include "base/digest.h"
#include "model/profile.h"

// Finds the shard that a stack belongs to. If the profile gets further modules while this
// is in use, call hp_sharder_add_modules().
struct hp_sharder {
    const struct hp_profile *profile;
    struct hp_shards shards;
    struct hp_digester digester; // working memory
    // Digest of each module of the profile; empty if there are no shards.
    HP_VEC(struct hp_digest) modules;
};

// Prepare to find stacks of `shards`, for which the modules are hashed; {0}: the profile
// is not split into shards.
void hp_sharder_init(struct hp_sharder *sharder, const struct hp_profile *profile,
                     struct hp_shards shards);
// Free the memory.
void hp_sharder_done(struct hp_sharder *sharder);

// Whether the stack of these frames, root first, is in one of the shards that are
// present. Without shards it always is.
bool hp_sharder_has(struct hp_sharder *sharder, const uint32_t *frames, size_t depth);

// Return the hash of a stack, whose frames are given from the root on.
uint64_t hp_sharder_hash(struct hp_sharder *sharder, const uint32_t *frames,
                         size_t depth);

// Hash the modules that the profile has got since the last call.
void hp_sharder_add_modules(struct hp_sharder *sharder);

// Return the set of all `count` shards (at most HP_SHARDS_MOST), with a bit for each.
uint64_t hp_shards_all(uint32_t count);

#endif
