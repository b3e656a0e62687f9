// From sampled counts to estimates of the whole: the only way from a dump's numbers to a
// profile's.
//
// An object of S bytes is sampled with probability p(S) = 1 - e^(-S/R), R being the sample
// period, so each sampled one stands for 1/p objects and S/p bytes (Horvitz and Thompson's
// estimator).  What a dump keeps is only how many were sampled and their bytes; the manual
// tells how the sizes are got back, and inputs and formulas are those of statistics.md in
// the project's design.
#ifndef HP_CALC_UNBIAS_H
#define HP_CALC_UNBIAS_H

#include "calc/decoded.h"
#include "calc/scaled.h"
#include "model/dump.h"
#include "model/error.h"

// Estimates made before: most stacks of a dump have one of few pairs of numbers.
struct hp_unbiased_memo {
    struct hp_count count;
    struct hp_unbiased estimate;
    bool needs_prior; // it is of several readings: another one for each leaf
    uint64_t epoch;   // of the terms that it was made by; by others it is none
};

// What such an estimate depends on beside the numbers.  Compared by bytes: without padding.
struct hp_unbias_terms {
    uint64_t estimator, scaling, period, most_decoded, large_from;
    uint64_t has_pages, may_be_of_means;
    double byte_rate;
};

enum {
    HP_UNBIASED_MEMOS = 2048,
};

// How to read the numbers of one dump, which has to stay as it is.  {0} is ready for
// hp_unbias_init().
struct hp_unbias {
    enum hp_estimator estimator;
    enum hp_scaling scaling;
    bool adds_up;   // the numbers of the stacks to those of the header, as they stand
    bool has_alloc; // some stack tells what was ever allocated
    bool as_is;     // the numbers are the whole: nothing is to be undone
    bool is_first_version;
    struct hp_scaled scaled; // of HP_SCALING_SCALED
    uint64_t period;
    double byte_rate; // p(S) = 1 - e^(-byte_rate S)
    struct hp_size_classes classes;
    struct hp_class_weights weights;
    struct hp_decoder decoder;
    enum hp_large_sizes large_sizes; // to be set before
    uint64_t most_decoded;           // objects of a line whose sizes are looked for
    uint64_t large_from; // raw lines of more bytes may be of sizes that are no classes
    const struct hp_dump *dump;
    struct hp_prior prior; // of the dump, once it is needed
    bool has_prior;
    hp_fixed large_bytes;         // in use, of the stacks that were estimated
    struct hp_unbias_terms terms; // of the memos
    uint64_t epoch; // of the terms; clearing memos would take longer than a small dump
    struct hp_unbiased_memo memos[HP_UNBIASED_MEMOS]; // by hash
};

// Find out how the numbers of this dump are scaled.
void hp_unbias_init(struct hp_unbias *unbias, enum hp_estimator estimator,
                    const struct hp_dump *dump);
void hp_unbias_done(struct hp_unbias *unbias);

// Of that dump something more tells it.
void hp_unbias_set_large_sizes(struct hp_unbias *unbias, enum hp_large_sizes sizes);

// Whether the objects that a stack lists are what is in use, and not its counts.
bool hp_unbias_takes_listed(const struct hp_unbias *unbias);

// Estimate one of the dump's stacks, and what the estimates are off by.  False if a number is beyond all
// reason and does not fit.
bool hp_unbias_stack(struct hp_unbias *unbias, const struct hp_dump *dump,
                     const struct hp_dump_stack *stack, struct hp_values *values,
                     struct hp_error errors[HP_COLUMNS]);

// --- parts of it, for size_parts.c --------------------------------------------------------

// Whether lines are of sampled objects, which are to be told from their sizes.
bool hp_unbias_undoes(const struct hp_unbias *unbias);

// Whether a stack is the sum of the lines of its threads, and not what its counts say.
bool hp_unbias_takes_lines(struct hp_unbias *unbias, const struct hp_dump *dump,
                           const struct hp_dump_stack *stack, enum hp_column column);

// By the counts of the stack and its threads; a line of it; n objects of a size.
struct hp_unbiased hp_unbias_counts(struct hp_unbias *unbias, const struct hp_dump *dump,
                                    const struct hp_dump_stack *stack,
                                    enum hp_column column);
struct hp_unbiased hp_unbias_line(struct hp_unbias *unbias, struct hp_count count,
                                  const struct hp_dump_stack *stack);
struct hp_unbiased hp_unbias_objects(const struct hp_unbias *unbias, uint64_t n,
                                     uint64_t size);

// Whether a line is, as far as is likely, of n objects of one size.
bool hp_unbias_one_size(const struct hp_unbias *unbias, struct hp_count count,
                        uint64_t *n, uint64_t *size);

// All sizes that a line may be of, complete if no others are; and what makes some of them
// likelier.
struct hp_readings hp_unbias_readings(struct hp_unbias *unbias, struct hp_count count);
struct hp_prior *hp_unbias_prior(struct hp_unbias *unbias);

#endif
