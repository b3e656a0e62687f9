// The emergency pool of libstdc++: about 72 KB that the library allocates while it is
// loaded, so that exceptions can be thrown when memory has run out.  In a small program it
// is the first row, and its function has no name.
#ifndef HP_VIEW_EMERGENCY_POOL_H
#define HP_VIEW_EMERGENCY_POOL_H

#include "model/profile.h"

// Name of its row.
#define HP_EMERGENCY_POOL "[emergency-pool-of-libstdc++]"

// Return for each frame whether it is the nameless function that allocates the pool: a
// frame of libstdc++ that is called by the dynamic linker, and calls only the allocator.
// NULL: there is none, or names are redacted.  The caller frees it.
bool *hp_emergency_pool_frames(const struct hp_profile *profile);

#endif
