#include "model/account.h"

void hp_allocator_stats_done(struct hp_allocator_stats *stats) {
    hp_vec_done(&stats->bins);
    hp_vec_done(&stats->extents);
}

struct hp_mapped hp_kernel_maps_total(const struct hp_kernel_maps *maps) {
    struct hp_mapped total = {0};
    for (int i = 0; i < HP_MAPPED_KINDS; i++) {
        total.rss += maps->of[i].rss;
        total.pss += maps->of[i].pss;
        total.private += maps->of[i].private;
    }
    return total;
}

uint64_t hp_kernel_maps_anonymous(const struct hp_kernel_maps *maps) {
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
