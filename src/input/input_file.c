#include "input/input_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

// Numbers of files, shared by all threads; `changed` is signalled whenever one of the
// numbers changes.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t open;     // files that are open
    size_t opening;  // threads inside hp_open_input()
    uint64_t closed; // files closed since the start
} files = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// Whether opening failed for lack of a descriptor, of the process or of the system.
static bool is_scarce(const struct hp_err *err) {
    return err->sys == EMFILE || err->sys == ENFILE;
}

// Open a file. The caller holds the lock, which is released meanwhile, because opening a
// FIFO may take any time.
static int try_to_open(const char *path, bool waits, struct hp_err *err) {
    files.opening++;
    pthread_mutex_unlock(&files.lock);
    int fd = hp_open_input(path, waits, err);
    pthread_mutex_lock(&files.lock);
    files.opening--;
    files.open += fd >= 0;
    files.closed +=
        fd < 0 && !is_scarce(err); // a file that is refused was open for a moment
    pthread_cond_broadcast(&files.changed);
    return fd;
}

int hp_input_file_open(const char *path, bool waits, struct hp_err *err) {
    pthread_mutex_lock(&files.lock);
    uint64_t before = files.closed;
    int fd = try_to_open(path, waits, err);
    while (fd < 0 && is_scarce(err)) {
        while (files.closed == before && files.open + files.opening > 0) {
            pthread_cond_wait(&files.changed, &files.lock);
        }
        if (files.closed == before) {
            break;
        }
        before = files.closed;
        fd = try_to_open(path, waits, err);
    }
    pthread_mutex_unlock(&files.lock);
    return fd;
}

void hp_input_file_close(int fd) {
    close(fd);
    pthread_mutex_lock(&files.lock);
    files.open--;
    files.closed++;
    pthread_cond_broadcast(&files.changed);
    pthread_mutex_unlock(&files.lock);
}
