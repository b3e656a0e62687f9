// Shards of one set have the same identities, groups and tables: they were cut from one
// profile, or merged from shards that were.  Each shard was read into a profile of its
// own.  The first shard of a set, by number and name, keeps the data about dumps; the
// others keep only their stacks.
#include "lib/shard_sets.h"

#include "partial/shards.h"

#include <string.h>

// The bit of each shard that a partial contains.
static uint64_t present_of(const struct hp_taken *taken) {
    return taken->partials.parameters.of[HP_PARAMETER_SHARD];
}

// The number of shards of the set.
static uint32_t count_of(const struct hp_taken *taken) {
    return (uint32_t)taken->partials.parameters.of[HP_PARAMETER_SHARDS];
}

// The number of the first shard in a set of bits.
static unsigned number_of(uint64_t present) {
    return (unsigned)__builtin_ctzll(present);
}

// Order by side, by the shards that are present, and by name.
static int by_shard(const void *left, const void *right) {
    const struct hp_taken *a = *(struct hp_taken *const *)left;
    const struct hp_taken *b = *(struct hp_taken *const *)right;
    if (a->is_base != b->is_base) {
        return a->is_base - b->is_base;
    }
    if (present_of(a) != present_of(b)) {
        return present_of(a) < present_of(b) ? -1 : 1;
    }
    return strcmp(a->names.at[0], b->names.at[0]);
}

static bool is_one_set(const struct hp_taken *a, const struct hp_taken *b) {
    return a->is_base == b->is_base &&
           memcmp(a->partials.common, b->partials.common, sizeof a->partials.common) == 0;
}

// Drop the data that all shards of a set have in common.
static void drop_common(struct hp_taken *taken) {
    struct hp_profile *profile = &taken->profile;
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        hp_input_done(input);
    }
    profile->inputs.count = profile->known.count = profile->labels.count = 0;
    memset(profile->total_errors, 0, sizeof profile->total_errors);
    hp_annotations_done(&profile->annotations);
    hp_distribution_done(&profile->between[taken->is_base].dumps);
    profile->named.count = 0;
    memset(profile->diagnosed, 0, sizeof profile->diagnosed);
}

// Fail with HP_E_DUPLICATE, because a shard is given twice.
static int refuse_twice(const struct hp_taken *first, const struct hp_taken *again,
                        struct hp_err *err) {
    uint64_t both = first->shards.present & present_of(again);
    hp_fail(err, HP_E_DUPLICATE, "shard %u of %u of the same dumps is in %s as well",
            number_of(both), count_of(again), first->names.at[0]);
    hp_err_locate(err, again->names.at[0], 0);
    return HP_E_DUPLICATE;
}

// Join a shard to its set, if an earlier shard began the set.
static int join(struct hp_taken_all *all, size_t i, struct hp_err *err) {
    struct hp_taken *taken = all->at[i];
    taken->shards = (struct hp_shards){count_of(taken), present_of(taken)};
    if (taken->profile.known.count == 0) {
        hp_fail(err, HP_E_DUPLICATE, "a shard without identities belongs to no others");
        hp_err_locate(err, taken->names.at[0], 0);
        return HP_E_DUPLICATE;
    }
    for (size_t k = 0; k < i; k++) {
        struct hp_taken *first = all->at[k];
        if (first->joins || !is_one_set(first, taken)) {
            continue;
        }
        if (first->shards.present & present_of(taken)) {
            return refuse_twice(first, taken, err);
        }
        first->shards.present |= present_of(taken);
        taken->joins = first;
        drop_common(taken);
        break;
    }
    return HP_OK;
}

// Refuse sets with different shards: the totals of a report would be of different parts.
static int compare_sets(const struct hp_taken_all *all, struct hp_err *err) {
    const struct hp_taken *first = all->at[0];
    for (size_t i = 1; i < all->count; i++) {
        const struct hp_taken *taken = all->at[i];
        uint64_t differ = first->shards.present ^ taken->shards.present;
        if (!taken->joins && differ) {
            bool has = (first->shards.present & differ) != 0;
            hp_fail(err, HP_E_DUPLICATE,
                    "shard %u of %u of the dumps in %s is %s, that of these dumps %s",
                    number_of(differ), count_of(taken), first->names.at[0],
                    has ? "given" : "not given", has ? "is not" : "is");
            hp_err_locate(err, taken->names.at[0], 0);
            return HP_E_DUPLICATE;
        }
    }
    return HP_OK;
}

int hp_shard_sets_join(struct hp_taken_all *all, struct hp_shards *shards,
                       struct hp_err *err) {
    int ret = HP_OK;
    if (all->count == 0 || count_of(all->at[0]) == 1) {
        return HP_OK;
    }
    hp_vec_sort(all, by_shard);
    for (size_t i = 0; ret == HP_OK && i < all->count; i++) {
        ret = join(all, i, err);
    }
    ret = ret == HP_OK ? compare_sets(all, err) : ret;
    bool is_whole = all->at[0]->shards.present == hp_shards_all(count_of(all->at[0]));
    *shards = is_whole ? (struct hp_shards){0, 0} : all->at[0]->shards;
    struct hp_taken **taken;
    hp_vec_each (taken, all) {
        struct hp_parameters *made = &(*taken)->partials.parameters;
        made->of[HP_PARAMETER_SHARDS] = is_whole ? 1 : shards->count;
        made->of[HP_PARAMETER_SHARD] = is_whole ? 1 : shards->present;
    }
    return ret;
}
