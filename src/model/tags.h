// Labels of samples ("tags"), which form sets.
//
// A set is a string in a table of sets: the bytes of its tags one after another, so that
// equal sets are the same string.  The texts in tags are strings of another table.
#ifndef HP_MODEL_TAGS_H
#define HP_MODEL_TAGS_H

#include "base/strtab.h"

// One label: its value is a text, or a number with a unit.
struct hp_tag {
    hp_string key, text, unit; // "" for none
    uint32_t is_number;        // 0 or 1; 32 bits, so that the struct has no padding
    int64_t number;
};

// Add the set of these tags to a table.  Sorts `tags` and ignores duplicates.  Returns ""
// if there are no tags.
hp_string hp_tags_add(struct hp_strtab *sets, struct hp_tag *tags, size_t count);

// Return the number of tags of a set, and the i-th of them.
size_t hp_tags_count(const struct hp_strtab *sets, hp_string set);
struct hp_tag hp_tags_at(const struct hp_strtab *sets, hp_string set, size_t i);

// Label keys that name a thread: "thread" and "thread_id", and the "thread name" and
// "thread id" of Datadog.
#define HP_THREAD_KEYS 2
extern const char *const hp_thread_name_keys[HP_THREAD_KEYS];
extern const char *const hp_thread_number_keys[HP_THREAD_KEYS];

// Copies sets and texts from the tables of one owner to those of another.  Copies are
// cached by number.
struct hp_tag_import {
    const struct hp_strtab *from_sets, *from_strings;
    struct hp_strtab *sets, *strings;
    // Number of the copy, by number of the original; 0: not copied yet.
    HP_VEC(hp_string) known_sets, known_strings;
};

// Copy a set.  Returns its string in `import->sets`.
hp_string hp_tags_import(struct hp_tag_import *import, hp_string set);
void hp_tag_import_done(struct hp_tag_import *import);

// Sort the tags of each set, and then the sets, into an order that depends on their texts
// and numbers only.  Returns the new number of each set, which the caller frees.
uint32_t *hp_tags_sort(struct hp_strtab *sets, const struct hp_strtab *strings);

// Return the numbers that hp_tags_sort() would give, without changing the table.  The
// caller frees them.
uint32_t *hp_tags_ranks(const struct hp_strtab *sets, const struct hp_strtab *strings);

#endif
