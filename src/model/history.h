// What each input added to which stack, for reports that look at inputs one by one.
//
// Written once, while the inputs are read, and kept compressed: a few bytes an observation.
// A report decodes it input by input.
#ifndef HP_MODEL_HISTORY_H
#define HP_MODEL_HISTORY_H

#include "base/packing.h"
#include "base/vec.h"
#include "model/error.h"

// From this number on stacks are in runs (stack_runs.h), not in memory.
#define HP_RUN_STACKS (UINT32_C(1) << 31)

// What one stack of one dump is estimated to be.
struct hp_observation {
    uint32_t stack; // of the profile
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS]; // {0} where they are not kept
};

struct hp_history_block {
    uint32_t input;  // the number it was begun with
    uint32_t batch;  // in `batches`
    size_t at, size; // in that, unpacked
};

// What was packed together, of one thread.
struct hp_history_batch {
    uint32_t map; // in `maps`
    size_t size, packed_size;
    uint8_t *packed;
};

// Stacks as they were numbered -> as they are.
struct hp_history_map {
    uint32_t *to;
    size_t count;
};

// {0} keeps nothing.
struct hp_history {
    bool is_kept;
    HP_VEC(struct hp_history_block) blocks;
    HP_VEC(struct hp_history_batch) batches;
    HP_VEC(struct hp_history_map) maps; // [0] is {NULL}: no change
    HP_VEC(uint8_t)
    pending; // not packed yet; from `start` on of the input that is being read
    size_t start;
    uint32_t last_stack;
    struct hp_history_cache *cache; // of each of `maps`, for who reads
    size_t cache_count;
    struct hp_packer packer;
};

void hp_history_done(struct hp_history *history);

// Observations of one input are put between begin and end.
void hp_history_begin(struct hp_history *history);
void hp_history_put(struct hp_history *history, uint32_t stack,
                    const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]);
void hp_history_end(struct hp_history *history, uint32_t input);

// Take over the blocks of `other`, whose `stack_count` stacks are called map[stack] here; those in
// runs are `runs` further on.
void hp_history_absorb(struct hp_history *history, struct hp_history *other,
                       const uint32_t *map, size_t stack_count, uint64_t runs);

// Stacks in memory have become those of a run; no input has been begun.  Takes over the map.
void hp_history_renumber(struct hp_history *history, struct hp_history_map to);

// When nothing more comes, and before anything is read, by one thread at a time.
void hp_history_sort(struct hp_history *history);

// {0} is ready for hp_history_open().
struct hp_history_reader {
    uint8_t *bytes;
    size_t size, at, room;
    const uint32_t *map; // or NULL
    uint32_t stack, input;
    const struct hp_history *history;
    size_t next; // block: of shards that were joined there are several of an input
};

// Begin with what an input added; nothing if it was not used.
void hp_history_open(struct hp_history_reader *reader, const struct hp_history *history,
                     uint32_t input);
bool hp_history_next(struct hp_history_reader *reader,
                     struct hp_observation *observation);
void hp_history_done_reading(struct hp_history_reader *reader);

#endif
