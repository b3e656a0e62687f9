// Generated code: code that a process made while it ran, as a JIT compiler does.  It is
// in executable mappings that are no file's, at other addresses in each process.
//
// Its frames are in one module of their own, HP_GENERATED_MODULE.  The frame at address 0
// represents all addresses without a name.  A frame with a name has a hash of its names
// as its address, so that it is the same in all processes: hp_frame_is_by_names().
#ifndef HP_CALC_GENERATED_H
#define HP_CALC_GENERATED_H

#include "model/dump.h"
#include "model/profile.h"

// Return whether row `i` of the map, which is in no image and no hole of one, is
// generated code.
bool hp_generated_is_row(const struct hp_dump *dump, size_t i);

// Return the frame of generated code in the profile that has these names.  NULL: there
// are none.
struct hp_frame hp_generated_frame(struct hp_profile *profile, const struct hp_dump *dump,
                                   const struct hp_embedded_address *names);

#endif
