#include "sim/resize.h"

#include <stdio.h>
#include <stdlib.h>

void *hps_resize(void *memory, size_t size) {
    void *resized = realloc(memory, size > 0 ? size : 1);
    if (!resized) {
        fputs("hprof-sim: out of memory\n", stderr);
        exit(1);
    }
    return resized;
}
