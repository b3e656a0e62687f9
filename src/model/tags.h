// Labels of samples, which come in sets.
//
// A set is a string of a table for sets: its tags one behind the other, so that equal sets are
// the same string.  The texts of tags are strings of another table.
#ifndef HP_MODEL_TAGS_H
#define HP_MODEL_TAGS_H

#include "base/strtab.h"

// A text, or a number with a unit.
struct hp_tag {
    hp_string key, text, unit; // "" for none
    uint32_t is_number;
    int64_t number;
};

// The set of these tags, which are put in an order; "" for none.
hp_string hp_tags_add(struct hp_strtab *sets, struct hp_tag *tags, size_t count);

size_t hp_tags_count(const struct hp_strtab *sets, hp_string set);
struct hp_tag hp_tags_at(const struct hp_strtab *sets, hp_string set, size_t i);

// The keys by which a thread is told: "thread" and "thread_id", and Datadog's "thread name" and
// "thread id".
#define HP_THREAD_KEYS 2
extern const char *const hp_thread_name_keys[HP_THREAD_KEYS];
extern const char *const hp_thread_number_keys[HP_THREAD_KEYS];

// From the tables of one owner to those of another.  What was met before is remembered.
struct hp_tag_import {
    const struct hp_strtab *from_sets, *from_strings;
    struct hp_strtab *sets, *strings;
    HP_VEC(hp_string) known_sets, known_strings; // by number there; 0: not met yet
};

hp_string hp_tags_import(struct hp_tag_import *import, hp_string set);
void hp_tag_import_done(struct hp_tag_import *import);

// Bring the tags of each set, and the sets, into an order that only their texts and numbers
// tell.  What each set is called then, to be freed.
uint32_t *hp_tags_sort(struct hp_strtab *sets, const struct hp_strtab *strings);

// The same, while they stay as they are.
uint32_t *hp_tags_ranks(const struct hp_strtab *sets, const struct hp_strtab *strings);

#endif
