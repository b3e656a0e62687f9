// What functions are called, from their DIEs.
#ifndef HP_SYM_NAMES_H
#define HP_SYM_NAMES_H

#include "base/hash.h"
#include "base/strtab.h"
#include "sym/entry.h"
#include "sym/symtab.h"

struct hp_name {
    hp_string linkage, function; // `function` is "" where `linkage` is to be demangled
    struct hp_entry home;        // the declaration: its parents are the function's scope
    bool bare;                   // the name wants its scope in front
    uint32_t start_line;         // of the function; 0 if unknown
};

// {0} is empty.
struct hp_names {
    HP_VEC(struct hp_name) names;
    HP_VEC(const void *) keys; // of the same length: the entry each is the name of
    struct hp_index index;     // of `keys`
    size_t qualified;          // names before this one are no longer bare
    const struct hp_symtab *symtab;
    struct hp_strtab *strings;
};

void hp_names_done(struct hp_names *names);

// Forget all names, which die with the Dwarf they are from.
void hp_names_clear(struct hp_names *names);

// The number in names->names of the function a call that was inlined belongs to, or of a
// function itself, `first` being the first of its addresses as it lists them.  Names that are bare are so until hp_names_qualify().
uint32_t hp_names_of(struct hp_names *names, struct hp_entry *entry, bool inlined,
                     uint64_t first);

// Give every bare name its scope: "ns::type::name".
void hp_names_qualify(struct hp_names *names);

#endif
