// A growable array of any type: struct { T *at; size_t count, capacity; }.
#ifndef HP_BASE_VEC_H
#define HP_BASE_VEC_H

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

// Append `n` items from elsewhere.
#define hp_vec_append(vec, items, n)                                                    \
    (hp_vec_reserve(vec, n),                                                            \
     (n) > 0 ? memcpy((vec)->at + (vec)->count, items, (n) * sizeof *(vec)->at) : NULL, \
     (void)((vec)->count += (n)))

// Sort as qsort() and qsort_r() do, which must not be given the bytes of none.
#define hp_vec_sort(vec, compare)                                                    \
    ((vec)->count > 0 ? qsort((vec)->at, (vec)->count, sizeof *(vec)->at, (compare)) \
                      : (void)0)
#define hp_vec_sort_r(vec, compare, context)                                         \
    ((vec)->count > 0                                                                \
         ? qsort_r((vec)->at, (vec)->count, sizeof *(vec)->at, (compare), (context)) \
         : (void)0)

// Sort structs that begin with a uint64_t by that, in time that grows with their number.
#define hp_vec_sort_by_key(vec) hp_sort_by_key((vec)->at, (vec)->count, sizeof *(vec)->at)

// The address of item `i`; if there are fewer, items of zeros are added up to it.
#define hp_vec_reach(vec, i)                                                         \
    ((vec)->at =                                                                     \
         hp_reach((vec)->at, &(vec)->count, &(vec)->capacity, i, sizeof *(vec)->at), \
     &(vec)->at[i])

// Where item `i` and those behind it are or will be: NULL, to which C lets nobody add even 0,
// as long as there was none.
#define hp_vec_from(vec, i) ((vec)->at != NULL ? (vec)->at + (i) : NULL)

#define hp_vec_done(vec) \
    (free((vec)->at), (vec)->at = NULL, (void)((vec)->count = (vec)->capacity = 0))

#define hp_vec_each(item, vec) \
    for (item = (vec)->at; item != NULL && item < (vec)->at + (vec)->count; item++)

#endif
