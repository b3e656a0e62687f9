// Memory that is refused to anybody in this process: libdw and zlib take that for an end of what there
// is to be read, and do not tell, or go on to what they have freed.
#ifndef HP_SYM_STARVED_H
#define HP_SYM_STARVED_H

#include <stddef.h>

// From now on allocations are watched, of all libraries that are loaded; `end`, which must not return,
// is called where one fails.  Only for a child, before it has threads; a static program is not
// watched.
void hp_starved_watch(void (*end)(void));

// Memory for so many bytes, all 0, that may be refused all the same: NULL then.  munmap() frees it.
void *hp_starved_map(size_t size);

#endif
