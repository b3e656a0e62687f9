// Files that modules may have run: by their paths, by layout where the names of files say nothing, each once.
#ifndef HP_SYM_CANDIDATES_H
#define HP_SYM_CANDIDATES_H

#include "model/prover.h"
#include "sym/file_code.h"
#include "sym/finder.h"
#include "sym/keeper.h"

// A file, however many modules it may be of.
struct hp_candidate {
    struct hp_place place;
    struct hp_file_code code;
    char *key;                       // what its code is known by; NULL until it is read
    struct hp_sym_diagnostic why;    // it cannot be read
    bool is_read;                    // or tried to
    enum hp_large_sizes large_sizes; // HP_LARGE_AUTO: not asked yet, or not known
    bool is_asked;                   // for these
    uint64_t used;                   // when it was asked last
    struct hp_strtab pairs; // of calls that were asked about: question, kind, addresses
    HP_VEC(unsigned char) answers; // each of `pairs`
};

struct hp_candidate_list {
    HP_VEC(struct hp_candidate *) all;
    bool is_known; // which these are
};

// Files whose names say nothing.
enum hp_nameless {
    HP_NAMELESS_MEANT,    // programs that were given, and those in .build-id folders
    HP_NAMELESS_STRANGER, // any other in a folder
    HP_NAMELESS_KINDS,
};

struct hp_candidates {
    const struct hp_symbol_options *options;
    HP_VEC(char *) programs; // as they were given
    struct hp_keeper keeper;
    struct hp_trees trees;
    bool has_trees, has_strangers;            // they have been listed
    struct hp_strtab paths, layouts;          // of modules
    HP_VEC(struct hp_candidate_list) of_path; // each of `paths`
    HP_VEC(struct hp_candidate_list) of_layout[HP_NAMELESS_KINDS]; // each of `layouts`
    struct hp_strtab known;              // files: device, inode and times
    HP_VEC(struct hp_candidate *) files; // each of `known`, [0] is none
    HP_VEC(struct hp_candidate *) others[HP_NAMELESS_KINDS];
    uint64_t clock; // code of files that were asked for at this time stays in memory
    size_t text;    // bytes of hp_file_code_text_size() of all
};

void hp_candidates_done(struct hp_candidates *self);

// By the path of a module, and its name as in struct hp_proof_module.
struct hp_candidate_list *hp_candidates_of(struct hp_candidates *self,
                                           struct hp_span path, struct hp_span name);

// Those of other names that have the layout of a module, and are not among those of its name.
struct hp_candidate_list *hp_candidates_of_any_name(struct hp_candidates *self,
                                                    enum hp_nameless kind,
                                                    const struct hp_proof_module *module);

// Read a file, if it was not read yet.  False if it cannot be read.
bool hp_candidate_need(struct hp_candidates *self, struct hp_candidate *file,
                       bool wants_text);

// How the allocator in a file rounds large sizes; HP_LARGE_AUTO if it cannot be read.
enum hp_large_sizes hp_candidate_large_sizes(struct hp_candidates *self,
                                             struct hp_candidate *file);

// Ask about pairs of calls in a file: an enum hp_call_answer of each.  False if that cannot be told.
bool hp_candidate_pairs(struct hp_candidates *self, struct hp_candidate *file,
                        const struct hp_call_pairs *pairs, unsigned char *answers);

// Whether the segments of a file are what the dump shows.
bool hp_candidate_has_layout(const struct hp_candidate *file,
                             const struct hp_proof_module *module);

#endif
