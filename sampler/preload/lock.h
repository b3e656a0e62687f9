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

// Take the lock; wait as long as another thread has it.
void hps_lock_take(struct hps_lock *lock);

// Take the lock if it is free.  Returns whether it was.
bool hps_lock_try(struct hps_lock *lock);

// Release the lock and wake a thread that waits for it.
void hps_lock_release(struct hps_lock *lock);

// Whether the calling thread owns the lock.
bool hps_lock_is_mine(const struct hps_lock *lock);

// Take over the lock in the child of a fork() if the calling thread held it before.  The
// only thread of the child has another thread number, which would not be recognised as
// the owner.
void hps_lock_inherit(struct hps_lock *lock);

#endif
