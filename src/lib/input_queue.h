// The queue of inputs for several reading threads: first files, then the members of
// archives.
#ifndef HP_LIB_INPUT_QUEUE_H
#define HP_LIB_INPUT_QUEUE_H

#include "input/tar.h"

#include <pthread.h>

// The bytes of an input that can be read only once, kept while it may be needed again.
// Packed by zstd, unless they are compressed already.
struct hp_kept_input {
    char *bytes; // NULL: not kept
    size_t size;
};

// A member of an archive.  Its number follows those of the files.
struct hp_member {
    char *name; // owned, from malloc(); NULL: reading the archive failed at this point
    const char *archive; // path of the archive; borrowed
};

// The queue of inputs.  Members above the lock are set before the threads start.
struct hp_input_queue {
    const char *const *paths;      // files; borrowed
    size_t count;                  // number of paths
    HP_VEC(const char *) archives; // paths; borrowed
    uint64_t limit;                // most bytes of a member of an archive; 0: any number
    bool waits;                    // wait for a writer when an input is a FIFO
    // Both may be NULL.  `order`: the numbers of the files in the order in which to read
    // them.  is_wanted: for each input whether to read it.
    const uint32_t *order;
    const bool *is_wanted;
    size_t wanted_count; // length of is_wanted
    bool keeps_members;  // keep the bytes of members: some archive can be read only once

    pthread_mutex_t lock; // protects the rest
    size_t given;         // number of inputs handed out
    size_t archive;       // index of the archive that is being read
    struct hp_tar tar;    // the open archive
    bool is_open;         // whether `tar` is open
    bool has_members;     // whether a member was found in `tar`
    // Members of all archives, in the order in which they were found.
    HP_VEC(struct hp_member) members;
    HP_VEC(struct hp_kept_input) kept; // kept bytes of each input, by its number
};

// The names of the members of archives, in the order of their numbers.  {0} is empty.
struct hp_member_names {
    HP_VEC(char *) all; // owned; NULL: the archive cannot be read at this point
};

// An input that was handed out.  {0} is ready for hp_input_queue_next(); its memory is
// reused for the next input.
struct hp_queued_input {
    const char *name;    // borrowed from the queue
    size_t number;       // number of the input: files come first, then members
    const char *archive; // path of the archive that contains it; NULL: a file of its own
    struct hp_tar_file file;    // content, if it is a member of an archive
    struct hp_kept_input again; // its bytes, if they were kept when it was read before
};

// Create the lock.  The rest of the queue must be {0} or set by the caller.
void hp_input_queue_init(struct hp_input_queue *queue);
// Frees everything except the names of members.
void hp_input_queue_done(struct hp_input_queue *queue);

// List the members of all archives, which must be files that can be read again.  Free the
// names with hp_member_names_done().
void hp_input_queue_list(const struct hp_input_queue *queue,
                         struct hp_member_names *names);
void hp_member_names_done(struct hp_member_names *names);

// Start again from the first input, and hand out input n only if n < count and
// is_wanted[n].  No other thread may use the queue meanwhile.  Borrows is_wanted.
void hp_input_queue_rewind(struct hp_input_queue *queue, const bool *is_wanted,
                           size_t count);

// Get the next input in `item`.  *found is false when there is none.  On an error `item`
// names the archive that failed; nothing more is read from it, but other inputs may
// follow.  An error is returned only once.
HP_MUST_CHECK int hp_input_queue_next(struct hp_input_queue *queue,
                                      struct hp_queued_input *item, bool *found,
                                      struct hp_err *err);

// Skip all further archives, and close the open one, so that a thread that waits until
// the process has a free descriptor can go on.
void hp_input_queue_stop(struct hp_input_queue *queue);

// Free the name of input `number`, if it is a member of an archive: the name is no longer
// needed.
void hp_input_queue_forget(struct hp_input_queue *queue, size_t number);

// Keep a copy of the bytes of input `number`, which hp_input_queue_next() returns again
// after hp_input_queue_rewind().
void hp_input_queue_keep(struct hp_input_queue *queue, size_t number,
                         struct hp_span bytes);

#endif
