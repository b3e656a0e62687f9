// Which frames are the allocator's own, and not whose memory it is.
#ifndef HP_VIEW_ALLOCATOR_H
#define HP_VIEW_ALLOCATOR_H

#include "view/naming.h"

// jemalloc or tcmalloc as a shared library.
bool hp_is_allocator_module(struct hp_span path);

// malloc and its kin, jemalloc's and tcmalloc's insides, operator new, std::allocator,
// Rust's allocation functions; `function` is demangled, with or without parameters.
bool hp_is_allocator_function(struct hp_span function);

// Mark the calls of a naming that are the allocator's.
void hp_allocator_mark(struct hp_naming *naming);

#endif
