// What binaries answer of the modules of a profile: asked for many at once, and stored where they belong.
#ifndef HP_SYM_ANSWERS_H
#define HP_SYM_ANSWERS_H

#include "sym/builds.h"
#include "sym/finder.h"
#include "sym/keeper.h"
#include "sym/protocol.h"
#include "sym/symbolizer.h"

// The frames [first, last) are those of one module.
struct hp_task {
    struct hp_module *module;
    size_t first, last;
    bool is_embedded;           // the inputs tell names of some
    bool is_there;              // some file is, at a place of the module
    struct hp_found_file found; // the first such
    hp_string shown;            // its path
    struct hp_build_list
        builds; // that the dumps were proven to be of; empty: nothing was compared
    struct hp_task *same; // the next that has this file, mapped alike; or NULL
    bool is_later;        // it is the `same` of another
};

// What a binary says of a frame, until it is known whether it is to be believed.
struct hp_found_lines {
    uint32_t first_line, lines; // in profile->lines
    uint32_t past_start;        // as in struct hp_frame
    uint64_t
        code; // of the function in all builds that were asked; 0: it differs, or is not known
    size_t rank;     // of the build that the lines are of
    bool is_renamed; // another build has another name of this code
};

struct hp_symbolizer {
    struct hp_profile *profile;
    const struct hp_symbol_options *options;
    struct hp_keeper keeper;
    HP_VEC(struct hp_task) tasks;
    struct hp_found_lines *found; // of each frame
    struct hp_found_file *files;  // of each module
    unsigned char *returns;       // of each frame: enum hp_return
};

// What was asked, and what came of it; `known` has the profile's numbers of its strings.
struct hp_reply {
    const struct hp_request *request;
    size_t rank; // of the build that was asked, as in struct hp_build
    struct hp_answer answer;
    struct hp_found_lines *lines; // of each address
    hp_string *known;
};

// Each address that any of the modules with the file of a task has, once.
struct hp_request hp_request_of(const struct hp_symbolizer *self,
                                const struct hp_task *task);

hp_module_id hp_task_module_id(const struct hp_symbolizer *self,
                               const struct hp_task *task);

// The file that a module's names are of.
void hp_task_settle_file(struct hp_symbolizer *self, const struct hp_task *task,
                         const struct hp_found_file *found);

// The module has the names of a reply, and so have the others with its file.
void hp_reply_take(struct hp_symbolizer *self, struct hp_task *task,
                   struct hp_reply *reply, const struct hp_found_file *found);

// Another build may have run as well: the modules keep what names they have in common with it.
void hp_reply_agree(struct hp_symbolizer *self, struct hp_task *first,
                    struct hp_reply *reply);

// Whether the file is the one that ran, as far as can be told.
static inline bool hp_sym_is_verified(enum hp_sym_status status) {
    return status == HP_SYM_DWARF || status == HP_SYM_SYMTAB || status == HP_SYM_STRIPPED;
}

#endif
