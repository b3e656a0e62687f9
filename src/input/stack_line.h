// The "@ 0x55d0 0x55e8" lines of a dump: text to numbers of addresses, fast.
//
// Neighbouring lines of a dump share their leaf frames, so each line is first compared
// with the line before it; the rest is looked up as text in the dump's table of tokens.
#ifndef HP_INPUT_STACK_LINE_H
#define HP_INPUT_STACK_LINE_H

#include "base/cursor.h"
#include "model/dump.h"

enum {
    HP_DEPTH_LIMIT = 65536, // frames of a stack at most
};

// Hash table of the distinct address tokens of one dump: from text to number, without
// decoding the text again each time. A dump has 40 to 500 times fewer distinct addresses
// than frames.
struct hp_token_slot {
    // The first 8 bytes of the token; and its last 8 if it is longer than 8, else 0.
    uint64_t head, tail;
    uint32_t id;   // index in dump->addresses
    uint32_t mark; // epoch << 5 | size of the token in bytes
};

struct hp_tokens {
    struct hp_token_slot *slots; // open addressing with linear probing; owned
    size_t slot_count, used;     // slots (a power of two), and those with a token
    uint32_t epoch;              // slots of other epochs are free: clearing costs nothing
    uint64_t key;                // random key of the hash function
};

// State kept from one stack line of a dump to the next. {0} is empty.
struct hp_stack_lines {
    struct hp_tokens tokens;
    const char *previous;  // text of the line before, after its '@'; NULL: none
    size_t previous_size;  // bytes of that line with its newline
    size_t previous_frame; // index of its first frame in dump->frames
    HP_VEC(uint32_t) ends; // end offset of each of its tokens
    bool is_too_deep;      // a line had more than HP_DEPTH_LIMIT frames
};

// Prepare for another dump; keeps the memory.
void hp_stack_lines_clear(struct hp_stack_lines *lines);
// Forget the line before, for callers that are about to move its text.
void hp_stack_lines_forget(struct hp_stack_lines *lines);
// Free the memory.
void hp_stack_lines_done(struct hp_stack_lines *lines);

// Read one line from *c, which is after the '@': append the frames to dump->frames and
// new addresses to dump->addresses, and advance past the newline. On failure, which *c
// records, no frame is appended.
void hp_stack_line_read(struct hp_stack_lines *lines, struct hp_cursor *c,
                        struct hp_dump *dump);

#endif
