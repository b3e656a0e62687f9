// A profile: many dumps, unsampled, resolved to the files that their code came from, and
// merged.
//
// This folder holds the data that all other folders share.  It reads no files, symbolizes
// nothing and prints nothing: input/ fills a struct hp_dump, calc/ turns it into
// estimates and adds these to a struct hp_profile, partial/ stores profiles, sym/ adds
// names, view/ and report/ read the result.
//
// Read the headers in this order: base/values.h (printed counts and estimates),
// base/error.h (the error of an estimate), dump.h (one file as read), module.h (binaries
// and libraries), inputs/inputs.h (which inputs there are), this file, history.h (what
// each input added), between.h (how dumps differ), stack_runs.h (stacks that are not in
// memory), then the rest.
//
// Terms, which other folders use too:
//   input        a file, or member of an archive, that is read; mostly one dump
//   dump         one file of one process at one time
//   partial      a file (.hpa) that this program wrote from many dumps, and that can be
//                merged with others: partial/partial.h
//   merged profile  a pprof profile that this program wrote from many dumps
//   record       the struct hp_input_record of one input.  A dump is recorded
//                individually if it has one; otherwise it is only part of sums: of a
//                group, and of replicates
//   group        inputs without records of their own, which agree in format, period,
//                kinds of defects and labels.  One record (is_group) has their sums
//   replicate    one of 64 classes (HP_REPLICATES) that dumps are assigned to by hash.
//                The sums of each class show how dumps vary: between.h
//   lone input   an input that shares its process and its content with no other input; if
//                there are many, they get no records but form groups: lib/lone_inputs.h
//   history      the estimate of each stack in each input: history.h
//   run          a sorted sequence of stacks in a file, or compressed: stack_runs.h
//   shard        one of n partials that share the stacks of one profile: partial/shards.h
//   column       memory in use, or all memory ever allocated: enum hp_column
//   part         the objects of one size in one stack: sizes.h
//   large sizes  sizes of objects above 32 KiB; jemalloc rounds them to classes or to
//                pages, which the estimate has to assume: enum hp_large_sizes
//   moment       one of several dumps of a process, made at different times
//   side         in a diff: the inputs of the base, or the new ones
//
// Entry points: hp_profile_init(), hp_profile_keep(); then hp_profile_module(),
// hp_profile_frames(), hp_profile_add() for each dump; hp_profile_absorb() merges the
// profiles of threads; hp_profile_sort(), hp_profile_summarize() at the end.
//
// Data structures: arrays of plain structs that refer to one another by index.  Modules,
// frames and stacks are found through open-addressing hash tables (base/hash.h).
//
// Invariants: all sums are exact, in integers or in fixed point; after hp_profile_sort()
// nothing depends on the order of inputs or threads.  A sum that does not fit sets
// `overflow`, which makes the whole profile unusable.
#ifndef HP_MODEL_PROFILE_H
#define HP_MODEL_PROFILE_H

#include "base/err.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/md5.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/strtab.h"
#include "base/values.h"
#include "base/vec.h"
#include "inputs/inputs.h"
#include "model/between.h"
#include "model/history.h"
#include "model/module.h"
#include "model/prover.h"
#include "model/sample_types.h"
#include "model/sizes.h"
#include "model/stack_errors.h"
#include "model/stack_runs.h"
#include "model/tags.h"

// Numbers of a module and of a frame, each in a struct of its own, so that the compiler
// can distinguish them.
typedef struct {
    uint32_t n; // 0 is the module of frames in no mapping
} hp_module_id;

typedef struct {
    uint32_t n;
} hp_frame_id;

// One function at one place in the code.  A frame has several lines if calls were inlined
// there.
struct hp_line {
    hp_string function; // demangled
    // Name that the linker uses; equal to `function` if it is not mangled.
    hp_string linkage;
    hp_string file;      // "" if unknown
    uint32_t line;       // 0 if unknown
    uint32_t start_line; // line where the function begins; 0 if unknown
    uint32_t column; // column in the line, known from pprof profiles only; 0 if unknown
};

// MD5 of the content of a source file when a module was compiled from it.
struct hp_source_digest {
    hp_string file; // path of the source file
    hp_module_id module;
    uint8_t md5[HP_MD5_SIZE];
};

// One return address in one module.  The call itself is at address - 1, which is the
// address to symbolize.
struct hp_frame {
    hp_module_id module;
    bool is_return_leaf; // it is the leaf of a stack, and a return address even there
    bool is_disputed;    // inputs contradict each other about its names
    // Its names were read from a binary when a partial was written, not from a dump.
    bool is_of_file;
    // Address in the file, of the kind module->addresses; in a pseudo file the offset
    // from the start of its mapping; in module 0 the address in the process.
    uint64_t address;
    uint32_t first_line, lines; // range in profile->lines, innermost inlined call first
    // If the frame has no lines: bytes from the start of its function; 0: unknown.
    uint32_t past_start;
};

// Whether this is the frame that represents all addresses in no mapping.
static inline bool hp_frame_is_unmapped(const struct hp_frame *frame) {
    return frame->module.n == 0 && frame->address == 0;
}

// Whether the frame has only names, and no address.  The address is then a number that
// was made from the names, in the upper half of the address space, which no program uses.
static inline bool hp_frame_is_by_names(const struct hp_frame *frame) {
    return frame->lines > 0 && frame->address >> 63 != 0;
}

// Return the start address of the function of a frame, or the address of the frame if
// that is unknown.
static inline uint64_t hp_address_of_start(const struct hp_frame *frame) {
    return frame->address - (frame->lines == 0 ? frame->past_start : 0);
}

// Return an address within the call instruction; 0 if the frame has no real address.
static inline uint64_t hp_address_of_call(const struct hp_frame *frame) {
    return frame->address > 0 && !hp_frame_is_by_names(frame) ? frame->address - 1 : 0;
}

// One stack and its estimates, summed over all inputs.  Frames are in order from the
// leaf; `frames` points into the arena of the profile or into profile->memory.blocks.
struct hp_stack {
    struct hp_values values;
    hp_frame_id *frames;
    uint32_t depth;
};

// The key of a stack: its frames and labels.
struct hp_sample {
    hp_frame_id *frames; // leaf first
    uint32_t depth;
    hp_string tags; // its set of labels, in profile->tags.sets
};

// A profile can be split by stacks into `count` partials, its shards.  `present` has a
// bit for each shard whose stacks this profile contains; {0}: it was not split.
struct hp_shards {
    uint32_t count;
    uint64_t present;
};

enum {
    HP_SHARDS_MOST = 64,
};

// The data that the requested reports need in addition to stacks and their values.  Other
// data is not computed.
struct hp_needs {
    bool errors[HP_COLUMNS]; // the error of each stack
    bool history;            // what each input added to each stack
    bool series;             // the inputs are successive dumps of one process
    // Dumps are points of a series, which excludes the exit dump of a process with other
    // dumps.
    bool points;
    bool moments; // all dumps of a process separately, not only the one that is used
    bool labels;  // labels of samples, as part of the key of a stack
    bool threads; // separate stacks for each thread
    bool sizes[HP_COLUMNS]; // sizes of the objects of each stack
    bool ages;              // ages of objects in use
    bool ages_by_stack;     // ages for each stack; otherwise for all stacks together
    // Counts of allocated objects, which show whether jemalloc discarded its samples
    // between two dumps of a process: made_counts.h.
    bool made_counts;
    bool live_samples; // number of live sampled objects of each size, for each dump
    bool identities;   // identity of each dump, even if nothing else needs it
    bool all_times;    // times of dumps that are not used, too
    bool unmapped;     // addresses of frames in no mapping; else they are one frame
    bool partial;      // everything that a partial contains
};

// How the inputs are read, and which of their dumps are used: what options say, and what
// the inputs then decide.
struct hp_settings {
    // Rule that chooses the dump of each process that is used.
    enum hp_snapshots snapshots;
    enum hp_metric metric; // metric whose column the rule compares
    enum hp_estimator estimator;
    // The rounding of large sizes that an option says to assume; HP_LARGE_AUTO: none.
    enum hp_large_sizes large_sizes;
    // If not 0: only listed objects older than this many nanoseconds were read, and no
    // object that is not listed.
    uint64_t older_than;
    hp_string thread;  // name of the only thread whose stacks were read, or ""
    bool wants_labels; // derive labels of inputs from their paths
    // A partial made of this profile must not contain the identities of its dumps.
    bool drops_identities;
    bool has_stamps; // partials are to record which builds ran, in module->stamp
    // Finds the builds that ran, while dumps are read and symbolized; or NULL.
    struct hp_prover *prover;
    bool owns_prover;
    // The store that runs are written to; NULL: all stacks stay in memory.
    struct hp_run_store *store;
};

// The memory that the frames of stacks are in.
struct hp_stack_memory {
    struct hp_arena arena;
    HP_VEC(void *) blocks; // blocks from malloc(); owned
};

// Find modules, frames and stacks by their content.
struct hp_profile_indices {
    struct hp_index modules, frames, stacks;
};

// The errors of all sums of the profile, by column.
struct hp_profile_errors {
    struct hp_stack_errors stacks[HP_COLUMNS]; // error of each stack; empty if not kept
    struct hp_error totals[HP_COLUMNS];        // error of the sum of all stacks
    // The errors of some input are unknown, which makes all sums of errors unknown.
    bool are_unknown;
};

// The labels of stacks.
struct hp_stack_tags {
    struct hp_strtab
        sets; // sets of labels; their texts are in the strings of the profile
    // Set of labels of each of the first stacks, by number; later stacks have no labels.
    HP_VEC(hp_string) of_stacks;
};

// How dumps differ that are known only as part of sums.
struct hp_variation {
    // Dumps without a record of their own, [0] on the new side and [1] on the base side.
    struct hp_between between[2];
    // Replicate of each dump in the history, if a partial is to be written.
    HP_VEC(struct hp_group_of) group_of;
    // Number of entries at the front of `group_of` whose dumps have been added to the
    // sums of their replicates: hp_profile_sum_groups().
    size_t summed;
};

// What a warning is about, in the order in which a screen shows warnings.
enum hp_warning_subject {
    HP_WARN_OF_MISSING, // inputs or parts of them that are not in the numbers
    HP_WARN_OF_NUMBERS, // numbers that may be wrong
    HP_WARN_OF_NAMES,   // names that are missing or may be wrong
};

// How important a warning is.
struct hp_warning_rank {
    enum hp_warning_subject subject;
    double share;   // share of the bytes that it concerns, 0 ... 1; unknown: 1
    bool is_detail; // a screen leaves it out without --verbose; other formats have it
    bool is_minor;  // it affects almost none of the bytes: only `info` has it
};

struct hp_warning {
    hp_string text;
    hp_string code;    // stays the same when the text changes
    hp_string shorter; // for a screen; 0: `text`
    struct hp_warning_rank rank;
};

// Sentences about the inputs and binaries, for people.
struct hp_sentences {
    HP_VEC(struct hp_warning) warnings;
    HP_VEC(struct hp_warning) minor; // warnings that affect almost none of the bytes
    bool last_is_minor;              // where the warning is that was added last
    HP_VEC(hp_string) moments;       // sentences that say which dumps are used
    // The same as short sentences, for the line above a table; most important first.
    HP_VEC(hp_string) sources;
};

// Texts before they were redacted.
struct hp_originals {
    struct hp_span *texts; // of the first `count` strings; NULL: nothing was redacted
    size_t count;
};

// All data of one set of inputs, or of the two sides of a diff.
struct hp_profile {
    struct hp_strtab strings;
    HP_VEC(struct hp_module) modules; // [0] is HP_MODULE_NONE
    HP_VEC(struct hp_extent) extents; // mapped code of the modules: ranges by module
    HP_VEC(struct hp_frame) frames;
    HP_VEC(struct hp_line) lines; // names of the frames: ranges by frame
    // Source files of lines, if a binary has their digests.
    HP_VEC(struct hp_source_digest) sources;
    HP_VEC(struct hp_stack) stacks; // stacks in memory; all others are in `runs`
    struct hp_stack_memory memory;
    struct hp_profile_indices index;
    struct hp_profile_errors errors;
    // Sizes of the objects of each stack; empty if not kept.
    struct hp_sizes sizes[HP_COLUMNS];
    // Ages of the objects of each stack: `size` of a part is a range of model/ages.h.
    struct hp_sizes ages[HP_COLUMNS];
    struct hp_stack_tags tags;
    struct hp_stack_runs runs;    // sorted runs of stacks that are not in memory
    struct hp_sample_types types; // sample types other than the four metrics
    struct hp_history history;    // what each input added to each stack, if keeps.history
    struct hp_variation variation;
    struct hp_inputs inputs;
    struct hp_settings settings;
    struct hp_needs keeps; // the needs that the inputs were read for
    struct hp_shards shards;
    struct hp_sentences sentences;
    struct hp_originals originals;
    // Time spent on matching the patterns of the reports; owned.
    struct hp_match_time *match_time;
    bool overflow; // a sum did not fit: the profile is unusable
};

// Make an empty profile.  It is {0} after hp_profile_done(), which frees everything that
// it owns.
void hp_profile_init(struct hp_profile *profile);
void hp_profile_done(struct hp_profile *profile);

// Set what is kept of the dumps that are added.  Must be called before the first is
// added.
void hp_profile_keep(struct hp_profile *profile, const struct hp_needs *needs);

// Return the rounding of large sizes to assume for the input with this number: what an
// option says, otherwise what is known about the input.
enum hp_large_sizes hp_large_sizes_of(const struct hp_profile *profile, size_t number);

// Copy the results of the prover to a module.  If the profile has stamps, only the stamp
// is set, to "" unless the proof is HP_PROOF_FITS.
void hp_profile_take_proof(struct hp_profile *profile, struct hp_module *module,
                           const struct hp_proof_module *proof);

// Find a module or a frame, or add it.  `extents` are the module->extents extents of the
// module, and part of its identity, except for has_hole.  Properties that are not part of
// the identity (file ids, holes, misfits, number of dumps) are merged into a module that
// is found.  `offset` is the member `address` of the frame.
hp_module_id hp_profile_module(struct hp_profile *profile, const struct hp_module *module,
                               const struct hp_extent *extents);
hp_frame_id hp_profile_frame(struct hp_profile *profile, hp_module_id module,
                             uint64_t offset);
// Find or add `count` frames by module and address, which is faster than one at a time.
// Sets `ids` to their numbers.  A new frame is copied with all its members; a frame that
// is found keeps its members.
void hp_profile_frames(struct hp_profile *profile, const struct hp_frame *frames,
                       size_t count, hp_frame_id *ids);
// Reserve memory for `frames` additional frames.
void hp_profile_reserve_frames(struct hp_profile *profile, size_t frames);

// Add to the values and errors of the stack with the frames and labels of `sample`; the
// stack is created if it is new.  Returns its number.  An error may be NULL, which means
// an error of 0; errors of a column that does not keep them are ignored.
// hp_profile_add() copies the frames; hp_profile_add_adopted() does not, so that they
// must be in a block of profile->memory.blocks.
uint32_t hp_profile_add(struct hp_profile *profile, const struct hp_sample *sample,
                        const struct hp_values *values,
                        const struct hp_error *const errors[HP_COLUMNS]);
uint32_t hp_profile_add_adopted(struct hp_profile *profile,
                                const struct hp_sample *sample,
                                const struct hp_values *values,
                                const struct hp_error *const errors[HP_COLUMNS]);

// Return the hash of a stack for profile->index.stacks.
uint32_t hp_profile_stack_hash(const hp_frame_id *frames, uint32_t depth, hp_string tags);

// Add the object sizes of stack `other` of `others` to a stack of the profile.
void hp_profile_add_sizes(struct hp_profile *profile, uint32_t stack,
                          const struct hp_sizes others[HP_COLUMNS], uint32_t other);

// Add the ages of stack `other` of `others` to a stack of the profile.
void hp_profile_add_ages(struct hp_profile *profile, uint32_t stack,
                         const struct hp_sizes others[HP_COLUMNS], uint32_t other);

// Return the labels of a stack, as a set in profile->tags.sets.
hp_string hp_profile_tags(const struct hp_profile *profile, size_t stack);

// Record that the profile has totals of allocated memory from now on.  Existing stacks
// get an error of 0 in that column, if it keeps errors.
void hp_profile_set_alloc(struct hp_profile *profile);

// Free all stacks, with modules, frames, history, sums over replicates, sample types and
// annotations, so that inputs can be read again; input records and texts remain.
void hp_profile_forget_stacks(struct hp_profile *profile);

// Replace the stacks in memory by `run`, to which they were written with their sums over
// replicates; both are freed in memory.  rank[i] is the position of stack i in the run.
// Takes ownership of `rank` and of what `run` owns.
void hp_profile_take_run(struct hp_profile *profile, struct hp_stack_run *run,
                         uint32_t *rank);

// Return the bytes of memory that the stacks in memory take, with their errors, sizes,
// ages, index and sums over replicates.
size_t hp_profile_stack_memory(const struct hp_profile *profile);

// Whether the errors of a column are to be kept for each stack.  hp_profile_has_errors()
// also requires that the profile has numbers of the column: then they are kept.
static inline bool hp_profile_wants_errors(const struct hp_profile *profile,
                                           enum hp_column column) {
    return profile->settings.estimator == HP_ESTIMATOR_BEST &&
           profile->keeps.errors[column] && !profile->errors.are_unknown;
}

static inline bool hp_profile_has_errors(const struct hp_profile *profile,
                                         enum hp_column column) {
    return hp_profile_wants_errors(profile, column) &&
           (column == HP_COLUMN_INUSE || profile->inputs.have_alloc);
}

// Whether the error of a column's total over all stacks is known.  It is kept in every
// profile, even if the errors of stacks are not; only for some shards it is their sum.
bool hp_profile_has_total_error(const struct hp_profile *profile, enum hp_column column);

// Whether the exit dump of a process with other dumps is excluded, although all other
// dumps of the process are used: in a series of memory in use.
static inline bool hp_profile_skips_exits(const struct hp_profile *profile) {
    return profile->keeps.points &&
           hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE;
}

// Whether a column has a known error of sampling: it has none if every allocation was
// sampled.
bool hp_profile_is_uncertain(const struct hp_profile *profile, enum hp_column column);

// Reserve memory for `stacks` additional stacks, so that adding them does not move the
// arrays of stacks and errors.
void hp_profile_reserve(struct hp_profile *profile, size_t stacks);

// Return the module that corresponds to module `id` of `other`; it is added if it is new.
// The caller adds its number of dumps.
hp_module_id hp_profile_import_module(struct hp_profile *profile,
                                      const struct hp_profile *other, hp_module_id id);

// Add all modules, frames, stacks and the history of `other`, which is {0} afterwards.
// Its inputs and warnings are discarded.
void hp_profile_absorb(struct hp_profile *profile, struct hp_profile *other);

// Bring modules (by identity), frames (by module and address) and sets of labels into
// canonical order, which does not depend on the order of inputs and threads, and renumber
// them where stacks and runs refer to them.  The `id_count` frame numbers in `ids`, which
// the caller keeps, are changed too.  Stacks are not sorted: each report has its own
// order.  Once the profile has stacks, nothing can be added afterwards.
void hp_profile_sort(struct hp_profile *profile, hp_frame_id *ids, size_t id_count);

// Return the position of each frame in canonical order, without renumbering anything.
// The caller frees the result.
uint32_t *hp_profile_frame_ranks(const struct hp_profile *profile);

// Return the sum over all stacks, in memory and in runs.
struct hp_values hp_profile_total(const struct hp_profile *profile);

// Whether the profile has all stacks of its dumps, not only those of some shards.
bool hp_profile_has_all_shards(const struct hp_profile *profile);

// Return the error of the total.  Its sample period is the largest of all used inputs
// with the column, even if nothing was sampled in them.
struct hp_error hp_profile_error(const struct hp_profile *profile, enum hp_column column);

// Return the number of frames of each module.  The caller frees the result.
size_t *hp_profile_frame_counts(const struct hp_profile *profile);

// Return the text of a string of the profile.
const char *hp_profile_text(const struct hp_profile *profile, hp_string string);

// Whether the frame represents all addresses in no mapping, or all addresses of generated
// code that have no name.
bool hp_frame_is_many(const struct hp_profile *profile, const struct hp_frame *frame);

// Whether the frame is generated code with a name, and other code was at its address
// before: the name may be wrong.
bool hp_frame_is_doubtful(const struct hp_profile *profile, const struct hp_frame *frame);

// Return a text as it was before it was redacted.  It may be used for decisions, but must
// never be shown.
const char *hp_profile_original(const struct hp_profile *profile, hp_string string);

// Add a warning, in the format of printf(); hp_profile_warn(): about numbers, whose share
// of the bytes is unknown.
HP_PRINTF(2, 3)
void hp_profile_warn(struct hp_profile *profile, const char *format, ...);
HP_PRINTF(3, 4)
void hp_profile_warn_as(struct hp_profile *profile, struct hp_warning_rank rank,
                        const char *format, ...);

// Set the text of the last warning for a screen, which has room for less.
HP_PRINTF(2, 3)
void hp_profile_shorten_warning(struct hp_profile *profile, const char *format, ...);

// Give the warning that was added last the code of `message` (HP_MESSAGE or HP_WORDS), which
// says more than that of its format.
void hp_profile_warned_of(struct hp_profile *profile, const char *message);

// --- the dumps of a profile: profile_dumps.c -------------------------------------------

// For each dump of profile->variation.group_of that is new since the last call, add its
// bytes in each stack, from the history, to the sums of its replicate in
// profile->variation.between[0].  The history is sorted, and kept.
void hp_profile_sum_groups(struct hp_profile *profile);

// Discard the history, after adding it to the sums of the replicates: for a partial that
// will not record dumps individually.  Dumps that are added later are not in a history
// either, only in these sums.
void hp_profile_fold_history(struct hp_profile *profile);

// Count the dump of a record of the profile in the distribution of the dumps that have
// the same labels: its replicate, and its total in each column that it has.
void hp_between_count(struct hp_between *between, const struct hp_profile *profile,
                      const struct hp_input_record *input);

// Compute how the dumps of one side vary (is_base is false if there is no diff): the sum
// of each stack in memory over the dumps of each replicate, and the distribution of the
// totals of dumps.  The caller frees `between`.
// All dumps are included, whether they have a record of their own (an entry of
// profile->inputs.records with a history) or are known only as part of
// profile->variation.between.
void hp_between_init(struct hp_between *between, const struct hp_profile *profile,
                     bool is_base);

#endif
