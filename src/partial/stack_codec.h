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
#include "partial/part_numbers.h"
#include "partial/slots.h"

// The frames of a module, which have consecutive numbers.
struct hp_module_frames {
    uint32_t first, count;
};

// Frames by module, and the module of each frame. {0} is empty.
struct hp_frame_table {
    HP_VEC(uint32_t) module; // module of each frame; empty after hp_frame_table_take()
    HP_VEC(struct hp_module_frames) of; // frames of each module
};

// Append a frame, which gets the next number.
void hp_frame_table_add(struct hp_frame_table *table, uint32_t module);
// Free the table.
void hp_frame_table_done(struct hp_frame_table *table);

// Make a table for decoding only: the frames of module i end before frame ends[i].
void hp_frame_table_take(struct hp_frame_table *table, const uint32_t *ends,
                         size_t modules);

// Sum of a stack's bytes over the dumps of one group.
struct hp_group_sum {
    uint32_t group;  // number of the group, below HP_REPLICATES
    hp_int128 bytes; // whole bytes, never 0
};

// One stack, as the codec sees it.
struct hp_stack_row {
    uint32_t set;                          // number of its set of labels; 0: none
    HP_VEC(uint32_t) path;                 // frames, root first
    struct hp_size_part whole[HP_COLUMNS]; // values of the stack; size is not used
    HP_VEC(struct hp_size_part) parts[HP_COLUMNS];  // in order of size, mixed sizes first
    bool is_full[HP_COLUMNS];                       // there were more sizes than are kept
    HP_VEC(struct hp_group_sum) groups[HP_COLUMNS]; // in order of group
};

// Make a row empty; keeps its memory.
void hp_stack_row_clear(struct hp_stack_row *row);
// Free the memory of a row.
void hp_stack_row_done(struct hp_stack_row *row);

// Columns of a block. Indented columns have one number for each frame, part or group that
// the column before has counted.
enum hp_stack_column {
    HP_STACK_SET,     // set of labels
    HP_STACK_SHARED,  // frames shared with the stack before, from the root on
    HP_STACK_FURTHER, // number of further frames; for each of them:
    HP_STACK_MODULE,  //    how long ago its module was met, or the module's number
    HP_STACK_BYTE,    //    number of the frame in its module, if that has 256 or fewer
    HP_STACK_LOW,     //    else low byte of that number
    HP_STACK_HIGH,    //    and the rest of it
    HP_STACK_PARTS,   // number of parts, for each metric column; for each part:
    HP_STACK_SIZE,    //    size
    HP_STACK_MARKS,   //    set of the numbers that differ from their prediction
    // Numbers of the stack that differ from the sum of its parts, and by how much.
    HP_STACK_REST,
    HP_STACK_NUMBERS, // differences of a part's numbers
    HP_STACK_MIXED = HP_STACK_NUMBERS + HP_PART_NUMBERS, // the same, for mixed sizes
    // Number of groups of dumps that have the stack, + 1, for each metric column, 0
    // meaning the same groups as in the column before; for each group:
    HP_STACK_GROUPS = HP_STACK_MIXED + HP_PART_NUMBERS,
    HP_STACK_GROUP, //    distance from the group before
    HP_STACK_UNITS, //    sum in units of struct hp_sample_unit
    HP_STACK_SUM,   //    rest of the sum
    HP_STACK_LAST,  // for the last group: difference from the rest of the stack
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
    // Number in the profile of each frame read; NULL: frames keep their numbers of the
    // file.
    const uint32_t *names;
    // Whether stacks have sums of groups of dumps; a decoder gets it from each block.
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

// Append a stack to the columns.
void hp_stack_encode(struct hp_stack_codec *codec, const struct hp_stack_row *row);
// Bytes in the columns so far.
size_t hp_stack_codec_size(const struct hp_stack_codec *codec);
// Write the columns as a block, if there are any, and begin a new one.
void hp_stack_encode_end(struct hp_stack_codec *codec, struct hp_block_writer *blocks);

// Number of stacks in a block, found without decoding them.
size_t hp_stack_count(const struct hp_numbers *block);

// Whether a file of that many compressed bytes can have stacks with that many frames in
// all. Only a malicious file exceeds the limit: real stacks share fewer frames.
#define HP_STACK_FRAMES_TOO_MANY "stacks of more frames than any file of its size has"
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
