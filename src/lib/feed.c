#include "lib/feed.h"

#include <string.h>

void hp_feed_init(struct hp_feed *feed) {
    pthread_mutex_init(&feed->lock, NULL);
    feed->is_over = feed->archive == NULL;
}

void hp_feed_done(struct hp_feed *feed) {
    pthread_mutex_destroy(&feed->lock);
    hp_tar_close(&feed->tar);
    hp_vec_done(&feed->members);
}

static const char *keep_name(struct hp_feed *feed, const struct hp_tar_file *file) {
    char *name = hp_alloc(file->name.count);
    memcpy(name, file->name.at, file->name.count);
    hp_vec_push(&feed->members, name);
    return name;
}

static int next_member(struct hp_feed *feed, struct hp_feed_item *item, bool *found,
                       struct hp_err *err) {
    int ret = HP_OK;
    item->name = feed->archive;
    *found = false;
    if (!feed->is_open) {
        ret = hp_tar_open(&feed->tar, feed->archive, err);
        feed->is_open = true;
    }
    if (ret == HP_OK) {
        ret = hp_tar_next(&feed->tar, feed->limit, &item->file, found, err);
    }
    if (ret == HP_OK && !*found && feed->members.count == 0) {
        ret = hp_fail(err, HP_E_EMPTY, "an archive without any file");
    }
    *found &= ret == HP_OK;
    if (*found) {
        item->is_member = true;
        item->name = keep_name(feed, &item->file);
    }
    feed->is_over = !*found;
    return ret;
}

int hp_feed_next(struct hp_feed *feed, struct hp_feed_item *item, bool *found,
                 struct hp_err *err) {
    int ret = HP_OK;
    pthread_mutex_lock(&feed->lock);
    item->number = feed->given++;
    item->is_member = false;
    *found = item->number < feed->count;
    if (*found) {
        item->name = feed->paths[item->number];
    } else if (!feed->is_over) {
        ret = next_member(feed, item, found, err);
    }
    pthread_mutex_unlock(&feed->lock);
    return ret;
}
