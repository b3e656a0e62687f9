// The history: the estimate of each stack in each input (what the input added to the
// sum of the stack), for reports that compare inputs.
//
// The history is written once, while the inputs are read, and is kept compressed in a few
// bytes for each observation.  A report decodes it one input at a time.
#ifndef HP_MODEL_HISTORY_H
#define HP_MODEL_HISTORY_H

#include "base/error.h"
#include "base/packing.h"
#include "base/vec.h"

// Stack numbers from here on are stacks in runs (stack_runs.h), not in memory.
#define HP_RUN_STACKS (UINT32_C(1) << 31)

// The estimate of one stack in one dump.
struct hp_observation {
    uint32_t stack; // number of the stack in the profile
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS]; // {0} if errors are not kept
};

// The observations of one input, or of a part of it.
struct hp_history_block {
    uint32_t input;  // number of the input when the block was begun
    uint32_t batch;  // index in `batches`
    size_t at, size; // range in the unpacked batch, in bytes
};

// A compressed batch of blocks that one thread wrote.
struct hp_history_batch {
    uint32_t map;             // index in `maps`
    size_t size, packed_size; // bytes before and after packing
    uint8_t *packed;
};

// Maps stack numbers at the time of writing to current numbers.
struct hp_history_map {
    uint32_t *to;
    size_t count;
};

// The history of a profile: for each input, the estimate of every stack that it has.
// {0} keeps nothing.
struct hp_history {
    bool is_kept;
    HP_VEC(struct hp_history_block) blocks;
    HP_VEC(struct hp_history_batch) batches;
    HP_VEC(struct hp_history_map) maps; // [0] is {NULL}: the numbers are unchanged
    // Bytes that are not packed yet; those from `start` on are of the input that is being
    // read.
    HP_VEC(uint8_t) pending;
    size_t start;
    // The stack of the last observation, to which the next one is relative.
    uint32_t last_stack;
    // The batch unpacked last, for each of `maps`: consecutive inputs were often written
    // by different threads.
    struct hp_history_cache *cache;
    size_t cache_count;
    struct hp_packer packer; // memory of the compressor
};

void hp_history_done(struct hp_history *history);

// Write the observations of one input: hp_history_put() for each stack, between begin and
// end.  An error of NULL is read as {0}.  hp_history_begin() discards the observations of
// an input that was not ended.
void hp_history_begin(struct hp_history *history);
void hp_history_put(struct hp_history *history, uint32_t stack,
                    const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]);
void hp_history_end(struct hp_history *history, uint32_t input);

// Take over the blocks of `other`.  Its stack i of `stack_count` stacks in memory becomes
// map[i]; `runs` is added to the numbers of its stacks in runs.
void hp_history_absorb(struct hp_history *history, struct hp_history *other,
                       const uint32_t *map, size_t stack_count, uint64_t runs);

// Renumber all stacks in memory, which have become stacks of a run: stack i becomes
// to.to[i].  There must be no input that was begun and not ended.  Takes ownership of
// to.to.
void hp_history_renumber(struct hp_history *history, struct hp_history_map to);

// Pack what is pending and sort blocks by input.  To be called when writing has ended and
// before reading begins.  The history can then be read by one thread at a time.
void hp_history_sort(struct hp_history *history);

// The state of reading one input.  {0} is ready for hp_history_open().
struct hp_history_reader {
    uint8_t *bytes;
    // Bytes of the block, the position in it, and the capacity of `bytes`.
    size_t size, at, room;
    const uint32_t *map; // maps stack numbers of the block; NULL: they are unchanged
    // Number of the last stack as it was written; number of the input that is read.
    uint32_t stack, input;
    const struct hp_history *history;
    // Index of the next block.  An input has several blocks if the profile was joined
    // from shards, because each shard has some of its stacks.
    size_t next;
};

// Begin to read the observations of an input; it has none if it was not used.
// hp_history_sort() must have been called.
void hp_history_open(struct hp_history_reader *reader, const struct hp_history *history,
                     uint32_t input);
// Read the next observation.  Returns false after the last.
bool hp_history_next(struct hp_history_reader *reader,
                     struct hp_observation *observation);
// Free the memory of the reader, which is {0} afterwards.
void hp_history_done_reading(struct hp_history_reader *reader);

#endif
