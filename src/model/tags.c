#include "model/tags.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct hp_tag) == 24, "tags are compared as bytes");

const char *const hp_thread_name_keys[HP_THREAD_KEYS] = {"thread", "thread name"};
const char *const hp_thread_number_keys[HP_THREAD_KEYS] = {"thread_id", "thread id"};

static int by_bytes(const void *left, const void *right) {
    return memcmp(left, right, sizeof(struct hp_tag));
}

// Add a set of tags, which are in their final order and distinct, to the table `sets`.
static hp_string add_in_order(struct hp_strtab *sets, const struct hp_tag *tags,
                              size_t count) {
    struct hp_span bytes = {(const char *)tags, count * sizeof *tags};
    return count > 0 ? hp_strtab_add(sets, bytes) : (hp_string){0};
}

hp_string hp_tags_add(struct hp_strtab *sets, struct hp_tag *tags, size_t count) {
    size_t kept = 0;
    if (count > 1) {
        qsort(tags, count, sizeof *tags, by_bytes);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_bytes(&tags[kept - 1], &tags[i]) != 0) {
            tags[kept++] = tags[i];
        }
    }
    return add_in_order(sets, tags, kept);
}

size_t hp_tags_count(const struct hp_strtab *sets, hp_string set) {
    return set.n ? hp_strtab_span(sets, set).size / sizeof(struct hp_tag) : 0;
}

struct hp_tag hp_tags_at(const struct hp_strtab *sets, hp_string set, size_t i) {
    struct hp_tag tag;
    memcpy(&tag, hp_strtab_span(sets, set).at + i * sizeof tag, sizeof tag);
    return tag;
}

// --- import ----------------------------------------------------------------------------

static hp_string import_string(struct hp_tag_import *import, hp_string string) {
    hp_string *known = hp_vec_reach(&import->known_strings, string.n);
    if (known->n == 0 && string.n > 0) {
        *known =
            hp_strtab_add(import->strings, hp_strtab_span(import->from_strings, string));
    }
    return *known;
}

static hp_string import_set(struct hp_tag_import *import, hp_string set) {
    HP_VEC(struct hp_tag) tags = {0};
    size_t count = hp_tags_count(import->from_sets, set);
    for (size_t i = 0; i < count; i++) {
        struct hp_tag tag = hp_tags_at(import->from_sets, set, i);
        tag.key = import_string(import, tag.key);
        tag.text = import_string(import, tag.text);
        tag.unit = import_string(import, tag.unit);
        hp_vec_push(&tags, tag);
    }
    hp_string added = hp_tags_add(import->sets, tags.at, tags.count);
    hp_vec_done(&tags);
    return added;
}

hp_string hp_tags_import(struct hp_tag_import *import, hp_string set) {
    hp_string *known = hp_vec_reach(&import->known_sets, set.n);
    if (known->n == 0 && set.n > 0) {
        *known = import_set(import, set);
    }
    return *known;
}

void hp_tag_import_done(struct hp_tag_import *import) {
    hp_vec_done(&import->known_sets);
    hp_vec_done(&import->known_strings);
}

// --- order -----------------------------------------------------------------------------

// The state while sets of labels, and the labels in each, are sorted.
struct tag_order {
    const struct hp_strtab *strings;
    uint32_t *rank;             // rank of each string that occurs in a tag
    HP_VEC(uint32_t) texts;     // strings that occur in tags
    HP_VEC(struct hp_tag) tags; // tags of all sets, one set after another
    size_t *first; // for each set its first tag in `tags`; one more entry for the end
};

// Order strings by their text.
static int by_text(const void *left, const void *right, void *context) {
    const struct tag_order *order = context;
    hp_string a = {*(const uint32_t *)left}, b = {*(const uint32_t *)right};
    return hp_span_compare(hp_strtab_span(order->strings, a),
                           hp_strtab_span(order->strings, b));
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

// Order tags by key, then texts before numbers, then by value and unit.
static int by_tag(const void *left, const void *right, void *context) {
    const struct tag_order *order = context;
    const struct hp_tag *a = left, *b = right;
    int by = compare_numbers(order->rank[a->key.n], order->rank[b->key.n]);
    by = by ? by : compare_numbers(a->is_number, b->is_number);
    by = by ? by : compare_numbers(order->rank[a->text.n], order->rank[b->text.n]);
    by = by ? by : (a->number > b->number) - (a->number < b->number);
    return by ? by : compare_numbers(order->rank[a->unit.n], order->rank[b->unit.n]);
}

// Order sets by their tags.
static int by_tags(const void *left, const void *right, void *context) {
    struct tag_order *order = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    size_t a_count = order->first[a + 1] - order->first[a];
    size_t b_count = order->first[b + 1] - order->first[b];
    int by = 0;
    for (size_t i = 0; by == 0 && i < a_count && i < b_count; i++) {
        by = by_tag(&order->tags.at[order->first[a] + i],
                    &order->tags.at[order->first[b] + i], order);
    }
    return by ? by : (a_count > b_count) - (a_count < b_count);
}

// Note that a string occurs in a label.  Its rank of 1 marks it until ranks are computed.
static void note_text(struct tag_order *order, hp_string text) {
    if (order->rank[text.n] == 0) {
        order->rank[text.n] = 1;
        hp_vec_push(&order->texts, text.n);
    }
}

// Collect the tags of all sets, and the strings in them.
static void collect(struct tag_order *order, const struct hp_strtab *sets) {
    for (uint32_t set = 0; set < sets->strings.count; set++) {
        order->first[set] = order->tags.count;
        size_t count = hp_tags_count(sets, (hp_string){set});
        for (size_t i = 0; i < count; i++) {
            struct hp_tag tag = hp_tags_at(sets, (hp_string){set}, i);
            note_text(order, tag.key);
            note_text(order, tag.text);
            note_text(order, tag.unit);
            hp_vec_push(&order->tags, tag);
        }
    }
    order->first[sets->strings.count] = order->tags.count;
}

// Set the rank of each string that occurs in a tag, by its text.
static void rank_texts(struct tag_order *order) {
    if (order->texts.count > 0) {
        qsort_r(order->texts.at, order->texts.count, sizeof *order->texts.at, by_text,
                order);
    }
    for (size_t i = 0; i < order->texts.count; i++) {
        order->rank[order->texts.at[i]] = (uint32_t)i;
    }
}

// Sort the tags of each set and then the sets.  Returns a new table in that order; sets
// rank[set] to the new number of each set.
static struct hp_strtab sorted(struct tag_order *order, size_t count, uint32_t *rank) {
    struct hp_strtab sets = {0};
    uint32_t *places = hp_alloc(count * sizeof *places);
    for (uint32_t set = 0; set < count; set++) {
        size_t tags = order->first[set + 1] - order->first[set];
        places[set] = set;
        if (tags > 0) {
            qsort_r(order->tags.at + order->first[set], tags, sizeof *order->tags.at,
                    by_tag, order);
        }
    }
    qsort_r(places, count, sizeof *places, by_tags, order);
    for (size_t i = 0; i < count; i++) {
        uint32_t set = places[i];
        size_t first = order->first[set], tags = order->first[set + 1] - first;
        rank[set] = tags > 0 ? add_in_order(&sets, order->tags.at + first, tags).n : 0;
    }
    free(places);
    return sets;
}

// Return the new number of each set, and store the sorted table in `*in_order`.  The
// caller frees both.
static uint32_t *rank_sets(const struct hp_strtab *sets, const struct hp_strtab *strings,
                           struct hp_strtab *in_order) {
    size_t all = sets->strings.count;
    struct tag_order order = {
        .strings = strings,
        .rank = hp_alloc((strings->strings.count + 1) * sizeof *order.rank),
        .first = hp_alloc((all + 1) * sizeof *order.first),
    };
    uint32_t *rank = hp_alloc((all + 1) * sizeof *rank);
    collect(&order, sets);
    rank_texts(&order);
    *in_order = sorted(&order, all, rank);
    hp_vec_done(&order.texts);
    hp_vec_done(&order.tags);
    free(order.rank);
    free(order.first);
    return rank;
}

uint32_t *hp_tags_ranks(const struct hp_strtab *sets, const struct hp_strtab *strings) {
    struct hp_strtab in_order;
    uint32_t *rank = rank_sets(sets, strings, &in_order);
    hp_strtab_done(&in_order);
    return rank;
}

uint32_t *hp_tags_sort(struct hp_strtab *sets, const struct hp_strtab *strings) {
    struct hp_strtab in_order;
    uint32_t *rank = rank_sets(sets, strings, &in_order);
    hp_strtab_done(sets);
    *sets = in_order;
    return rank;
}
