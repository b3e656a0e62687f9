// The gate of a thread is the countdown to its next sample.  It starts at 0, so that a
// thread's first allocation arrives here: the thread gets its own random numbers and a
// gap, and that allocation is decided on.  In truth mode every allocation has to arrive
// here.  The gate stays at 0 then, and a second countdown decides.
//
// Lock order: everything that calls malloc() or takes another lock, as the unwinder does,
// happens before the lock is taken.  No function that is called with it held can try to
// take it again.
#include "preload/tracker.h"

#include "core/gap.h"
#include "preload/complain.h"
#include "preload/dumpfile.h"
#include "preload/lock.h"
#include "preload/preferences.h"
#include "preload/unwind.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__thread struct hps_countdown hps_tracker_gate;
uintptr_t hps_tracker_unwatched = HPS_TRACKER_UNWATCHED;

// State of a thread.
static __thread struct {
    bool busy;   // the thread is in the tracker: its allocations are not tracked
    bool seeded; // `random` is initialised
    struct hps_countdown countdown; // truth mode: countdown to the next sample
    struct hps_random random;
    // This thread in both ledgers; NULL: not added yet.
    struct hps_ledger_thread *sampled, *exact;
    struct hps_stack_area stack; // the thread's stack, for frame pointers
} self __attribute__((tls_model("initial-exec")));

// The same for all threads; written once, before there are two.
static bool started;
static struct hps_preferences preferences;
static struct timespec begun; // by the clock of files

static uint64_t threads_seeded; // atomic; number of threads that got random numbers
static bool dump_wanted;        // atomic; a dump was requested while the lock was taken

static struct hps_lock lock;

// Guarded by the lock:
struct hps_objects hps_tracker_objects;
// Statistics of the sampled objects, and in truth mode of all objects.
static struct hps_ledger sampled, exact;
// Numbers of the next dump and of the next fork.
static uint64_t dumps, forks;
static bool is_forked;
static bool was_mine; // the forking thread held the lock before fork()

// --- dumps --------------------------------------------------------------------------

// Write a dump to PATH.heap, and in truth mode to PATH.truth.heap.  Returns 0 or an
// errno.
static int write_dump(struct hps_path *path) {
    size_t length = path->length;
    hps_path_text(path, ".heap");
    int error = hps_dumpfile_write(path, &sampled,
                                   (struct hps_heapfile_options){
                                       .unbias = preferences.unbias,
                                       .accum = preferences.accum,
                                   });
    if (preferences.truth) {
        path->length = length;
        hps_path_text(path, ".truth.heap");
        int also =
            hps_dumpfile_write(path, &exact,
                               (struct hps_heapfile_options){.accum = preferences.accum});
        error = error ? error : also;
    }
    return error;
}

// Whether there is a dump of this name that was written since this process began: it is
// of another process, such as one that this one started.
static bool is_of_another(const struct hps_path *path) {
    static struct hps_path file;
    struct stat status;
    file = *path;
    hps_path_text(&file, ".heap");
    return stat(file.text, &status) == 0 && (status.st_mtim.tv_sec > begun.tv_sec ||
                                             (status.st_mtim.tv_sec == begun.tv_sec &&
                                              status.st_mtim.tv_nsec >= begun.tv_nsec));
}

// Find a name of this process, from the settings and with an ending.  It has the process
// id if it would replace the dump of another process otherwise.
static void name_dump(struct hps_path *path, const char *ending) {
    bool distinct = is_forked;
    do {
        *path = (struct hps_path){0};
        hps_path_pattern(path, preferences.name, distinct);
        hps_path_text(path, ending);
        distinct = !distinct;
    } while (distinct && is_of_another(path));
}

// Write a dump under the next number.
static int write_next_dump(void) {
    static struct hps_path path, ending;
    ending = (struct hps_path){0};
    hps_path_text(&ending, ".");
    hps_path_number(&ending, dumps++);
    name_dump(&path, ending.text);
    return write_dump(&path);
}

// Write the dump at exit.
static int write_last_dump(void) {
    static struct hps_path path;
    name_dump(&path, "");
    return write_dump(&path);
}

// Write a dump under a name.
static int write_named_dump(const char *name) {
    static struct hps_path path;
    path = (struct hps_path){0};
    hps_path_pattern(&path, name, false);
    return write_dump(&path);
}

// Release the lock, and write dumps that were requested while it was taken.  A request
// sets dump_wanted before it tries to take the lock.  The owner checks that before it
// releases the lock, and again after, if no other thread has taken it.
static void unlock(void) {
    do {
        if (__atomic_exchange_n(&dump_wanted, false, __ATOMIC_SEQ_CST)) {
            write_next_dump();
        }
        hps_lock_release(&lock);
    } while (__atomic_load_n(&dump_wanted, __ATOMIC_SEQ_CST) && hps_lock_try(&lock));
}

// Handle the signal for a dump: write it now, or leave it to the owner of the lock.
static void on_signal(int number) {
    (void)number;
    int error = errno;
    __atomic_store_n(&dump_wanted, true, __ATOMIC_SEQ_CST);
    if (hps_lock_try(&lock)) {
        unlock();
    }
    errno = error;
}

// --- start --------------------------------------------------------------------------

// Initialise at the first call.  Returns false until libc has set up the environment, and
// during this call.
static bool start(void) {
    if (started) {
        return true;
    }
    if (!environ || self.busy) {
        return false;
    }
    self.busy = true;
    hps_preferences_read(&preferences, secure_getenv("HPROF_SAMPLER"));
    clock_gettime(CLOCK_REALTIME_COARSE, &begun);
    hps_ledger_init(&sampled, preferences.period);
    hps_ledger_init(&exact, 1);
    if (preferences.truth) {
        hps_tracker_unwatched = 0;
    }
    self.busy = false;
    started = true;
    return true;
}

// Take the lock before fork(), so that the tables do not change meanwhile.  A signal
// handler that interrupted the owner may call fork(); then both processes continue the
// same change.
static void before_fork(void) {
    bool mine = hps_lock_is_mine(&lock);
    if (!mine) {
        hps_lock_take(&lock);
        self.busy = true; // signal handlers may allocate meanwhile
    }
    was_mine = mine;
    forks++;
}

// Release the lock, unless the thread held it before.
static void after_fork_in_parent(void) {
    if (!was_mine) {
        self.busy = false;
        unlock();
    }
}

// Start anew in the child: its own random numbers and numbers of dumps.
static void after_fork_in_child(void) {
    hps_lock_inherit(&lock);
    __atomic_store_n(&dump_wanted, false, __ATOMIC_SEQ_CST); // requested from the parent
    struct hps_random random;
    hps_random_init_nth(&random, preferences.seed, forks);
    preferences.seed = hps_random_next(&random);
    is_forked = true;
    dumps = forks = threads_seeded = 0;
    self.seeded = false;
    hps_tracker_gate = (struct hps_countdown){0};
    after_fork_in_parent();
}

// Start with the program: read the settings, install handlers.
__attribute__((constructor)) static void begin(void) {
    int error = errno;
    if (!start()) {
        return;
    }
    self.busy = true;
    hps_unwind_prepare();
    if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
        hps_complain("no memory for what fork() needs", NULL, NULL);
    }
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    if (preferences.signal && sigaction(preferences.signal, &action, NULL) != 0) {
        hps_complain("cannot dump on signal", sigabbrev_np(preferences.signal),
                     strerrordesc_np(errno));
    }
    self.busy = false;
    errno = error;
}

// Write the final dump.
__attribute__((destructor)) static void end(void) {
    if (!started || !preferences.final) {
        return;
    }
    int error = errno;
    if (hps_lock_is_mine(&lock)) {
        hps_complain("no dump: a signal handler ended the process inside malloc()", NULL,
                     NULL);
        return;
    }
    hps_lock_take(&lock);
    write_last_dump();
    unlock();
    errno = error;
}

int hprof_sampler_dump(const char *name) {
    if (!start() || hps_lock_is_mine(&lock)) {
        errno = EBUSY;
        return -1;
    }
    int before = errno;
    hps_lock_take(&lock);
    int error = name ? write_named_dump(name) : write_next_dump();
    unlock();
    errno = error ? error : before;
    return error ? -1 : 0;
}

int hprof_sampler_dump_fd(int fd) {
    if (!start() || hps_lock_is_mine(&lock)) {
        errno = EBUSY;
        return -1;
    }
    int before = errno;
    hps_lock_take(&lock);
    int error = hps_dumpfile_write_to(fd, &sampled,
                                      (struct hps_heapfile_options){
                                          .unbias = preferences.unbias,
                                          .accum = preferences.accum,
                                      });
    unlock();
    errno = error ? error : before;
    return error ? -1 : 0;
}

// --- decisions ----------------------------------------------------------------------

static uint64_t next_gap(void) {
    return hps_gap_geometric(&self.random, preferences.period);
}

// Count an allocation for which hps_tracker_passes() returned false.  Returns whether it
// is sampled.  Initialises a thread that is new.
static bool count_down(struct hps_countdown *countdown, uint64_t usize) {
    if (!self.seeded) {
        uint64_t n = __atomic_fetch_add(&threads_seeded, 1, __ATOMIC_RELAXED);
        hps_random_init_nth(&self.random, preferences.seed, n);
        hps_countdown_start(countdown, next_gap());
        self.seeded = true;
    }
    return hps_countdown_hits(countdown, usize);
}

bool hps_tracker_samples(size_t size) {
    if (!start()) {
        hps_tracker_gate = (struct hps_countdown){0};
        return false;
    }
    int error = errno;
    struct hps_countdown *countdown =
        preferences.truth ? &self.countdown : &hps_tracker_gate;
    // Otherwise the gate would have let it pass.
    bool is_over = self.seeded && !preferences.truth;
    bool hits = is_over || count_down(countdown, hps_usize(size) & INT64_MAX);
    if (hits) {
        hps_countdown_start(countdown, next_gap());
    }
    if (preferences.truth) {
        hps_tracker_gate = (struct hps_countdown){0};
    }
    errno = error;
    return hits && !self.busy;
}

// --- objects ------------------------------------------------------------------------

// Add the calling thread to a ledger, with its name made printable.
static struct hps_ledger_thread *new_thread(struct hps_ledger *ledger) {
    char name[16] = "";
    if (preferences.thread_name && prctl(PR_GET_NAME, name) == 0) {
        for (char *c = name; *c; c++) {
            *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
        }
    }
    return hps_ledger_new_thread(ledger, name);
}

// The line of a stack in a ledger; *thread is added if it is NULL.  NULL when out of
// memory.
static struct hps_ledger_line *find_line(struct hps_ledger *ledger,
                                         struct hps_ledger_thread **thread,
                                         const uintptr_t *frames, uint32_t depth) {
    if (!*thread) {
        *thread = new_thread(ledger);
    }
    return *thread ? hps_ledger_line(ledger, *thread, frames, depth) : NULL;
}

// Count an object as freed in both ledgers.
static void discount(const struct hps_object *object) {
    if (object->sampled) {
        hps_ledger_remove(&sampled, object->sampled, object->usize);
    }
    if (object->exact) {
        hps_ledger_remove(&exact, object->exact, object->usize);
    }
}

// Add an object.  If one with the same address is recorded, it was freed in a way that is
// not interposed: count it as freed.
static bool put_replacing_lost(const struct hps_object *object) {
    struct hps_object lost;
    if (hps_objects_take(&hps_tracker_objects, object->address, &lost)) {
        discount(&lost);
    }
    return hps_objects_put(&hps_tracker_objects, object);
}

// Add an object to the ledgers and to the table.
static void record(struct hps_object *object, bool is_sampled, const uintptr_t *frames,
                   uint32_t depth) {
    if (is_sampled) {
        object->sampled = find_line(&sampled, &self.sampled, frames, depth);
    }
    if (preferences.truth) {
        object->exact = find_line(&exact, &self.exact, frames, depth);
    }
    if ((!object->sampled && !object->exact) || !put_replacing_lost(object)) {
        return; // out of memory: treated as not sampled
    }
    if (object->sampled) {
        hps_ledger_add(&sampled, object->sampled, object->usize);
    }
    if (object->exact) {
        hps_ledger_add(&exact, object->exact, object->usize);
    }
}

void hps_tracker_add(const void *object, size_t size, bool is_sampled,
                     const void *frame) {
    if (self.busy || !started || !(is_sampled || preferences.truth)) {
        return;
    }
    int error = errno;
    self.busy = true;
    uintptr_t frames[HPS_UNWIND_FRAMES];
    uint32_t depth = preferences.frame_pointer
                         ? hps_unwind_frame_pointers(frames, frame, &self.stack)
                         : hps_unwind(frames);
    struct hps_object known = {.address = (uintptr_t)object, .usize = hps_usize(size)};
    hps_lock_take(&lock);
    record(&known, is_sampled, frames, depth);
    unlock();
    self.busy = false;
    errno = error;
}

// Remove an object from the table; count it as freed if `drop`.  Returns false if it is
// not recorded.  An object freed while the thread is busy belongs to the tracker and was
// not recorded, or to a signal handler that interrupted it; the latter is corrected when
// its address is recorded again.
static bool take(const void *object, struct hps_object *taken, bool drop) {
    if (self.busy) {
        return false;
    }
    int error = errno;
    self.busy = true;
    hps_lock_take(&lock);
    bool known = hps_objects_take(&hps_tracker_objects, (uintptr_t)object, taken);
    if (known && drop) {
        discount(taken);
    }
    unlock();
    self.busy = false;
    errno = error;
    return known;
}

bool hps_tracker_take(const void *object, struct hps_object *taken) {
    return take(object, taken, false);
}

void hps_tracker_forget(const void *object) {
    struct hps_object taken;
    take(object, &taken, true);
}

void hps_tracker_restore(const struct hps_object *taken) {
    int error = errno;
    self.busy = true;
    hps_lock_take(&lock);
    if (!put_replacing_lost(taken)) {
        discount(taken);
    }
    unlock();
    self.busy = false;
    errno = error;
}

void hps_tracker_drop(const struct hps_object *taken) {
    int error = errno;
    self.busy = true;
    hps_lock_take(&lock);
    discount(taken);
    unlock();
    self.busy = false;
    errno = error;
}
