// Failed allocations in the child.  libdw and zlib take a refused allocation for the end
// of the data without reporting it, or use memory that they have freed.  Therefore the
// child ends at the first refusal.
#ifndef HP_SYM_STARVED_H
#define HP_SYM_STARVED_H

#include <stddef.h>

// Watch the allocations of all loaded libraries from now on.  `end`, which must not
// return, is called when one fails.  Only for a child, before it has threads.  A static
// program is not watched.
void hp_starved_watch(void (*end)(void));

// Map `size` bytes of zeros.  Returns NULL if the memory is refused, without calling
// `end`.  Freed by munmap().
void *hp_starved_map(size_t size);

#endif
