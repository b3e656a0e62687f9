// Where a call came from, as return addresses, leaf first.
#ifndef HPS_PRELOAD_UNWIND_H
#define HPS_PRELOAD_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_UNWIND_FRAMES = 128
};

// A stack that is known to stay readable as long as its thread lives.  {0}: not looked for yet.
struct hps_stack_area {
    uintptr_t start, end;
};

// Have the unwinder make now what it makes when it is first used.
void hps_unwind_prepare(void);

// With the unwinder of the C++ runtime, which needs tables of all code but no frame pointers.
// Frames of this library are left out.  How many frames there are.
uint32_t hps_unwind(uintptr_t frames[HPS_UNWIND_FRAMES]);

// With frame pointers, from `frame` (of __builtin_frame_address(0)) on.  Code that uses the
// register for something else ends the walk or adds wrong frames, but does no harm.  `area`
// is the calling thread's.
uint32_t hps_unwind_frame_pointers(uintptr_t frames[HPS_UNWIND_FRAMES], const void *frame,
                                   struct hps_stack_area *area);

#endif
