// Partials (.hpa files): the result of merging many dumps, in a file that can be merged
// with others and reported on.
//
// A partial is the profile before names and filters are applied. The same dumps make the
// same bytes of content, in whatever order and groups they were merged; the digest in the
// file covers that content.
//
// Entry points: hp_partial_write() and hp_partial_read(); hp_profile_spill() and
// hp_profile_pack() of runs.h, which move stacks out of memory; hp_sharder_has() of
// shards.h.
//
// Order to read the files in:
//   blocks           container: compressed blocks with checksums, and a digest at the end
//   slots            numbers, texts and fields of structs in a row
//   stack_codec      blocks of stacks, column by column; it predicts the numbers of a
//                    stack's part from parts before it
//   partial_writer   the tables of a partial, described at the top of the .c file
//     partial_stacks, partial_dumps, partial_between, partial_file_names   their sections
//   partial_reader   the same tables, checked; partial_restore reads stacks and inputs
//   partial_packed   stacks of a partial that become a run without being decoded
//   runs, run_merge  sorted stacks outside of memory; their merge into one partial
//   shards           a profile cut by stacks into several partials
//
// Terms (see also model/profile.h):
//   individually   up to HP_PARTIAL_HISTORY dumps are recorded individually: each has a
//                  row with its properties, and its contributions. Of more dumps only
//                  sums are recorded: of groups, and of stacks over replicates
//   contribution   the estimate of one stack in one dump, with its error; the history is
//                  all contributions of all dumps
//   group          dumps that agree in format, period, kinds of defects and labels
//   replicate      one of HP_REPLICATES classes of dumps, by hash: model/between.h
//   shard          one of n partials that share the stacks of one profile; all of them
//                  describe the same dumps
//   part           the objects of one size in one stack: model/sizes.h
//   run            a sorted sequence of stacks outside of the profile's memory for
//                  stacks, encoded like those of a partial: model/stack_runs.h
//   block          rows or columns of one section, compressed together: blocks.h
//   further types  sample types other than the four metrics: model/sample_types.h
//
// Invariants: rows are in canonical order, and every number of a file is checked before
// it is used as an index.
#ifndef HP_PARTIAL_PARTIAL_H
#define HP_PARTIAL_PARTIAL_H

#include "model/profile.h"
#include "partial/blocks.h"

enum {
    // Version of the estimator. Any change of an estimate or sum, even of its last bit,
    // needs a new version: partials of two versions are never added.
    HP_PARTIAL_ESTIMATOR = 1,
    // Number of dumps up to which all are recorded individually; of more dumps only sums
    // are recorded.
    HP_PARTIAL_HISTORY = 256,
    HP_PARTIAL_TEXT_MOST = 64 << 10, // bytes of one text at most
    // Number of sets of labels, of samples or of inputs, that a partial can have. A merge
    // warns at HP_PARTIAL_LABEL_SETS_MANY already, because a merge cannot be undone.
    HP_PARTIAL_LABEL_SETS = 4096,
    HP_PARTIAL_LABEL_SETS_MANY = 1024,
};

// Sections of a partial, in the order in which they are in the file. Each is a table. The
// digest covers all of them except the names of dumps and files.
enum hp_section {
    HP_SECTION_END,
    HP_SECTION_PARAMETERS,
    HP_SECTION_STRINGS,
    HP_SECTION_MODULES,
    HP_SECTION_FRAMES,
    HP_SECTION_SYMBOLS,     // symbols that dumps embed
    HP_SECTION_LABELS,      // sets of labels of samples
    HP_SECTION_ANNOTATIONS, // annotations of pprof profiles
    // Sums over each group of dumps; those of a group have equal format, period, kinds of
    // defects and labels.
    HP_SECTION_GROUPS,
    HP_SECTION_SKIPPED, // counts of skipped inputs, by reason
    HP_SECTION_TOTALS,  // sums of errors over all stacks
    HP_SECTION_TYPES,   // names of sample types other than the four metrics
    // Stacks; also the sum of each over each replicate, if dumps are not recorded
    // individually.
    HP_SECTION_STACKS,
    HP_SECTION_TYPE_SUMS,    // sums of the values of further sample types, by stack
    HP_SECTION_IDENTITIES,   // identities of each dump and of its process
    HP_SECTION_DUMPS,        // dumps recorded individually
    HP_SECTION_HISTORY,      // estimate of each stack in each such dump
    HP_SECTION_TYPE_HISTORY, // value of each stack in each such dump, for further types
    HP_SECTION_NAMES,        // names of such dumps and of skipped inputs
    // For dumps that are not recorded individually: by set of labels, the distribution of
    // their totals.
    HP_SECTION_DISTRIBUTION,
    HP_SECTION_EXTREME_NAMES, // names of dumps that DISTRIBUTION or DIAGNOSTICS lists
    HP_SECTION_DIAGNOSTICS,   // counts of dumps with a diagnostic, by kind
    HP_SECTION_FILE_NAMES, // names of frames, from files at hand when dumps were merged
    HP_SECTION_CONTENTS,   // digest of the bytes of each dump, in the order of IDENTITIES
    HP_SECTIONS,
};

// Columns of a block of frames. Each has its size in bytes before it.
enum hp_frame_column {
    HP_FRAME_MODULE, // number of the module less that of the frame before
    // Address; less that of the frame before if the module is the same.
    HP_FRAME_ADDRESS,
    HP_FRAME_LEAF, // is_return_leaf of struct hp_frame
    HP_FRAME_COLUMNS,
};

// How a partial was made. Partials that differ in any parameter except HP_PARAMETER_SHARD
// cannot be added.
enum hp_parameter {
    HP_PARAMETER_ESTIMATOR,   // HP_PARTIAL_ESTIMATOR of the writer
    HP_PARAMETER_METHOD,      // enum hp_estimator: how the sampling was undone
    HP_PARAMETER_LARGE_SIZES, // enum hp_large_sizes that an option said to assume
    HP_PARAMETER_SNAPSHOTS,   // enum hp_snapshots: rule that chose dumps of processes
    HP_PARAMETER_COLUMN,  // enum hp_column by which HP_PARAMETER_SNAPSHOTS chose dumps
    HP_PARAMETER_LABELS,  // 1: inputs have labels from their paths
    HP_PARAMETER_THREADS, // 1: stacks are distinguished by thread
    // XXH3-64 of the name of the only thread that was read; 0: all threads.
    HP_PARAMETER_THREAD,
    HP_PARAMETER_UNMAPPED,   // 1: frames in no mapping keep their addresses
    HP_PARAMETER_HISTORY,    // HP_PARTIAL_HISTORY of the writer
    HP_PARAMETER_REPLICATES, // HP_REPLICATES of the writer
    HP_PARAMETER_SHARDS,     // number of shards of the profile; 1: it is not split
    // A bit for each shard whose stacks the partial contains. The only parameter that
    // may differ between partials that are added.
    HP_PARAMETER_SHARD,
    HP_PARAMETER_BUILDS, // 1: modules record which builds ran; 0 is not written
    HP_PARAMETERS,
};

// How a partial was made: the values of all parameters, by enum hp_parameter.
struct hp_parameters {
    uint64_t of[HP_PARAMETERS];
};

// Return the name of a parameter in the file and in messages.
const char *hp_parameter_name(enum hp_parameter parameter);

// Return the parameters by which a profile was made.
struct hp_parameters hp_parameters_of(const struct hp_profile *profile);

// Write a profile as a partial. It must have been read with keeps.partial, and its
// modules, frames and sets of labels must be in canonical order (hp_profile_sort()). If
// shard.count is not 0, only the stacks of the shards in shard.present are written, from
// a profile that has all stacks. Fails if something exceeds a limit of the format, or a
// run cannot be read; write errors are left to hp_sink_close().
HP_MUST_CHECK int hp_partial_write(const struct hp_profile *profile,
                                   struct hp_shards shard, struct hp_sink *out,
                                   struct hp_err *err);

// Fail with HP_E_DUPLICATE, as for other inputs that cannot be used together, if partials
// with the parameters `a` and `b` cannot be added. The message names the first parameter
// that differs and both partials; the error is located in the second one.
HP_MUST_CHECK int hp_parameters_refuse(const struct hp_parameters *a, const char *name_a,
                                       const struct hp_parameters *b, const char *name_b,
                                       struct hp_err *err);

// Partials that are read into one profile, one after the other. The inputs in them are
// numbered from 0 on, and their `source` is the number of their partial, from 1 on.
struct hp_partials {
    struct hp_profile *profile; // the destination; its `keeps` says what is kept
    // Called with the symbols of a frame that a partial contains; their texts are in the
    // profile.
    void (*take_symbols)(void *data, hp_frame_id frame, const struct hp_line *lines,
                         uint32_t count, bool is_disputed);
    // Called with the names of a frame that a file had when its dumps were merged.
    void (*take_file_names)(void *data, hp_frame_id frame, const struct hp_line *lines,
                            uint32_t count);
    void *data;                      // first argument of both functions
    struct hp_parameters parameters; // parameters of the partials, all the same
    // Name of the first partial, which `parameters` are from; owned by the profile.
    const char *first;
    // Name of the only thread that was read, owned by the profile; NULL: all threads were
    // read.
    const char *thread;
    bool is_base; // whether the next partial is of the base of a diff
    // Store for stacks that take more than stack_memory bytes while a partial is read
    // that does not record dumps individually; NULL: they stay in memory.
    struct hp_run_store *store;
    uint64_t stack_memory; // bytes of stacks in memory at most
    // Dumps in all partials that are not shards, including skipped dumps of processes
    // that have another dump. Shards of one profile have the same dumps, so that theirs
    // are not counted.
    uint64_t dumps;
    uint32_t count; // partials read so far
    // Name of a partial with a section that only later versions know, the first in byte
    // order, and the number of the section; NULL: there is none.
    const char *unknown_in;
    unsigned unknown;
    uint8_t digest[HP_SHA256_SIZE]; // digest of the partial that was read last
    // Digest of everything in the last partial that is not about stacks: equal in all
    // shards of a profile.
    uint8_t common[HP_SHA256_SIZE];
};

// Note that a partial has a section that this version does not know.
static inline void hp_partials_note_unknown(struct hp_partials *partials,
                                            const char *name, unsigned section) {
    int order = partials->unknown_in ? strcmp(name, partials->unknown_in) : -1;
    if (order < 0 || (order == 0 && section < partials->unknown)) {
        partials->unknown_in = name;
        partials->unknown = section;
    }
}

// Read a partial, whose path is `name`, and add its content to partials->profile. After a
// failure the profile is unusable.
HP_MUST_CHECK int hp_partial_read(struct hp_partials *partials,
                                  struct hp_block_source source, const char *name,
                                  struct hp_err *err);

#endif
