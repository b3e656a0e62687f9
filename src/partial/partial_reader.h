// State and helpers shared by the readers of the sections of a partial.
#ifndef HP_PARTIAL_PARTIAL_READER_H
#define HP_PARTIAL_PARTIAL_READER_H

#include "partial/partial.h"
#include "partial/runs.h"
#include "partial/stack_codec.h"

// Blocks of stacks that are copied to runs in compressed form, without being decoded.
struct hp_packed_stacks {
    bool is_known, is_any;         // is_any: stacks stay packed; is_known: is_any is set
    bool is_open;                  // a run is being written
    uint32_t source;               // index in the profile's runs.sources
    struct hp_run_writer writer;   // writes the open run
    struct hp_block_writer blocks; // blocks of the open run
};

// State while one partial is read. The first damage is recorded in row.damage; numbers
// that are read from `row` afterwards are 0.
struct hp_partial_reader {
    struct hp_partials *to;        // state of reading all partials
    struct hp_profile *profile;    // the destination, to->profile
    const char *name;              // path of the partial
    const char *kept_name;         // the same, owned by the profile; NULL: not needed yet
    uint32_t source;               // number of this partial, from 1 on
    struct hp_block_reader blocks; // the file
    struct hp_numbers row;         // the rest of the current block
    bool is_over_limit;            // reading failed because a limit was exceeded
    struct hp_sha256 common;       // computes partials->common
    struct hp_parameters parameters;
    uint32_t parameter_count; // parameters read so far
    const char *thread;       // name of the only thread read; NULL: not in the file
    // For texts, modules, frames, sets of labels, stacks and types: from the number in
    // the file to the id in the profile.
    HP_VEC(hp_string) texts;
    HP_VEC(hp_module_id) modules;
    HP_VEC(hp_frame_id) frames;
    HP_VEC(struct hp_frame) fresh; // frames of the current block, not yet in the profile
    HP_VEC(hp_string) sets;
    HP_VEC(uint32_t) stacks;
    HP_VEC(uint32_t) types;
    struct hp_frame last_frame; // the frame before; its module number is that of the file
    HP_VEC(hp_string) file_texts; // texts of the section of file names, by their numbers
    // 1 + number of the frame of the last row of file names; 0: no row yet.
    uint64_t last_file_name;
    // Number of the frame of the last row of symbols; sum of the depths of all stacks so
    // far.
    uint64_t last_symbol, frame_count;
    // Numbers of the type and of the stack in the last row of type sums.
    uint64_t last_type, last_stack;
    // Frames of each module, by their numbers in the file.
    struct hp_frame_table frame_table;
    struct hp_stack_codec stack_codec;
    struct hp_stack_row stack_row; // the stack read last
    HP_VEC(hp_frame_id) stack;     // frames of that stack, leaf first
    // Groups of dumps that agree in their properties; one record has the sums of each.
    HP_VEC(struct hp_input_record) groups;
    uint64_t skipped[HP_REASONS];                  // skipped inputs, by reason
    struct hp_diagnosed diagnosed[HP_DIAGNOSTICS]; // dumps with a diagnostic, by kind
    uint32_t last_kind; // 1 + kind of the last row of diagnostics; 0: no row yet
    size_t
        first_input; // index in profile->inputs.records of the first dump of this partial
    size_t next_content;   // index in profile->inputs.known of the next row of contents
    uint32_t dumps;        // dumps recorded individually, so far
    uint64_t unidentified; // dumps whose process is unknown
    // Last row of the history: 1 + number of its dump (0: no row yet), number of its
    // stack.
    uint32_t history_dump, history_stack;
    unsigned history_group; // number of the replicate that this dump belongs to
    // Last row of the type history: type << 32 | dump + 1; 0: no row yet.
    uint64_t type_history;
    uint64_t group_dumps; // dumps in all groups
    bool keeps_between;   // whether to keep sums over replicates, and distributions
    // Some of its stacks were moved to runs, so that numbers of stacks cannot be used any
    // more.
    bool has_spilled;
    struct hp_packed_stacks packed;
    struct hp_err spill_err; // failure to write a run
    // The history of the profile gets the sum of all dumps of this partial as one input,
    // because the partial does not record dumps individually.
    bool is_one;
};

// Whether the partial covers too many dumps to record them individually. Dumps that were
// skipped because another dump of their process is used are included.
static inline bool hp_reader_has_many(const struct hp_partial_reader *r) {
    uint64_t most = r->parameters.of[HP_PARAMETER_HISTORY];
    uint64_t aside = r->skipped[HP_REASON_OTHER_MOMENT];
    return r->group_dumps > most || aside > most - r->group_dumps;
}

// Read the number of a text from r->row, and return that text as a string of the profile.
// Returns "" after damage.
static inline hp_string hp_reader_text(struct hp_partial_reader *r) {
    uint64_t number = hp_get_below(&r->row, r->texts.count);
    return r->row.damage ? (hp_string){0} : r->texts.at[number];
}

// Copy a text; the copy is owned by the profile.
static inline const char *hp_reader_kept_text(struct hp_partial_reader *r,
                                              struct hp_span text) {
    return hp_inputs_keep_text(&r->profile->inputs, text);
}

// partial_restore.c: read one row of a section about stacks or inputs, or a whole block
// of stacks, from r->row, and add it to the profile or to the state of the reader.
void hp_reader_stacks(struct hp_partial_reader *r);
void hp_reader_type_sum(struct hp_partial_reader *r);
void hp_reader_group(struct hp_partial_reader *r);
void hp_reader_skipped(struct hp_partial_reader *r);
void hp_reader_diagnostic(struct hp_partial_reader *r);
void hp_reader_identity(struct hp_partial_reader *r);
void hp_reader_content(struct hp_partial_reader *r);
void hp_reader_dump(struct hp_partial_reader *r);
void hp_reader_history(struct hp_partial_reader *r);
void hp_reader_type_history(struct hp_partial_reader *r);
void hp_reader_name(struct hp_partial_reader *r);
// partial_packed.c: if partials are merged into a partial and nothing else, the stacks of
// a partial that does not record dumps individually become runs without being decoded.
// hp_reader_stays_packed() says whether this applies to the partial.
bool hp_reader_stays_packed(struct hp_partial_reader *r);
// Copy the current block of stacks to a run.
void hp_reader_pack_stacks(struct hp_partial_reader *r);
// After the last stack of the partial, end the run that is open, if any.
HP_MUST_CHECK int hp_reader_end_packed(struct hp_partial_reader *r, struct hp_err *err);
void hp_packed_stacks_done(struct hp_packed_stacks *packed);
// For a partial of few dumps, whose stacks are decoded, when all of it has been read:
// hp_reader_fold() adds its dumps to partials->dumps. If these are too many to be
// recorded individually and only a partial is made, it replaces the history of the
// profile by sums over replicates, and hp_reader_pack_folded() moves the stacks in memory
// to a run unless they are small.
void hp_reader_fold(struct hp_partial_reader *r);
HP_MUST_CHECK int hp_reader_pack_folded(struct hp_partial_reader *r, struct hp_err *err);
// partial_between.c: read one row about how dumps differ. hp_reader_replicates() adds the
// sums over replicates of r->stack_row; `stack` is the number of that stack in the
// profile.
void hp_reader_distribution(struct hp_partial_reader *r);
void hp_reader_extreme_name(struct hp_partial_reader *r);
void hp_reader_replicates(struct hp_partial_reader *r, uint32_t stack);
// partial_restore.c: add the inputs that have no rows of their own (groups of dumps,
// skipped inputs), when all of the partial has been read. Calls hp_reader_fold().
void hp_reader_settle(struct hp_partial_reader *r);

// partial_file_names.c: read one row of names that a file had.
void hp_reader_file_name(struct hp_partial_reader *r);

#endif
