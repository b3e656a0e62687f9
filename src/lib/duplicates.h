// Inputs that have the same content.
#ifndef HP_LIB_DUPLICATES_H
#define HP_LIB_DUPLICATES_H

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"

#include <pthread.h>

// Which contents are known, asked by several threads.

struct hp_contents {
    pthread_mutex_t lock;
    struct hp_index index;
    HP_VEC(struct hp_digest) known;
};

void hp_contents_init(struct hp_contents *contents);
void hp_contents_done(struct hp_contents *contents);

// True if it was not known.
bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest);

// Two inputs of one content, by their numbers.
struct hp_duplicate {
    size_t first, again;
};

// Of the inputs with one content on one side of a diff let the first be the one that was read,
// and the others its duplicates.  Returns the first that has one; else both are `count`.
struct hp_duplicate hp_duplicates_settle(struct hp_input_record *records, size_t count);

// The first that is on both sides of a diff, unless there is but one on each, which is to be
// compared with itself.
struct hp_duplicate hp_duplicates_across(const struct hp_input_record *records,
                                         size_t count);

// Fail with HP_E_DUPLICATE where a merged profile holds a process that another input holds, too, if
// one dump of each process is to count.
HP_MUST_CHECK int hp_duplicates_of_processes(const struct hp_profile *profile,
                                             struct hp_err *err);

// Fail, and say which is a duplicate of which.
HP_MUST_CHECK int hp_duplicates_refuse(const struct hp_input_record *records,
                                       struct hp_duplicate duplicate, struct hp_err *err);

#endif
