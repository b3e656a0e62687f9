// Refuse dumps and processes that are in two partials, or in a partial and among the
// dumps; and count the processes in partials.
#include "lib/partial_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_words(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

// Return the name of a source.  Source 0 is the dumps that are given as inputs; others
// are partials, numbered from 1.
static const char *name_of(const struct hp_taken_all *all, uint32_t source) {
    struct hp_taken **taken;
    hp_vec_each (taken, all) {
        if (source >= 1 && source <= (*taken)->names.count) {
            return (*taken)->names.at[source - 1];
        }
        source -= source >= 1 ? (uint32_t)(*taken)->names.count : 0;
    }
    return "the dumps given";
}

// Order sources by name.  Their numbers depend on which thread read which partial, and
// messages must not.  `all` may be NULL: order by number.
static int compare_sources(const struct hp_taken_all *all, uint32_t a, uint32_t b) {
    int order = a == b || !all ? 0 : strcmp(name_of(all, a), name_of(all, b));
    return order ? order : compare_words(a, b);
}

static int by_dump(const void *left, const void *right, void *all) {
    const struct hp_known_dump *a = left, *b = right;
    int order = a->is_base - b->is_base;
    order = order ? order : compare_words(a->id[0], b->id[0]);
    order = order ? order : compare_words(a->id[1], b->id[1]);
    return order ? order : compare_sources(all, a->source, b->source);
}

static int by_process(const void *left, const void *right, void *all) {
    const struct hp_known_dump *a = left, *b = right;
    int order = a->is_base - b->is_base;
    order = order ? order : compare_words(a->process, b->process);
    order = order ? order : compare_sources(all, a->source, b->source);
    return order ? order : by_dump(a, b, all);
}

// Order dumps by their bytes, those without a process id in their name first.
static int by_content(const void *left, const void *right, void *all) {
    const struct hp_known_dump *a = left, *b = right;
    int order = a->is_base - b->is_base;
    order = order ? order : compare_words(a->content, b->content);
    order = order ? order : (a->pid != 0) - (b->pid != 0);
    return order ? order : by_dump(a, b, all);
}

static uint64_t content_key(const struct hp_known_dump *dump) {
    return dump->content;
}

static uint64_t dump_key(const struct hp_known_dump *dump) {
    return dump->id[0];
}

static uint64_t process_key(const struct hp_known_dump *dump) {
    return dump->process;
}

static bool same_dump(const struct hp_known_dump *a, const struct hp_known_dump *b) {
    return a->is_base == b->is_base && a->id[0] == b->id[0] && a->id[1] == b->id[1];
}

static bool same_content(const struct hp_known_dump *a, const struct hp_known_dump *b) {
    return a->is_base == b->is_base && a->content != 0 && a->content == b->content;
}

static bool same_process(const struct hp_known_dump *a, const struct hp_known_dump *b) {
    return a->is_base == b->is_base && a->process != 0 && a->process == b->process;
}

enum {
    NAMED = 3,       // dumps that an error message names
    NAME_SIZE = 100, // bytes of a name in a message
    // Sort by the upper 33 of 64 bits: that is enough for nearly all dumps, and needs
    // half the passes.
    KEY_SHIFT = 31,
};

// A list of dumps that partials or inputs contain, which can be sorted.
struct known_dumps {
    HP_VEC(struct hp_known_dump) all;
};

// The dumps, or processes, that two sources (partials, or the dumps among the inputs)
// contain.
struct overlap {
    uint32_t first, again; // sources of the first one that was found
    size_t count;          // number of all dumps or processes in two sources
    // The first dumps that both have: as the first source has them, and as the second.
    struct hp_known_dump of[NAMED], twins[NAMED];
};

// A property that dumps in two sources must not have in common: the dump or the process.
struct unique {
    uint64_t (*key)(const struct hp_known_dump *);
    int (*order)(const void *, const void *, void *);
    bool (*same)(const struct hp_known_dump *, const struct hp_known_dump *);
    const char *one, *several; // for messages
};

static const struct unique unique_dump = {dump_key, by_dump, same_dump, "dump is",
                                          "dumps are"};
static const struct unique unique_content = {content_key, by_content, same_content,
                                             "dump is", "dumps are"};
static const struct unique unique_process = {process_key, by_process, same_process,
                                             "process is", "processes are"};

// A dump with a key to sort by: the upper bits of its identity, or of that of its
// process.
struct keyed_dump {
    uint64_t key;
    struct hp_known_dump of;
};

// Sort the dumps so that equal dumps, or those of equal processes, are adjacent.  `all`
// may be NULL, as in compare_sources().
static void sort(struct known_dumps *known, const struct unique *unique,
                 struct hp_taken_all *all) {
    size_t count = known->all.count, first = 0;
    struct keyed_dump *keyed = hp_alloc(count * sizeof *keyed);
    for (size_t i = 0; i < count; i++) {
        const struct hp_known_dump *dump = &known->all.at[i];
        keyed[i] = (struct keyed_dump){unique->key(dump) >> KEY_SHIFT, *dump};
    }
    hp_sort_by_key(keyed, count, sizeof *keyed);
    for (size_t i = 0; i < count; i++) {
        known->all.at[i] = keyed[i].of;
        if (i + 1 == count || keyed[i + 1].key != keyed[i].key) {
            qsort_r(known->all.at + first, i + 1 - first, sizeof *known->all.at,
                    unique->order, all);
            first = i + 1;
        }
    }
    free(keyed);
}

// Count dump `b`, which is in its source and, as `a`, in another.
static void add_overlap(struct overlap *found, const struct hp_known_dump *a,
                        const struct hp_known_dump *b) {
    if (found->count == 0) {
        found->first = a->source;
        found->again = b->source;
    }
    if (found->count < NAMED) {
        found->of[found->count] = *b;
        found->twins[found->count] = *a;
    }
    found->count++;
}

// Find the dumps, or processes, that are in two sources.
static struct overlap find_overlap(struct known_dumps *known, const struct unique *unique,
                                   struct hp_taken_all all) {
    struct overlap found = {.count = 0};
    sort(known, unique, &all);
    for (size_t i = 1; i < known->all.count; i++) {
        const struct hp_known_dump *a = &known->all.at[i - 1], *b = &known->all.at[i];
        if (a->source == b->source || !unique->same(a, b)) {
            continue;
        }
        add_overlap(&found, a, b);
    }
    return found;
}

// Whether two dumps that are sorted by content have equal bytes, and one has no process id
// in its name: then they are one dump, for all that is known.
static bool may_be_one(const struct hp_known_dump *a, const struct hp_known_dump *b) {
    return a->source != b->source && (a->pid == 0 || b->pid == 0);
}

// Find the dumps that are in two sources, by their bytes, though their names differ in
// whether they have a process id.  In a group of equal bytes, dumps without one come
// first: comparing all others with the first is enough.
static struct overlap find_renamed(struct known_dumps *known, struct hp_taken_all all) {
    struct overlap found = {.count = 0};
    size_t first = 0;
    sort(known, &unique_content, &all);
    for (size_t i = 1; i < known->all.count; i++) {
        const struct hp_known_dump *a = &known->all.at[first], *b = &known->all.at[i];
        if (!same_content(a, b)) {
            first = i;
        } else if (may_be_one(a, b)) {
            add_overlap(&found, a, b);
        }
    }
    return found;
}

// Write the path of a dump, or that of its twin, if one is known.
static void put_dump(char text[NAME_SIZE], const struct hp_profile *profile,
                     const struct hp_known_dump *dump, const struct hp_known_dump *twin) {
    struct hp_digest id = {{dump->id[0], dump->id[1]}};
    struct hp_digest other = {{twin->id[0], twin->id[1]}};
    const char *name = hp_inputs_name_of(&profile->inputs, id);
    name = name ? name : hp_inputs_name_of(&profile->inputs, other);
    if (name) {
        snprintf(text, NAME_SIZE, "%s", name);
    }
}

// Fail with HP_E_DUPLICATE, and name the first dumps or processes that are in two
// sources.
static int refuse_overlap(const struct hp_profile *profile,
                          const struct hp_taken_all *all, const struct overlap *found,
                          const struct unique *unique, struct hp_err *err) {
    char names[NAMED][NAME_SIZE] = {""};
    size_t named = 0;
    for (size_t i = 0; i < NAMED && i < found->count; i++) {
        put_dump(names[named], profile, &found->of[i], &found->twins[i]);
        named += *names[named] != 0;
    }
    if (named == 0) {
        snprintf(names[0], NAME_SIZE, "dumps of %s", name_of(all, found->again));
    }
    hp_fail(
        err, HP_E_DUPLICATE,
        HP_MESSAGE("partials-overlap",
                   "%zu %s also in %s, and merged dumps cannot be removed: %s%s%s%s%s%s"),
        found->count, found->count == 1 ? unique->one : unique->several,
        name_of(all, found->first), names[0], *names[1] ? ", " : "", names[1],
        *names[2] ? ", " : "", names[2],
        named > 0 && found->count > named ? ", ..." : "");
    hp_err_locate(err, name_of(all, found->again), 0);
    return HP_E_DUPLICATE;
}

int hp_partial_inputs_refuse(const struct hp_profile *profile,
                             const struct hp_taken_all *all, struct hp_err *err) {
    struct known_dumps known = {.all = {0}};
    if (all->count == 0) {
        return HP_OK;
    }
    hp_vec_append(&known.all, profile->inputs.known.at, profile->inputs.known.count);
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (input->source == 0 && hp_input_is_used(input)) {
            hp_vec_push(&known.all, hp_known_dump_of(input));
        }
    }
    const struct unique *unique = &unique_dump;
    struct overlap found = find_overlap(&known, unique, *all);
    if (found.count == 0) {
        found = find_renamed(&known, *all);
    }
    if (found.count == 0 && profile->settings.snapshots < HP_SNAPSHOTS_EACH) {
        unique = &unique_process;
        found = find_overlap(&known, unique, *all);
    }
    int ret = found.count > 0 ? refuse_overlap(profile, all, &found, unique, err) : HP_OK;
    hp_vec_done(&known.all);
    return ret;
}

// --- how many processes ----------------------------------------------------------------

static int by_source(const void *left, const void *right) {
    const struct hp_known_dump *a = left, *b = right;
    return compare_words(a->source, b->source);
}

// Sort the known dumps by source.  They usually are in order.
static void sort_by_source(struct hp_profile *profile) {
    const struct hp_known_dump *known = profile->inputs.known.at;
    bool is_sorted = true;
    for (size_t i = 1; i < profile->inputs.known.count; i++) {
        is_sorted &= known[i - 1].source <= known[i].source;
    }
    if (!is_sorted) {
        hp_vec_sort(&profile->inputs.known, by_source);
    }
}

// Return whether the partial with this source number stores identities of its dumps.
static bool has_identities(const struct hp_profile *profile, uint32_t source) {
    struct hp_known_dump wanted = {.source = source};
    const struct hp_known_dump *known = profile->inputs.known.at;
    return profile->inputs.known.count > 0 &&
           bsearch(&wanted, known, profile->inputs.known.count, sizeof wanted, by_source);
}

// Append the known dumps of one source to a list.
static void take_known(struct known_dumps *known, const struct hp_profile *profile,
                       uint32_t source) {
    const struct hp_known_dump *dump;
    hp_vec_each (dump, &profile->inputs.known) {
        if (dump->source == source) {
            hp_vec_push(&known->all, *dump);
        }
    }
}

// Count the processes in partials that have no record for each dump.  Each group of dumps
// counts as one process already.  If a partial stores no identities, each of its dumps is
// taken for a process of its own.
void hp_partial_inputs_count(struct hp_profile *profile) {
    struct known_dumps known = {.all = {0}};
    size_t groups = 0, processes = 0, unidentified = 0;
    // The last source that was counted: all its inputs have the same dumps.
    uint32_t source = 0;
    const struct hp_input_record *input;
    sort_by_source(profile);
    hp_vec_each (input, &profile->inputs.records) {
        if (!input->is_group || !hp_input_is_used(input)) {
            continue;
        }
        groups++;
        if (profile->inputs.lone > 0) {
            continue;
        }
        if (!has_identities(profile, input->source)) {
            unidentified += 1 + input->others;
            profile->settings.drops_identities = profile->inputs.lack_identities = true;
        } else if (input->source != source) {
            take_known(&known, profile, input->source);
            source = input->source;
        }
    }
    sort(&known, &unique_process, NULL);
    for (size_t i = 0; i < known.all.count; i++) {
        processes += i == 0 || !same_process(&known.all.at[i - 1], &known.all.at[i]);
    }
    // Partials are never read together with lone inputs.
    size_t alone = profile->inputs.lone;
    profile->inputs.processes.others = processes + unidentified + alone - groups;
    profile->inputs.processes.other_dumps =
        known.all.count + unidentified + alone - groups;
    hp_vec_done(&known.all);
}
