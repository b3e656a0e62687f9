// The prover: finds the files whose code fits the return addresses of a dump.
//
// A file fits if every return address that can be checked follows a call in it.  All
// files that the search for a module finds are tried, in all folders of --symbol-dir.
// The functions below take the prover that hp_builds_prover() has made.
#ifndef HP_SYM_BUILDS_H
#define HP_SYM_BUILDS_H

#include "model/profile.h"
#include "sym/finder.h"
#include "sym/image.h"

// Create the prover that hp_prover_new() returns; see there for the parameters.
struct hp_prover *hp_builds_prover(const struct hp_symbol_options *options,
                                   const char *const *programs, size_t program_count);

// A build that a module ran, or may have run if no file could be compared: files with the
// same code.
struct hp_build {
    // The files in search order; points into hp_build_list.places.
    const struct hp_file_place *places;
    size_t place_count;
    const char *build_id; // build id of the files, or ""; owned by the prover
    size_t rank;          // position of its first file among the module's candidates
};

// All builds that were found for a module; {0} is empty.
struct hp_build_list {
    HP_VEC(struct hp_build) all;
    struct hp_places places; // the files of all builds, build after build
};

// Append the builds that the prover found for a module (module->builds) to `list`, each
// with its files.
void hp_builds_of(struct hp_prover *prover, const struct hp_profile *profile,
                  const struct hp_module *module, struct hp_build_list *list);
// Free the list.
void hp_build_list_done(struct hp_build_list *list);

// Set `why` to the reason why a candidate for the module with this path could not be
// read, preferring a lack of resources of this run (hp_sym_is_of_this_run()).  Returns false
// if there is no such candidate.
bool hp_builds_reason(struct hp_prover *prover, const char *path,
                      struct hp_sym_diagnostic *why);

#endif
