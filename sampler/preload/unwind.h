// Take the stack of the caller as return addresses, leaf first.
#ifndef HPS_PRELOAD_UNWIND_H
#define HPS_PRELOAD_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_UNWIND_FRAMES = 128 // largest number of frames taken
};

// The address range of a thread's stack, which stays readable as long as the thread
// lives.  {0}: not known yet.
struct hps_stack_area {
    uintptr_t start, end;
};

// Make the unwinder allocate now, not inside malloc(), what it needs at its first use.
void hps_unwind_prepare(void);

// Take the stack with the unwinder of the C++ runtime.  It needs tables for all code, but
// no frame pointers.  Frames of this library are excluded.  Returns the number of frames.
uint32_t hps_unwind(uintptr_t frames[HPS_UNWIND_FRAMES]);

// Take the stack by frame pointers, from `frame` (a __builtin_frame_address(0)) on.  Code
// that uses the register for something else ends the walk or adds wrong frames, but is
// harmless.  `area` belongs to the calling thread and is updated.  Returns the number of
// frames.
uint32_t hps_unwind_frame_pointers(uintptr_t frames[HPS_UNWIND_FRAMES], const void *frame,
                                   struct hps_stack_area *area);

#endif
