#include "lib/input_queue.h"

#include "base/packing.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 1, // compression level of zstd
};

void hp_input_queue_init(struct hp_input_queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
}

void hp_input_queue_done(struct hp_input_queue *queue) {
    pthread_mutex_destroy(&queue->lock);
    hp_tar_close(&queue->tar);
    hp_vec_done(&queue->members);
    hp_vec_done(&queue->archives);
    struct hp_kept_input *kept;
    hp_vec_each (kept, &queue->kept) {
        free(kept->bytes);
    }
    hp_vec_done(&queue->kept);
}

// Close the current archive.  The lock is held, or no other thread runs.
static void close_archive(struct hp_input_queue *queue) {
    hp_tar_close(&queue->tar);
    queue->is_open = false;
}

void hp_input_queue_stop(struct hp_input_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->archive = queue->archives.count;
    close_archive(queue);
    pthread_mutex_unlock(&queue->lock);
}

void hp_input_queue_rewind(struct hp_input_queue *queue, const bool *is_wanted,
                           size_t count) {
    close_archive(queue);
    queue->archive = 0;
    queue->given = 0;
    queue->is_wanted = is_wanted;
    queue->wanted_count = count;
}

// --- archives --------------------------------------------------------------------------

// Set the name of the member that was found in the current archive.  Names are kept in
// queue->members, also an empty one at which the archive failed; a member that has been
// named in an earlier pass is not named again.
static void name_member(struct hp_input_queue *queue, struct hp_queued_input *item,
                        bool is_found) {
    size_t number = item->number - queue->count;
    if (number >= queue->members.count) {
        struct hp_member member = {NULL, queue->archives.at[queue->archive]};
        size_t size = item->file.name.count;
        if (is_found) {
            member.name = memcpy(hp_alloc(size), item->file.name.at, size);
        }
        hp_vec_push(&queue->members, member);
    }
    if (is_found) {
        item->name = queue->members.at[number].name;
        item->archive = queue->members.at[number].archive;
    }
}

// Add the names of the members of one archive.  If reading it fails, or it has no member,
// there is a NULL in the end: the queue numbers that failure, too.
static void list_archive(const struct hp_input_queue *queue, const char *path,
                         struct hp_member_names *names) {
    struct hp_tar tar = {.skips_contents = true};
    struct hp_tar_file file = {.name = {0}};
    struct hp_err err = {0};
    size_t first = names->all.count;
    bool found = true;
    int ret = hp_tar_open(&tar, path, &err);
    while (ret == HP_OK && found) {
        ret = hp_tar_next(&tar, queue->limit, &file, &found, &err);
        if (ret == HP_OK && found) {
            char *name = memcpy(hp_alloc(file.name.count), file.name.at, file.name.count);
            hp_vec_push(&names->all, name);
        }
    }
    if (ret != HP_OK || names->all.count == first) {
        hp_vec_push(&names->all, NULL);
    }
    hp_tar_file_done(&file);
    hp_tar_close(&tar);
}

void hp_input_queue_list(const struct hp_input_queue *queue,
                         struct hp_member_names *names) {
    const char *const *path;
    hp_vec_each (path, &queue->archives) {
        list_archive(queue, *path, names);
    }
}

void hp_member_names_done(struct hp_member_names *names) {
    char **name;
    hp_vec_each (name, &names->all) {
        free(*name);
    }
    hp_vec_done(&names->all);
}

// Read the next file of the current archive, and open the archive first if necessary.
// *found is false at its end.
static int read_archive(struct hp_input_queue *queue, struct hp_queued_input *item,
                        bool *found, struct hp_err *err) {
    int ret = HP_OK;
    if (!queue->is_open) {
        queue->tar.stream.waits = queue->waits;
        ret = hp_tar_open(&queue->tar, queue->archives.at[queue->archive], err);
        queue->is_open = true;
        queue->has_members = false;
    }
    if (ret == HP_OK) {
        ret = hp_tar_next(&queue->tar, queue->limit, &item->file, found, err);
    }
    if (ret == HP_OK && !*found && !queue->has_members) {
        ret = hp_fail(err, HP_E_EMPTY,
                      HP_MESSAGE("archive-empty", "an archive without any file"));
    }
    *found &= ret == HP_OK;
    queue->has_members |= *found;
    return ret;
}

// Read the next file of the current archive, or of the first one after it that has
// another file.  *found is false after the last archive.
static int next_member(struct hp_input_queue *queue, struct hp_queued_input *item,
                       bool *found, struct hp_err *err) {
    int ret = HP_OK;
    *found = false;
    while (ret == HP_OK && !*found && queue->archive < queue->archives.count) {
        item->name = queue->archives.at[queue->archive];
        ret = read_archive(queue, item, found, err);
        if (*found || ret != HP_OK) {
            name_member(queue, item, *found);
        }
        if (!*found) {
            close_archive(queue);
            queue->archive++;
        }
    }
    return ret;
}

// --- all inputs ------------------------------------------------------------------------

// Count the next input as handed out, and return its number: of a file in the order of
// queue->order, or of a member.
static size_t take_number(struct hp_input_queue *queue) {
    size_t place = queue->given++;
    return place < queue->count && queue->order ? queue->order[place] : place;
}

static bool is_kept(const struct hp_input_queue *queue, size_t number) {
    return number < queue->kept.count && queue->kept.at[number].bytes != NULL;
}

// Get the next input, wanted or not, in `item`.  *found is false when there is none.
static int take_next(struct hp_input_queue *queue, struct hp_queued_input *item,
                     bool *found, struct hp_err *err) {
    item->number = take_number(queue);
    item->archive = NULL;
    item->again = (struct hp_kept_input){NULL, 0};
    *found = !queue->is_wanted || item->number < queue->wanted_count;
    if (*found && queue->is_wanted && is_kept(queue, item->number)) {
        item->again = queue->kept.at[item->number];
    }
    if (*found && item->number < queue->count) {
        item->name = queue->paths[item->number];
        return HP_OK;
    }
    if (*found && queue->is_wanted && queue->keeps_members) {
        item->name = queue->members.at[item->number - queue->count].name;
        item->archive = queue->members.at[item->number - queue->count].archive;
        return HP_OK;
    }
    return *found ? next_member(queue, item, found, err) : HP_OK;
}

int hp_input_queue_next(struct hp_input_queue *queue, struct hp_queued_input *item,
                        bool *found, struct hp_err *err) {
    int ret = HP_OK;
    pthread_mutex_lock(&queue->lock);
    bool is_unwanted;
    do {
        ret = take_next(queue, item, found, err);
        is_unwanted = queue->is_wanted && item->number < queue->wanted_count &&
                      !queue->is_wanted[item->number] && (*found || ret != HP_OK);
    } while (is_unwanted);
    pthread_mutex_unlock(&queue->lock);
    return ret;
}

void hp_input_queue_forget(struct hp_input_queue *queue, size_t number) {
    if (number >= queue->count) {
        pthread_mutex_lock(&queue->lock);
        struct hp_member *member = &queue->members.at[number - queue->count];
        free(member->name);
        member->name = NULL;
        pthread_mutex_unlock(&queue->lock);
    }
}

// --- what can be read only once --------------------------------------------------------

void hp_input_queue_keep(struct hp_input_queue *queue, size_t number,
                         struct hp_span bytes) {
    struct hp_packer packer = {.level = LEVEL};
    bool is_packed = hp_input_stream_is_packed(bytes.at, bytes.size);
    char *packed = hp_alloc(hp_pack_room(bytes.size));
    size_t size = bytes.size;
    if (is_packed) {
        memcpy(packed, bytes.at, size);
    } else {
        size = hp_pack(&packer, bytes.at, size, packed);
    }
    hp_packer_done(&packer);
    char *shrunk = realloc(packed, size > 0 ? size : 1);
    struct hp_kept_input kept = {shrunk ? shrunk : packed, size};
    pthread_mutex_lock(&queue->lock);
    while (queue->kept.count <= number) {
        hp_vec_push(&queue->kept, (struct hp_kept_input){NULL});
    }
    queue->kept.at[number] = kept;
    pthread_mutex_unlock(&queue->lock);
}
