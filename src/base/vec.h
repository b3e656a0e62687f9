// A growable array of any type: struct { T *at; size_t count, capacity; }.
//
// {0} is empty.  Growing never fails (see memory.h) and may move the items, so that
// pointers to them are valid only until the next push.  hp_vec_done() frees the array.
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

// Make room for `extra` more items, so that adding them moves no item.
#define hp_vec_reserve(vec, extra)                                 \
    ((vec)->count + (extra) <= (vec)->capacity                     \
         ? (void)0                                                 \
         : (void)((vec)->at = hp_grow((vec)->at, &(vec)->capacity, \
                                      (vec)->count + (extra), sizeof *(vec)->at)))

// Append one item and return its address.
#define hp_vec_push(vec, item) \
    (hp_vec_reserve(vec, 1), (vec)->at[(vec)->count] = (item), &(vec)->at[(vec)->count++])

// Append copies of `n` items of another array.
#define hp_vec_append(vec, items, n)                                                    \
    (hp_vec_reserve(vec, n),                                                            \
     (n) > 0 ? memcpy((vec)->at + (vec)->count, items, (n) * sizeof *(vec)->at) : NULL, \
     (void)((vec)->count += (n)))

// Sort as qsort() and qsort_r() do; an empty vector, whose address is NULL, is not passed
// to them.
#define hp_vec_sort(vec, compare)                                                    \
    ((vec)->count > 0 ? qsort((vec)->at, (vec)->count, sizeof *(vec)->at, (compare)) \
                      : (void)0)
#define hp_vec_sort_r(vec, compare, context)                                         \
    ((vec)->count > 0                                                                \
         ? qsort_r((vec)->at, (vec)->count, sizeof *(vec)->at, (compare), (context)) \
         : (void)0)

// Sort structs that begin with a uint64_t by that key, in linear time; see
// hp_sort_by_key().
#define hp_vec_sort_by_key(vec) hp_sort_by_key((vec)->at, (vec)->count, sizeof *(vec)->at)

// Return the address of item `i`; items up to it that do not exist yet are added as
// zeros.
#define hp_vec_reach(vec, i)                                                         \
    ((vec)->at =                                                                     \
         hp_reach((vec)->at, &(vec)->count, &(vec)->capacity, i, sizeof *(vec)->at), \
     &(vec)->at[i])

// Pointer to item `i`, which may be one past the last.  NULL while the array is empty,
// because C does not allow adding even 0 to NULL.
#define hp_vec_from(vec, i) ((vec)->at != NULL ? (vec)->at + (i) : NULL)

// Free the array and make it empty.
#define hp_vec_done(vec) \
    (free((vec)->at), (vec)->at = NULL, (void)((vec)->count = (vec)->capacity = 0))

// Loop over all items; `item` is a pointer to the item type.  Also correct for an empty
// vector.
#define hp_vec_each(item, vec) \
    for (item = (vec)->at; item != NULL && item < (vec)->at + (vec)->count; item++)

// A growable array of bytes, for the macros above; `at` is owned.
struct hp_bytes {
    uint8_t *at;
    size_t count, capacity;
};

#endif
