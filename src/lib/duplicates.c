#include "lib/duplicates.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// --- while inputs are read -------------------------------------------------------------

void hp_contents_init(struct hp_contents *contents) {
    *contents = (struct hp_contents){0};
    pthread_mutex_init(&contents->lock, NULL);
}

void hp_contents_done(struct hp_contents *contents) {
    pthread_mutex_destroy(&contents->lock);
    hp_index_drop(&contents->index);
    hp_vec_done(&contents->known);
}

bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest) {
    uint32_t hash = (uint32_t)digest.of[0], item;
    bool is_known = false;
    pthread_mutex_lock(&contents->lock);
    for (size_t at = hash;
         !is_known && hp_index_next(&contents->index, hash, &at, &item);) {
        is_known = memcmp(&contents->known.at[item], &digest, sizeof digest) == 0;
    }
    if (!is_known) {
        hp_index_put(&contents->index, hash, contents->known.count);
        hp_vec_push(&contents->known, digest);
    }
    pthread_mutex_unlock(&contents->lock);
    return !is_known;
}

// --- once all are read -----------------------------------------------------------------

struct by_content {
    struct hp_digest content;
    bool is_new; // else of the base of a diff, if it is one
    size_t input;
};

static int compare_content(const void *left, const void *right) {
    const struct by_content *a = left, *b = right;
    int order = memcmp(&a->content, &b->content, sizeof a->content);
    order = order ? order : a->is_new - b->is_new;
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

static bool same_content(const struct by_content *a, const struct by_content *b) {
    return memcmp(&a->content, &b->content, sizeof a->content) == 0;
}

// Those that were read, to be freed.
static struct by_content *sort_by_content(const struct hp_input_record *records,
                                          size_t count, size_t *read) {
    struct by_content *order = hp_alloc(count * sizeof *order);
    *read = 0;
    for (size_t i = 0; i < count; i++) {
        if (records[i].has_content) {
            order[(*read)++] =
                (struct by_content){records[i].content, !records[i].is_base, i};
        }
    }
    qsort(order, *read, sizeof *order, compare_content);
    return order;
}

// What is known of a file, and not of its content.
static void keep_file(struct hp_input_record *record,
                      const struct hp_input_record *before) {
    record->public.name = before->public.name;
    record->time = before->time;
    record->is_member = before->is_member;
}

// What was read of the one is the other's, who has the same content.
static void swap_contents(struct hp_input_record *a, struct hp_input_record *b) {
    struct hp_input_record a_before = *a, b_before = *b;
    *a = b_before;
    *b = a_before;
    keep_file(a, &a_before);
    keep_file(b, &b_before);
}

// Records [first, last) of `order` have one content.  One was read, whichever came first in
// time; let it be the one that comes first in order.  If it could not be used after all,
// none can.
static void settle(struct hp_input_record *records, const struct by_content *order,
                   size_t first, size_t last) {
    struct hp_input_record *kept = &records[order[first].input];
    for (size_t i = first + 1; i < last; i++) {
        struct hp_input_record *record = &records[order[i].input];
        if (record->public.status != HP_INPUT_DUPLICATE) {
            swap_contents(kept, record);
        }
    }
    for (size_t i = first + 1; i < last; i++) {
        struct hp_input_record *record = &records[order[i].input];
        if (kept->public.status == HP_INPUT_SKIPPED) {
            record->public.status = HP_INPUT_SKIPPED;
            hp_input_set_err(record, kept->err);
        }
    }
}

struct hp_duplicate hp_duplicates_settle(struct hp_input_record *records, size_t count) {
    size_t read;
    struct by_content *order = sort_by_content(records, count, &read);
    struct hp_duplicate found = {count, count};
    for (size_t first = 0, last; first < read; first = last) {
        last = first + 1;
        while (last < read && same_content(&order[last], &order[first]) &&
               order[last].is_new == order[first].is_new) {
            last++;
        }
        settle(records, order, first, last);
        if (last > first + 1 && order[first + 1].input < found.again) {
            found = (struct hp_duplicate){order[first].input, order[first + 1].input};
        }
    }
    free(order);
    return found;
}

struct hp_duplicate hp_duplicates_across(const struct hp_input_record *records,
                                         size_t count) {
    size_t read, used = 0;
    struct by_content *order = sort_by_content(records, count, &read);
    struct hp_duplicate found = {count, count};
    for (size_t i = 0, base = 0; i < read; i++) {
        const struct hp_input_record *record = &records[order[i].input];
        bool starts = i == 0 || !same_content(&order[i], &order[i - 1]);
        bool is_skipped = record->public.status == HP_INPUT_SKIPPED;
        base = starts ? i : base;
        used += hp_input_is_used(record);
        if (!starts && !is_skipped && order[i].is_new && !order[base].is_new &&
            order[i].input < found.again) {
            found = (struct hp_duplicate){order[base].input, order[i].input};
        }
    }
    free(order);
    return used > 2 ? found : (struct hp_duplicate){count, count};
}

int hp_duplicates_refuse(const struct hp_input_record *records,
                         struct hp_duplicate duplicate, struct hp_err *err) {
    const struct hp_input_record *first = &records[duplicate.first];
    const struct hp_input_record *again = &records[duplicate.again];
    bool is_across = first->is_base != again->is_base;
    hp_fail(err, HP_E_DUPLICATE, "the same dump as %s%s", first->public.name,
            is_across
                ? " of the base: several dumps are compared as of different processes"
                : ": give it once, or --on-duplicate=skip");
    hp_err_locate(err, again->public.name, 0);
    return HP_E_DUPLICATE;
}
