// What the readers of the sections of a partial share.
#ifndef HP_PARTIAL_PARTIAL_READER_H
#define HP_PARTIAL_PARTIAL_READER_H

#include "partial/partial.h"
#include "partial/runs.h"
#include "partial/stack_codec.h"

// Blocks of stacks that stay as they are.
struct hp_packed_stacks {
    bool is_known, is_any; // whether they do so
    bool is_open;          // a run of them
    uint32_t source;       // in the profile's runs, of all of them
    struct hp_run_writer writer;
    struct hp_block_writer blocks;
};

struct hp_partial_reader {
    struct hp_partials *to;
    struct hp_profile *profile;
    const char *name;      // of the partial
    const char *kept_name; // where it is kept, if anybody asked
    uint32_t source;
    struct hp_block_reader blocks;
    struct hp_numbers row; // the rest of the block
    bool is_over_limit;    // what fails is no damage
    struct hp_sha256 common;
    struct hp_parameters parameters;
    uint32_t parameter_count;
    const char *thread; // NULL: its name is not told
    // As things are numbered in the file, what they are called in the profile.
    HP_VEC(hp_string) texts;
    HP_VEC(hp_module_id) modules;
    HP_VEC(hp_frame_id) frames;
    HP_VEC(struct hp_frame) fresh; // of the block that is read
    HP_VEC(hp_string) sets;
    HP_VEC(uint32_t) stacks;
    HP_VEC(uint32_t) types;
    struct hp_frame last_frame;   // its module as it is numbered in the file
    HP_VEC(hp_string) file_texts; // of names that files had, as they are numbered there
    uint64_t last_file_name;      // + 1
    uint64_t last_symbol, frame_count; // of frames of all stacks
    uint64_t last_type, last_stack;    // of sums
    struct hp_frame_table frame_table; // as they are numbered in the file
    struct hp_stack_codec stack_codec;
    struct hp_stack_row stack_row; // that was read last
    HP_VEC(hp_frame_id) stack;     // its frames, leaf first
    HP_VEC(struct hp_input_record) groups;
    uint64_t skipped[HP_REASONS];
    struct hp_diagnosed diagnosed[HP_DIAGNOSTICS];
    uint32_t last_kind;                   // of these, + 1
    size_t first_input;                   // of this partial, in profile->inputs,
    uint32_t dumps;                       // so many
    uint64_t untold;                      // dumps whose process is not known
    uint32_t history_dump, history_stack; // of the last row; dump + 1
    unsigned history_group;               // of dumps, that it is of
    uint64_t type_history;                // the same: type and dump
    uint64_t group_dumps;                 // in all groups
    bool keeps_between;                   // what tells how dumps differ
    bool has_spilled; // stacks of it, so that nothing can go by their numbers
    struct hp_packed_stacks packed;
    struct hp_err spill_err;
    bool is_one; // its dumps are not told of one by one: their stacks are as those of one
};

// Of more dumps than are told of one by one: by the rule that these are told of by.
static inline bool hp_reader_has_many(const struct hp_partial_reader *r) {
    uint64_t most = r->parameters.of[HP_PARAMETER_HISTORY];
    uint64_t aside = r->skipped[HP_REASON_OTHER_MOMENT];
    return r->group_dumps > most || aside > most - r->group_dumps;
}

// A text, by its number.
static inline hp_string hp_reader_text(struct hp_partial_reader *r) {
    uint64_t number = hp_get_below(&r->row, r->texts.count);
    return r->row.damage ? (hp_string){0} : r->texts.at[number];
}

// It lives as long as the profile.
static inline const char *hp_reader_kept_text(struct hp_partial_reader *r,
                                              struct hp_span text) {
    return hp_profile_keep_text(r->profile, text);
}

// partial_restore.c: blocks and rows of what has been made of dumps.
void hp_reader_stacks(struct hp_partial_reader *r);
void hp_reader_type_sum(struct hp_partial_reader *r);
void hp_reader_group(struct hp_partial_reader *r);
void hp_reader_skipped(struct hp_partial_reader *r);
void hp_reader_diagnostic(struct hp_partial_reader *r);
void hp_reader_identity(struct hp_partial_reader *r);
void hp_reader_dump(struct hp_partial_reader *r);
void hp_reader_history(struct hp_partial_reader *r);
void hp_reader_type_history(struct hp_partial_reader *r);
void hp_reader_name(struct hp_partial_reader *r);
// partial_packed.c: where a partial alone is made of partials, stacks of one that does not tell of each
// dump become runs without being looked at.
bool hp_reader_stays_packed(struct hp_partial_reader *r);
void hp_reader_pack_stacks(struct hp_partial_reader *r);            // those of a block
HP_MUST_CHECK int hp_reader_end_packed(struct hp_partial_reader *r, // there are no more
                                       struct hp_err *err);
void hp_packed_stacks_done(struct hp_packed_stacks *packed);
// And those of partials of few dumps, when one has been read: first what each dump added.
void hp_reader_fold(struct hp_partial_reader *r);
HP_MUST_CHECK int hp_reader_pack_folded(struct hp_partial_reader *r, struct hp_err *err);
// partial_between.c; and what groups of dumps have of the stack that was read last, by its number
// in the profile.
void hp_reader_distribution(struct hp_partial_reader *r);
void hp_reader_extreme_name(struct hp_partial_reader *r);
void hp_reader_replicates(struct hp_partial_reader *r, uint32_t stack);
void hp_reader_settle(struct hp_partial_reader *r); // when all has been read

// partial_file_names.c
void hp_reader_file_name(struct hp_partial_reader *r);

#endif
