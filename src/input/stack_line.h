// The "@ 0x55d0 0x55e8" lines of a dump: text -> numbers of addresses, fast.
//
// Neighbouring lines of a dump share their leaf frames, so each line is first compared
// with the one before it; what is left is looked up as text in the dump's tokens.
#ifndef HP_INPUT_STACK_LINE_H
#define HP_INPUT_STACK_LINE_H

#include "base/cursor.h"
#include "model/dump.h"

enum {
    HP_DEPTH_LIMIT = 65536,
};

// The distinct address tokens of one dump: text -> number, without decoding the text
// again each time.  A dump has 40 to 500 times fewer distinct addresses than frames.
struct hp_token_slot {
    uint64_t head, tail;
    uint32_t id;
    uint32_t mark; // epoch << 5 | size
};

struct hp_tokens {
    struct hp_token_slot *slots;
    size_t slot_count, used;
    uint32_t epoch; // slots of other epochs are free: clearing costs nothing
    uint64_t key;   // of the hash
};

// {0} is empty.
struct hp_stack_lines {
    struct hp_tokens tokens;
    const char *previous;  // the line before, behind its '@'; NULL at first
    size_t previous_size;  // with its newline
    size_t previous_frame; // its first, in dump->frames
    HP_VEC(uint32_t) ends; // offset of the byte behind each of its tokens
    bool is_too_deep;      // some line had more frames than HP_DEPTH_LIMIT
};

void hp_stack_lines_clear(struct hp_stack_lines *lines);
// The line before is about to move away.
void hp_stack_lines_forget(struct hp_stack_lines *lines);
void hp_stack_lines_done(struct hp_stack_lines *lines);

// With *c behind the '@': append the frames to dump->frames and step over the newline.
// On failure nothing is appended.
void hp_stack_line_read(struct hp_stack_lines *lines, struct hp_cursor *c,
                        struct hp_dump *dump);

#endif
