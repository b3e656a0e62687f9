// Memory for the simulator, which ends with a message when there is no more.
#ifndef HPS_SIM_RESIZE_H
#define HPS_SIM_RESIZE_H

#include <stddef.h>

// realloc() that never returns NULL; resize(NULL, size) is malloc().  For free().
void *hps_resize(void *memory, size_t size);

#endif
