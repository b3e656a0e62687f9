// The word of a lock is 0, or the owner's thread number, with the bit WAITED if other
// threads may sleep on it.  A thread that has slept takes the lock with WAITED set, as
// there may be more sleepers.
#include "preload/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint32_t WAITED = 0x80000000;

// The number of this thread; 0: not known yet.
static __thread uint32_t my_number __attribute__((tls_model("initial-exec")));

// The number of the calling thread.
static uint32_t me(void) {
    if (my_number == 0) {
        my_number = (uint32_t)syscall(SYS_gettid);
    }
    return my_number;
}

// Take the lock if it is free; `owner` is a thread number, with or without WAITED.
static bool take_as(struct hps_lock *lock, uint32_t owner) {
    uint32_t unowned = 0;
    return __atomic_compare_exchange_n(&lock->word, &unowned, owner, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// Set WAITED, so that the owner wakes sleepers.  Returns false if the word is no longer
// `seen`.
static bool mark_waited(struct hps_lock *lock, uint32_t seen) {
    return (seen & WAITED) ||
           __atomic_compare_exchange_n(&lock->word, &seen, seen | WAITED, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool hps_lock_try(struct hps_lock *lock) {
    return take_as(lock, me());
}

void hps_lock_take(struct hps_lock *lock) {
    uint32_t owner = me();
    while (!take_as(lock, owner)) {
        uint32_t seen = __atomic_load_n(&lock->word, __ATOMIC_SEQ_CST);
        if (seen != 0 && mark_waited(lock, seen)) {
            syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, seen | WAITED, NULL, NULL,
                    0);
            owner = me() | WAITED;
        }
    }
}

void hps_lock_release(struct hps_lock *lock) {
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_SEQ_CST) & WAITED) {
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

bool hps_lock_is_mine(const struct hps_lock *lock) {
    return (__atomic_load_n(&lock->word, __ATOMIC_SEQ_CST) & ~WAITED) == me();
}

void hps_lock_inherit(struct hps_lock *lock) {
    my_number = 0;
    __atomic_store_n(&lock->word, me(), __ATOMIC_SEQ_CST);
}
