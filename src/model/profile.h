// Many dumps, unbiased, resolved to the files they came from, and merged.
//
// Arrays of plain structs that name one another by number.  Frames and stacks are found
// through open-addressing tables; hp_profile_sort() brings everything into the one order
// that does not depend on the order of inputs or threads.
#ifndef HP_MODEL_PROFILE_H
#define HP_MODEL_PROFILE_H

#include "base/err.h"
#include "base/hash.h"
#include "base/md5.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/account.h"
#include "model/annotations.h"
#include "model/between.h"
#include "model/diagnosed.h"
#include "model/error.h"
#include "model/history.h"
#include "model/input.h"
#include "model/module.h"
#include "model/prover.h"
#include "model/recent.h"
#include "model/sample_types.h"
#include "model/sizes.h"
#include "model/stack_errors.h"
#include "model/stack_runs.h"
#include "model/tags.h"
#include "model/values.h"

// Numbers wrapped so that the compiler tells them apart.
typedef struct {
    uint32_t n; // 0 is the module of frames in no mapping
} hp_module_id;

typedef struct {
    uint32_t n;
} hp_frame_id;

// One function at one place: a frame has several when calls were inlined there.
struct hp_line {
    hp_string function;  // demangled
    hp_string linkage;   // as the linker knows it; equal to `function` if not mangled
    hp_string file;      // "" if unknown
    uint32_t line;       // 0 if unknown
    uint32_t start_line; // where the function begins; 0 if unknown
    uint32_t column;     // in the line, which only pprof profiles tell
};

// What a source file was when a module was compiled.
struct hp_source_digest {
    hp_string file;
    hp_module_id module;
    uint8_t md5[HP_MD5_SIZE];
};

// One return address in one module.  The call is at address - 1: look that up.
struct hp_frame {
    hp_module_id module;
    bool is_return_leaf; // stacks end in it, whose writer tells where calls return
    bool is_disputed;    // inputs have different names of it
    bool is_of_file;     // its names are those of a file that a partial was merged with
    uint64_t address;    // in the file, as module->addresses says; from the start of the
                         // mapping of a pseudo file; that of the process in module 0
    uint32_t first_line, lines; // in profile->lines, innermost inlined call first
    // Of a frame without lines: its function begins so far before it in the file; 0: unknown.
    uint32_t past_start;
};

// The frame that stands for whatever was in no mapping.
static inline bool hp_frame_is_nowhere(const struct hp_frame *frame) {
    return frame->module.n == 0 && frame->address == 0;
}

// Whether its input says no address, only names: then the address is a number that the reader has made of
// these, in the half of the address space that no program has.
static inline bool hp_frame_is_by_names(const struct hp_frame *frame) {
    return frame->module.n == 0 && frame->lines > 0 && frame->address >> 63 != 0;
}

// Where its function begins, or itself.
static inline uint64_t hp_address_of_start(const struct hp_frame *frame) {
    return frame->address - (frame->lines == 0 ? frame->past_start : 0);
}

static inline uint64_t hp_address_of_call(const struct hp_frame *frame) {
    return frame->address > 0 && !hp_frame_is_by_names(frame) ? frame->address - 1 : 0;
}

// Leaf first; `frames` lives in the profile's arena or in a block that it adopted.
struct hp_stack {
    struct hp_values values;
    hp_frame_id *frames;
    uint32_t depth;
};

// What a stack is known by.
struct hp_sample {
    hp_frame_id *frames; // leaf first
    uint32_t depth;
    hp_string tags; // of profile->tag_sets
};

struct hp_label {
    hp_string key, value;
};

// A dump that a partial is of, as hp_dump_identity() and hp_process_identity() say.
struct hp_known_dump {
    uint64_t process; // 0: not known
    uint64_t id[2];   // 64 bits and 16
    uint32_t source;  // as in struct hp_input_record
    bool is_base;     // of a diff
};

// Of how many shards of the stacks which are there, a bit for each; {0}: they are whole.
struct hp_shards {
    uint32_t count;
    uint64_t present;
};

enum {
    HP_SHARDS_MOST = 64,
};

// One that is told of by its identity alone; its texts are in the profile's blocks.
struct hp_named_dump {
    uint64_t id[2];
    const char *name, *archive; // archive: "" if it is of none
};

// Pairs of inputs in which the very same was sampled, and one of them.
struct hp_equal_samples {
    size_t pairs;
    const char *first, *second; // their names, in profile->texts
};

// What reports need beside stacks and their values.
struct hp_needs {
    bool errors[HP_COLUMNS];
    bool history;           // what each input added
    bool series;            // the inputs are dumps of one process, one after the other
    bool points;            // exit dumps of processes that have others are none of them
    bool moments;           // all dumps of a process, each for itself
    bool labels;            // of samples
    bool threads;           // stacks apart by thread
    bool sizes[HP_COLUMNS]; // of objects
    bool ages;              // of objects in use;
    bool ages_by_stack;     // else all together
    bool made_counts;       // whether something was forgotten between dumps of a process
    bool live_samples;      // how many there are of each size
    bool identities;        // what a dump is known by, if there is no other
    bool unmapped;          // where frames in no mapping are
    bool partial;           // all that a partial holds
};

// Processes that ran one after the other: how many, and of the newest the dump that counts.
struct hp_consecutive {
    size_t count;    // 0: nothing says so
    uint32_t newest; // number of an input
    hp_fixed bytes;  // of it
};

struct hp_profile {
    struct hp_arena arena;
    struct hp_strtab strings;
    HP_VEC(struct hp_module) modules; // [0] is HP_MODULE_NONE
    HP_VEC(struct hp_extent) extents;
    HP_VEC(struct hp_frame) frames;
    HP_VEC(struct hp_line) lines;
    HP_VEC(struct hp_source_digest) sources; // of lines, where a binary tells them
    HP_VEC(struct hp_stack) stacks;
    struct hp_stack_errors errors[HP_COLUMNS]; // of the stacks; empty if not kept
    struct hp_error total_errors[HP_COLUMNS];  // of all stacks, kept or not
    struct hp_sizes sizes[HP_COLUMNS];         // of the stacks; empty if not kept
    struct hp_sizes ages[HP_COLUMNS]; // the same, of which a size is one of model/ages.h
    struct hp_strtab tag_sets;        // of labels, of which the texts are in `strings`
    HP_VEC(hp_string) tags;           // of the first stacks; the others have none
    HP_VEC(void *) blocks;            // malloc()ed, which stacks point into
    struct hp_index module_index, frame_index, stack_index;

    HP_VEC(struct hp_input_record) inputs; // by name
    HP_VEC(char *) texts;                  // malloc()ed: names of inputs and of archives
    struct hp_processes processes;         // that they are of
    enum hp_snapshots snapshots;           // which dumps of a process count, and
    enum hp_metric metric;                 // for what
    enum hp_large_sizes large_sizes;       // how these are to be read
    // What is known of that of each input by its number, enum hp_large_sizes; of others nothing is.
    HP_VEC(unsigned char) known_large_sizes;
    uint64_t
        older_than; // of listed objects those were read; 0: all, and what is not listed
    bool wants_labels;     // of inputs, from their paths
    bool drops_identities; // a partial of it does not say of which dumps it is
    bool has_stamps;       // modules say which builds ran, as partials are to
    bool lacks_identities; // an input is such a partial
    HP_VEC(struct hp_known_dump)
    known;              // dumps of partials, and of inputs without a record
    size_t lone_inputs; // so many are told of in groups: each the only one of its process
    size_t lone_exits;  // of them, made at exit
    // What partials tell of inputs that they do not tell of one by one, of new and of base.
    struct hp_diagnosed diagnosed[2][HP_DIAGNOSTICS];
    struct hp_equal_samples equal_samples[2]; // of one process or of none; of two
    struct hp_strtab programs;                // of the inputs
    HP_VEC(struct hp_label) labels;           // of the inputs
    HP_VEC(hp_string) warnings;
    HP_VEC(hp_string) minor_warnings; // that concern next to none of the bytes
    HP_VEC(hp_string) moments;        // sentences that say which dumps count
    struct hp_consecutive consecutive[HP_SIDES];
    size_t exits[HP_SIDES];           // dumps that count and are known to be made at exit
    struct hp_match_time *match_time; // of the patterns of its reports
    hp_string thread;                 // that alone was read, or ""
    enum hp_estimator estimator;
    bool has_times;           // of the inputs that are used
    bool has_alloc;           // some input has allocation totals (prof_accum)
    struct hp_needs keeps;    // what was asked for when it was read
    struct hp_prover *prover; // of builds, while dumps are read and symbolized; or NULL
    bool owns_prover;
    bool are_errors_unknown;   // of some input: then of all together
    struct hp_history history; // what each input added, if that is kept
    // How dumps of partials differ that are not told of one by one, of new and of base.
    struct hp_between between[2];
    HP_VEC(struct hp_group_of) group_of; // each dump of the history, for a partial
    size_t summed;                      // so many of them are in the sums of their groups
    struct hp_run_store *store;         // of runs, where stacks may be in such; or NULL
    struct hp_stack_runs runs;          // stacks that are not in memory
    HP_VEC(struct hp_named_dump) named; // those at the ends of the distribution
    struct hp_sample_types types;       // beside the metrics
    struct hp_annotations annotations;  // of the inputs
    struct hp_input_summary summary[HP_SIDES];
    struct hp_shards shards;
    // Of the first strings what they were before they were redacted; NULL: they are what they were.
    struct hp_span *originals;
    size_t original_count;
    HP_VEC(struct hp_account) accounts; // of those inputs that have one
    struct hp_recent recent; // of the process of the one input, if that was asked for
    uint64_t
        tagged_addresses; // of the dumps, that had more bits than places have (input/address_tags.h)
    uint64_t unloaded_addresses; // of the dumps, in libraries that had been unloaded
    bool overflow;               // a sum did not fit: the profile is unusable
};

// {0} after done.
void hp_profile_init(struct hp_profile *profile);
void hp_profile_done(struct hp_profile *profile);

// What is kept of what is added; to be called before.
void hp_profile_keep(struct hp_profile *profile, const struct hp_needs *needs);

// How large sizes of an input are to be read: as was asked for, or else as is known of it.
enum hp_large_sizes hp_large_sizes_of(const struct hp_profile *profile, size_t number);

// Results about a module.  A profile with stamps knows builds by these, and nothing of what has none.
void hp_profile_take_proof(struct hp_profile *profile, struct hp_module *module,
                           const struct hp_proof_module *proof);

// Find, or add.  `extents` must be the same whenever the identity is, but for has_hole.
hp_module_id hp_profile_module(struct hp_profile *profile, const struct hp_module *module,
                               const struct hp_extent *extents);
hp_frame_id hp_profile_frame(struct hp_profile *profile, hp_module_id module,
                             uint64_t offset);
// The same of each, which is faster: their numbers are put into `ids`.  Those that are new are as they
// are here.
void hp_profile_frames(struct hp_profile *profile, const struct hp_frame *frames,
                       size_t count, hp_frame_id *ids);
// Make room for so many more.
void hp_profile_reserve_frames(struct hp_profile *profile, size_t frames);

// Add to the values and errors of this stack; its number.  An error may be NULL: none.  The
// frames are copied, unless they lie in a block that the profile has adopted.
uint32_t hp_profile_add(struct hp_profile *profile, const struct hp_sample *sample,
                        const struct hp_values *values,
                        const struct hp_error *const errors[HP_COLUMNS]);
uint32_t hp_profile_add_adopted(struct hp_profile *profile,
                                const struct hp_sample *sample,
                                const struct hp_values *values,
                                const struct hp_error *const errors[HP_COLUMNS]);

// Of a sample, in profile->stack_index.
uint32_t hp_profile_stack_hash(const hp_frame_id *frames, uint32_t depth, hp_string tags);

// Add to the sizes of this stack those that another has.
void hp_profile_add_sizes(struct hp_profile *profile, uint32_t stack,
                          const struct hp_sizes others[HP_COLUMNS], uint32_t other);

// The same of ages.
void hp_profile_add_ages(struct hp_profile *profile, uint32_t stack,
                         const struct hp_sizes others[HP_COLUMNS], uint32_t other);

// The labels of a stack, in profile->tag_sets.
hp_string hp_profile_tags(const struct hp_profile *profile, size_t stack);

// From now on stacks have allocation totals.
void hp_profile_set_alloc(struct hp_profile *profile);

// Free all stacks and what they are of; inputs and texts stay.
void hp_profile_forget_stacks(struct hp_profile *profile);

// The stacks in memory have become a run: rank[stack] is the place of each there, which is taken over.
void hp_profile_take_run(struct hp_profile *profile, struct hp_stack_run *run,
                         uint32_t *rank);

// Bytes that the stacks in memory take.
size_t hp_profile_stack_memory(const struct hp_profile *profile);

// Once the inputs are known.
void hp_profile_summarize(struct hp_profile *profile);

// Whether the errors of a column are to be kept, and whether there are some.
static inline bool hp_profile_wants_errors(const struct hp_profile *profile,
                                           enum hp_column column) {
    return profile->estimator == HP_ESTIMATOR_BEST && profile->keeps.errors[column] &&
           !profile->are_errors_unknown;
}

static inline bool hp_profile_has_errors(const struct hp_profile *profile,
                                         enum hp_column column) {
    return hp_profile_wants_errors(profile, column) &&
           (column == HP_COLUMN_INUSE || profile->has_alloc);
}

// Whether that of the total is known, which every profile keeps.
static inline bool hp_profile_has_total_error(const struct hp_profile *profile,
                                              enum hp_column column) {
    return profile->estimator == HP_ESTIMATOR_BEST && !profile->are_errors_unknown &&
           (column == HP_COLUMN_INUSE || profile->has_alloc);
}

// Whether exit dumps of processes that have others do not count, though all their dumps do.
static inline bool hp_profile_leaves_exits(const struct hp_profile *profile) {
    return profile->keeps.points && hp_column_of(profile->metric) == HP_COLUMN_INUSE;
}

// Whether it leaves anything open: not every allocation was sampled.
bool hp_profile_is_uncertain(const struct hp_profile *profile, enum hp_column column);

// Make room for as many more stacks, so that adding them moves nothing.
void hp_profile_reserve(struct hp_profile *profile, size_t stacks);

// What a module of `other` is called here; it is added if need be.
hp_module_id hp_profile_import_module(struct hp_profile *profile,
                                      const struct hp_profile *other, hp_module_id id);

// Add all modules, frames, stacks and the history of `other`, which is {0} then.  Its inputs
// and warnings are not taken over.
void hp_profile_absorb(struct hp_profile *profile, struct hp_profile *other);

// Canonical order of modules (by identity), frames (by module and offset) and labels, whatever the order of inputs and threads.  Ids of frames that the caller keeps
// are renumbered as well.  Stacks have no order, a report makes its own; once there are
// some, none can be added afterwards.
void hp_profile_sort(struct hp_profile *profile, hp_frame_id *ids, size_t id_count);

// Where each frame comes in canonical order, while nothing is renumbered; to be freed.
uint32_t *hp_profile_frame_ranks(const struct hp_profile *profile);

// Sum over all stacks.
struct hp_values hp_profile_total(const struct hp_profile *profile);

// Of the total.  Its period is that of all inputs, also of those of which nothing was sampled.
struct hp_error hp_profile_error(const struct hp_profile *profile, enum hp_column column);

// How many frames each module has; to be freed.
size_t *hp_profile_frame_counts(const struct hp_profile *profile);

const char *hp_profile_text(const struct hp_profile *profile, hp_string string);

// A copy of the text in profile->texts.
const char *hp_profile_keep_text(struct hp_profile *profile, struct hp_span text);

// What it was before it was redacted: to judge by, and never to show.
const char *hp_profile_original(const struct hp_profile *profile, hp_string string);

// A minor warning concerns next to none of the bytes.
HP_PRINTF(2, 3)
void hp_profile_warn(struct hp_profile *profile, const char *format, ...);
HP_PRINTF(3, 4)
void hp_profile_warn_as(struct hp_profile *profile, bool is_minor, const char *format,
                        ...);

#endif
