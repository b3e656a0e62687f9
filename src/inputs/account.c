#include "inputs/account.h"

void hp_allocator_stats_done(struct hp_allocator_stats *stats) {
    hp_vec_done(&stats->bins);
    hp_vec_done(&stats->extents);
}

// Add the bytes of mappings of one kind to `sum`.
static void add(struct hp_mapped *sum, const struct hp_mapped *mapped) {
    sum->rss += mapped->rss;
    sum->pss += mapped->pss;
    sum->private += mapped->private;
}

// Return the kind under which smaps_rollup reports memory of a kind.
static enum hp_mapping_kind kind_in_rollup(enum hp_mapping_kind kind) {
    bool is_file =
        kind == HP_MAPPED_FILES || kind == HP_MAPPED_SHARED || kind == HP_MAPPED_SPECIAL;
    return is_file ? HP_MAPPED_FILES : HP_MAPPED_ANONYMOUS;
}

// Reduce all kinds to the two that smaps_rollup distinguishes.
static void fold(struct hp_kernel_maps *maps) {
    for (enum hp_mapping_kind kind = 0; kind < HP_MAPPED_KINDS; kind++) {
        enum hp_mapping_kind as = kind_in_rollup(kind);
        if (as != kind) {
            add(&maps->of[as], &maps->of[kind]);
            maps->of[kind] = (struct hp_mapped){.rss = 0};
        }
    }
}

void hp_kernel_maps_add(struct hp_kernel_maps *sum, const struct hp_kernel_maps *maps) {
    for (int i = 0; i < HP_MAPPED_KINDS; i++) {
        add(&sum->of[i], &maps->of[i]);
    }
    sum->huge_pages += maps->huge_pages;
    sum->lazy_free += maps->lazy_free;
    sum->swap += maps->swap;
    sum->is_rollup |= maps->is_rollup;
    if (sum->is_rollup) {
        fold(sum);
    }
}

struct hp_mapped hp_kernel_maps_total(const struct hp_kernel_maps *maps) {
    struct hp_mapped total = {0};
    for (int i = 0; i < HP_MAPPED_KINDS; i++) {
        add(&total, &maps->of[i]);
    }
    return total;
}

hp_int128 hp_kernel_maps_anonymous(const struct hp_kernel_maps *maps) {
    return maps->of[HP_MAPPED_ANONYMOUS].rss + maps->of[HP_MAPPED_HEAP].rss +
           maps->of[HP_MAPPED_JEMALLOC].rss;
}

void hp_live_samples_free(struct hp_live_samples *samples) {
    if (samples) {
        hp_vec_done(&samples->sizes);
        free(samples);
    }
}

void hp_account_done(struct hp_account *account) {
    hp_allocator_stats_done(&account->stats);
}
