// Where functions begin that no symbol names, as the tables for unwinding tell (.eh_frame).
#ifndef HP_SYM_FUNCTION_BOUNDS_H
#define HP_SYM_FUNCTION_BOUNDS_H

#include "sym/image.h"

// A section as it is in the file, and where it is in the program.
struct hp_table_section {
    const unsigned char *at;
    size_t size;
    uint64_t address;
};

struct hp_function_range {
    uint64_t start, size;
};

// {0} knows of none.
struct hp_function_bounds {
    const struct hp_image *image;
    struct hp_table_section index, frames;  // .eh_frame_hdr and .eh_frame
    size_t count;                           // of entries of the index; 0: it is not used
    HP_VEC(struct hp_function_range) all;   // by start, where there is no index
    HP_VEC(struct hp_function_range) stubs; // .plt and the like, which are no functions
};

// The image must outlive it.
void hp_function_bounds_open(struct hp_function_bounds *bounds,
                             const struct hp_image *image);
void hp_function_bounds_done(struct hp_function_bounds *bounds);

// Where the function around an address of the program begins; false if that is not known.
bool hp_function_bounds_find(const struct hp_function_bounds *bounds, uint64_t address,
                             uint64_t *start);

#endif
