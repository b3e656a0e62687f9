// Candidates: the files that modules may have run, each read once.  They are found by the
// path of a module, or by its layout where the names of files do not help.
#ifndef HP_SYM_CANDIDATES_H
#define HP_SYM_CANDIDATES_H

#include "model/prover.h"
#include "sym/file_code.h"
#include "sym/finder.h"
#include "sym/keeper.h"

// A file that may be that of a module, shared by all modules that it may belong to.
struct hp_candidate {
    struct hp_file_place place;
    struct hp_file_code code;
    char *key; // digest of its code, or another id without code; NULL until it is read
    struct hp_sym_diagnostic why;    // why it cannot be read; HP_SYM_NOT_TRIED: it can
    bool is_read;                    // reading was tried
    enum hp_large_sizes large_sizes; // HP_LARGE_AUTO: not asked for yet, or unknown
    struct hp_jemalloc_version jemalloc; // {0}: not asked for yet, or unknown
    bool is_asked;                       // `large_sizes` and `jemalloc` were asked for
    uint64_t used;                       // value of hp_candidates.clock at the last use
    // Call pairs (a frame and its caller) that were asked about: question, kind, and both
    // addresses.
    struct hp_strtab pairs;
    HP_VEC(unsigned char) answers; // an enum hp_call_answer for each of `pairs`
};

// The files that may be that of one module.
struct hp_candidate_list {
    HP_VEC(struct hp_candidate *) all;
    bool is_known; // the list is complete; set only in of_layout
};

// Kinds of files that are found by the layout of a module, whatever their names.
enum hp_nameless {
    HP_NAMELESS_MEANT,    // files given as programs, and those in .build-id folders
    HP_NAMELESS_STRANGER, // any other file in a folder of --symbol-dir
    HP_NAMELESS_KINDS,
};

// All candidates of a prover.
struct hp_candidates {
    const struct hp_symbol_options *options;
    HP_VEC(char *) programs; // paths of the files given as programs; owned
    struct hp_keeper keeper;
    struct hp_trees trees; // files below the folders of --symbol-dir
    // `trees` and others[HP_NAMELESS_MEANT] were filled; others[HP_NAMELESS_STRANGER] was
    // filled.
    bool has_trees, has_strangers;
    // Keys of modules: their paths and names; their layouts, with paths and names.
    struct hp_strtab paths, layouts;
    HP_VEC(struct hp_candidate_list) of_path; // candidates by path, for each of `paths`
    // Candidates by layout, for each of `layouts`.
    HP_VEC(struct hp_candidate_list) of_layout[HP_NAMELESS_KINDS];
    struct hp_strtab known;              // keys of files: device, inode and times
    HP_VEC(struct hp_candidate *) files; // file of each of `known`; [0] is unused; owned
    // ELF files that are found by the layout of a module, by kind.
    HP_VEC(struct hp_candidate *) others[HP_NAMELESS_KINDS];
    // Number of the current question to the prover; the code of files that this question
    // uses stays in memory.
    uint64_t clock;
    size_t text; // sum of hp_file_code_text_size() of all files, in bytes
};

// Join keys of files with ',', each once, in byte order; NULL if there are none.  The
// caller frees the result.
char *hp_keys_join(const char **keys, size_t count);

// Stop the keeper and free all candidates.
void hp_candidates_done(struct hp_candidates *self);

// The candidates of a module by its path, and its name as in struct hp_proof_module;
// searched for in the first call.  The list belongs to `self` and is valid until the next
// call.
struct hp_candidate_list *hp_candidates_of(struct hp_candidates *self,
                                           struct hp_span path, struct hp_span name);

// The candidates with other names that have the layout of a module and are not in
// hp_candidates_of().  The list belongs to `self` and is valid until the next call.
struct hp_candidate_list *hp_candidates_of_any_name(struct hp_candidates *self,
                                                    enum hp_nameless kind,
                                                    const struct hp_proof_module *module);

// Have the child read a file, with the places that calls return to if `wants_text`,
// unless these were read already.  Returns false if it cannot be read.
bool hp_candidate_need(struct hp_candidates *self, struct hp_candidate *file,
                       bool wants_text);

// The rounding of large sizes by the allocator in a file; HP_LARGE_AUTO if the file
// cannot be read.
enum hp_large_sizes hp_candidate_large_sizes(struct hp_candidates *self,
                                             struct hp_candidate *file);

// Ask a file about call pairs; `answers` gets an enum hp_call_answer for each.  Returns
// false if the file cannot be asked.
bool hp_candidate_pairs(struct hp_candidates *self, struct hp_candidate *file,
                        const struct hp_call_pairs *pairs, unsigned char *answers);

// Whether the segments of a file are those that the dump shows for the module.
bool hp_candidate_has_layout(const struct hp_candidate *file,
                             const struct hp_proof_module *module);

#endif
