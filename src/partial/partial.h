// Partials: what many dumps come to, in a file that can be merged with others and reported on.
//
// A partial is the profile as it is before names and filters.  Whatever dumps were merged first,
// the same dumps make the same bytes of content, of which the digest is.
#ifndef HP_PARTIAL_PARTIAL_H
#define HP_PARTIAL_PARTIAL_H

#include "model/profile.h"
#include "partial/blocks.h"

enum {
    // Raised by any change of what is estimated or added, if only of its last bit: sums of two
    // of them are never added.
    HP_PARTIAL_ESTIMATOR = 1,
    // So many dumps are still told of one by one; with more none is.
    HP_PARTIAL_HISTORY = 256,
    HP_PARTIAL_TEXT_MOST = 64 << 10, // bytes
    // Sets of labels, of samples and of inputs; a merge warns long before, as nothing can be taken
    // back once many are merged.
    HP_PARTIAL_LABEL_SETS = 4096,
    HP_PARTIAL_LABEL_SETS_MANY = 1024,
};

// In the order in which they stand in a file; each a table, all but names covered by the
// digest.
enum hp_section {
    HP_SECTION_END,
    HP_SECTION_PARAMETERS,
    HP_SECTION_STRINGS,
    HP_SECTION_MODULES,
    HP_SECTION_FRAMES,
    HP_SECTION_SYMBOLS,     // that dumps embed
    HP_SECTION_LABELS,      // of samples, in sets
    HP_SECTION_ANNOTATIONS, // of pprof profiles
    HP_SECTION_GROUPS,      // of dumps that are alike
    HP_SECTION_SKIPPED,     // inputs that do not count, by reason
    HP_SECTION_TOTALS,      // of errors
    HP_SECTION_TYPES,       // sample types beside the metrics
    HP_SECTION_STACKS, // with sums of groups of dumps, where none is told of by itself
    HP_SECTION_TYPE_SUMS,
    HP_SECTION_IDENTITIES,
    HP_SECTION_DUMPS, // one by one, as long as they are few; and what each added:
    HP_SECTION_HISTORY,
    HP_SECTION_TYPE_HISTORY,
    HP_SECTION_NAMES,
    HP_SECTION_DISTRIBUTION,  // of totals, where no dump is told of by itself
    HP_SECTION_EXTREME_NAMES, // of those that this names, and that the next does
    HP_SECTION_DIAGNOSTICS,   // by kind
    HP_SECTION_FILE_NAMES,    // of frames, that files had when dumps were merged
    HP_SECTIONS,
};

// Of a block of frames, each with its size before it.
enum hp_frame_column {
    HP_FRAME_MODULE,  // how many modules on
    HP_FRAME_ADDRESS, // of the same module the distance from the last
    HP_FRAME_LEAF,    // whether stacks end in it
    HP_FRAME_COLUMNS,
};

// How it was made: partials that differ in any of these are not added.
enum hp_parameter {
    HP_PARAMETER_ESTIMATOR,
    HP_PARAMETER_METHOD,      // enum hp_estimator
    HP_PARAMETER_LARGE_SIZES, // enum hp_large_sizes
    HP_PARAMETER_SNAPSHOTS,   // enum hp_snapshots
    HP_PARAMETER_COLUMN,      // enum hp_column that dumps were chosen for
    HP_PARAMETER_LABELS,      // of inputs, from their paths: 1 if there were to be some
    HP_PARAMETER_THREADS,     // 1: stacks are told apart by thread
    HP_PARAMETER_THREAD,      // XXH3-64 of the only one that was read; 0: all
    HP_PARAMETER_UNMAPPED,    // 1: frames in no mapping have their addresses
    HP_PARAMETER_HISTORY,
    HP_PARAMETER_REPLICATES,
    HP_PARAMETER_SHARDS, // the stacks are cut into so many, of which these are there:
    HP_PARAMETER_SHARD,  // a bit for each; not to be equal
    HP_PARAMETER_BUILDS, // 1: modules say which builds ran; 0 is not written
    HP_PARAMETERS,
};

struct hp_parameters {
    uint64_t of[HP_PARAMETERS];
};

const char *hp_parameter_name(enum hp_parameter parameter);

// Of what is in a profile.
struct hp_parameters hp_parameters_of(const struct hp_profile *profile);

// Write a profile that has been read for it, and put in order; of a whole one this shard alone,
// if its count is not 0.
HP_MUST_CHECK int hp_partial_write(const struct hp_profile *profile,
                                   struct hp_shards shard, struct hp_sink *out,
                                   struct hp_err *err);

// Fail with HP_E_DUPLICATE where two differ, and say in what.
HP_MUST_CHECK int hp_parameters_refuse(const struct hp_parameters *a, const char *name_a,
                                       const struct hp_parameters *b, const char *name_b,
                                       struct hp_err *err);

// Partials that are read into one profile, one after the other.  Its inputs are numbered from 0
// on, and their `source` says which partial they are of, from 1 on.
struct hp_partials {
    struct hp_profile *profile; // whose needs say what is kept
    // What a partial says of the names of a frame: their texts are the profile's.
    void (*take_symbols)(void *data, hp_frame_id frame, const struct hp_line *lines,
                         uint32_t count, bool is_disputed);
    // The same of names that a file had.
    void (*take_file_names)(void *data, hp_frame_id frame, const struct hp_line *lines,
                            uint32_t count);
    void *data;
    struct hp_parameters parameters;
    const char *first;  // whose parameters these are; in a block of the profile
    const char *thread; // that alone was read, there as well; NULL: all were
    bool is_base;       // the next is of that side of a diff
    // Where stacks go that take more bytes than this, while a partial is read that does not tell of each
    // dump; NULL: they stay in memory.
    struct hp_run_store *store;
    uint64_t stack_memory;
    uint64_t dumps; // of those that are no shards, which may be of the same
    uint32_t count;
    bool has_unknown;               // sections of a later version were left out
    uint8_t digest[HP_SHA256_SIZE]; // of the last
    uint8_t
        common[HP_SHA256_SIZE]; // of what is in it beside stacks, the same in all shards
};

// Add what a partial holds; `name` is its path.  After a failure the profile is of no use.
HP_MUST_CHECK int hp_partial_read(struct hp_partials *partials,
                                  struct hp_block_source source, const char *name,
                                  struct hp_err *err);

#endif
