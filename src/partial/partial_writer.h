// What the writers of the sections of a partial share.
#ifndef HP_PARTIAL_PARTIAL_WRITER_H
#define HP_PARTIAL_PARTIAL_WRITER_H

#include "partial/partial.h"
#include "partial/slots.h"
#include "partial/stack_codec.h"

// A dump that is told of one by one.
struct hp_written_dump {
    uint32_t input; // in profile->inputs
    struct hp_known_dump known;
    size_t row, row_size; // in `rows` of the writer: to tell equal ones apart
};

struct hp_partial_writer {
    const struct hp_profile *profile;
    struct hp_shards shards; // that are written
    struct hp_block_writer blocks;
    struct hp_bytes row; // that is being made
    // Tables are gone through twice: first for their texts, of which the order says how they
    // are called.
    bool is_collecting;
    struct hp_strtab texts;
    uint32_t *text_rank;
    uint32_t *set_rank;         // of profile->tag_sets: the number of a set, 0 for none
    const uint32_t *frame_rank; // of each frame its number; NULL: they are in order
    uint32_t *order;            // of the stacks that are written: which comes i-th
    size_t stacks;              // so many
    uint32_t *rank; // of each stack: where it comes; HP_NO_RANK: it is in another shard
    uint32_t *run_rank;                   // the same of those in runs, if anybody asks
    HP_VEC(struct hp_written_dump) dumps; // by process and identity
    struct hp_bytes rows;
    bool has_history;
    bool has_between;          // how its dumps differ
    struct hp_between between; // if it has; its sums are in the order of what is written:
    size_t next_replicate;     // of the next stack
};

#define HP_NO_RANK UINT32_MAX

static inline uint32_t hp_rank_of(const struct hp_partial_writer *w, uint32_t stack) {
    return stack >= HP_RUN_STACKS ? w->run_rank[stack - HP_RUN_STACKS] : w->rank[stack];
}

// A text, by its number.
static inline void hp_put_interned(struct hp_partial_writer *w, struct hp_span text) {
    hp_string string = hp_strtab_add(&w->texts, text);
    hp_put_number(&w->row, w->is_collecting ? 0 : w->text_rank[string.n]);
    w->blocks.is_too_large |= text.size > HP_PARTIAL_TEXT_MOST;
}

// One of the profile.
static inline void hp_put_string(struct hp_partial_writer *w, hp_string string) {
    hp_put_interned(w, hp_strtab_span(&w->profile->strings, string));
}

// What has been put makes a row.
static inline void hp_put_row(struct hp_partial_writer *w, enum hp_section section) {
    bool is_aside = section == HP_SECTION_NAMES || section == HP_SECTION_EXTREME_NAMES ||
                    section == HP_SECTION_FILE_NAMES;
    unsigned flags = is_aside ? HP_BLOCK_ASIDE : HP_BLOCK_REQUIRED;
    if (!w->is_collecting) {
        hp_block_row(&w->blocks, section, flags, &w->row);
    }
    w->row.count = 0;
}

// partial_stacks.c: put the stacks into their order; and write those in memory.
void hp_order_stacks(struct hp_partial_writer *w);
void hp_put_stacks(struct hp_partial_writer *w);

// One after the other, each i-th in order; hp_stack_encode_end() ends the last block.
void hp_take_stack(struct hp_stack_row *row, struct hp_partial_writer *w, size_t i);
void hp_put_stack(struct hp_partial_writer *w, struct hp_stack_codec *codec,
                  const struct hp_stack_row *row);
void hp_frames_take(struct hp_frame_table *table, const struct hp_partial_writer *w);

// Put the parts of a stack into their order.
void hp_take_parts(struct hp_stack_row *row, const struct hp_sizes *sizes, uint32_t stack,
                   enum hp_column column);

// runs.c: merge those in memory with those in runs.
HP_MUST_CHECK int hp_put_runs(struct hp_partial_writer *w, struct hp_err *err);

// partial_dumps.c: find the dumps that are told of; and write what is known of the inputs.
void hp_find_dumps(struct hp_partial_writer *w);
void hp_put_groups(struct hp_partial_writer *w);
void hp_put_skipped(struct hp_partial_writer *w);
void hp_put_diagnostics(struct hp_partial_writer *w);
void hp_put_identities(struct hp_partial_writer *w);
void hp_put_dumps(struct hp_partial_writer *w);
void hp_put_history(struct hp_partial_writer *w);
void hp_put_names(struct hp_partial_writer *w);

// partial_between.c: how dumps differ that are not told of one by one.
void hp_order_replicates(struct hp_partial_writer *w);
void hp_take_replicates(struct hp_partial_writer *w, uint32_t rank,
                        struct hp_stack_row *row); // one after the other
void hp_put_distribution(struct hp_partial_writer *w);
void hp_put_extreme_names(struct hp_partial_writer *w);

// partial_file_names.c
void hp_put_file_names(struct hp_partial_writer *w);

#endif
