// Whether a call returns to an address, as the instructions around it tell.
#ifndef HP_SYM_CALLS_H
#define HP_SYM_CALLS_H

#include "model/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_image;

enum hp_return {
    HP_RETURN_UNKNOWN,   // nothing was looked at
    HP_RETURN_OF_CALL,   // a call is before it
    HP_RETURN_OF_NONE,   // something else is, or no code at all
    HP_RETURN_OF_SIGNAL, // a handler returns there, and what it interrupted goes on
    HP_RETURNS,
};

// Whether there are rules for the machine that the image is for.
bool hp_calls_are_known(const struct hp_image *image);

// What instructions are aligned to, in bytes; 0 if there are no rules for the machine.
unsigned hp_calls_unit(const struct hp_image *image);

// Where code is looked at, a unit after the other, the byte after the last included.
struct hp_calls_at {
    void *data;
    void (*call)(void *data, uint64_t unit);   // a call returns there
    void (*signal)(void *data, uint64_t unit); // a handler of signals does
};

enum {
    HP_CALLS_AROUND = 16, // bytes that tell what the code at an address is
};

// A piece of an executable segment, that from `begin` to `end`, with so many bytes around it; fewer are at the
// segment's edges.  Behind `size` there is room for 17 more, whatever they hold.
struct hp_calls_piece {
    const unsigned char *bytes;
    size_t size, begin, end;
};

// Look at all of a piece, and behind its end if that is the segment's.  Units are counted from its first byte.
void hp_calls_scan(const struct hp_image *image, const struct hp_calls_piece *piece,
                   const struct hp_calls_at *found);

// Bytes of the file that were read last: those around one address are often those around the next.
// {0} is ready.
struct hp_code_window {
    uint64_t offset;
    size_t size;
    unsigned char bytes[4096];
};

// What the code around an address is, by the rules of its machine.
enum hp_return hp_calls_return_at(const struct hp_image *image,
                                  struct hp_code_window *window,
                                  enum hp_address_kind kind, uint64_t address);

// Where the call that returns to an address goes, as an address of the file itself; false if an operand says so, or
// it cannot be told.
bool hp_calls_target(const struct hp_image *image, struct hp_code_window *window,
                     enum hp_address_kind kind, uint64_t address, uint64_t *target);

#endif
