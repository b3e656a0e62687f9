// Open code: programs and libraries whose functions cannot be compared in all dumps, as
// some dumps have no names for them.
//
// Case 1: other dumps have names.  A function is compared over those dumps if they are
// enough, otherwise not at all: memory in a dump without names may belong to any
// function.
//
// Case 2: no dump has names.  An address is compared if more than half of those dumps of
// each side that have the module have the address.  Two builds cannot both be in more
// than half of the dumps of a side, so the address is one function.  Memory at other
// addresses may belong to any of the functions.
//
// hp_open_code_init() finds the modules of both cases and marks their nodes, stacks and
// inputs as sets of modules.  difference.c and trends.c use these sets to restrict their
// tests; hp_named_list_get() selects the dumps that have names.
#ifndef HP_VIEW_OPEN_CODE_H
#define HP_VIEW_OPEN_CODE_H

#include "view/diff_sums.h"
#include "view/view.h"

enum {
    // Largest number of modules in a set, as each has one bit.  If there are more
    // modules, the last two also represent the further ones, one those compared by name,
    // the other those compared by address.
    HP_OPEN_MODULES = 64,
};

// The reason why functions of a module cannot be compared in all dumps.
enum hp_open_kind {
    HP_OPEN_IN_SOME,  // some dumps have names for it, others do not
    HP_OPEN_IN_ALL,   // no dump has names for it
    HP_OPEN_STRIPPED, // several builds have files that lack the names of some functions
    HP_OPEN_MOVED, // several builds have files; rows are lines or addresses, which vary
};

// All builds of a module with one path.  A path is in the list twice if some dumps have
// no names for it and the other dumps have several builds of it.
struct hp_open_module {
    enum hp_open_kind kind;
    hp_string path;    // string of the profile
    uint32_t further;  // number of further modules that this one also represents
    uint32_t builds;   // number of different builds that have a file
    bool is_own;       // code of the program itself, not of a library
    uint64_t dumps[2]; // dumps of each side that have stacks of the module
    // Dumps of each side that have stacks of the module that are not compared.
    uint64_t open[2];
    hp_fixed bytes[2];       // by side: sum of its stacks that are not compared
    hp_fixed all[2];         // by side: sum of all its stacks, in the metric
    struct hp_growth growth; // change of all stacks of the module, in a comparison
};

// The dumps that have names for all modules of a set, and whether they are enough to
// compare rows over them.
struct hp_named_dumps {
    uint64_t modules;      // the set
    bool is_enough;        // there are enough dumps to compare functions over them
    struct hp_sides sides; // the inputs that are these dumps; owned
    struct hp_sums *sums;  // result of hp_diff_sums(), owned; NULL: not enough dumps
};

// Cache of hp_named_list_get(): for each set of modules that was asked for, the dumps
// that have names for all of them.  {0} is empty.  All entries are of the same
// comparison.
struct hp_named_list {
    HP_VEC(struct hp_named_dumps) all;
};

// A module that has no bit of its own in sets of modules: another module of the list
// represents it.
struct hp_further_module {
    hp_string path;
    enum hp_open_kind kind;
    uint32_t number; // index in hp_open_code.modules of the module that represents it
};

// {0}: the functions of all modules can be compared.  A set of modules is a number: bit i
// is modules.at[i].  The arrays are owned, and NULL if there are no open modules.  Open
// means: cannot be compared.
struct hp_open_code {
    HP_VEC(struct hp_open_module) modules;
    HP_VEC(struct hp_further_module) further;
    uint64_t by_address;   // set of modules compared by address: all but HP_OPEN_IN_SOME
    uint64_t *of_node;     // for each node: set of the modules that its frames are in
    uint64_t *open_nodes;  // for each node: set of those in which it has open frames
    uint64_t *of_stack;    // for each stack of the profile: set of its frames' modules
    uint64_t *open_stacks; // for each stack: set of those in which it is not compared
    // For each input: set of the modules in which its stacks are not compared.
    uint64_t *of_input;
};

// Whether some memory of the module is not compared.
static inline bool hp_open_module_is_open(const struct hp_open_module *module) {
    return module->open[0] + module->open[1] > 0;
}

// Return what code of a view's report cannot be compared in all dumps, borrowed; NULL:
// the report compares nothing.
const struct hp_open_code *hp_open_code_of(const struct hp_view *view);

// Whether rows are lines or addresses of several builds.  These cannot be compared;
// functions can be.
bool hp_open_code_has_moved(const struct hp_view *view);

// Return the path of a module, borrowed from the profile.
struct hp_span hp_open_module_path(const struct hp_view *view,
                                   const struct hp_open_module *module);

// Whether each process of either side has dumps on the other side, too.  Then both sides
// have the same builds, even if it is not known which.
bool hp_sides_have_same_processes(const struct hp_profile *profile,
                                  const struct hp_sides *sides);

// Find the code that cannot be compared among the dumps of both sides, because some lack
// its names.  `has_same_processes`: see hp_sides_have_same_processes().  The result is
// {0} if all code can be compared.  Free with hp_open_code_done().
void hp_open_code_init(struct hp_open_code *open, const struct hp_view *view,
                       const struct hp_sides *sides, bool has_same_processes);
void hp_open_code_done(struct hp_open_code *open);

// Whether an input has stacks that are not compared in one of `modules`, a set.
static inline bool hp_open_code_has(const struct hp_open_code *open, size_t input,
                                    uint64_t modules) {
    return (open->of_input[input] & modules) != 0;
}

// Return the dumps that have names for a set of modules.  The list keeps the result; the
// pointer is valid until the next call.
const struct hp_named_dumps *hp_named_list_get(struct hp_named_list *list,
                                               const struct hp_open_code *open,
                                               const struct hp_view *view,
                                               const struct hp_sides *sides,
                                               const struct hp_members *members,
                                               uint64_t modules);
void hp_named_list_done(struct hp_named_list *list);

#endif
