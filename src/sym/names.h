// Names of functions, from their DIEs.
#ifndef HP_SYM_NAMES_H
#define HP_SYM_NAMES_H

#include "base/hash.h"
#include "base/strtab.h"
#include "sym/entry.h"
#include "sym/symtab.h"

// The name of a function, as far as it has been found.
struct hp_name {
    hp_string linkage, function; // `function` is "" if `linkage` has to be demangled
    struct hp_entry home; // the declaration: its parents are the scopes of the function
    bool bare;            // the name still lacks its scope
    uint32_t start_line;  // line where the function is declared; 0 if unknown
};

// All names of a file so far; {0} is empty.
struct hp_names {
    HP_VEC(struct hp_name) names;
    HP_VEC(const void *) keys; // for each name: the entry that has it
    struct hp_index index;     // finds a name by its key
    size_t qualified;          // number of leading names that have their scopes
    // Symbols for functions without a linkage name; or NULL.
    const struct hp_symtab *symtab;
    // Storage of the texts of names.
    struct hp_strtab *strings;
};

void hp_names_done(struct hp_names *names);

// Drop all names; call before the Dwarf that they point into is closed.
void hp_names_clear(struct hp_names *names);

// The index in names->names of the function that `entry` is, or is an inlined call of.
// `first` is the first address in its ranges.  Names without a scope stay so until
// hp_names_qualify().
uint32_t hp_names_of(struct hp_names *names, struct hp_entry *entry, bool inlined,
                     uint64_t first);

// Complete every name that lacks its scope: "ns::type::name".
void hp_names_qualify(struct hp_names *names);

#endif
