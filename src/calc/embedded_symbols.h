// Symbols that are embedded in dumps or partials.  They are collected separately from the
// profile until all dumps have been added.
//
// If two dumps have different names for a frame, the names that come first in byte order
// are used, so that the result does not depend on the order of dumps.  Names from dumps
// are preferred to names that a partial took from a binary.  Of two sets of names from
// binaries the one with more inlined calls is used.
#ifndef HP_CALC_EMBEDDED_SYMBOLS_H
#define HP_CALC_EMBEDDED_SYMBOLS_H

#include "model/dump.h"
#include "model/profile.h"

// The symbols of one frame so far.
struct hp_embedded_frame {
    uint32_t first_line, lines; // range in hp_embedded_symbols.lines
    bool disputed;              // dumps had different names
    // The names were taken from a binary and stored in a partial, not embedded in a dump.
    bool is_of_file;
};

// The symbols of all frames of a profile so far.  {0} is empty.  Free it with
// hp_embedded_symbols_done().
struct hp_embedded_symbols {
    // By frame number in the profile.  An entry without lines has no names; frames past
    // the end have none either.
    HP_VEC(struct hp_embedded_frame) frames;
    HP_VEC(struct hp_line) lines; // strings are in profile->strings
};

// Add the symbols that the dump has for its addresses.  frames[i] is the frame in the
// profile of dump->addresses.at[i].
void hp_embedded_symbols_add(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, const struct hp_dump *dump,
                             const hp_frame_id *frames);

// Add symbols of one frame that were read from a partial: account->lines elements of
// `lines`, whose strings must be in profile->strings.
void hp_embedded_symbols_put(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, hp_frame_id frame,
                             const struct hp_embedded_frame *account,
                             const struct hp_line *lines);

// Give a frame that has no symbols those of another frame.
void hp_embedded_symbols_copy(struct hp_embedded_symbols *embedded, hp_frame_id from,
                              hp_frame_id to);

// Add the symbols of `other`, which the profile is about to absorb: call it before
// hp_profile_absorb().  Strings, modules and frames are imported.
void hp_embedded_symbols_absorb(struct hp_embedded_symbols *embedded,
                                struct hp_profile *profile,
                                const struct hp_embedded_symbols *other_embedded,
                                const struct hp_profile *other);

// Copy the symbols to the frames of the profile.  Returns the number of frames for which
// dumps have different names.
size_t hp_embedded_symbols_settle(const struct hp_embedded_symbols *embedded,
                                  struct hp_profile *profile);

void hp_embedded_symbols_done(struct hp_embedded_symbols *embedded);

#endif
