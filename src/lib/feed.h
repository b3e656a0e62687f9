// What is to be read, one after the other, for several threads that ask: files, and then those
// in an archive.
#ifndef HP_LIB_FEED_H
#define HP_LIB_FEED_H

#include "input/tar.h"

#include <pthread.h>

struct hp_feed {
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
struct hp_feed_item {
    const char *name;
    size_t number; // 0, 1, 2 ...
    bool is_member;
    struct hp_tar_file file; // if it is
};

void hp_feed_init(struct hp_feed *feed);
void hp_feed_done(struct hp_feed *feed); // keeps the names

// The next, or nothing if *found is false.  What fails is the archive, which gives nothing
// more then; it is the item.
HP_MUST_CHECK int hp_feed_next(struct hp_feed *feed, struct hp_feed_item *item,
                               bool *found, struct hp_err *err);

#endif
