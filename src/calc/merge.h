// Add a dump to a profile: undo its sampling, resolve its addresses, merge its stacks.
//
// Map of src/calc, which turns dumps (printed counts, addresses of a process) into
// profiles (estimates, frames in modules):
//
//  merge.h             hp_merge(), the entry point; calls everything below for a dump
//  unbias.h            hp_unbias_stack(): from the counts of a stack to an estimate, also
//                      of pprof profiles, whose numbers are estimates already
//  unbias_init.c       find out whether counts are raw or were rewritten by jemalloc
//  recover_size.h      jemalloc's size classes; the size of a line of equal objects
//  decoded.h           all sizes that a line of few objects may have (its readings), and
//                      estimates from these
//  uncertainty.h       the error of an estimate; probability.h: sampling probabilities
//  size_parts.h        objects in use by size and by age; listed.h: only old objects
//  header_check.h      are the totals of a dump consistent with its stacks, and what do
//                      they show of the total?
//  threads.h           split stacks by thread
//  resolve.h           from addresses to modules and frames, whose paths may have random
//                      parts; images.c: the memory map
//  generated.h         code of JIT compilers; generated_names.h: which of it needs names
//  embedded_symbols.h  names in dumps
//
// Invariants: numbers of dumps enter a profile only through hp_unbias_stack().  All sums
// are exact, so neither the order of dumps nor the number of threads changes a result.
// Floating point uses + - * / only and gives the same bits on every machine.
//
// Terms:
//   line         one pair of numbers (objects, bytes) of a dump, struct hp_count.  A
// stack
//                has one for each column (in use, allocated), and so has each thread of
// it
//   raw          a line is raw if it counts sampled objects and their bytes
//   rewritten    a line is rewritten if jemalloc 5.3 or later (prof_unbias) changed the
//                sampled numbers so that jeprof's formula gives the estimate
//   C, B         the estimated objects and bytes, before rounding, that jemalloc makes
//                rewritten numbers from: header_check.c
//   reading      one list of object sizes from which jemalloc prints a given line; a line
//                may have several readings
//   leaf         the innermost frame of a stack, where memory is allocated
//   record       the struct hp_input_record of a dump (inputs/input.h)
//
// Read unbias.h first, then merge.c from its end, then resolve.h.
#ifndef HP_CALC_MERGE_H
#define HP_CALC_MERGE_H

#include "calc/embedded_symbols.h"
#include "calc/resolve.h"
#include "calc/size_parts.h"
#include "model/dump_rows.h"
#include "model/jit_addresses.h"

// The error of an estimate as sample types of a pprof profile that this program merged
// with --with-error.  Values are in bytes, the variance in KiB^2.
enum hp_recorded_error {
    HP_RECORDED_VARIANCE, // hp_error.variance
    HP_RECORDED_HIDDEN,   // hp_error.hidden_bytes_max
    HP_RECORDED_EXCESS,   // hp_error.excess_bytes_max
    HP_RECORDED_CERTAIN,  // hp_error.observed_bytes
    HP_RECORDED_ERRORS,
};

// Options and scratch memory of hp_merge(), kept from dump to dump.  {0} is ready for
// use; free it with hp_merger_done().
struct hp_merger {
    struct hp_resolver resolver;
    struct hp_unbias unbias;
    struct hp_embedded_symbols embedded; // symbols of the profile's frames
    size_t estimated; // number of stacks of the dump that were estimated so far
    // Estimates are written directly into the profile's stacks, because it has none yet.
    bool adopts;
    // If `adopts`: the profile's stacks, into which estimates are written.
    struct hp_stack *adopted;
    // If not `adopts`: the estimate of each stack of the dump.
    HP_VEC(struct hp_values) values;
    // Error of each stack, in columns that the profile keeps.
    struct hp_stack_errors errors[HP_COLUMNS];
    struct hp_error total_errors[HP_COLUMNS]; // error of the whole dump, in both columns
    bool keeps[HP_COLUMNS];                   // whether errors of the stacks are kept
    struct hp_sizes sizes[HP_COLUMNS];        // estimate of each stack by object size
    bool keeps_sizes[HP_COLUMNS];             // set by the caller: fill `sizes`
    // Estimate of each stack by age.  A size here is a range of ages: see model/ages.h.
    struct hp_sizes ages[HP_COLUMNS];
    bool keeps_ages; // set by the caller: fill `ages`
    // Nanoseconds; only listed objects of at least this age are added; 0: everything.
    uint64_t older_than;
    // Fill in record->made, the counts of allocated objects by which resets of the
    // profiler are found.
    bool keeps_made;
    // Record the live samples by size, in record->live; needs keeps_sizes.
    bool keeps_live;
    // For each further sample type of the dump its number in the profile.
    HP_VEC(uint32_t) types;
    // The number + 1 of each recorded error among the dump's sample types; 0: the dump
    // does not record it.
    size_t recorded[HP_COLUMNS][HP_RECORDED_ERRORS];
    unsigned group; // number of the dump's replicate (model/between.h), as in its record
    // Set by the caller: how the allocator of the dump rounds large sizes; HP_LARGE_AUTO:
    // not known.
    enum hp_large_sizes large_sizes;
    bool only_estimates;        // add nothing to the profile; only fill in the record
    bool keeps_labels;          // keep the labels of samples
    bool keeps_unmapped;        // keep addresses in no mapping: see struct hp_resolver
    bool splits_threads;        // separate stacks by thread
    struct hp_jit_namer *namer; // names generated code; NULL: nothing does
    const char *only_thread; // add only the stacks of this thread; NULL: of all threads
    // Set by the caller: gets a row for each stack that is added; NULL: nothing does.
    struct hp_dump_rows *rows;
};

// Estimate the dump as profile->estimator says, add it to `profile`, and describe it in
// *record.  The dump's frames are consumed.  Returns HP_E_LIMIT if a number is too large
// to represent; nothing is added then.
HP_MUST_CHECK int hp_merge(struct hp_merger *merger, struct hp_dump *dump,
                           struct hp_profile *profile, struct hp_input_record *record,
                           struct hp_err *err);

// Free the memory of the merger.
void hp_merger_done(struct hp_merger *merger);

#endif
