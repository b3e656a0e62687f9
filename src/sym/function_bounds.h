// Starts of functions from tables for unwinding (.eh_frame), for functions without a
// symbol.
#ifndef HP_SYM_FUNCTION_BOUNDS_H
#define HP_SYM_FUNCTION_BOUNDS_H

#include "sym/image.h"

// A section of the file, with its address in the program.
struct hp_table_section {
    const unsigned char *at; // points into the image
    size_t size;
    uint64_t address; // address of its first byte in the program
};

// The addresses [start, start + size) of a function.
struct hp_function_range {
    uint64_t start, size;
};

// The tables by which the functions of a file are found; {0} has none.
struct hp_function_bounds {
    const struct hp_image *image;
    struct hp_table_section index, frames; // .eh_frame_hdr and .eh_frame
    size_t count; // entries of the index; 0: the index is not used
    HP_VEC(struct hp_function_range) all; // functions by start, if there is no index
    // Ranges of .plt and the like, whose code is not a function.
    HP_VEC(struct hp_function_range) stubs;
};

// Read the tables of an image, which must outlive `bounds`.  Ended by
// hp_function_bounds_done().
void hp_function_bounds_open(struct hp_function_bounds *bounds,
                             const struct hp_image *image);
void hp_function_bounds_done(struct hp_function_bounds *bounds);

// Find the start of the function that contains an address of the program.  Returns false
// if it is unknown.
bool hp_function_bounds_find(const struct hp_function_bounds *bounds, uint64_t address,
                             uint64_t *start);

#endif
