// Resolve addresses of one process to (module, address in its file), by the memory map of
// the dump.
#ifndef HP_CALC_RESOLVE_H
#define HP_CALC_RESOLVE_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/dump.h"
#include "model/profile.h"

// --- temporary paths -------------------------------------------------------------------
//
// Paths of files that a process creates under a new name in each run.  Java does so with
// the libraries in its archives: /tmp/librocksdbjni118572945311.so.

// Memory for the result of hp_temporary_path().  {0} is empty; the user frees `bytes`.
struct hp_temporary_text {
    HP_VEC(char) bytes;
};

// Replace the random parts of a path by '*', so that the copies of several runs have one
// name.  Random parts are 6 or more digits in a row, words of 6 or more hexadecimal
// digits, and UUIDs.  Below the folders for temporary files they may be anywhere in the
// path; in other deleted files only in the file name.  Returns the pattern, in `text`
// until the next call, or `path` itself if nothing was replaced or too little of the name
// is left.
struct hp_span hp_temporary_path(struct hp_span path, bool is_deleted,
                                 struct hp_temporary_text *text);

// --- resolve ---------------------------------------------------------------------------

// An image: one file, mapped by adjacent rows of the map.  It has nothing to do with runs
// of stacks (model/stack_runs.h).
struct hp_run {
    uint32_t first_row, last_row; // indices in dump->mappings
    // Offsets in the file; both are 0 if no row is executable.
    uint64_t code_start, code_end;
    hp_module_id module; // module of the profile, if `known`
    bool known;          // whether `module` is set
    // Its number + 1 in resolver->question.modules; 0: the prover is not asked about it.
    uint32_t asked;
};

// How the addresses in one row of the map are resolved.
struct hp_resolved_row {
    // Index in dump->mappings.
    uint32_t row;
    uint64_t shift; // address in the process + shift = address in the module
    // The image that contains the row; NULL: the row is a module of its own.
    struct hp_run *image;
    hp_module_id module; // module of the profile, if is_known
    bool is_known;       // whether `module` is set
    bool is_generated;   // generated code: calc/generated.h
};

// Scratch memory of the functions below, kept from dump to dump.  {0} is ready for use;
// free it with hp_resolver_done().
struct hp_resolver {
    // For each row of the map the number + 1 of its image in `images`; 0: it is in no
    // image.
    HP_VEC(uint32_t) image_of;
    // For each row of the map, its number + 1 in `rows`; 0: not resolved yet.
    HP_VEC(uint32_t) resolved_of;
    // Rows of the map that contain an address of the dump.
    HP_VEC(struct hp_resolved_row) rows;
    // For each address its number + 1 in `rows`; 0: in no mapping.
    HP_VEC(uint32_t) row_of;
    HP_VEC(struct hp_run) images; // images that the map consists of, by address
    // Asks the prover which files contain the code that ran.
    struct hp_proof_question question;
    HP_VEC(struct hp_extent) asked_extents; // extents of the modules in `question`
    // Paths of the modules in `question` in which random parts were replaced by '*'.
    struct hp_strtab asked_names;
    struct hp_temporary_text name; // path of the current image, without random parts
    // Images of more than one row that have code: for each file the first one.
    struct hp_index wholes;
    bool has_wholes;                  // `wholes` is filled in; it is made on demand
    bool is_64_bit;                   // the map is of a 64-bit process
    HP_VEC(struct hp_extent) extents; // extents of the current image
    HP_VEC(hp_frame_id) frames;       // result: the frame of each address of the dump
    uint64_t unmapped;                // result: number of addresses in no mapping
    uint64_t unloaded;  // result: number of addresses in libraries that had been unloaded
    uint64_t generated; // result: number of addresses of generated code without a name
    // Set by the caller: give each address in no mapping, and each of generated code, a
    // frame of its own.  False: those in no mapping become one frame, if the dump has a
    // map, and those of generated code become another.
    bool keeps_unmapped;
};

// Step 1: find the row of each address of the dump, which must not change until
// hp_resolve().  If `prover` is not NULL, also ask it which builds the modules are.
void hp_resolve_places(struct hp_resolver *resolver, const struct hp_dump *dump,
                       struct hp_prover *prover);

// Return how the allocator of the dump rounds large sizes, as its binary shows.
// HP_LARGE_AUTO if no binary shows it.  Call it after hp_resolve_places() with a prover.
enum hp_large_sizes hp_resolved_large_sizes(const struct hp_resolver *resolver);

// Return the version of jemalloc that the binary of its module has; {0} if no binary shows
// it.  Call it after hp_resolve_places() with a prover.
struct hp_jemalloc_version hp_resolved_jemalloc(const struct hp_resolver *resolver);

// Step 2: find the frame of each address in the profile: resolver->frames.  A module
// contains one build only, as far as that was proven.
void hp_resolve(struct hp_resolver *resolver, const struct hp_dump *dump,
                struct hp_profile *profile);

// Free the memory of the resolver.
void hp_resolver_done(struct hp_resolver *resolver);

// --- images, in images.c ---------------------------------------------------------------

// 2^32.
#define HP_FOUR_GIB (UINT64_C(1) << 32)

// Group the rows of the map into images: fills `images` and `image_of`.
void hp_images_find(struct hp_resolver *resolver, const struct hp_dump *dump);

// Return whether two rows are mapped from the same file: path, deleted mark and build id
// are equal.
bool hp_same_file(const struct hp_mapping *a, const struct hp_mapping *b);

// Find the offset in the file of row `i`, a hole in an image (code that was moved out of
// the file: see images.c), by its nearest rows on both sides.  Executable rows are
// preferred; other rows are used only if both sides agree.  Returns false if the row is
// no hole or its offset stays unknown.
bool hp_hole_offset(const struct hp_resolver *resolver, const struct hp_dump *dump,
                    size_t i, uint64_t *offset);

#endif
