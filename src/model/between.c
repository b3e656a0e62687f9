#include "model/between.h"

#include <stdlib.h>
#include <string.h>

// --- sums over replicates --------------------------------------------------------------

enum {
    FEW = 4096, // the sums are not settled before this many have been added
};

// Return the number of a dump's replicate.  It follows from the process, if that is
// known, so that all dumps of a process are in one replicate; else from the dump.
unsigned hp_replicate_of(struct hp_digest content, const struct hp_identity *properties) {
    uint64_t process = hp_process_identity(properties);
    uint64_t identity = process ? process : hp_dump_identity(content, properties).of[0];
    return (unsigned)(identity % HP_REPLICATES);
}

// Add bytes to the sum of a stack over a replicate.  The sums are sorted and joined when
// there are twice as many as after the last time, plus FEW, which keeps both the cost of
// sorting and the memory low.
void hp_replicates_add(struct hp_replicates *sums, enum hp_column column, unsigned group,
                       uint32_t stack, hp_int128 bytes) {
    uint64_t place = (uint64_t)column * HP_REPLICATES + group;
    if (bytes == 0) {
        return;
    }
    if (sums->all.count >= 2 * sums->settled + FEW) {
        hp_replicates_settle(sums);
    }
    hp_vec_push(&sums->all, ((struct hp_replicate){place << 32 | stack, bytes}));
}

void hp_replicates_add_values(struct hp_replicates *sums, unsigned group, uint32_t stack,
                              const struct hp_values *values) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        enum hp_metric metric = hp_space_of(i);
        hp_replicates_add(sums, i, group, stack,
                          hp_fixed_round(values->of[metric], metric));
    }
}

// Sort by key.  The first `settled` sums are sorted already: only later sums are sorted,
// and then merged from the end.
static void sort(struct hp_replicates *sums) {
    struct hp_replicate *all = sums->all.at;
    size_t first = sums->settled, left = sums->all.count - first, at = sums->all.count;
    struct hp_replicate *added = hp_alloc(left * sizeof *added);
    memcpy(added, all + first, left * sizeof *added);
    hp_sort_by_key(added, left, sizeof *added);
    while (left > 0) {
        bool is_first = first > 0 && all[first - 1].key > added[left - 1].key;
        all[--at] = is_first ? all[--first] : added[--left];
    }
    free(added);
}

void hp_replicates_settle(struct hp_replicates *sums) {
    struct hp_replicate *all = sums->all.at;
    size_t kept = 0;
    if (sums->settled == sums->all.count) {
        return;
    }
    sort(sums);
    for (size_t i = 0; i < sums->all.count; i++) {
        struct hp_replicate next = all[i];
        if (kept > 0 && all[kept - 1].key == next.key) {
            hp_int128 sum;
            sums->overflow |=
                __builtin_add_overflow(all[kept - 1].bytes, next.bytes, &sum);
            all[kept - 1].bytes = sum;
        } else {
            kept -= kept > 0 && all[kept - 1].bytes == 0;
            all[kept++] = next;
        }
    }
    kept -= kept > 0 && all[kept - 1].bytes == 0;
    sums->settled = sums->all.count = kept;
}

// --- buckets ---------------------------------------------------------------------------

// Lower limits of the buckets of an octave: 2^(i/16) in units of 2^-62, rounded up, so
// that a number at or above a limit is in its bucket.
static const uint64_t edges[HP_BUCKETS_PER_OCTAVE] = {
    0x4000000000000000, 0x42d561b3e6243d8b, 0x45cae0f1f545eb74, 0x48e1e9b9d588e19c,
    0x4c1bf828c6dc54b8, 0x4f7a993048d088d7, 0x52ff6b54d8a89c76, 0x56ac1f752150a564,
    0x5a827999fcef3243, 0x5e8451cfac061b60, 0x62b39508aa836d6f, 0x6712460a8fc24072,
    0x6ba27e656b4eb57b, 0x70666f76154a7089, 0x75606373ee921c98, 0x7a92be8a92436617,
};

enum {
    EDGE_BITS = 62,
};

// Return the number of the bucket of the histogram that contains a total: the total is
// scaled to [1, 2), with EDGE_BITS bits after the point, and then compared with the lower
// limits in `edges`.
uint32_t hp_bucket_of(hp_int128 total) {
    hp_uint128 bytes = (hp_uint128)total;
    unsigned octave = 0, i = HP_BUCKETS_PER_OCTAVE - 1;
    while (bytes >> octave > 1) {
        octave++;
    }
    uint64_t start = (uint64_t)(octave < EDGE_BITS ? bytes << (EDGE_BITS - octave)
                                                   : bytes >> (octave - EDGE_BITS));
    while (start < edges[i]) {
        i--;
    }
    return octave * HP_BUCKETS_PER_OCTAVE + i;
}

double hp_bucket_start(uint32_t number) {
    double octave = (double)((hp_uint128)1 << number / HP_BUCKETS_PER_OCTAVE);
    return (double)edges[number % HP_BUCKETS_PER_OCTAVE] /
           (double)(UINT64_C(1) << EDGE_BITS) * octave;
}

// --- totals of dumps -------------------------------------------------------------------

// Order by identity and replicate, so that equal totals have a fixed order.
static int compare_dumps(const struct hp_extreme *a, const struct hp_extreme *b) {
    int order = (a->id[0] > b->id[0]) - (a->id[0] < b->id[0]);
    order = order ? order : (a->id[1] > b->id[1]) - (a->id[1] < b->id[1]);
    return order ? order : (a->group > b->group) - (a->group < b->group);
}

// Order dumps in the list of the smallest totals.
static int ascending(const struct hp_extreme *a, const struct hp_extreme *b) {
    int order = (a->total > b->total) - (a->total < b->total);
    return order ? order : compare_dumps(a, b);
}

// Order dumps in the list of the largest totals.
static int descending(const struct hp_extreme *a, const struct hp_extreme *b) {
    int order = (a->total < b->total) - (a->total > b->total);
    return order ? order : compare_dumps(a, b);
}

// Insert a dump into a sorted list of at most HP_EXTREMES dumps; it is ignored if it
// comes after all of a full list.
static void insert(struct hp_extreme *list, uint32_t *count,
                   const struct hp_extreme *dump,
                   int order(const struct hp_extreme *, const struct hp_extreme *)) {
    uint32_t i = *count;
    while (i > 0 && order(dump, &list[i - 1]) < 0) {
        i--;
    }
    if (i == HP_EXTREMES) {
        return;
    }
    uint32_t kept = *count < HP_EXTREMES ? *count : HP_EXTREMES - 1;
    memmove(&list[i + 1], &list[i], (kept - i) * sizeof *list);
    list[i] = *dump;
    *count = kept + 1;
}

void hp_totals_add_largest(struct hp_totals *totals, const struct hp_extreme *dump) {
    insert(totals->largest, &totals->largest_count, dump, descending);
}

void hp_totals_add_smallest(struct hp_totals *totals, const struct hp_extreme *dump) {
    insert(totals->smallest, &totals->smallest_count, dump, ascending);
}

void hp_totals_add_bucket(struct hp_totals *totals, struct hp_bucket bucket) {
    size_t i = totals->buckets.count;
    while (i > 0 && totals->buckets.at[i - 1].number > bucket.number) {
        i--;
    }
    if (i > 0 && totals->buckets.at[i - 1].number == bucket.number) {
        totals->buckets.at[i - 1].dumps += bucket.dumps;
        return;
    }
    hp_vec_push(&totals->buckets, bucket);
    struct hp_bucket *at = totals->buckets.at + i;
    memmove(at + 1, at, (totals->buckets.count - 1 - i) * sizeof *at);
    *at = bucket;
}

void hp_totals_add(struct hp_totals *totals, const struct hp_extreme *dump) {
    if (dump->total > 0) {
        hp_totals_add_bucket(totals, (struct hp_bucket){hp_bucket_of(dump->total), 1});
    } else {
        totals->none++;
    }
    hp_totals_add_largest(totals, dump);
    hp_totals_add_smallest(totals, dump);
}

void hp_totals_join(struct hp_totals *totals, const struct hp_totals *other) {
    const struct hp_bucket *bucket;
    totals->none += other->none;
    hp_vec_each (bucket, &other->buckets) {
        hp_totals_add_bucket(totals, *bucket);
    }
    for (uint32_t i = 0; i < other->largest_count; i++) {
        hp_totals_add_largest(totals, &other->largest[i]);
    }
    for (uint32_t i = 0; i < other->smallest_count; i++) {
        hp_totals_add_smallest(totals, &other->smallest[i]);
    }
}

struct hp_label_set *hp_distribution_set(struct hp_distribution *distribution,
                                         struct hp_span labels) {
    hp_string number = hp_strtab_add(&distribution->labels, labels);
    return hp_vec_reach(&distribution->sets, number.n);
}

void hp_distribution_done(struct hp_distribution *distribution) {
    struct hp_label_set *set;
    hp_vec_each (set, &distribution->sets) {
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            hp_vec_done(&set->totals[i].buckets);
        }
    }
    hp_vec_done(&distribution->sets);
    hp_strtab_done(&distribution->labels);
    memset(distribution, 0, sizeof *distribution);
}

// --- both ------------------------------------------------------------------------------

void hp_between_done(struct hp_between *between) {
    hp_distribution_done(&between->dumps);
    hp_vec_done(&between->sums.all);
    *between = (struct hp_between){.sums = {.settled = 0}};
}

// Add the counts and totals of the dumps in `other`, which have the same labels.
static void add_set(struct hp_label_set *set, const struct hp_label_set *other) {
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        set->dumps[i] += other->dumps[i];
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_totals_join(&set->totals[i], &other->totals[i]);
    }
}

// Add the sums of `other`; its stack i becomes map[i], or remains i if `map` is NULL.
static void add_sums(struct hp_replicates *sums, const struct hp_replicates *other,
                     const uint32_t *map) {
    const struct hp_replicate *sum;
    if (!map && sums->all.count == 0) { // keys do not change, so the sums remain sorted
        hp_vec_append(&sums->all, other->all.at, other->all.count);
        sums->settled = other->settled;
        return;
    }
    hp_vec_each (sum, &other->all) {
        uint32_t stack = hp_replicate_stack(sum);
        hp_replicates_add(sums, hp_replicate_column(sum), hp_replicate_group(sum),
                          map ? map[stack] : stack, sum->bytes);
    }
}

void hp_between_add(struct hp_between *between, const struct hp_between *other,
                    const uint32_t *map) {
    add_sums(&between->sums, &other->sums, map);
    between->sums.overflow |= other->sums.overflow;
    for (uint32_t i = 0; i < other->dumps.sets.count; i++) {
        struct hp_span labels = hp_strtab_span(&other->dumps.labels, (hp_string){i});
        add_set(hp_distribution_set(&between->dumps, labels), &other->dumps.sets.at[i]);
    }
}

void hp_between_dumps(const struct hp_between *between, uint64_t dumps[HP_REPLICATES]) {
    const struct hp_label_set *set;
    memset(dumps, 0, HP_REPLICATES * sizeof *dumps);
    hp_vec_each (set, &between->dumps.sets) {
        for (unsigned i = 0; i < HP_REPLICATES; i++) {
            dumps[i] += set->dumps[i];
        }
    }
}

struct hp_group_sums hp_between_groups(const struct hp_between *between,
                                       enum hp_column column) {
    struct hp_group_sums groups;
    hp_int128 bytes[HP_REPLICATES] = {0};
    uint64_t dumps[HP_REPLICATES];
    const struct hp_replicate *sum;
    hp_between_dumps(between, dumps);
    hp_vec_each (sum, &between->sums.all) {
        if (hp_replicate_column(sum) == column) {
            bytes[hp_replicate_group(sum)] += sum->bytes;
        }
    }
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        groups.bytes[i] = (double)bytes[i];
        groups.dumps[i] = (double)dumps[i];
    }
    return groups;
}
