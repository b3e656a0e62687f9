// A lock that is no part of libpthread, so that it works before main(), inside malloc() and
// around fork(), and that knows whose it is, so that a signal handler can tell whether it
// interrupted the owner.
#ifndef HP_SAMPLER_LOCK_H
#define HP_SAMPLER_LOCK_H

#include <stdbool.h>
#include <stdint.h>

// {0} is free.
struct hp_lock {
    uint32_t word;
};

void hp_lock_take(struct hp_lock *lock);
bool hp_lock_try(struct hp_lock *lock);
void hp_lock_release(struct hp_lock *lock);
bool hp_lock_is_mine(const struct hp_lock *lock);

// In the child of a fork() before which the calling thread held the lock: the child's only
// thread has another number.
void hp_lock_inherit(struct hp_lock *lock);

#endif
