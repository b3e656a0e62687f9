#include "partial/shards.h"

enum {
    NUMBER = 8, // bytes of a number
};

// Add the 8 bytes of a number to the digest: the high byte first if is_canonical is set
// (for digests in the canonical form of XXH3), otherwise the low byte first.
static void add_number(struct hp_digester *digester, uint64_t number, bool is_canonical) {
    char bytes[NUMBER];
    for (int i = 0; i < NUMBER; i++) {
        bytes[i] = (char)(number >> 8 * (is_canonical ? NUMBER - 1 - i : i));
    }
    hp_digester_add(digester, (struct hp_span){bytes, sizeof bytes});
}

// Returns the digest of a module, as described in shards.h.
static struct hp_digest digest_module(struct hp_digester *digester,
                                      const struct hp_profile *profile,
                                      const struct hp_module *module) {
    struct hp_span id = hp_strtab_span(&profile->strings, module->recorded_build_id);
    struct hp_span path = hp_strtab_span(&profile->strings, module->path);
    hp_digester_start(digester);
    hp_digester_add(digester, id.size > 0 ? id : path);
    hp_digester_add(digester, (struct hp_span){"", 1});
    for (uint32_t i = 0; i < module->extents; i++) {
        const struct hp_extent *extent = &profile->extents.at[module->first_extent + i];
        add_number(digester, extent->address, false);
        add_number(digester, extent->size, false);
    }
    return hp_digester_end(digester);
}

void hp_sharder_init(struct hp_sharder *sharder, const struct hp_profile *profile,
                     struct hp_shards shards) {
    *sharder = (struct hp_sharder){.profile = profile, .shards = shards};
    const struct hp_module *module;
    if (shards.count == 0) {
        return; // the usual case: nothing to prepare
    }
    hp_vec_each (module, &profile->modules) {
        struct hp_digest digest = digest_module(&sharder->digester, profile, module);
        hp_vec_push(&sharder->modules, digest);
    }
}

bool hp_sharder_has(struct hp_sharder *sharder, const uint32_t *frames, size_t depth) {
    if (sharder->shards.count == 0) {
        return true;
    }
    hp_digester_start(&sharder->digester);
    for (size_t i = 0; i < depth; i++) {
        const struct hp_frame *frame = &sharder->profile->frames.at[frames[i]];
        const struct hp_digest *module = &sharder->modules.at[frame->module.n];
        add_number(&sharder->digester, module->of[0], true);
        add_number(&sharder->digester, module->of[1], true);
        add_number(&sharder->digester, frame->address, false);
    }
    uint64_t hash = hp_digester_end(&sharder->digester).of[0];
    return sharder->shards.present >> hash % sharder->shards.count & 1;
}

void hp_sharder_done(struct hp_sharder *sharder) {
    hp_digester_done(&sharder->digester);
    hp_vec_done(&sharder->modules);
}

uint64_t hp_shards_all(uint32_t count) {
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}
