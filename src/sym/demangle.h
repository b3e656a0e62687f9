// Linker names back to those of the source: C++ and Rust.
#ifndef HP_SYM_DEMANGLE_H
#define HP_SYM_DEMANGLE_H

#include "base/strtab.h"

struct hp_mangled {
    hp_string linkage;
    hp_string function; // the result; `linkage` if that is not mangled
};

// Demangle each, on a stack that no name can exhaust.  A name that is too long, or comes
// out too long, stays as it is.
void hp_demangle(struct hp_strtab *strings, struct hp_mangled *names, size_t count);

// The same in a child process, for names that are anybody's.  If it fails over one all stay as they
// are: why, or NULL.
const char *hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                              size_t count, enum hp_sandbox sandbox);

// Of a symbol with compilers' ".part.0" and the like behind it, how long the mangled name is: some
// have dots in it, too.  All of it where that cannot be told.
size_t hp_mangled_size(const char *symbol);

#endif
