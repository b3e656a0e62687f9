// Memory for the simulator; the program ends with a message when there is none.
#ifndef HPS_SIM_RESIZE_H
#define HPS_SIM_RESIZE_H

#include <stddef.h>

// The same as realloc(), but never returns NULL; hps_resize(NULL, size) is malloc(size).
// Release with free().
void *hps_resize(void *memory, size_t size);

#endif
