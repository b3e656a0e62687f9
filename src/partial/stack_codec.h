// Stacks as they stand in a partial: some thousand of them make a block, number by number in columns
// of their own, each as what it is off from where the numbers before it lead one to expect it.
//
//     while there are stacks, in the order of their keys:
//         hp_stack_encode(&codec, &row);
//         if (hp_stack_codec_size(&codec) >= HP_BLOCK_FULL)
//             hp_stack_encode_end(&codec, &blocks);
//     hp_stack_encode_end(&codec, &blocks);
//
//     for each block:
//         hp_stack_decode_begin(&codec, &bytes);
//         while (hp_stack_decode(&codec, &row)) ...
//
// Nothing of a block is needed for the next.  Frames are numbered as in the file.
#ifndef HP_PARTIAL_STACK_CODEC_H
#define HP_PARTIAL_STACK_CODEC_H

#include "model/between.h"
#include "model/sizes.h"
#include "partial/part_numbers.h"
#include "partial/slots.h"

// Which frames each module has: those of one stand together.
struct hp_module_frames {
    uint32_t first, count;
};

struct hp_frame_table {
    HP_VEC(uint32_t) module; // of each frame
    HP_VEC(struct hp_module_frames) of;
};

void hp_frame_table_add(struct hp_frame_table *table, uint32_t module); // the next frame
void hp_frame_table_done(struct hp_frame_table *table);

// One to read by: those of module i stand before ends[i].
void hp_frame_table_take(struct hp_frame_table *table, const uint32_t *ends,
                         size_t modules);

// What the dumps of a group have of a stack.
struct hp_group_sum {
    uint32_t group;
    hp_int128 bytes; // whole ones, not 0
};

struct hp_stack_row {
    uint32_t set;                                   // of labels
    HP_VEC(uint32_t) path;                          // frames from the root on
    struct hp_size_part whole[HP_COLUMNS];          // of no size
    HP_VEC(struct hp_size_part) parts[HP_COLUMNS];  // by size, the mixed ones first
    bool is_full[HP_COLUMNS];                       // there were more parts than are kept
    HP_VEC(struct hp_group_sum) groups[HP_COLUMNS]; // by group
};

void hp_stack_row_clear(struct hp_stack_row *row); // keeps the memory
void hp_stack_row_done(struct hp_stack_row *row);

enum hp_stack_column {
    HP_STACK_SET,
    HP_STACK_SHARED,  // frames with the stack before it, from the root on
    HP_STACK_FURTHER, // frames behind these; of each
    HP_STACK_MODULE,  //     how long ago one of its module was met, or which it is
    HP_STACK_BYTE,    //     its number in there, if that has 256 or fewer; or of that
    HP_STACK_LOW,     //         the low byte
    HP_STACK_HIGH,    //         and the rest
    HP_STACK_PARTS,   // of each metric column how many, and of each part
    HP_STACK_SIZE,    //     its size
    HP_STACK_MARKS,   //     which numbers are off
    HP_STACK_REST, // which of the stack are off from those of its parts, and by how much
    HP_STACK_NUMBERS,                                    // by how much those of parts are
    HP_STACK_MIXED = HP_STACK_NUMBERS + HP_PART_NUMBERS, // of mixed sizes
    // Of each metric column how many groups of dumps have some; and of each
    HP_STACK_GROUPS = HP_STACK_MIXED + HP_PART_NUMBERS,
    HP_STACK_GROUP, //     which
    HP_STACK_UNITS, //     how many times what a sample stands for
    HP_STACK_SUM,   //     what is to be added to that; and of the last
    HP_STACK_LAST,  //     by how much that is off from the rest of the stack
    HP_STACK_COLUMNS,
};

enum {
    HP_STACK_MODULES = 8, // that are known by how long ago they were met
    HP_STACK_DEPTH_MOST = 65536,
    HP_STACK_PARTS_MOST = HP_SIZES_OF_STACK + 1,
};

// {.frames = table} is ready for the first stack.
struct hp_stack_codec {
    const struct hp_frame_table *frames;
    const uint32_t *names; // what each is called that is read; NULL: as in the file
    bool
        has_groups; // groups of dumps are told of; of a block that is read it tells itself
    struct hp_bytes out[HP_STACK_COLUMNS];
    struct hp_numbers in[HP_STACK_COLUMNS];
    struct hp_part_context context;
    HP_VEC(uint32_t) last;              // path of the stack before
    uint32_t modules[HP_STACK_MODULES]; // the latest first
    uint32_t module_count;
    struct hp_numbers
        state; // whose damage is what is wrong with the block that is read, or NULL
};

void hp_stack_encode(struct hp_stack_codec *codec, const struct hp_stack_row *row);
size_t hp_stack_codec_size(const struct hp_stack_codec *codec); // bytes in the columns
void hp_stack_encode_end(struct hp_stack_codec *codec, struct hp_block_writer *blocks);

// How many there are in a block.
size_t hp_stack_count(const struct hp_numbers *block);

// Whether any file of so many packed bytes has stacks of so many frames: what honest ones share is less.
#define HP_STACK_FRAMES_TOO_MANY "stacks of more frames than any file of its size has"
bool hp_stack_frames_fit(uint64_t frames, uint64_t packed_bytes);

// The bytes have to stay as they are.
void hp_stack_decode_begin(struct hp_stack_codec *codec, struct hp_numbers *block);
bool hp_stack_decode(struct hp_stack_codec *codec, struct hp_stack_row *row);

void hp_stack_codec_done(struct hp_stack_codec *codec);

#endif
