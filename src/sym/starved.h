// Whether memory was refused to anybody in this process: libdw and zlib take that for an
// end of what there is to be read, and do not tell.
#ifndef HP_SYM_STARVED_H
#define HP_SYM_STARVED_H

#include <stdbool.h>

// From now on allocations are watched, of all libraries that are loaded.  Only for a child,
// before it has threads; a static program is not watched.
void hp_starved_watch(void);

// Has any failed since?
bool hp_starved(void);

#endif
