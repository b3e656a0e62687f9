// The files that modules of dumps may have run: which of them fit a dump, by its return addresses.
//
// A file fits if every return address that can be checked follows a call in it.  All files are tried that the
// search for a module knows, in all folders of --symbol-dir.  hp_prover_new() makes the prover that these are of.
#ifndef HP_SYM_BUILDS_H
#define HP_SYM_BUILDS_H

#include "model/profile.h"
#include "sym/finder.h"
#include "sym/image.h"

// Files with one code, which a module has been proven to have run.
struct hp_build {
    const struct hp_place *places; // in the order in which they are looked for
    size_t place_count;
    const char *build_id; // or ""
    size_t rank;          // the lowest is the first whose files are looked for
};

struct hp_build_list {
    HP_VEC(struct hp_build) all;
    struct hp_places places;
};

// The builds of a module, each with its files.
void hp_builds_of(struct hp_prover *prover, const struct hp_profile *profile,
                  const struct hp_module *module, struct hp_build_list *list);
void hp_build_list_done(struct hp_build_list *list);

// Why none of the files at a module's places could be read.  False if there is no reason: there is none.
bool hp_builds_reason(struct hp_prover *prover, const char *path,
                      struct hp_sym_diagnostic *why);

#endif
