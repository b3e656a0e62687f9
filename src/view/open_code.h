// Programs and libraries whose functions cannot be compared in all dumps, as these dumps have no names of them.
//
// If other dumps have names, a function is compared over these, if they are enough, or else not at all: what a dump
// without names holds may be in any function.  If no dump has names, an address is compared if more than half of the
// dumps of each side have it: two builds cannot both be in more than half of a side, so it is one function.  What is
// at other addresses may be in any of them.
#ifndef HP_VIEW_OPEN_CODE_H
#define HP_VIEW_OPEN_CODE_H

#include "view/diff_sums.h"
#include "view/view.h"

enum {
    HP_OPEN_MODULES =
        64, // one bit for each; the last two stand for all further modules, by how they are compared
};

enum hp_open_kind {
    HP_OPEN_IN_SOME,  // some dumps have names of it, others have not
    HP_OPEN_IN_ALL,   // no dump has names of it
    HP_OPEN_STRIPPED, // several builds have files, which lack names of some functions
    HP_OPEN_MOVED, // several builds have files, and rows are lines or addresses, which differ in each build
};

// All builds of one path; a path is in the list twice if some dumps have no names
// of it and it has several builds in others.
struct hp_open_module {
    enum hp_open_kind kind;
    hp_string path;    // of the profile
    uint32_t further;  // modules that the last one of HP_OPEN_MODULES stands for, too
    uint32_t builds;   // builds that have a file
    bool is_own;       // code of the program itself, not of a library
    uint64_t dumps[2]; // dumps of each side that have stacks of the module
    uint64_t open[2];  // dumps among them with stacks that are not compared
    hp_fixed bytes[2]; // the sum of these stacks
    hp_fixed all[2];   // the sum of all stacks of the module
    struct hp_growth growth; // of all stacks of the module, in a comparison
};

// The dumps that have names of a set of modules.
struct hp_named_dumps {
    uint64_t modules;
    bool is_enough; // to compare functions over them
    struct hp_sides sides;
    struct hp_sums *sums; // as hp_diff_sums() makes them; NULL if they are not enough
};

// {0} is empty.  All are of the same sides and members.
struct hp_named_list {
    HP_VEC(struct hp_named_dumps) all;
};

// A module that another one of the list stands for.
struct hp_further_module {
    hp_string path;
    enum hp_open_kind kind;
    uint32_t number;
};

// {0}: the functions of all modules can be compared.  A set of modules is a number: bit i is modules.at[i].
struct hp_open_code {
    HP_VEC(struct hp_open_module) modules;
    HP_VEC(struct hp_further_module) further;
    uint64_t by_address; // modules that are not HP_OPEN_IN_SOME
    uint64_t *of_node;   // each node: the modules that its functions or addresses are in
    uint64_t *
        open_nodes; // each node: those of them that it has addresses in which are not compared
    uint64_t *of_stack; // each stack: the modules of its frames
    uint64_t *
        open_stacks; // each stack: those of them that it has frames of which are not compared
    uint64_t *of_input; // each input: the modules of its open stacks
};

// Whether some of it is not compared.
static inline bool hp_open_module_is_open(const struct hp_open_module *module) {
    return module->open[0] + module->open[1] > 0;
}

// Those of the report of a view; NULL if it compares nothing.
const struct hp_open_code *hp_open_code_of(const struct hp_view *view);

// Whether rows are lines or addresses of several builds, so that functions have to be compared in their place.
bool hp_open_code_has_moved(const struct hp_view *view);

struct hp_span hp_open_module_path(const struct hp_view *view,
                                   const struct hp_open_module *module);

// Whether each process of one side has dumps on the other: then both sides have the same builds, whichever these are.
bool hp_sides_have_same_processes(const struct hp_profile *profile,
                                  const struct hp_sides *sides);

// Find them among the dumps of both sides.
void hp_open_code_init(struct hp_open_code *open, const struct hp_view *view,
                       const struct hp_sides *sides, bool has_same_processes);
void hp_open_code_done(struct hp_open_code *open);

// Whether an input has stacks of these modules that are not compared.
static inline bool hp_open_code_has(const struct hp_open_code *open, size_t input,
                                    uint64_t modules) {
    return (open->of_input[input] & modules) != 0;
}

// The dumps that have names of these modules; they stay in the list.
const struct hp_named_dumps *hp_named_list_get(struct hp_named_list *list,
                                               const struct hp_open_code *open,
                                               const struct hp_view *view,
                                               const struct hp_sides *sides,
                                               const struct hp_members *members,
                                               uint64_t modules);
void hp_named_list_done(struct hp_named_list *list);

#endif
