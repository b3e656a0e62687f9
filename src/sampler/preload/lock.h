// A lock that does not depend on libpthread.  It works before main(), inside malloc() and
// around fork().  It knows its owner, so that a signal handler can find out whether it
// interrupted the owner.
#ifndef HPS_PRELOAD_LOCK_H
#define HPS_PRELOAD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

// A lock.  {0} is free.
struct hps_lock {
    uint32_t word;
};

// Take the lock and wait for it; take it if it is free, and return whether it was;
// release it; return whether the calling thread owns it.
void hps_lock_take(struct hps_lock *lock);
bool hps_lock_try(struct hps_lock *lock);
void hps_lock_release(struct hps_lock *lock);
bool hps_lock_is_mine(const struct hps_lock *lock);

// Take over the lock in the child of a fork() if the calling thread held it before.  The
// only thread of the child has another thread number, which would not be recognised as
// the owner.
void hps_lock_inherit(struct hps_lock *lock);

#endif
