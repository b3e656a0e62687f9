#include "lib/metadata.h"

#include "base/cursor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "inputs/dump_name.h"
#include "lib/set_facts.h"
#include "partial/partial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double nanoseconds_per_second = 1e9;

// --- times of files --------------------------------------------------------------------

static int no_mtime(const char *path, struct hp_err *err) {
    return hp_fail(err, HP_E_USAGE,
                   HP_MESSAGE("no-file-time", "the time of %s is unknown"),
                   strcmp(path, "-") == 0 ? "standard input" : path);
}

// Set the time of an input to that of its file.  HP_E_USAGE if it has none.
static int take_mtime(struct hp_input_record *input, struct hp_err *err) {
    const char *name = input->public.name;
    struct stat info;
    // The archive or the partial has set its time.
    if (input->archive || input->source > 0) {
        return HP_OK;
    }
    if (strcmp(name, "-") == 0 || stat(name, &info) != 0) {
        return no_mtime(name, err);
    }
    input->identity.time = (double)info.st_mtim.tv_sec +
                           (double)info.st_mtim.tv_nsec / nanoseconds_per_second;
    return HP_OK;
}

// --- times in paths --------------------------------------------------------------------

// Parse a whole text as seconds since 1970, with an optional fraction.
static bool parse_seconds(const char *text, double *time) {
    struct hp_cursor c = hp_cursor_over(text, text + strlen(text));
    *time = hp_cursor_seconds(&c);
    return hp_cursor_good(&c) && hp_cursor_at_end(&c);
}

// Parse a date, perhaps with a time of day, in UTC.
static bool parse_date(const char *text, double *time) {
    static const char *const formats[] = {
        "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d_%H:%M:%S", "%Y%m%dT%H%M%S",
        "%Y%m%d_%H%M%S",     "%Y-%m-%dT%H%M%S",   "%Y-%m-%d_%H-%M-%S", "%Y-%m-%d",
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct tm parts = {0};
        const char *end = strptime(text, formats[i], &parts);
        if (end && (*end == '\0' || strcmp(end, "Z") == 0)) {
            *time = (double)timegm(&parts);
            return true;
        }
    }
    return false;
}

// Parse a time.  A text of 14 digits is a date YYYYMMDDhhmmss: as a number of seconds it
// would be far in the future.
static bool parse_time(const char *text, double *time) {
    char digits[64];
    if (strspn(text, "0123456789") == 14 && text[14] == '\0') {
        memcpy(digits, text, 8);
        digits[8] = 'T';
        memcpy(digits + 9, text + 8, 7);
        return parse_date(digits, time);
    }
    return parse_seconds(text, time) || parse_date(text, time);
}

// Set the time of an input from the first group of the pattern in its path.  HP_E_USAGE
// if there is no time; `text` is the pattern, for the message.
static int take_from_path(struct hp_input_record *input, struct hp_pattern *pattern,
                          const char *text, struct hp_err *err) {
    const char *path = input->public.name;
    struct hp_span group = {0};
    char time[64] = "";
    if (hp_pattern_matches(pattern, path) && hp_pattern_group(pattern, path, 1, &group) &&
        group.size < sizeof time) {
        memcpy(time, group.at, group.size);
        time[group.size] = '\0';
    }
    int ret = hp_pattern_check(pattern, err);
    if (ret == HP_OK && !parse_time(time, &input->identity.time)) {
        ret =
            hp_fail(err, HP_E_USAGE,
                    HP_MESSAGE("no-time-in-path", "its path has no time that %s matches"),
                    text);
        hp_err_locate(err, path, 0);
    }
    return ret;
}

int hp_times_set(struct hp_profile *profile, const char *from, struct hp_err *err) {
    bool by_mtime = strcmp(from, "mtime") == 0;
    struct hp_pattern pattern = {0};
    int ret =
        by_mtime ? HP_OK : hp_pattern_init(&pattern, from, profile->match_time, err);
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_asked =
            hp_input_is_used(input) ||
            (profile->keeps.all_times && input->public.status == HP_INPUT_OTHER_MOMENT);
        if (ret == HP_OK && is_asked) {
            ret = by_mtime ? take_mtime(input, err)
                           : take_from_path(input, &pattern, from, err);
        }
    }
    hp_pattern_done(&pattern);
    profile->inputs.have_times = true;
    return ret;
}

bool hp_times_are_held(const struct hp_profile *profile) {
    const struct hp_input_record *input;
    bool are = true;
    hp_vec_each (input, &profile->inputs.records) {
        are &= !hp_input_is_used(input) || input->identity.nanoseconds != 0;
    }
    return are;
}

void hp_times_take_held(struct hp_profile *profile) {
    struct hp_input_record *input;
    if (!hp_times_are_held(profile)) {
        return;
    }
    hp_vec_each (input, &profile->inputs.records) {
        input->identity.time =
            (double)(int64_t)input->identity.nanoseconds / nanoseconds_per_second;
    }
    profile->inputs.have_times = true;
}

// --- labels in paths -------------------------------------------------------------------

// Add to an input, whose path the pattern matches, a label for each named group that is
// part of the match.
static void label(struct hp_profile *profile, struct hp_input_record *input,
                  const struct hp_pattern *pattern) {
    const char *name;
    uint32_t number;
    for (uint32_t i = 0; hp_pattern_name(pattern, i, &name, &number); i++) {
        struct hp_span text;
        if (hp_pattern_group(pattern, input->public.name, number, &text)) {
            struct hp_label found = {
                .key = hp_strtab_add(&profile->strings, hp_span_of(name)),
                .value = hp_strtab_add(&profile->strings, text),
            };
            hp_vec_push(&profile->inputs.labels, found);
            input->labels++;
        }
    }
}

int hp_labels_set(struct hp_profile *profile, const char *text, struct hp_err *err) {
    struct hp_pattern pattern;
    const char *name;
    uint32_t number;
    int ret = hp_pattern_init(&pattern, text, profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    if (!hp_pattern_name(&pattern, 0, &name, &number)) {
        ret = hp_fail(err, HP_E_USAGE,
                      HP_MESSAGE("pattern-without-group",
                                 "pattern %s has no group with a name: (?<host>...)"),
                      text);
    }
    for (size_t i = 0; ret == HP_OK && i < profile->inputs.records.count; i++) {
        struct hp_input_record *input = &profile->inputs.records.at[i];
        if (input->labels > 0) {
            continue; // a partial has labels already, from the paths of its dumps
        }
        input->first_label = (uint32_t)profile->inputs.labels.count;
        if (hp_pattern_matches(&pattern, input->public.name)) {
            label(profile, input, &pattern);
        }
    }
    ret = ret == HP_OK ? hp_pattern_check(&pattern, err) : ret;
    hp_pattern_done(&pattern);
    return ret;
}

static int by_number(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

size_t hp_label_sets_count(const struct hp_profile *profile) {
    HP_VEC(uint64_t) hashes = {0};
    size_t samples = profile->tags.sets.strings.count, inputs = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (input->labels > 0 && hp_input_is_used(input)) {
            hp_vec_push(&hashes, input->identity.labels);
        }
    }
    hp_vec_sort(&hashes, by_number);
    for (size_t i = 0; i < hashes.count; i++) {
        inputs += i == 0 || hashes.at[i] != hashes.at[i - 1];
    }
    hp_vec_done(&hashes);
    samples -= samples > 0; // number 0 is the empty set
    return samples > inputs ? samples : inputs;
}

// A value of a label.
struct label_value {
    hp_string key, value;
};

static int by_key_and_value(const void *left, const void *right) {
    const struct label_value *a = left, *b = right;
    int order = (a->key.n > b->key.n) - (a->key.n < b->key.n);
    return order ? order : (a->value.n > b->value.n) - (a->value.n < b->value.n);
}

// Fail, and name the label that has most values; among several the first by name.
// Sorts `values`, whose texts are in `strings`.
static int refuse_values(struct label_value *values, size_t count,
                         const struct hp_strtab *strings, size_t sets,
                         struct hp_err *err) {
    size_t most = 0, found = 0;
    const char *key = "";
    qsort(values, count, sizeof *values, by_key_and_value);
    for (size_t i = 0; i < count; i++) {
        bool is_same = i > 0 && values[i].key.n == values[i - 1].key.n;
        found = !is_same ? 1 : found + (values[i].value.n != values[i - 1].value.n);
        const char *own = hp_strtab_text(strings, values[i].key);
        if (found > most || (found == most && strcmp(own, key) < 0)) {
            most = found;
            key = own;
        }
    }
    return hp_fail(err, HP_E_LIMIT,
                   HP_MESSAGE("labels-too-many",
                              "%zu different sets of labels. An aggregate file can have "
                              "%d. %s has %zu values"),
                   sets, HP_PARTIAL_LABEL_SETS, key, most);
}

int hp_labels_refuse(const struct hp_profile *profile, size_t sets, struct hp_err *err) {
    HP_VEC(struct label_value) values = {0};
    const struct hp_label *label;
    hp_vec_each (label, &profile->inputs.labels) {
        hp_vec_push(&values, ((struct label_value){label->key, label->value}));
    }
    int ret = refuse_values(values.at, values.count, &profile->strings, sets, err);
    hp_vec_done(&values);
    return ret;
}

// The labels that paths give, before inputs are read.
struct foreseen {
    struct hp_strtab strings;          // texts of labels, and their sets as texts
    HP_VEC(struct label_value) values; // of all paths, repeated
    HP_VEC(char) set;                  // the set of the current path
    HP_VEC(bool) is_set;               // by string: it is a set
    size_t sets;                       // number of different sets
};

// Add the labels of a path.
static void foresee(struct foreseen *foreseen, const struct hp_pattern *pattern,
                    const char *path) {
    const char *name;
    uint32_t number;
    foreseen->set.count = 0;
    for (uint32_t i = 0; hp_pattern_name(pattern, i, &name, &number); i++) {
        struct hp_span text;
        if (hp_pattern_group(pattern, path, number, &text)) {
            struct label_value value = {hp_strtab_add(&foreseen->strings,
                                                      hp_span_of(name)),
                                        hp_strtab_add(&foreseen->strings, text)};
            hp_vec_push(&foreseen->values, value);
            hp_vec_append(&foreseen->set, (const char *)&value, sizeof value);
        }
    }
    if (foreseen->set.count > 0) {
        struct hp_span set = {foreseen->set.at, foreseen->set.count};
        bool *is_set =
            hp_vec_reach(&foreseen->is_set, hp_strtab_add(&foreseen->strings, set).n);
        foreseen->sets += !*is_set;
        *is_set = true;
    }
}

int hp_labels_foresee(const struct hp_profile *profile, const char *const *paths,
                      size_t count, const bool *is_used, const char *from,
                      struct hp_err *err) {
    struct foreseen foreseen = {.sets = 0};
    struct hp_pattern pattern;
    int ret = hp_pattern_init(&pattern, from, profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    for (size_t i = 0; i < count && foreseen.sets <= HP_PARTIAL_LABEL_SETS; i++) {
        if ((!is_used || is_used[i]) && hp_pattern_matches(&pattern, paths[i])) {
            foresee(&foreseen, &pattern, paths[i]);
        }
    }
    if (foreseen.sets > HP_PARTIAL_LABEL_SETS) {
        ret = refuse_values(foreseen.values.at, foreseen.values.count, &foreseen.strings,
                            foreseen.sets, err);
    }
    hp_strtab_done(&foreseen.strings);
    hp_vec_done(&foreseen.values);
    hp_vec_done(&foreseen.set);
    hp_vec_done(&foreseen.is_set);
    hp_pattern_done(&pattern);
    return ret;
}

// --- processes -------------------------------------------------------------------------

// The folder that was examined last: most inputs are in the folder of the input before
// them.
struct input_folder {
    struct hp_span path; // borrowed from the name of an input
    const char *archive; // the archive that contains it; NULL: a folder of the system
    uint64_t hash;       // as hp_input_folder() returns it
    bool is_no_set;      // it has no facts of the capture
};

// Return a hash of the device and inode of a file; never 0.
static uint64_t hash_of_status(const struct stat *info) {
    uint64_t which[2] = {(uint64_t)info->st_dev, (uint64_t)info->st_ino};
    return hp_hash_bytes(which, sizeof which, hp_hash_key()) | 1;
}

// Return a hash of the device and inode of a file, not of the spelling of its path.  If
// the file does not exist, return a hash of the path.
static uint64_t hash_of_file(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return hp_hash_bytes(path, strlen(path), hp_hash_key() + 1);
    }
    return hash_of_status(&info);
}

// Return the hash of the folder of an input, from *last if this is the same folder; else
// compute it and store it there.
static uint64_t hash_of_folder(struct input_folder *last,
                               const struct hp_input_record *input) {
    struct hp_span name = hp_span_of(input->public.name), path = name;
    path.size -= hp_span_basename(name).size;
    if (last->path.at && last->archive == input->archive &&
        hp_span_equal(last->path, path)) {
        return last->hash;
    }
    *last = (struct input_folder){path, input->archive, 0, input->archive != NULL};
    if (input->archive) {
        last->hash = hp_hash_bytes(path.at, path.size, hash_of_file(input->archive));
    } else {
        char *folder = hp_alloc(path.size + 2);
        memcpy(folder, path.size > 0 ? path.at : ".", path.size > 0 ? path.size : 1);
        last->hash = hash_of_file(folder);
        free(folder);
    }
    return last->hash;
}

uint64_t hp_input_folder(const struct hp_input_record *input) {
    struct input_folder none = {.hash = 0};
    return hash_of_folder(&none, input);
}

// Set the process and the time that the facts of a set contain, if the folder is one.
static void add_facts(struct hp_identity *identity, const struct hp_input_record *input,
                      struct input_folder *folder) {
    struct hp_set_facts facts;
    if (folder->is_no_set || input->source > 0) { // a partial has the time
        return;
    }
    if (!hp_set_facts_read(&facts, input->public.name, identity->pid)) {
        folder->is_no_set = true;
        return;
    }
    identity->captured = facts.process;
    identity->series = facts.process;
    if (identity->nanoseconds == 0) {
        identity->nanoseconds = facts.nanoseconds;
    }
}

// Set the facts about the process and the dump that the name of an input contains.
static void add_name(struct hp_identity *identity, const struct hp_input_record *input,
                     struct input_folder *last) {
    struct hp_dump_name name = hp_dump_name_of(input->public.name);
    if (input->source == 0) { // else the partial contains these facts
        identity->pid = name.pid;
        identity->number = name.number;
        identity->has_number = name.has_number;
        identity->kind = name.kind;
    }
    if (name.kind) {
        uint64_t folder = hash_of_folder(last, input);
        identity->series = hp_hash_bytes(name.series.at, name.series.size, folder) | 1;
        add_facts(identity, input, last);
    }
}

// Set the time of an input, and the identity of its file, if it is a regular file.
static void add_file(struct hp_identity *identity, const struct hp_input_record *input) {
    struct stat info;
    if (input->source == 0 && !input->archive && strcmp(input->public.name, "-") != 0 &&
        stat(input->public.name, &info) == 0 && S_ISREG(info.st_mode)) {
        identity->time =
            (double)info.st_mtim.tv_sec + (double)info.st_mtim.tv_nsec / 1000000000;
        identity->file = hash_of_status(&info);
    }
}

// Return a hash of the labels of an input; 0: it has none.
static uint64_t hash_of_labels(const struct hp_profile *profile,
                               const struct hp_input_record *input) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < input->labels; i++) {
        const struct hp_label *label = &profile->inputs.labels.at[input->first_label + i];
        uint32_t text[2] = {label->key.n, label->value.n};
        hash = hp_hash_bytes(text, sizeof text, hash ^ hp_hash_key()) | 1;
    }
    return hash;
}

void hp_inputs_identify(struct hp_profile *profile) {
    struct input_folder last = {.hash = 0};
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (!input->is_group) {
            add_name(&input->identity, input, &last);
            add_file(&input->identity, input);
        }
    }
}

void hp_labels_identify(struct hp_profile *profile) {
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        input->identity.labels = hash_of_labels(profile, input);
    }
}

void hp_processes_identify(struct hp_profile *profile) {
    hp_labels_identify(profile);
    hp_processes_find(&profile->inputs.processes, profile->inputs.records.at,
                      profile->inputs.records.count);
}
