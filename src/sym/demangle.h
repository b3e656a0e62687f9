// Demangling: from linker names of C++ and Rust to names of the source.
#ifndef HP_SYM_DEMANGLE_H
#define HP_SYM_DEMANGLE_H

#include "base/strtab.h"

// A name to be demangled.
struct hp_mangled {
    hp_string linkage;
    hp_string function; // the result; equal to `linkage` if that is not mangled
};

// Demangle names, on a stack that no name can exhaust.  A name that is too long, or whose
// result is too long, stays mangled.  Ends the process if there is no memory for the
// stack.
void hp_demangle(struct hp_strtab *strings, struct hp_mangled *names, size_t count);

// Demangle names as hp_demangle() does, but in a child process, for names from untrusted
// sources.  If the child fails on any name, all names stay mangled and the reason is
// returned, a static text; NULL on success.
const char *hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                              size_t count, enum hp_sandbox sandbox);

// The length of the mangled name in a symbol with suffixes of compilers such as
// ".part.0"; a mangled name may contain dots, too.  Returns the length of the whole
// symbol if no end of a name is found.
size_t hp_mangled_size(const char *symbol);

#endif
