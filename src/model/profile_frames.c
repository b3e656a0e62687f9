// Finds and adds the modules and frames of a profile, each once.
#include "model/profile.h"

#include "base/hash.h"

// --- modules ---------------------------------------------------------------------------

static const struct hp_extent *extents_of(const struct hp_profile *profile,
                                          const struct hp_module *module) {
    return module->extents > 0 ? profile->extents.at + module->first_extent : NULL;
}

// Whether the module `known` of the profile and `module`, which has the extents
// `extents`, have the same identity: the members that struct hp_module lists are equal.
static bool same_module(const struct hp_profile *profile, const struct hp_module *known,
                        const struct hp_module *module, const struct hp_extent *extents) {
    return known->kind == module->kind && known->path.n == module->path.n &&
           known->deleted == module->deleted &&
           known->recorded_build_id.n == module->recorded_build_id.n &&
           known->addresses == module->addresses && known->span == module->span &&
           known->proof == module->proof && known->builds.n == module->builds.n &&
           known->stamp.n == module->stamp.n &&
           hp_extents_compare(extents_of(profile, known), known->extents, extents,
                              module->extents) == 0;
}

// Extend the range of file ids of a known module by those of `module`.
static void note_files(struct hp_module *known, const struct hp_module *module) {
    if (known->lowest_file.inode == 0) {
        known->lowest_file = module->lowest_file;
        known->highest_file = module->highest_file;
    } else if (module->lowest_file.inode != 0) {
        if (hp_file_id_compare(module->lowest_file, known->lowest_file) < 0) {
            known->lowest_file = module->lowest_file;
        }
        if (hp_file_id_compare(module->highest_file, known->highest_file) > 0) {
            known->highest_file = module->highest_file;
        }
    }
}

// Merge properties that may differ between two uses of one module.  Code may have been
// moved to huge pages in some processes only, and inputs may have resolved different
// parts of it.
static void note_differences(struct hp_profile *profile, struct hp_module *known,
                             const struct hp_module *module,
                             const struct hp_extent *extents) {
    known->resolved &= module->resolved;
    known->dumps += module->dumps;
    known->has_partials |= module->has_partials;
    known->is_by_stacks |= module->is_by_stacks;
    hp_return_check_join(&known->misfits, &module->misfits);
    note_files(known, module);
    for (uint32_t i = 0; i < known->extents; i++) {
        profile->extents.at[known->first_extent + i].has_hole |= extents[i].has_hole;
    }
}

static uint32_t module_hash(const struct hp_module *module,
                            const struct hp_extent *extents) {
    uint64_t hash =
        hp_hash_mix(module->span ^ hp_hash_key(),
                    module->path.n ^ (uint64_t)module->recorded_build_id.n << 32 ^
                        (uint64_t)0x9e3779b97f4a7c15);
    hash = hp_hash_mix(hash ^ module->builds.n ^ (uint64_t)module->stamp.n << 32,
                       module->proof ^ (uint64_t)0x589965cc75374cc3);
    for (uint32_t i = 0; i < module->extents; i++) {
        hash = hp_hash_mix(extents[i].address ^ hash,
                           extents[i].size ^ (uint64_t)0xe7037ed1a0b428db);
    }
    // Mixed once more, or regular addresses would fill neighbouring slots.
    return (uint32_t)hp_hash_mix(hash, (uint64_t)0x8bb84b93962eacc9);
}

// Rebuild the index of modules, which hp_profile_sort() drops.
static void index_modules(struct hp_profile *profile) {
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        hp_index_put(&profile->index.modules,
                     module_hash(module, extents_of(profile, module)), i);
    }
}

hp_module_id hp_profile_module(struct hp_profile *profile, const struct hp_module *module,
                               const struct hp_extent *extents) {
    struct hp_index *index = &profile->index.modules;
    if (index->hashes.count == 0) {
        index_modules(profile);
    }
    uint32_t hash = module_hash(module, extents), found;
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        struct hp_module *known = &profile->modules.at[found];
        if (same_module(profile, known, module, extents)) {
            note_differences(profile, known, module, extents);
            return (hp_module_id){found};
        }
    }
    hp_index_put(index, hash, profile->modules.count);
    struct hp_module *added = hp_vec_push(&profile->modules, *module);
    added->first_extent = (uint32_t)profile->extents.count;
    for (uint32_t i = 0; i < module->extents; i++) {
        hp_vec_push(&profile->extents, extents[i]);
    }
    return (hp_module_id){(uint32_t)profile->modules.count - 1};
}

static hp_string known_text(struct hp_profile *profile, const char *text) {
    return hp_strtab_add(&profile->strings, hp_span_of(text ? text : ""));
}

void hp_profile_take_proof(struct hp_profile *profile, struct hp_module *module,
                           const struct hp_proof_module *proof) {
    if (profile->settings.has_stamps) {
        module->stamp = proof->proof == HP_PROOF_FITS ? known_text(profile, proof->stamp)
                                                      : (hp_string){0};
        return;
    }
    module->proof = proof->proof;
    module->builds = known_text(profile, proof->builds);
    module->misfits = proof->returns;
}

// --- frames ----------------------------------------------------------------------------

static uint32_t frame_hash(hp_module_id module, uint64_t address) {
    return (uint32_t)hp_hash_mix(address ^ hp_hash_key(),
                                 module.n ^ (uint64_t)0x9e3779b97f4a7c15);
}

// Rebuild the index of frames, which hp_profile_sort() drops.
static void index_frames(struct hp_profile *profile) {
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        hp_index_put(&profile->index.frames, frame_hash(frame->module, frame->address),
                     i);
    }
}

// Find a frame by module and address, or add it.  Returns its number.
static hp_frame_id add_frame(struct hp_profile *profile, const struct hp_frame *frame,
                             uint32_t hash) {
    struct hp_index *index = &profile->index.frames;
    uint32_t found;
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        const struct hp_frame *known = &profile->frames.at[found];
        if (known->address == frame->address && known->module.n == frame->module.n) {
            return (hp_frame_id){found};
        }
    }
    hp_index_put(index, hash, profile->frames.count);
    hp_vec_push(&profile->frames, *frame);
    return (hp_frame_id){(uint32_t)profile->frames.count - 1};
}

// Find or add many frames.  Their index exceeds every cache, so the slots of a batch are
// prefetched.
void hp_profile_frames(struct hp_profile *profile, const struct hp_frame *frames,
                       size_t count, hp_frame_id *ids) {
    enum {
        BATCH = 32
    };

    struct hp_index *index = &profile->index.frames;
    uint32_t hashes[BATCH];
    if (index->hashes.count == 0) {
        index_frames(profile);
    }
    for (size_t first = 0; first < count; first += BATCH) {
        size_t batch = count - first < BATCH ? count - first : BATCH;
        for (size_t i = 0; i < batch; i++) {
            const struct hp_frame *frame = &frames[first + i];
            hashes[i] = frame_hash(frame->module, frame->address);
            hp_index_prefetch(index, hashes[i]);
        }
        for (size_t i = 0; i < batch; i++) {
            ids[first + i] = add_frame(profile, &frames[first + i], hashes[i]);
        }
    }
}

hp_frame_id hp_profile_frame(struct hp_profile *profile, hp_module_id module,
                             uint64_t address) {
    struct hp_frame frame = {.module = module, .address = address};
    hp_frame_id id;
    hp_profile_frames(profile, &frame, 1, &id);
    return id;
}

void hp_profile_reserve_frames(struct hp_profile *profile, size_t frames) {
    hp_vec_reserve(&profile->frames, frames);
    hp_index_reserve(&profile->index.frames, frames);
}
