// Memory for the simulator, which ends with a message when there is no more.
#ifndef HP_SAMPLER_MEMORY_H
#define HP_SAMPLER_MEMORY_H

#include <stddef.h>

// realloc() that never returns NULL; resize(NULL, size) is malloc().  For free().
void *hp_resize(void *memory, size_t size);

#endif
