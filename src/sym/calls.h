// Call instructions: whether a call returns to an address, judged by the machine code
// around it.
#ifndef HP_SYM_CALLS_H
#define HP_SYM_CALLS_H

#include "model/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_image;

// Whether a call, a signal handler or nothing returns to an address, by the code around
// it.
enum hp_return {
    HP_RETURN_UNKNOWN, // no code was examined, or its machine is unknown
    HP_RETURN_OF_CALL, // a call ends right before it
    HP_RETURN_OF_NONE, // anything else is before it, or no code at all
    // A signal handler returns there, and the interrupted code continues.
    HP_RETURN_OF_SIGNAL,
    HP_RETURNS,
};

// Whether calls can be recognized in the code of the image: there are rules for its
// machine.
bool hp_calls_are_known(const struct hp_image *image);

// The alignment of instructions in bytes; 0 if there are no rules for the machine.
unsigned hp_calls_unit(const struct hp_image *image);

// Callbacks for places found in code.  A place is given as a number of code units
// (alignment of instructions) from hp_calls_piece.bytes; it may be the end of these
// bytes.
struct hp_calls_at {
    void *data;                              // passed to both functions
    void (*call)(void *data, uint64_t unit); // reports a place that a call returns to
    // Reports a place that a signal handler returns to.
    void (*signal)(void *data, uint64_t unit);
};

enum {
    // Bytes before and after an address that decide what its code is.
    HP_CALLS_AROUND = 16,
};

// A piece of an executable segment: bytes[begin] to bytes[end - 1], with a margin of
// HP_CALLS_AROUND bytes before and after, fewer at the edges of the segment; `size` bytes
// with these margins.  After them there must be room for 17 more bytes with any content.
struct hp_calls_piece {
    const unsigned char *bytes;
    size_t size, begin, end;
};

// Report to `found` the places in a piece that calls or signal handlers return to,
// including the end of the piece if that is the end of the segment.  Reports none if
// there are no rules for the machine.
void hp_calls_scan(const struct hp_image *image, const struct hp_calls_piece *piece,
                   const struct hp_calls_at *found);

// A buffer with the bytes of the file that were read last: those around one address often
// contain the next.  {0} is ready to use.
struct hp_code_window {
    // Offset in the file of bytes[0].
    uint64_t offset;
    // Number of bytes of the file in `bytes`.
    size_t size;
    unsigned char bytes[4096];
};

// Classify the code around a return address, by the rules of the image's machine.
enum hp_return hp_calls_return_at(const struct hp_image *image,
                                  struct hp_code_window *window,
                                  enum hp_address_kind kind, uint64_t address);

// Find the target of the call that returns to `address`, as an address of the file.
// Returns false if the target is in an operand at run time (a register or memory), or is
// unknown.
bool hp_calls_target(const struct hp_image *image, struct hp_code_window *window,
                     enum hp_address_kind kind, uint64_t address, uint64_t *target);

#endif
