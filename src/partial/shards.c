#include "partial/shards.h"

enum {
    NUMBER = 8, // bytes of a number
};

// Store the 8 bytes of a number: the high byte first if is_canonical is set (for digests
// in the canonical form of XXH3), otherwise the low byte first.
static void put_number(char bytes[NUMBER], uint64_t number, bool is_canonical) {
    for (int i = 0; i < NUMBER; i++) {
        bytes[i] = (char)(number >> 8 * (is_canonical ? NUMBER - 1 - i : i));
    }
}

// Returns the digest of a module, as described in shards.h.
static struct hp_digest digest_module(struct hp_digester *digester,
                                      const struct hp_profile *profile,
                                      const struct hp_module *module) {
    struct hp_span id =
        hp_span_of(hp_profile_original(profile, module->recorded_build_id));
    struct hp_span path = hp_span_of(hp_profile_original(profile, module->path));
    hp_digester_start(digester);
    hp_digester_add(digester, id.size > 0 ? id : path);
    hp_digester_add(digester, (struct hp_span){"", 1});
    for (uint32_t i = 0; i < module->extents; i++) {
        const struct hp_extent *extent = &profile->extents.at[module->first_extent + i];
        char bytes[2 * NUMBER];
        put_number(bytes, extent->address, false);
        put_number(bytes + NUMBER, extent->size, false);
        hp_digester_add(digester, (struct hp_span){bytes, sizeof bytes});
    }
    return hp_digester_end(digester);
}

void hp_sharder_add_modules(struct hp_sharder *sharder) {
    const struct hp_profile *profile = sharder->profile;
    while (sharder->modules.count < profile->modules.count) {
        const struct hp_module *module = &profile->modules.at[sharder->modules.count];
        struct hp_digest digest = digest_module(&sharder->digester, profile, module);
        hp_vec_push(&sharder->modules, digest);
    }
}

void hp_sharder_init(struct hp_sharder *sharder, const struct hp_profile *profile,
                     struct hp_shards shards) {
    *sharder = (struct hp_sharder){.profile = profile, .shards = shards};
    if (shards.count > 0) { // else, as usual, there is nothing to prepare
        hp_sharder_add_modules(sharder);
    }
}

uint64_t hp_sharder_hash(struct hp_sharder *sharder, const uint32_t *frames,
                         size_t depth) {
    hp_digester_start(&sharder->digester);
    for (size_t i = 0; i < depth; i++) {
        const struct hp_frame *frame = &sharder->profile->frames.at[frames[i]];
        const struct hp_digest *module = &sharder->modules.at[frame->module.n];
        char bytes[3 * NUMBER];
        put_number(bytes, module->of[0], true);
        put_number(bytes + NUMBER, module->of[1], true);
        put_number(bytes + 2 * NUMBER, frame->address, false);
        hp_digester_add(&sharder->digester, (struct hp_span){bytes, sizeof bytes});
    }
    return hp_digester_end(&sharder->digester).of[0];
}

bool hp_sharder_has(struct hp_sharder *sharder, const uint32_t *frames, size_t depth) {
    if (sharder->shards.count == 0) {
        return true;
    }
    uint64_t hash = hp_sharder_hash(sharder, frames, depth);
    return sharder->shards.present >> hash % sharder->shards.count & 1;
}

void hp_sharder_done(struct hp_sharder *sharder) {
    hp_digester_done(&sharder->digester);
    hp_vec_done(&sharder->modules);
}

uint64_t hp_shards_all(uint32_t count) {
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}
