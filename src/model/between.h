// How dumps differ from one another where nobody tells of each: sums of 64 groups of them, drawn by
// their identities, and how their totals are distributed.
//
// Groups of dumps differ as much as dumps do: of R groups, n_r dumps with the sum S_r in each and
// the mean m of a dump,
//
//     s^2 = sum_r (S_r - n_r m)^2 / n_r / (R - 1)
//
// is what the variance between dumps is estimated by, without bias, for whatever stacks are added
// up: a function, what filters leave.  All here is added exactly, in whole bytes, so that it is the
// same in whatever order, and however often it was merged.
#ifndef HP_MODEL_BETWEEN_H
#define HP_MODEL_BETWEEN_H

#include "base/strtab.h"
#include "model/error.h"
#include "model/processes.h"

enum {
    HP_REPLICATES = 64,
    HP_BUCKETS_PER_OCTAVE = 16,
    HP_BUCKETS = 127 * HP_BUCKETS_PER_OCTAVE,
    HP_EXTREMES = 32, // dumps that are told of at either end
};

// --- sums of groups --------------------------------------------------------------------

struct __attribute__((packed, aligned(8))) hp_replicate {
    uint64_t key; // column, group and stack, in this order
    hp_int128 bytes;
};

static inline uint32_t hp_replicate_stack(const struct hp_replicate *sum) {
    return (uint32_t)sum->key;
}

static inline unsigned hp_replicate_group(const struct hp_replicate *sum) {
    return (unsigned)(sum->key >> 32) % HP_REPLICATES;
}

static inline enum hp_column hp_replicate_column(const struct hp_replicate *sum) {
    return (enum hp_column)((sum->key >> 32) / HP_REPLICATES);
}

// The group of a dump, by its number in the history.
struct hp_group_of {
    uint32_t input, group;
};

// {0} is empty.
struct hp_replicates {
    HP_VEC(struct hp_replicate) all;
    size_t settled; // of them: in order, each once
    bool overflow;
};

// Which group a dump belongs to: one for all dumps of a process, if it is known.
unsigned hp_replicate_of(struct hp_digest content, const struct hp_identity *told);

void hp_replicates_add(struct hp_replicates *sums, enum hp_column column, unsigned group,
                       uint32_t stack, hp_int128 bytes);

// What one dump has of a stack: each is rounded before it is added.
void hp_replicates_add_values(struct hp_replicates *sums, unsigned group, uint32_t stack,
                              const struct hp_values *values);

// Put them in the order of their keys; sums of 0 are left out.
void hp_replicates_settle(struct hp_replicates *sums);

// --- totals of dumps -------------------------------------------------------------------

struct hp_extreme {
    hp_int128 total; // whole bytes
    uint64_t id[2];  // of the dump: 64 bits and 16
    uint32_t group;
};

struct hp_bucket {
    uint32_t number; // n: totals from 2^(n/16) bytes on, below 2^((n + 1)/16)
    uint64_t dumps;
};

struct hp_totals {
    uint64_t none;                    // dumps with nothing, or less
    HP_VEC(struct hp_bucket) buckets; // in order of numbers
    // The largest first, and the smallest first.
    struct hp_extreme largest[HP_EXTREMES], smallest[HP_EXTREMES];
    uint32_t largest_count, smallest_count;
};

// Of the dumps with one set of labels.
struct hp_label_set {
    uint64_t dumps[HP_REPLICATES];       // of each group
    struct hp_totals totals[HP_COLUMNS]; // of those that tell of the column
};

// {0} is empty.
struct hp_distribution {
    struct hp_strtab labels;          // keys and values, each with a NUL behind it
    HP_VEC(struct hp_label_set) sets; // by the numbers of their labels
    bool overflow;
};

// That of this text; it is added if need be.
struct hp_label_set *hp_distribution_set(struct hp_distribution *distribution,
                                         struct hp_span labels);

void hp_distribution_done(struct hp_distribution *distribution); // empties it

uint32_t hp_bucket_of(hp_int128 total);  // of one above 0
double hp_bucket_start(uint32_t number); // bytes

// Count a dump.
void hp_totals_add(struct hp_totals *totals, const struct hp_extreme *dump);

// What is told of dumps elsewhere; of the ends no more than HP_EXTREMES stay.
void hp_totals_add_bucket(struct hp_totals *totals, struct hp_bucket bucket);
void hp_totals_add_largest(struct hp_totals *totals, const struct hp_extreme *dump);
void hp_totals_add_smallest(struct hp_totals *totals, const struct hp_extreme *dump);
void hp_totals_join(struct hp_totals *totals, const struct hp_totals *other);

// --- both ------------------------------------------------------------------------------

// {0} is empty.
struct hp_between {
    struct hp_replicates sums;
    struct hp_distribution dumps;
};

void hp_between_done(struct hp_between *between);

// Add what `other` holds, whose stacks are called map[stack] here; NULL: as they are called there.
void hp_between_add(struct hp_between *between, const struct hp_between *other,
                    const uint32_t *map);

// Of all label sets: dumps in each group.
void hp_between_dumps(const struct hp_between *between, uint64_t dumps[HP_REPLICATES]);

struct hp_profile;

// What dumps added to stacks in memory, as the history tells of those since the last time, to the sums
// of their groups; it stays.
void hp_profile_sum_groups(struct hp_profile *profile);

// Let go of what each dump added, and keep what groups of them did: of a partial that will tell of
// none by itself.  What is added from now on goes there, too.
void hp_profile_fold_history(struct hp_profile *profile);

struct hp_input_record;

// Count a dump of the profile among those of its labels, by its totals.
void hp_between_count(struct hp_between *between, const struct hp_profile *profile,
                      const struct hp_input_record *input);

// Of the dumps of a profile, or of one side of a diff, what is told of each and what is not.
void hp_between_init(struct hp_between *between, const struct hp_profile *profile,
                     bool is_base);

#endif
