// The symbols that are embedded in the dumps themselves, kept beside a profile until all dumps
// are in it.
//
// Where two dumps have different names of one frame, those hold that come first in byte
// order, so that the order of dumps changes nothing.  Names of dumps hold where a partial has those of a file as well;
// of two files these with more inlined calls.
#ifndef HP_CALC_EMBEDDED_SYMBOLS_H
#define HP_CALC_EMBEDDED_SYMBOLS_H

#include "model/dump.h"
#include "model/profile.h"

struct hp_embedded_frame {
    uint32_t first_line, lines; // in `lines` below
    bool disputed;
    bool is_of_file; // not of a dump: the names that a file had, in a partial
};

// {0} is empty.
struct hp_embedded_symbols {
    HP_VEC(struct hp_embedded_frame)
    frames;                       // of the profile's first frames; no lines: no names
    HP_VEC(struct hp_line) lines; // their strings are the profile's
};

// Add what the dump has of its addresses, whose frames in the profile are `frames`.
void hp_embedded_symbols_add(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, const struct hp_dump *dump,
                             const hp_frame_id *frames);

// What somebody else has found of a frame; the texts are the profile's.
void hp_embedded_symbols_put(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, hp_frame_id frame,
                             const struct hp_embedded_frame *account,
                             const struct hp_line *lines);

// Add what there is of the frames of `other`, which the profile is about to absorb.
void hp_embedded_symbols_absorb(struct hp_embedded_symbols *embedded,
                                struct hp_profile *profile,
                                const struct hp_embedded_symbols *other_embedded,
                                const struct hp_profile *other);

// Name the frames of the profile.  Returns of how many the dumps have different names.
size_t hp_embedded_symbols_settle(const struct hp_embedded_symbols *embedded,
                                  struct hp_profile *profile);

void hp_embedded_symbols_done(struct hp_embedded_symbols *embedded);

#endif
