// A growable array of any type: struct { T *at; size_t count, capacity; }.
#ifndef HP_BASE_VEC_H
#define HP_BASE_VEC_H

#include "base/memory.h"

#include <stdlib.h>

#define HP_VEC(type)            \
    struct {                    \
        type *at;               \
        size_t count, capacity; \
    }

// Make room for `extra` more items, so that adding them moves nothing.
#define hp_vec_reserve(vec, extra)                                 \
    ((vec)->count + (extra) <= (vec)->capacity                     \
         ? (void)0                                                 \
         : (void)((vec)->at = hp_grow((vec)->at, &(vec)->capacity, \
                                      (vec)->count + (extra), sizeof *(vec)->at)))

// Append one item and return its address.
#define hp_vec_push(vec, item) \
    (hp_vec_reserve(vec, 1), (vec)->at[(vec)->count] = (item), &(vec)->at[(vec)->count++])

#define hp_vec_done(vec) \
    (free((vec)->at), (vec)->at = NULL, (void)((vec)->count = (vec)->capacity = 0))

#define hp_vec_each(item, vec) \
    for (item = (vec)->at; item != NULL && item < (vec)->at + (vec)->count; item++)

#endif
