// Which contents have been taken, asked by several threads.
#ifndef HP_LIB_CLAIMS_H
#define HP_LIB_CLAIMS_H

#include "base/index.h"
#include "base/vec.h"
#include "model/input.h"

#include <pthread.h>

struct hp_claims {
    pthread_mutex_t lock;
    struct hp_index index;
    HP_VEC(struct hp_digest) taken;
};

void hp_claims_init(struct hp_claims *claims);
void hp_claims_done(struct hp_claims *claims);

// True for the first who asks with this digest.
bool hp_claims_take(struct hp_claims *claims, struct hp_digest digest);

#endif
