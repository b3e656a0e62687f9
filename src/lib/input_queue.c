#include "lib/input_queue.h"

#include <string.h>

void hp_input_queue_init(struct hp_input_queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    queue->is_over = queue->archive == NULL;
}

void hp_input_queue_done(struct hp_input_queue *queue) {
    pthread_mutex_destroy(&queue->lock);
    hp_tar_close(&queue->tar);
    hp_vec_done(&queue->members);
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
        item->is_member = true;
        size_t size = item->file.name.count;
        char *name = memcpy(hp_alloc(size), item->file.name.at, size);
        hp_vec_push(&queue->members, name);
        item->name = name;
    }
    queue->is_over = !*found;
    return ret;
}

int hp_input_queue_next(struct hp_input_queue *queue, struct hp_queued_input *item,
                        bool *found, struct hp_err *err) {
    int ret = HP_OK;
    pthread_mutex_lock(&queue->lock);
    item->number = queue->given++;
    item->is_member = false;
    *found = item->number < queue->count;
    if (*found) {
        item->name = queue->paths[item->number];
    } else if (!queue->is_over) {
        ret = next_member(queue, item, found, err);
    }
    pthread_mutex_unlock(&queue->lock);
    return ret;
}
