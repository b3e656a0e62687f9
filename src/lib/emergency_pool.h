// The emergency pool of libstdc++: about 72 KB that the library allocates while it is
// loaded, so that exceptions can be thrown when memory has run out.  In a small program it
// is the first row, and the function that allocates it has no symbol.
#ifndef HP_LIB_EMERGENCY_POOL_H
#define HP_LIB_EMERGENCY_POOL_H

#include "model/profile.h"

// Name of the function.
#define HP_EMERGENCY_POOL "[emergency-pool-of-libstdc++]"

// Name the function that allocates the pool: a frame of libstdc++ that has no name, is
// called only by the dynamic linker, and calls only the allocator.
void hp_name_emergency_pool(struct hp_profile *profile);

#endif
