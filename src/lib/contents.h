// Which contents are known, asked by several threads.
#ifndef HP_LIB_CONTENTS_H
#define HP_LIB_CONTENTS_H

#include "base/index.h"
#include "base/vec.h"
#include "model/input.h"

#include <pthread.h>

struct hp_contents {
    pthread_mutex_t lock;
    struct hp_index index;
    HP_VEC(struct hp_digest) known;
};

void hp_contents_init(struct hp_contents *contents);
void hp_contents_done(struct hp_contents *contents);

// True if it was not known.
bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest);

#endif
