#include "model/stack_runs.h"

#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    MODE = 0600,    // permissions of the file
    KEPT_SHARE = 4, // runs that hp_run_keep() keeps may take 1/4 of store->room
};

void hp_stack_run_done(struct hp_stack_run *run) {
    free(run->bytes);
    run->bytes = NULL;
    hp_vec_done(&run->sets);
}

void hp_stack_runs_done(struct hp_stack_runs *runs) {
    struct hp_stack_run *run;
    hp_vec_each (run, &runs->all) {
        hp_stack_run_done(run);
    }
    struct hp_run_source *source;
    hp_vec_each (source, &runs->sources) {
        hp_vec_done(&source->ends);
    }
    hp_vec_done(&runs->all);
    hp_vec_done(&runs->sources);
    hp_vec_done(&runs->frames);
    *runs = (struct hp_stack_runs){.stacks = 0};
}

void hp_stack_runs_add(struct hp_stack_runs *runs, struct hp_stack_run *run) {
    run->first = runs->stacks;
    runs->stacks += run->stacks;
    hp_vec_push(&runs->all, *run);
}

void hp_stack_runs_settle(struct hp_stack_runs *runs, const uint32_t *map, size_t count) {
    struct hp_run_source own = {.first_frame = runs->frames.count};
    bool has_own = false;
    struct hp_stack_run *run;
    for (size_t i = 0; i < runs->frames.count; i++) {
        runs->frames.at[i] = map[runs->frames.at[i]];
    }
    hp_vec_each (run, &runs->all) {
        has_own |= run->source == HP_RUN_OWN;
        run->source =
            run->source == HP_RUN_OWN ? (uint32_t)runs->sources.count : run->source;
    }
    if (has_own) {
        hp_vec_append(&runs->frames, map, count);
        hp_vec_push(&runs->sources, own);
    }
}

// --- the store -------------------------------------------------------------------------

struct hp_run_store *hp_run_store_new(const char *folder, uint64_t room) {
    struct hp_run_store *store = hp_alloc(sizeof *store);
    store->folder = folder ? hp_copy(folder) : NULL;
    store->room = room;
    store->fd = -1;
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

void hp_run_store_free(struct hp_run_store *store) {
    if (!store) {
        return;
    }
    if (store->fd >= 0) {
        close(store->fd);
    }
    pthread_mutex_destroy(&store->lock);
    free(store->folder);
    free(store);
}

// Create a file with a random name and unlink it at once, for file systems without
// O_TMPFILE.  Returns -1 with errno on failure.
static int open_named(const char *folder) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return -1;
    }
    char *path = hp_printed("%s/.hprof-agg-%016" PRIx64, folder, number);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
    if (fd >= 0) {
        unlink(path);
    }
    free(path);
    return fd;
}

// Set an error for a failed operation on the file of a store, with the errno `sys` and
// the folder.  Returns HP_E_OUTPUT.
static int fail(const struct hp_run_store *store, const char *verb, int sys,
                struct hp_err *err) {
    hp_fail(err, HP_E_OUTPUT,
            HP_MESSAGE("spill-failed", "cannot %s the temporary file of stacks"), verb);
    err->sys = sys;
    if (store && store->folder) {
        hp_err_locate(err, store->folder, 0);
    }
    return HP_E_OUTPUT;
}

// Open the file of the store, unless it is open or runs are kept in memory.
static int open_file(struct hp_run_store *store, struct hp_err *err) {
    if (store->fd >= 0 || !store->folder) {
        return HP_OK;
    }
    store->fd = open(store->folder, O_RDWR | O_TMPFILE | O_CLOEXEC, MODE);
    store->fd = store->fd >= 0 ? store->fd : open_named(store->folder);
    if (store->fd < 0) {
        return fail(store, "create a file for", errno, err);
    }
    return HP_OK;
}

// --- writing ---------------------------------------------------------------------------

int hp_run_begin(struct hp_run_output *out, struct hp_run_store *store,
                 struct hp_stack_run *run, struct hp_err *err) {
    *out = (struct hp_run_output){.store = store, .run = run};
    if (!store) {
        return HP_OK;
    }
    pthread_mutex_lock(&store->lock);
    int ret = open_file(store, err);
    if (ret != HP_OK) {
        pthread_mutex_unlock(&store->lock);
    }
    run->offset = store->size;
    run->size = 0;
    return ret;
}

// Append to a run in memory.
static int put_in_memory(struct hp_run_output *out, const void *bytes, size_t size) {
    struct hp_stack_run *run = out->run;
    run->bytes = hp_grow(run->bytes, &out->room, run->size + size, 1);
    memcpy(run->bytes + run->size, bytes, size);
    run->size += size;
    return 0;
}

int hp_run_put(void *data, const void *bytes, size_t size) {
    struct hp_run_output *out = data;
    struct hp_stack_run *run = out->run;
    const char *next = bytes;
    if (!out->store || !out->store->folder) {
        return put_in_memory(out, bytes, size);
    }
    while (size > 0) {
        ssize_t written =
            pwrite(out->store->fd, next, size, (off_t)(run->offset + run->size));
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        if (written > 0) {
            next += written;
            size -= (size_t)written;
            run->size += (uint64_t)written;
        }
    }
    return 0;
}

int hp_run_fail_write(const struct hp_run_store *store, int sys, struct hp_err *err) {
    return fail(store, "write", sys, err);
}

void hp_run_end(struct hp_run_output *out) {
    struct hp_stack_run *run = out->run;
    char *shrunk = run->bytes ? realloc(run->bytes, run->size) : NULL;
    run->bytes = shrunk ? shrunk : run->bytes;
    if (out->store) {
        out->store->size += out->store->folder ? run->size : 0;
        pthread_mutex_unlock(&out->store->lock);
    }
}

// Whether a run of `size` bytes may stay in memory; if so, they are added to store->kept.
static bool has_room(struct hp_run_store *store, uint64_t size) {
    pthread_mutex_lock(&store->lock);
    bool has = !store->folder || size <= store->room / KEPT_SHARE - store->kept;
    store->kept += has ? size : 0;
    pthread_mutex_unlock(&store->lock);
    return has;
}

int hp_run_keep(struct hp_run_store *store, struct hp_stack_run *run,
                struct hp_err *err) {
    struct hp_run_output out;
    char *bytes = run->bytes;
    size_t size = (size_t)run->size;
    if (has_room(store, run->size)) {
        return HP_OK;
    }
    run->bytes = NULL;
    int ret = hp_run_begin(&out, store, run, err);
    if (ret == HP_OK) {
        if (hp_run_put(&out, bytes, size) != 0) {
            ret = hp_run_fail_write(store, errno, err);
        }
        hp_run_end(&out);
    }
    free(bytes);
    return ret;
}

// --- reading ---------------------------------------------------------------------------

int hp_run_read(void *data, void *bytes, size_t size, size_t *got, struct hp_err *err) {
    struct hp_run_input *in = data;
    const struct hp_stack_run *run = in->run;
    uint64_t left = run->size - in->at;
    ssize_t read = (ssize_t)(size < left ? size : left);
    if (run->bytes) {
        memcpy(bytes, run->bytes + in->at, (size_t)read);
    } else {
        read = hp_read_at(in->fd, bytes, (size_t)read, run->offset + in->at);
    }
    if (read < 0) {
        return hp_fail_errno(err, HP_MESSAGE("spill-not-read",
                                             "cannot read the temporary file of stacks"));
    }
    *got = (size_t)read;
    in->at += *got;
    return HP_OK;
}
