// The inputs that are to be read, one after the other, for several threads: files, and then
// those in an archive.
#ifndef HP_LIB_INPUT_QUEUE_H
#define HP_LIB_INPUT_QUEUE_H

#include "input/tar.h"

#include <pthread.h>

struct hp_input_queue {
    const char *const *paths;
    size_t count;
    const char *archive; // or NULL
    uint64_t limit;      // of bytes of a file in it, or 0

    pthread_mutex_t lock;
    size_t given;
    struct hp_tar tar;
    bool is_open, is_over;  // the archive
    HP_VEC(char *) members; // names; malloc()ed
};

// {0} is ready, and its memory is kept from one to the next.
struct hp_queued_input {
    const char *name;
    size_t number; // 0, 1, 2 ...
    bool is_member;
    struct hp_tar_file file; // if it is
};

void hp_input_queue_init(struct hp_input_queue *queue);
void hp_input_queue_done(struct hp_input_queue *queue); // keeps the names

// The next, or nothing if *found is false.  What fails is the archive, which gives nothing
// more then; it is the item.
HP_MUST_CHECK int hp_input_queue_next(struct hp_input_queue *queue,
                                      struct hp_queued_input *item, bool *found,
                                      struct hp_err *err);

#endif
