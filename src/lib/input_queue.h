// The inputs that are to be read, one after the other, for several threads: files, and then
// those in archives.
#ifndef HP_LIB_INPUT_QUEUE_H
#define HP_LIB_INPUT_QUEUE_H

#include "input/tar.h"

#include <pthread.h>

// What can be read only once, as long as it may be wanted again; zstd, if that helps.
struct hp_kept_input {
    char *bytes; // NULL: it is not kept
    size_t size;
};

// A number behind those of the files.
struct hp_member {
    char *name;          // malloc()ed; NULL: here an archive failed
    const char *archive; // that it is in
};

struct hp_input_queue {
    const char *const *paths;
    size_t count;
    HP_VEC(const char *) archives;
    uint64_t limit; // of bytes of a file in them, or 0
    bool waits;     // for somebody to write to one that is a FIFO
    // These may be NULL: the order of the files by their numbers; of all inputs whether they
    // are to be read.
    const uint32_t *order;
    const bool *is_wanted;
    size_t wanted_count; // of `is_wanted`
    bool keeps_members;  // of archives that can be read only once

    pthread_mutex_t lock;
    size_t given;
    size_t archive;    // which is being read
    struct hp_tar tar; // that one,
    bool is_open;      // if it is open
    bool has_members;  // the same
    HP_VEC(struct hp_member) members;
    HP_VEC(struct hp_kept_input) kept; // by number
};

// {0} is ready, and its memory is kept from one to the next.
struct hp_queued_input {
    const char *name;
    size_t number;              // 0, 1, 2 ...
    const char *archive;        // that it is a member of, or NULL
    struct hp_tar_file file;    // if it is
    struct hp_kept_input again; // what was kept of it
};

void hp_input_queue_init(struct hp_input_queue *queue);
void hp_input_queue_done(struct hp_input_queue *queue); // keeps the names

// From the first on again: of all inputs those that are wanted.
void hp_input_queue_rewind(struct hp_input_queue *queue, const bool *is_wanted,
                           size_t count);

// The next, or nothing if *found is false.  What fails is an archive, which gives nothing
// more then; it is the item, and others may follow.  What failed once is not told again.
HP_MUST_CHECK int hp_input_queue_next(struct hp_input_queue *queue,
                                      struct hp_queued_input *item, bool *found,
                                      struct hp_err *err);

// Read no further archive, and close the one that is open: another thread may wait for its descriptor.
void hp_input_queue_stop(struct hp_input_queue *queue);

// The name of an input that was read is needed no longer.
void hp_input_queue_forget(struct hp_input_queue *queue, size_t number);

// Keep the bytes of an input.
void hp_input_queue_keep(struct hp_input_queue *queue, size_t number,
                         struct hp_span bytes);

#endif
