// Answers of the child about the modules of a profile: many addresses are requested at
// once, and the answers are stored with the frames and modules they belong to.
#ifndef HP_SYM_ANSWERS_H
#define HP_SYM_ANSWERS_H

#include "sym/builds.h"
#include "sym/finder.h"
#include "sym/keeper.h"
#include "sym/protocol.h"
#include "sym/symbolizer.h"

// The frames [first, last) of the profile, which belong to one module.
struct hp_task {
    struct hp_module *module;
    size_t first, last;
    bool is_embedded;           // the inputs contain names of some frames
    bool is_there;              // a file exists at a place of the module
    struct hp_found_file found; // the first existing file
    hp_string shown;            // its path
    // The builds that the dumps were proven to be of; empty: nothing was compared.
    struct hp_build_list builds;
    struct hp_task *same; // the next task with the same file, mapped alike; or NULL
    bool is_later;        // it is the `same` of another task, whose answer it shares
};

// The lines of a frame from a binary, kept here until it is decided whether the binary is
// trusted.
struct hp_found_lines {
    uint32_t first_line, lines; // range in profile->lines
    uint32_t past_start;        // as in struct hp_frame
    // Digest of the function's code, equal in all builds that were asked; 0: it differs,
    // or is unknown.
    uint64_t code;
    size_t rank;     // rank of the build that the lines are from
    bool is_renamed; // another build has a different name for this code
};

// The state of one symbolization.
struct hp_symbolizer {
    struct hp_profile *profile;
    const struct hp_symbol_options *options;
    struct hp_keeper keeper;
    // The files to be read, one for each run of frames of a module.
    HP_VEC(struct hp_task) tasks;
    struct hp_found_lines *found; // for each frame
    struct hp_found_file *files;  // for each module: the file that its names are from
    unsigned char *returns;       // for each frame: enum hp_return
};

// A request and its answer.
struct hp_reply {
    const struct hp_request *request;
    size_t rank; // rank of the build that was asked, as in struct hp_build
    struct hp_answer answer;
    struct hp_found_lines *lines; // for each address
    // The profile's numbers of the answer's strings; 0: not added yet.
    hp_string *known;
};

// Create the request for a task: each address of all modules with its file, once,
// ascending.  The caller ends it by hp_request_done().
struct hp_request hp_request_of(const struct hp_symbolizer *self,
                                const struct hp_task *task);

hp_module_id hp_task_module_id(const struct hp_symbolizer *self,
                               const struct hp_task *task);

// Record the file that a module's names are from.
void hp_task_settle_file(struct hp_symbolizer *self, const struct hp_task *task,
                         const struct hp_found_file *found);

// Store an answer for a module, and for the others with its file if it is from that
// file.  Otherwise the others are asked for separately.
void hp_reply_take(struct hp_symbolizer *self, struct hp_task *task,
                   struct hp_reply *reply, const struct hp_found_file *found);

// Reduce the names of a module, and of the others with its file, to those that they have
// in common with this answer, because another build may have run as well.
void hp_reply_agree(struct hp_symbolizer *self, struct hp_task *first,
                    struct hp_reply *reply);

// Whether the file is known to be the one that ran.
static inline bool hp_sym_is_verified(enum hp_sym_status status) {
    return status == HP_SYM_DWARF || status == HP_SYM_SYMTAB || status == HP_SYM_STRIPPED;
}

#endif
