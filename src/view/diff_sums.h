// Sums of the two sides of a difference, per node, from the history of a profile (the
// estimate of each stack in each input, model/history.h).
//
// All sums are exact, except those of the values of single dumps.  These are
// floating-point sums in the order of the inputs, so that they do not depend on the order
// of the stacks.
#ifndef HP_VIEW_DIFF_SUMS_H
#define HP_VIEW_DIFF_SUMS_H

#include "model/between.h"
#include "stats/two_samples.h"
#include "view/visible_frames.h"

// The inputs of the base (0) and the new side (1) that are used, as indexes into
// profile->inputs.records.  A unit is one observation of how the dumps of a side vary: a
// dump, or a replicate (model/between.h), if an input is a partial that does not record
// each dump.
struct hp_sides {
    HP_VEC(size_t) base, new;
    size_t dumps[2]; // dumps of each side; an input can contain several
    // For each side: its units are replicates, as an input does not record each dump.
    bool has_groups[2];
    // For each side: one of its inputs is a merged profile of several processes that does
    // not record how these vary.
    bool has_merged[2];
    size_t units[2]; // number of units of each side
    // For each side: sums of each of its replicates; {0}: its units are dumps.
    struct hp_between between[2];
};

// Assign the inputs that are used to sides by hp_input_record.is_base.
void hp_sides_init(struct hp_sides *sides, const struct hp_profile *profile);
void hp_sides_done(struct hp_sides *sides);

// Return an input of a side by its index within the side.
const struct hp_input_record *hp_sides_input(const struct hp_sides *sides,
                                             const struct hp_profile *profile, int side,
                                             size_t number);

// Whether the value of each unit is known in this metric: replicates have sums of bytes
// only.
bool hp_sides_have_units(const struct hp_sides *sides, int side, enum hp_metric metric);

// An estimate in bytes, and its variance, of memory that was freed between two dumps, or
// that is new.
struct hp_part {
    hp_fixed bytes;
    hp_int128 variance;
};

// Sums of one node on one side of a comparison.
struct hp_side_sum {
    hp_fixed value;        // sum of all dumps of the side, in the metric of the report
    struct hp_error error; // sampling error of `value`
    hp_int128 plug_in; // estimated sampling variance; `error` has an upper bound of it
    // Distribution over the units of their mean values per dump, and of ln(1 + mean /
    // hp_sums.half_sample); {0} if the values of units are not known.
    struct hp_scatter values, logs;
};

// Sums over the stacks of one node, over all stacks (the total), or over the stacks that
// the filters leave (the filtered total).
struct hp_sums {
    struct hp_side_sum sides[2];
    double half_sample; // half the amount that one sample represents, at least 1
    // Two dumps of one process: bytes of the first dump that were freed before the
    // second, at most; and bytes that were allocated in between and are still in use.
    struct hp_part freed, fresh;
};

// Sum the two sides.  Returns members->node_count entries by node, then one for the
// total, then one for the filtered total.  The caller frees the array.  `lives`: compute
// `freed` and `fresh` instead of `values` and `logs`; each side must have exactly one
// input.
struct hp_sums *hp_diff_sums(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives);

// Change a sum of all stacks, one of the totals that hp_diff_sums() returns, to what the
// headers of the dumps show (struct hp_header_gain).  `lives` is as in that call.
void hp_diff_sums_take_gain(struct hp_sums *total, const struct hp_profile *profile,
                            const struct hp_sides *sides, enum hp_metric metric,
                            bool lives);

// Like hp_diff_sums() without `lives`, but take half_sample from `rows`, a result of
// hp_diff_sums() for other members with as many nodes.  One side of this result can then
// be compared with the other side of `rows`.
struct hp_sums *hp_diff_sums_beside(const struct hp_profile *profile,
                                    const struct hp_sides *sides,
                                    const struct hp_members *members,
                                    enum hp_metric metric, const struct hp_sums *rows);

#endif
