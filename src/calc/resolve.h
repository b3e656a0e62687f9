// Resolves addresses of one process to (module, address in its file), with the dump's own memory map.
#ifndef HP_CALC_RESOLVE_H
#define HP_CALC_RESOLVE_H

#include "base/hash.h"
#include "calc/temporary_paths.h"
#include "model/dump.h"
#include "model/profile.h"

// One file mapped by adjacent rows.
struct hp_run {
    uint32_t first_row, last_row;
    uint64_t code_start, code_end; // in the file; 0 and 0 without executable rows
    hp_module_id module;
    bool known;
    uint32_t
        asked; // its number in resolver->question.modules, + 1; 0: it is not in the question
};

// Where the code of one row of the map belongs.
struct hp_resolved_row {
    uint32_t row;         // of dump->mappings
    uint64_t shift;       // an address in the process + shift is the one in the module
    struct hp_run *image; // of a file; NULL: the row is a module of its own
    hp_module_id module;
    bool is_known; // the module
};

// Scratch memory, kept from dump to dump.  {0} is ready for use.
struct hp_resolver {
    HP_VEC(uint32_t) image_of;           // of each row, + 1; 0 for none
    HP_VEC(uint32_t) resolved_of;        // the same; 0: not asked for yet
    HP_VEC(struct hp_resolved_row) rows; // of those that were asked for
    HP_VEC(uint32_t) row_of; // of each address: in `rows`, + 1; 0: it is in none
    HP_VEC(struct hp_run) images;
    struct hp_proof_question question; // which files the dump's code is of
    HP_VEC(struct hp_extent) asked_extents;
    struct hp_strtab asked_names;
    struct hp_temporary_text name; // of the image at hand
    struct hp_index wholes;        // images of more than one row, the first of each path
    bool has_wholes;               // it is made when it is asked
    bool is_64_bit;                // the map
    HP_VEC(struct hp_extent) extents; // of the image at hand
    HP_VEC(hp_frame_id) frames;       // of each of the dump's addresses
    uint64_t unmapped;                // addresses in no row
    uint64_t unloaded;                // in rows that had been unloaded
    bool keeps_unmapped; // else they are one frame if there is a map: nowhere
};

// Find the row of each address of the dump, which is to stay as it is until hp_resolve(); and which builds
// its modules are of, if there is a prover.
void hp_resolve_places(struct hp_resolver *resolver, const struct hp_dump *dump,
                       struct hp_prover *prover);

// How the file that ran says that the allocator of that dump rounds large sizes; HP_LARGE_AUTO if none does.
enum hp_large_sizes hp_resolved_large_sizes(const struct hp_resolver *resolver);

// Then find the frame of each address: resolver->frames.  Modules are those of one build, as far as
// that was proven.
void hp_resolve(struct hp_resolver *resolver, const struct hp_dump *dump,
                struct hp_profile *profile);

void hp_resolver_done(struct hp_resolver *resolver);

// --- images, in images.c -----------------------------------------------------------------

#define HP_FOUR_GIB (UINT64_C(1) << 32)

// Find the image that each row of the map is of.
void hp_images_find(struct hp_resolver *resolver, const struct hp_dump *dump);

bool hp_same_file(const struct hp_mapping *a, const struct hp_mapping *b);

// The offset of hole `i` of an image, from its nearest executable rows; from the rows that
// are no code only if both sides agree.
bool hp_hole_offset(const struct hp_resolver *resolver, const struct hp_dump *dump,
                    size_t i, uint64_t *offset);

#endif
