#include "lib/repeats.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct by_content {
    struct hp_digest content;
    size_t input;
};

static int compare_content(const void *left, const void *right) {
    const struct by_content *a = left, *b = right;
    int order = memcmp(&a->content, &b->content, sizeof a->content);
    return order ? order : (a->input > b->input) - (a->input < b->input);
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
        if (record->public.status != HP_INPUT_REPEATED) {
            swap_contents(kept, record);
        }
    }
    for (size_t i = first + 1; i < last; i++) {
        struct hp_input_record *record = &records[order[i].input];
        if (kept->public.status == HP_INPUT_SKIPPED) {
            record->public.status = HP_INPUT_SKIPPED;
            record->public.err = kept->public.err;
        }
    }
}

static bool same_content(const struct by_content *a, const struct by_content *b) {
    return memcmp(&a->content, &b->content, sizeof a->content) == 0;
}

size_t hp_repeats_settle(struct hp_input_record *records, size_t count) {
    struct by_content *order = hp_alloc(count * sizeof *order);
    size_t read = 0, first_repeated = count;
    for (size_t i = 0; i < count; i++) {
        if (records[i].has_content) {
            order[read++] = (struct by_content){records[i].content, i};
        }
    }
    qsort(order, read, sizeof *order, compare_content);
    for (size_t first = 0, last; first < read; first = last) {
        last = first + 1;
        while (last < read && same_content(&order[last], &order[first])) {
            last++;
        }
        settle(records, order, first, last);
        if (last > first + 1 && order[first + 1].input < first_repeated) {
            first_repeated = order[first + 1].input;
        }
    }
    free(order);
    return first_repeated;
}

int hp_repeats_refuse(const struct hp_input_record *records, size_t repeated,
                      struct hp_err *err) {
    size_t first = 0;
    while (memcmp(&records[first].content, &records[repeated].content,
                  sizeof records->content) != 0) {
        first++;
    }
    hp_fail(err, HP_E_DUPLICATE,
            "the same dump as %s: give it once, or --on-duplicate=skip",
            records[first].public.name);
    hp_err_locate(err, records[repeated].public.name, 0);
    return HP_E_DUPLICATE;
}
