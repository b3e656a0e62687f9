// Resolves addresses of one process to (module, address in its file), with the dump's own memory map.
#ifndef HP_CALC_RESOLVE_H
#define HP_CALC_RESOLVE_H

#include "base/hash.h"
#include "model/dump.h"
#include "model/profile.h"

// Where the code of one row of the map belongs.
struct hp_resolved_row {
    uint64_t address; // of the row's first byte in the module
    hp_module_id module;
};

// One file mapped by adjacent rows.
struct hp_run {
    uint32_t first_row, last_row;
    uint64_t code_start, code_end; // in the file; 0 and 0 without executable rows
    hp_module_id module;
    bool known;
};

// Scratch memory, kept from dump to dump.  {0} is ready for use.
struct hp_resolver {
    HP_VEC(uint32_t) image_of;           // of each row, + 1; 0 for none
    HP_VEC(uint32_t) resolved_of;        // the same; 0: not asked for yet
    HP_VEC(struct hp_resolved_row) rows; // of those that were asked for
    HP_VEC(struct hp_run) images;
    struct hp_index wholes; // images of more than one row, the first of each path
    bool has_wholes;        // it is made when it is asked
    bool is_64_bit;         // the map
    HP_VEC(struct hp_extent) extents; // of the image at hand
    HP_VEC(hp_frame_id) frames;       // of each of the dump's addresses
    uint64_t unmapped;                // addresses in no row
    bool keeps_unmapped; // else they are one frame if there is a map: nowhere
};

// Find the frame of each address of the dump: resolver->frames.
void hp_resolve(struct hp_resolver *resolver, const struct hp_dump *dump,
                struct hp_profile *profile);

void hp_resolver_done(struct hp_resolver *resolver);

#endif
