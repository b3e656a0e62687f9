#include "lib/input_queue.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    LEVEL = 1, // of compression
};

void hp_input_queue_init(struct hp_input_queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    queue->is_over = queue->archive == NULL;
}

void hp_input_queue_done(struct hp_input_queue *queue) {
    pthread_mutex_destroy(&queue->lock);
    hp_tar_close(&queue->tar);
    hp_vec_done(&queue->members);
    struct hp_kept_input *kept;
    hp_vec_each (kept, &queue->kept) {
        free(kept->bytes);
    }
    hp_vec_done(&queue->kept);
}

void hp_input_queue_rewind(struct hp_input_queue *queue, const bool *is_wanted,
                           size_t count) {
    hp_tar_close(&queue->tar);
    queue->is_open = false;
    queue->is_over = queue->archive == NULL;
    queue->given = 0;
    queue->is_wanted = is_wanted;
    queue->wanted_count = count;
}

// --- the archive --------------------------------------------------------------------------

// Of what was named before the name is known.
static void name_member(struct hp_input_queue *queue, struct hp_queued_input *item) {
    size_t member = item->number - queue->count;
    if (member >= queue->members.count) {
        size_t size = item->file.name.count;
        char *name = memcpy(hp_alloc(size), item->file.name.at, size);
        hp_vec_push(&queue->members, name);
    }
    item->name = queue->members.at[member];
}

static int next_member(struct hp_input_queue *queue, struct hp_queued_input *item,
                       bool *found, struct hp_err *err) {
    int ret = HP_OK;
    item->name = queue->archive;
    *found = false;
    if (!queue->is_open) {
        ret = hp_tar_open(&queue->tar, queue->archive, err);
        queue->is_open = true;
    }
    if (ret == HP_OK) {
        ret = hp_tar_next(&queue->tar, queue->limit, &item->file, found, err);
    }
    if (ret == HP_OK && !*found && queue->members.count == 0) {
        ret = hp_fail(err, HP_E_EMPTY, "an archive without any file");
    }
    *found &= ret == HP_OK;
    if (*found) {
        name_member(queue, item);
    }
    queue->is_over = !*found;
    return ret;
}

// --- all inputs ---------------------------------------------------------------------------

// The number of the next file, or of a member.
static size_t take_number(struct hp_input_queue *queue) {
    size_t place = queue->given++;
    return place < queue->count && queue->order ? queue->order[place] : place;
}

static bool is_kept(const struct hp_input_queue *queue, size_t number) {
    return number < queue->kept.count && queue->kept.at[number].bytes != NULL;
}

static int take_next(struct hp_input_queue *queue, struct hp_queued_input *item,
                     bool *found, struct hp_err *err) {
    item->number = take_number(queue);
    item->is_member = item->number >= queue->count;
    item->again = (struct hp_kept_input){NULL, 0};
    *found = !queue->is_wanted || item->number < queue->wanted_count;
    if (*found && queue->is_wanted && is_kept(queue, item->number)) {
        item->again = queue->kept.at[item->number];
    }
    if (*found && !item->is_member) {
        item->name = queue->paths[item->number];
        return HP_OK;
    }
    if (*found && queue->is_wanted && queue->keeps_members) {
        item->name = queue->members.at[item->number - queue->count];
        return HP_OK;
    }
    bool has_more = *found && !queue->is_over;
    *found = false;
    return has_more ? next_member(queue, item, found, err) : HP_OK;
}

int hp_input_queue_next(struct hp_input_queue *queue, struct hp_queued_input *item,
                        bool *found, struct hp_err *err) {
    int ret = HP_OK;
    pthread_mutex_lock(&queue->lock);
    do {
        ret = take_next(queue, item, found, err);
    } while (ret == HP_OK && *found && queue->is_wanted &&
             !queue->is_wanted[item->number]);
    item->is_member &= *found;
    pthread_mutex_unlock(&queue->lock);
    return ret;
}

// --- what can be read only once -------------------------------------------------------------

void hp_input_queue_keep(struct hp_input_queue *queue, size_t number,
                         struct hp_span bytes) {
    size_t room = ZSTD_compressBound(bytes.size);
    char *packed = hp_alloc(room);
    size_t size = hp_input_stream_is_packed(bytes.at, bytes.size)
                      ? room
                      : ZSTD_compress(packed, room, bytes.at, bytes.size, LEVEL);
    if (ZSTD_isError(size) || size >= bytes.size) { // it may be compressed as it is
        memcpy(packed, bytes.at, bytes.size);
        size = bytes.size;
    }
    char *shrunk = realloc(packed, size > 0 ? size : 1);
    struct hp_kept_input kept = {shrunk ? shrunk : packed, size};
    pthread_mutex_lock(&queue->lock);
    while (queue->kept.count <= number) {
        hp_vec_push(&queue->kept, (struct hp_kept_input){NULL});
    }
    queue->kept.at[number] = kept;
    pthread_mutex_unlock(&queue->lock);
}
