// Programs and libraries of which some dumps have function names and others have none, because no file fits them.
//
// What a dump without names holds in such a module may be in any function of the module.  So its functions
// are compared over the other dumps, if these are enough, or else not at all.
#ifndef HP_VIEW_OPEN_CODE_H
#define HP_VIEW_OPEN_CODE_H

#include "view/diff_sums.h"
#include "view/view.h"

enum {
    HP_OPEN_MODULES = 64, // one bit for each; more are not looked at
};

// All builds of one path.
struct hp_open_module {
    hp_string path;    // of the profile
    uint32_t builds;   // builds that have a file
    bool is_own;       // code of the program itself, not of a library
    uint64_t dumps[2]; // dumps of each side that have stacks of the module
    uint64_t open[2];  // dumps among them whose stacks of it have no names
    hp_fixed bytes[2]; // the sum of these nameless stacks
    hp_fixed all[2];   // the sum of all stacks of it, with names or without
};

// {0}: each module has names in all dumps or in none.  A set of modules is a number: bit i is modules.at[i].
struct hp_open_code {
    HP_VEC(struct hp_open_module) modules;
    uint64_t *of_node;  // each node: the modules that its functions or addresses are in
    uint64_t *nameless; // each node: the modules that its nameless addresses are in
    uint64_t *of_stack; // each stack: the modules of its nameless frames
    uint64_t *of_input; // each input: the modules of its nameless frames
};

struct hp_span hp_open_module_path(const struct hp_view *view,
                                   const struct hp_open_module *module);

// Find them among the dumps of both sides.
void hp_open_code_init(struct hp_open_code *open, const struct hp_view *view,
                       const struct hp_sides *sides);
void hp_open_code_done(struct hp_open_code *open);

// Whether an input has nameless frames of one of these modules, so that functions there cannot be compared; and the
// sides without such inputs.
static inline bool hp_open_code_has(const struct hp_open_code *open, size_t input,
                                    uint64_t modules) {
    return (open->of_input[input] & modules) != 0;
}

void hp_open_code_sides(const struct hp_open_code *open, const struct hp_view *view,
                        const struct hp_sides *all, uint64_t modules,
                        struct hp_sides *sides);

// What a side holds, in one dump on average, that may be in a function of these modules with a name, or in one
// without.
double hp_open_code_bytes(const struct hp_open_code *open, uint64_t modules,
                          bool has_name, int side, const struct hp_sides *sides,
                          enum hp_metric metric);

#endif
