// State and helpers shared by the writers of the sections of a partial.
#ifndef HP_PARTIAL_PARTIAL_WRITER_H
#define HP_PARTIAL_PARTIAL_WRITER_H

#include "partial/partial.h"
#include "partial/slots.h"
#include "partial/stack_codec.h"

// A dump that is recorded individually.
struct hp_written_dump {
    uint32_t input;             // index in profile->inputs.records
    struct hp_known_dump known; // identities of its process and of the dump
    size_t row, row_size; // range in `rows` of the writer: orders dumps of one identity
};

// State while one partial or run is written.
struct hp_partial_writer {
    const struct hp_profile *profile;
    struct hp_shards shards; // the shards whose stacks are written; {0}: all stacks
    struct hp_block_writer blocks;
    struct hp_bytes row; // the row that is being made
    // Whether this is the first of two passes over the tables. It only collects the
    // texts, because a text's number is its place in the order of all texts.
    bool is_collecting;
    struct hp_strtab texts; // all texts of the tables
    uint32_t *text_rank;    // number of each text
    uint32_t *set_rank;     // number of each set of profile->tags.sets, 0 for none
    // Number of each frame; NULL: frames are in canonical order, and numbered as in the
    // profile.
    const uint32_t *frame_rank;
    uint32_t *order;    // stacks to write, in their order in the file
    size_t stacks;      // number of these stacks
    uint32_t *rank;     // place of each stack in the file; HP_NO_RANK: in another shard
    uint32_t *run_rank; // the same for stacks in runs; NULL: not needed
    HP_VEC(struct hp_written_dump) dumps; // sorted by process and identity
    struct hp_bytes rows;                 // rows of these dumps
    bool has_history; // dumps are recorded individually, with what each added to stacks
    HP_VEC(struct hp_known_dump) known; // identities of all dumps, in order
    bool has_between; // sums over replicates of dumps are recorded instead
    // How dumps differ, if has_between is set. Its sums are sorted by the place of their
    // stack in the file: hp_order_replicates().
    struct hp_between between;
    size_t next_replicate; // index in between.sums of the next stack's first sum
};

#define HP_NO_RANK UINT32_MAX

// Return the place in the file of a stack in memory or in a run; HP_NO_RANK: it is not
// written.
static inline uint32_t hp_rank_of(const struct hp_partial_writer *w, uint32_t stack) {
    return stack >= HP_RUN_STACKS ? w->run_rank[stack - HP_RUN_STACKS] : w->rank[stack];
}

// Append the number of a text to the row. In the first pass the text is collected, and 0
// is appended.
static inline void hp_put_interned(struct hp_partial_writer *w, struct hp_span text) {
    hp_string string = hp_strtab_add(&w->texts, text);
    hp_put_number(&w->row, w->is_collecting ? 0 : w->text_rank[string.n]);
    w->blocks.is_too_large |= text.size > HP_PARTIAL_TEXT_MOST;
}

// Append the number of a string of the profile to the row, as hp_put_interned() does for
// a text.
static inline void hp_put_string(struct hp_partial_writer *w, hp_string string) {
    hp_put_interned(w, hp_strtab_span(&w->profile->strings, string));
}

// End the row, and write it unless this is the first pass.
static inline void hp_put_row(struct hp_partial_writer *w, enum hp_section section) {
    bool is_aside = section == HP_SECTION_NAMES || section == HP_SECTION_EXTREME_NAMES ||
                    section == HP_SECTION_FILE_NAMES || section == HP_SECTION_CONTENTS;
    unsigned flags = is_aside ? HP_BLOCK_NO_DIGEST : HP_BLOCK_REQUIRED;
    if (!w->is_collecting) {
        hp_block_row(&w->blocks, section, flags, &w->row);
    }
    w->row.count = 0;
}

// partial_stacks.c: set w->order, w->rank and w->stacks; write the stacks in memory.
void hp_order_stacks(struct hp_partial_writer *w);
void hp_put_stacks(struct hp_partial_writer *w);

// hp_take_stack() fills `row` with stack w->order[i]; i must rise from call to call.
// hp_put_stack() writes a stack, whose block may be written later: after the last stack
// the caller calls hp_stack_encode_end().
void hp_take_stack(struct hp_stack_row *row, struct hp_partial_writer *w, size_t i);
void hp_put_stack(struct hp_partial_writer *w, struct hp_stack_codec *codec,
                  const struct hp_stack_row *row);
// Fill a table with the module of each frame, by the numbers of frames in the file.
void hp_frames_take(struct hp_frame_table *table, const struct hp_partial_writer *w);

// Copy the objects of a stack by size (struct hp_size_part) from `sizes` to a column of
// `row`, in order of size; also sets is_full.
void hp_take_parts(struct hp_stack_row *row, const struct hp_sizes *sizes, uint32_t stack,
                   enum hp_column column);

// run_merge.c: merge the stacks in memory with those in runs, and write the result. Sets
// w->rank, and if there is a history w->run_rank, to the places of stacks in the result.
HP_MUST_CHECK int hp_put_runs(struct hp_partial_writer *w, struct hp_err *err);

// partial_dumps.c: hp_find_dumps() sets w->dumps, has_history, has_between and between;
// the others write one section about inputs each. hp_place_texts() writes the names of
// dumps and of skipped inputs.
void hp_find_dumps(struct hp_partial_writer *w);
void hp_put_groups(struct hp_partial_writer *w);
void hp_put_skipped(struct hp_partial_writer *w);
void hp_put_diagnostics(struct hp_partial_writer *w);
void hp_put_identities(struct hp_partial_writer *w);
void hp_put_contents(struct hp_partial_writer *w);
void hp_put_dumps(struct hp_partial_writer *w);
void hp_put_history(struct hp_partial_writer *w);
void hp_place_texts(struct hp_partial_writer *w);

// partial_between.c: write how dumps differ, if they are not recorded individually.
// hp_order_replicates() first changes the keys of w->between.sums from the number of the
// stack in the profile to its place in the file, drops the sums of stacks that are not
// written, and sorts the rest by key.
void hp_order_replicates(struct hp_partial_writer *w);
// Add the sums over replicates of the stack at place `rank` in the file to `row`; ranks
// must rise from call to call.
void hp_take_replicates(struct hp_partial_writer *w, uint32_t rank,
                        struct hp_stack_row *row);
void hp_put_distribution(struct hp_partial_writer *w);
void hp_put_extreme_names(struct hp_partial_writer *w);

// partial_file_names.c: write the names of frames that were read from files.
void hp_put_file_names(struct hp_partial_writer *w);

#endif
