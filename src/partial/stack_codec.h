// The encoding of stacks in a partial. A block has some thousand stacks. Each number of a
// stack has its own column, and is stored as the difference from a prediction made from
// the numbers before it.
//
//     for each stack, in the order of their keys:
//         hp_stack_encode(&codec, &row);
//         if (hp_stack_codec_size(&codec) >= HP_BLOCK_FULL)
//             hp_stack_encode_end(&codec, &blocks);
//     hp_stack_encode_end(&codec, &blocks);
//
//     for each block:
//         hp_stack_decode_begin(&codec, &bytes);
//         while (hp_stack_decode(&codec, &row)) ...
//
// A block is decoded without any other block. Frames are numbered as in the file.
#ifndef HP_PARTIAL_STACK_CODEC_H
#define HP_PARTIAL_STACK_CODEC_H

#include "model/between.h"
#include "model/sizes.h"
#include "partial/blocks.h"
#include "partial/slots.h"

// --- part numbers ----------------------------------------------------------------------
//
// The numbers of a part of a stack (struct hp_size_part), and a prediction of each, so
// that only differences have to be stored. Estimates of equally many objects of one size,
// sampled equally often, are the same in every stack: that is why predictions are mostly
// right.

// The numbers of a part (the objects of one size in a stack). Their order matters: each
// number is predicted from the numbers before it.
enum hp_part_number {
    HP_PART_SAMPLES,  // objects sampled
    HP_PART_PERIOD,   // largest sample period, in bytes
    HP_PART_FLAGS,    // HP_ERROR_MIXED and others
    HP_PART_OBJECTS,  // estimated objects, in fixed point
    HP_PART_BYTES,    // estimated bytes, in fixed point
    HP_PART_WEIGHT,   // bits of a double: objects that one sample represents, at most
    HP_PART_VARIANCE, // variance of the estimated bytes
    HP_PART_OBJECTS_VARIANCE, // variance of the estimated objects
    HP_PART_OBSERVED,         // bytes that were sampled themselves
    HP_PART_HIDDEN,           // bytes that other sizes may hide, at most
    HP_PART_EXCESS,           // bytes that the estimate may have too many, at most
    // Number of stacks by how their object sizes were recovered: enum hp_read.
    HP_PART_UNIQUE,  // HP_READ_UNIQUE
    HP_PART_SEVERAL, // HP_READ_SEVERAL
    HP_PART_NONE,    // HP_READ_NONE
    HP_PART_NUMBERS,
};

// The numbers of one part, which is the objects of one size in a stack, by enum
// hp_part_number; all are modulo 2^128.
struct hp_part_numbers {
    hp_uint128 of[HP_PART_NUMBERS];
};

// For one object size and sample period: the numbers of the part (objects of one size in
// a stack) with most samples so far.
struct hp_known_part {
    uint64_t key[2]; // size, period; first member, as struct hp_index requires
    hp_uint128 samples, objects, bytes, weight, variance, objects_variance;
};

// The unit of sums over replicates: the estimated bytes that one sample of an object of
// this size represents, bytes / samples of the part for which this is least. Parts with
// more bytes per sample include dumps of a longer sample period.
struct hp_sample_unit {
    uint64_t size;             // first member, as struct hp_index requires
    hp_uint128 bytes, samples; // bytes in fixed point; number of samples
};

// The parts (objects of one size in a stack) of a block seen so far, by which the next
// ones are predicted. {0} is empty.
struct hp_part_context {
    struct hp_index index;              // finds an entry of `known` by its key
    HP_VEC(struct hp_known_part) known; // one for each size and period
    uint32_t last;                      // index in `known` of the part looked up last
    // Period of the last part; flags of the last part of mixed sizes.
    hp_uint128 period, mixed_flags;
    struct hp_index unit_index;          // finds an entry of `units` by its size
    HP_VEC(struct hp_sample_unit) units; // one for each size
    uint32_t last_unit;                  // index in `units` of the unit looked up last
};

// Return the numbers of a part, which is the objects of one size in a stack.
struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part);

// Store numbers in `part`, the objects of one size in a stack; its size and is_likely are
// unchanged. Returns false if a number is out of range; the part is then unusable.
HP_MUST_CHECK bool hp_part_numbers_get(const struct hp_part_numbers *numbers,
                                       struct hp_size_part *part);

// Add the numbers of a part (the objects of one size in a stack) to `sum`, which begins
// as {0}. Flags are combined, period and weight are the largest: the result is the
// numbers of the whole stack, if it is the sum of its parts.
void hp_part_numbers_add(struct hp_part_numbers *sum, const struct hp_part_numbers *part);

// Write: set `off` to the difference of each of `numbers` from its prediction. Read: set
// `numbers` to the predictions plus `off`. Only size and is_likely of `part` are used.
// Both add the part to the context, so that writer and reader make the same predictions.
void hp_part_numbers_write(struct hp_part_context *context,
                           const struct hp_size_part *part,
                           struct hp_part_numbers *numbers, struct hp_part_numbers *off);
void hp_part_numbers_read(struct hp_part_context *context,
                          const struct hp_size_part *part,
                          struct hp_part_numbers *numbers, struct hp_part_numbers *off);

// Return the size of `count` units in whole bytes, rounded; and the number of units that
// is closest to `sum` whole bytes, which is 0 for a negative sum.
hp_uint128 hp_sample_units(const struct hp_sample_unit *unit, hp_uint128 count);
hp_uint128 hp_sample_units_in(const struct hp_sample_unit *unit, hp_int128 sum);

// Make a part of one size, which has `numbers`, the unit of that size if it is the first
// or has fewer bytes per sample than the unit. hp_part_context_unit() returns the unit of
// a size, or NULL if no part of it with samples was recorded; the pointer is valid until
// the next call.
void hp_part_context_add_unit(struct hp_part_context *context, uint64_t size,
                              const struct hp_part_numbers *numbers);
const struct hp_sample_unit *hp_part_context_unit(struct hp_part_context *context,
                                                  uint64_t size);

// Forget all parts (objects of one size in a stack) that predict others, as at the end of
// a block, and free the memory.
void hp_part_context_clear(struct hp_part_context *context);

// --- stack codec -----------------------------------------------------------------------

// The frames of a module, which have consecutive numbers.
struct hp_module_frames {
    uint32_t first, count;
};

// The numbers of frames that each module has, and the module of each frame. {0} is empty.
struct hp_frame_table {
    HP_VEC(uint32_t) module; // module of each frame; empty after hp_frame_table_take()
    HP_VEC(struct hp_module_frames) of; // frames of each module
};

// Append a frame of a module; it gets the next number. All frames of one module must be
// appended one after the other.
void hp_frame_table_add(struct hp_frame_table *table, uint32_t module);
// Free the table.
void hp_frame_table_done(struct hp_frame_table *table);

// Make a table for decoding only: the frames of module i end before frame ends[i].
void hp_frame_table_take(struct hp_frame_table *table, const uint32_t *ends,
                         size_t modules);

// Sum of the bytes of a stack over the dumps of one replicate (model/between.h).
struct hp_group_sum {
    uint32_t group;  // number of the replicate, below HP_REPLICATES
    hp_int128 bytes; // whole bytes, never 0
};

// One stack, as the codec sees it.
struct hp_stack_row {
    uint32_t set;          // number of its set of labels; 0: none
    HP_VEC(uint32_t) path; // frames, root first
    // Values and errors of the stack; the member `size` is not used.
    struct hp_size_part whole[HP_COLUMNS];
    HP_VEC(struct hp_size_part) parts[HP_COLUMNS]; // in order of size, mixed sizes first
    bool is_full[HP_COLUMNS]; // the stack has more sizes than are kept
    HP_VEC(struct hp_group_sum) groups[HP_COLUMNS]; // sums by number of replicate
};

// Make a row empty; keeps its memory.
void hp_stack_row_clear(struct hp_stack_row *row);
// Free the memory of a row.
void hp_stack_row_done(struct hp_stack_row *row);

// Columns of a block of stacks. Those whose comments are indented have one number for
// each frame, part (objects of one size) or replicate that the column before has counted.
enum hp_stack_column {
    HP_STACK_SET,     // set of labels
    HP_STACK_SHARED,  // frames shared with the stack before, from the root on
    HP_STACK_FURTHER, // number of further frames; for each of them:
    HP_STACK_MODULE,  //    how long ago its module was met, or the module's number
    HP_STACK_BYTE,    //    number of the frame in its module, if that has 256 or fewer
    HP_STACK_LOW,     //    else low byte of that number
    HP_STACK_HIGH,    //    and the number without its low byte
    HP_STACK_PARTS,   // number of parts, for each metric column; for each part:
    HP_STACK_SIZE,    //    bytes of an object, or HP_MIXED_SIZES
    HP_STACK_MARKS,   //    set of the numbers that differ from their prediction
    // Numbers of the stack that differ from the sum of its parts, and by how much.
    HP_STACK_REST,
    // Differences of the numbers of a part of one size, and of a part of mixed sizes.
    HP_STACK_NUMBERS,
    HP_STACK_MIXED = HP_STACK_NUMBERS + HP_PART_NUMBERS,
    // Number of replicates whose dumps have the stack, + 1, for each metric column, 0
    // meaning the same replicates as in the column before; for each replicate:
    HP_STACK_GROUPS = HP_STACK_MIXED + HP_PART_NUMBERS,
    HP_STACK_GROUP, //    distance from the number of the replicate before
    HP_STACK_UNITS, //    sum of the stack's bytes in units of struct hp_sample_unit
    HP_STACK_SUM,   //    that sum less these units, in bytes
    // For the last replicate instead of both: sum less what the sums before leave of the
    // bytes of the stack.
    HP_STACK_LAST,
    HP_STACK_COLUMNS,
};

enum {
    HP_STACK_MODULES = 8,        // modules remembered by how long ago they were met
    HP_STACK_DEPTH_MOST = 65536, // frames of a stack at most
    // Parts of a stack at most: all sizes and the mixed one.
    HP_STACK_PARTS_MOST = HP_SIZES_OF_STACK + 1,
};

// State of an encoder or a decoder. {.frames = table} is ready for the first stack.
struct hp_stack_codec {
    const struct hp_frame_table *frames;
    // By number of a frame in the file, its number in the profile, which decoded stacks
    // get; NULL: they get the numbers of the file.
    const uint32_t *names;
    // Whether stacks have sums over replicates; a decoder gets it from each block.
    bool has_groups;
    struct hp_bytes out[HP_STACK_COLUMNS];  // columns to write
    struct hp_numbers in[HP_STACK_COLUMNS]; // columns to read
    struct hp_part_context context;         // parts of the block so far
    HP_VEC(uint32_t) last; // path of the stack before; decoded paths use `names`
    uint32_t modules[HP_STACK_MODULES]; // modules met last, the latest first
    uint32_t module_count;              // modules in `modules`
    // Its `damage` is the fault of the block that is read, or NULL.
    struct hp_numbers state;
};

// Append a stack to the columns. Its frames have the numbers of codec->frames.
void hp_stack_encode(struct hp_stack_codec *codec, const struct hp_stack_row *row);
// Return the number of bytes in the columns so far.
size_t hp_stack_codec_size(const struct hp_stack_codec *codec);
// Write the columns as a block, if there are any, and begin a new one.
void hp_stack_encode_end(struct hp_stack_codec *codec, struct hp_block_writer *blocks);

// Return the number of stacks in a block, without decoding them.
size_t hp_stack_count(const struct hp_numbers *block);

// Whether the stacks in `packed_bytes` compressed bytes can have `frames` frames in all.
// Only a malicious file exceeds the limit: real stacks share fewer frames.
#define HP_STACK_FRAMES_TOO_MANY      \
    HP_WORDS("stack-frames-too-many", \
             "stacks of more frames than any file of its size has")
bool hp_stack_frames_fit(uint64_t frames, uint64_t packed_bytes);

// Begin to decode a block. Its bytes must stay valid and unchanged until the block is
// decoded.
void hp_stack_decode_begin(struct hp_stack_codec *codec, struct hp_numbers *block);
// Decode the next stack. Returns false after the last stack and after damage, which is
// then in codec->state.damage.
bool hp_stack_decode(struct hp_stack_codec *codec, struct hp_stack_row *row);

// Free the codec's memory.
void hp_stack_codec_done(struct hp_stack_codec *codec);

#endif
