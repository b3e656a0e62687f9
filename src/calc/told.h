// The names that dumps themselves tell, kept beside a profile until all dumps are in it.
//
// Where two dumps tell different names of one frame, those hold that come first in byte
// order, so that the order of dumps changes nothing.
#ifndef HP_CALC_TOLD_H
#define HP_CALC_TOLD_H

#include "model/dump.h"
#include "model/profile.h"

struct hp_told_frame {
    uint32_t first_line, lines; // in `lines` below
    bool disputed;
};

struct hp_told_build {
    hp_string id; // of the profile; "" for none
    bool disputed;
};

// {0} is empty.
struct hp_told {
    HP_VEC(struct hp_told_frame)
    frames;                       // of the profile's first frames; no lines: untold
    HP_VEC(struct hp_line) lines; // their strings are the profile's
    HP_VEC(struct hp_told_build) builds; // of the profile's first modules
};

// Note what the dump tells of its addresses, whose frames in the profile are `frames`, and
// of the files they are in.
void hp_told_note(struct hp_told *told, struct hp_profile *profile,
                  const struct hp_dump *dump, const hp_frame_id *frames);

// Note what was told of the frames of `other`, which the profile is about to absorb.
void hp_told_absorb(struct hp_told *told, struct hp_profile *profile,
                    const struct hp_told *other_told, const struct hp_profile *other);

// Name the frames of the profile, and the builds of its modules.  Returns of how many the
// dumps told different names.
size_t hp_told_settle(const struct hp_told *told, struct hp_profile *profile);

void hp_told_done(struct hp_told *told);

#endif
