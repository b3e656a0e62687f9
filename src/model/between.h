// How dumps differ from one another, even if they have no records of their own: sums of
// stacks over 64 classes of dumps (replicates), to which dumps are assigned by their
// identities, and the distribution of the totals of dumps.  Where code here says `group`,
// it means the number of a replicate.
//
// The variance between dumps can be estimated from replicates.  For R replicates, where
// replicate r has n_r dumps with the sum S_r, and with the mean m of a dump,
//
//     s^2 = sum_r (S_r - n_r m)^2 / n_r / (R - 1)
//
// is an unbiased estimate of the variance between dumps, for any set of stacks: a
// function, or whatever a filter selects.  All sums are exact, in whole bytes, so that
// the result depends neither on the order of the additions nor on how often profiles were
// merged.
#ifndef HP_MODEL_BETWEEN_H
#define HP_MODEL_BETWEEN_H

#include "base/error.h"
#include "base/strtab.h"
#include "inputs/processes.h"

// Number of replicates, resolution of the histogram of totals, and length of the lists of
// extreme dumps.
enum {
    HP_REPLICATES = 64,
    HP_BUCKETS_PER_OCTAVE = 16,
    HP_BUCKETS = 127 * HP_BUCKETS_PER_OCTAVE,
    // Dumps recorded individually, both of the largest and of the smallest.
    HP_EXTREMES = 32,
};

// --- sums over replicates --------------------------------------------------------------

// The sum of one stack over the dumps of one replicate.
struct __attribute__((packed, aligned(8))) hp_replicate {
    uint64_t key; // column and replicate in the upper, stack in the lower 32 bits
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

// The number of the replicate (`group`) of a dump; `input` is the number of the dump in
// the history.
struct hp_group_of {
    uint32_t input, group;
};

// For each stack and each replicate, the sum of the stack over the dumps of the
// replicate.  {0} is empty.
struct hp_replicates {
    HP_VEC(struct hp_replicate) all;
    size_t settled; // number of sums at the front that are sorted, without duplicate keys
    bool overflow;
};

// Return the number of a dump's replicate, below HP_REPLICATES.  All dumps of a process
// are in one replicate, if the process is known.
unsigned hp_replicate_of(struct hp_digest content, const struct hp_identity *properties);

// Add bytes to the sum of a stack over a replicate; 0 is ignored.  Keys may occur more
// than once until hp_replicates_settle().
void hp_replicates_add(struct hp_replicates *sums, enum hp_column column, unsigned group,
                       uint32_t stack, hp_int128 bytes);

// Add the bytes that one dump has in a stack, in both columns.  They are rounded to whole
// bytes first, so that sums are exact.
void hp_replicates_add_values(struct hp_replicates *sums, unsigned group, uint32_t stack,
                              const struct hp_values *values);

// Sort sums by key, join equal keys, and remove sums of 0.
void hp_replicates_settle(struct hp_replicates *sums);

// --- totals of dumps -------------------------------------------------------------------

// A dump with one of the largest or smallest totals.
struct hp_extreme {
    hp_int128 total; // whole bytes
    uint64_t id[2];  // identity of the dump: 64 bits and 16 bits
    uint32_t group;  // number of its replicate
};

// One bucket of the histogram of totals.
struct hp_bucket {
    uint32_t number; // n: totals from 2^(n/16) bytes on, below 2^((n + 1)/16)
    uint64_t dumps;
};

// A histogram of the totals of dumps in one column (memory in use, or allocated), and
// lists of the dumps with the largest and the smallest totals.
struct hp_totals {
    uint64_t none;                    // number of dumps with a total of 0 or less
    HP_VEC(struct hp_bucket) buckets; // sorted by number; empty buckets are not stored
    // Largest totals in descending, smallest totals in ascending order.
    struct hp_extreme largest[HP_EXTREMES], smallest[HP_EXTREMES];
    uint32_t largest_count, smallest_count;
};

// Numbers and totals of the dumps with one set of labels.
struct hp_label_set {
    uint64_t dumps[HP_REPLICATES]; // number of dumps in each replicate
    // Totals of the dumps that have numbers of the column.
    struct hp_totals totals[HP_COLUMNS];
};

// The distributions of all sets of labels.  {0} is empty.
struct hp_distribution {
    struct hp_strtab labels;          // keys and values, each followed by a NUL
    HP_VEC(struct hp_label_set) sets; // indexed by the strings of `labels`
};

// Return the distribution for a set of labels (keys and values, each followed by a NUL),
// which is added if it is new.  The pointer is valid until the next set is added.
struct hp_label_set *hp_distribution_set(struct hp_distribution *distribution,
                                         struct hp_span labels);

void hp_distribution_done(struct hp_distribution *distribution); // leaves it empty

uint32_t hp_bucket_of(hp_int128 total);  // number of its bucket; `total` must be above 0
double hp_bucket_start(uint32_t number); // lower limit of a bucket in bytes

// Add one dump to the bucket of its total, or to `none`, and to the lists of the largest
// and the smallest totals if it belongs there.
void hp_totals_add(struct hp_totals *totals, const struct hp_extreme *dump);

// Add a bucket, an entry of a list of extreme dumps, or a whole distribution, from
// elsewhere.  Each list keeps only the HP_EXTREMES most extreme dumps.
void hp_totals_add_bucket(struct hp_totals *totals, struct hp_bucket bucket);
void hp_totals_add_largest(struct hp_totals *totals, const struct hp_extreme *dump);
void hp_totals_add_smallest(struct hp_totals *totals, const struct hp_extreme *dump);
void hp_totals_join(struct hp_totals *totals, const struct hp_totals *other);

// --- both ------------------------------------------------------------------------------

// Sums of stacks over replicates, and distribution of the totals of dumps.  {0} is empty.
struct hp_between {
    struct hp_replicates sums;
    struct hp_distribution dumps;
};

void hp_between_done(struct hp_between *between);

// Add everything in `other`.  Its stack i becomes map[i]; NULL: stack numbers are
// unchanged.
void hp_between_add(struct hp_between *between, const struct hp_between *other,
                    const uint32_t *map);

// Fill `dumps` with the number of dumps in each of the 64 replicates, whatever labels
// the dumps have.
void hp_between_dumps(const struct hp_between *between, uint64_t dumps[HP_REPLICATES]);

// For each replicate, the sum of the bytes of all its stacks, and the number of its
// dumps.
struct hp_group_sums {
    double bytes[HP_REPLICATES], dumps[HP_REPLICATES];
};

struct hp_group_sums hp_between_groups(const struct hp_between *between,
                                       enum hp_column column);

#endif
