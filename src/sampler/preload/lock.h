// A lock that is no part of libpthread, so that it works before main(), inside malloc() and
// around fork(), and that knows whose it is, so that a signal handler can tell whether it
// interrupted the owner.
#ifndef HPS_PRELOAD_LOCK_H
#define HPS_PRELOAD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

// {0} is free.
struct hps_lock {
    uint32_t word;
};

void hps_lock_take(struct hps_lock *lock);
bool hps_lock_try(struct hps_lock *lock);
void hps_lock_release(struct hps_lock *lock);
bool hps_lock_is_mine(const struct hps_lock *lock);

// In the child of a fork() before which the calling thread held the lock: the child's only
// thread has another number.
void hps_lock_inherit(struct hps_lock *lock);

#endif
