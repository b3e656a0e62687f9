// The text form of the list is a line such as
//
//     #hprof-agg processes/1 snapshots=last of=in-use untold=0 keys=HEX
//
// where HEX has 48 digits for each process: the two words of its memory map, and its
// process id.  "untold" is the number of processes without a memory map.  A long list
// takes several lines, which are added up.  The "#" keeps pprof from showing these lines
// above each report.
#include "inputs/process_keys.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "inputs/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "#hprof-agg processes/";
static const char version[] = "1 ";

static const char *const snapshots_names[] = {
    [HP_SNAPSHOTS_LAST] = "last", [HP_SNAPSHOTS_FINAL] = "final",
    [HP_SNAPSHOTS_PEAK] = "peak", [HP_SNAPSHOTS_EACH] = "each",
    [HP_SNAPSHOTS_SUM] = "sum",
};
static const char *const column_names[] = {
    [HP_COLUMN_INUSE] = "in-use",
    [HP_COLUMN_ALLOC] = "allocated",
};

enum {
    MODES = sizeof snapshots_names / sizeof *snapshots_names,
    WORD = 16,   // hexadecimal digits of a word
    WORDS = 3,   // words of a key
    MOST = 1000, // maximum number of keys in a line
};

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_maps(struct hp_digest a, struct hp_digest b) {
    int order = compare(a.of[0], b.of[0]);
    return order ? order : compare(a.of[1], b.of[1]);
}

static int by_key(const void *left, const void *right) {
    const struct hp_process_key *a = left, *b = right;
    int order = compare_maps(a->map, b->map);
    return order ? order : compare(a->pid, b->pid);
}

// Sort the keys and remove duplicates.  Returns the number of keys removed.
static size_t settle(struct hp_process_keys *keys) {
    size_t kept = 0, all = keys->all.count;
    hp_vec_sort(&keys->all, by_key);
    for (size_t i = 0; i < all; i++) {
        if (kept == 0 || by_key(&keys->all.at[i], &keys->all.at[kept - 1]) != 0) {
            keys->all.at[kept++] = keys->all.at[i];
        }
    }
    keys->all.count = kept;
    return all - kept;
}

// --- of inputs -------------------------------------------------------------------------

// Add the list of processes of a merged profile to `keys`.
static void add_merged(struct hp_process_keys *keys,
                       const struct hp_process_keys *merged) {
    hp_vec_append(&keys->all, merged->all.at, merged->all.count);
    keys->unidentified += merged->unidentified;
    keys->snapshots |= merged->snapshots;
    keys->columns |= merged->columns;
}

// Add the keys of all dumps of a process, or count it as a process without a memory map.
static void add_process(struct hp_process_keys *keys,
                        const struct hp_processes *processes,
                        const struct hp_process *process,
                        const struct hp_input_record *inputs) {
    const uint32_t *dumps = processes->dumps.at + process->first;
    bool is_known = false;
    for (uint32_t i = 0; i < process->dumps; i++) {
        const struct hp_identity *identity = &inputs[dumps[i]].identity;
        if (hp_digest_is_known(identity->map)) {
            struct hp_process_key key = {identity->map, identity->pid};
            hp_vec_push(&keys->all, key);
            is_known = true;
        }
    }
    keys->unidentified += !is_known;
}

void hp_process_keys_collect(struct hp_process_keys *keys,
                             const struct hp_processes *processes,
                             const struct hp_input_record *inputs, size_t count,
                             enum hp_snapshots snapshots, enum hp_metric metric) {
    bool adds_up = false, has_dumps = false;
    *keys = (struct hp_process_keys){.unidentified = 0};
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].keys && hp_input_is_used(&inputs[i])) {
            add_merged(keys, inputs[i].keys);
        }
    }
    const struct hp_process *process;
    hp_vec_each (process, &processes->all) {
        if (!inputs[processes->dumps.at[process->first]].keys) {
            add_process(keys, processes, process, inputs);
            adds_up |= process->dumps > 1;
            has_dumps = true;
        }
    }
    settle(keys);
    bool is_sum = snapshots >= HP_SNAPSHOTS_EACH;
    adds_up |= is_sum && hp_process_keys_clash(processes, inputs, count).processes > 0;
    // With one dump of each process the rule for choosing dumps has no effect.
    if (has_dumps || adds_up) {
        keys->snapshots |= 1u << (is_sum && !adds_up ? HP_SNAPSHOTS_LAST : snapshots);
        keys->columns |= 1u << hp_column_of(metric);
    }
}

// --- as text ---------------------------------------------------------------------------

static void put_text(char **at, const char *text) {
    *at = stpcpy(*at, text);
}

// Write the names of the bits that are set, separated by commas.
static void put_names(char **at, const char *const *names, int count, unsigned which) {
    const char *between = "";
    for (int i = 0; i < count; i++) {
        if (which >> i & 1) {
            put_text(at, between);
            put_text(at, names[i]);
            between = ",";
        }
    }
}

char *hp_process_keys_text(const struct hp_process_keys *keys, size_t *next) {
    size_t left = keys->all.count - *next, count = left < MOST ? left : MOST;
    size_t room = 256 + count * WORD * WORDS;
    // Lines are added up, so only the first has the number of unidentified processes.
    uint64_t unidentified = *next == 0 ? keys->unidentified : 0;
    char *text = hp_alloc(room), *at = text;
    put_text(&at, mark);
    put_text(&at, version);
    put_text(&at, "snapshots=");
    put_names(&at, snapshots_names, MODES, keys->snapshots);
    put_text(&at, " of=");
    put_names(&at, column_names, HP_COLUMNS, keys->columns);
    at += sprintf(at, " untold=%" PRIu64 " keys=", unidentified);
    for (size_t end = *next + count; *next < end; ++*next) {
        const struct hp_process_key *key = &keys->all.at[*next];
        at += sprintf(at, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64, key->map.of[0],
                      key->map.of[1], key->pid);
    }
    return text;
}

bool hp_process_keys_is_text(struct hp_span text) {
    return hp_span_starts(text, mark);
}

// Expect a word at the cursor; otherwise the cursor fails.
static void expect_word(struct hp_cursor *c, const char *word) {
    if (!hp_cursor_accept_word(c, word)) {
        hp_cursor_fail(c, word);
    }
}

// Read names separated by commas, as bits.  No name is a prefix of another.
static unsigned read_names(struct hp_cursor *c, const char *const *names, int count) {
    unsigned which = 0;
    do {
        for (int i = 0; i < count; i++) {
            which |= (unsigned)hp_cursor_accept_word(c, names[i]) << i;
        }
    } while (hp_cursor_accept(c, ','));
    return which;
}

// Read a word of 16 hexadecimal digits.
static uint64_t read_word(struct hp_cursor *c) {
    uint64_t word = 0;
    for (int i = 0; i < WORD && hp_cursor_good(c); i++) {
        unsigned digit = hp_cursor_at_end(c) ? 16 : hp_hex_digit(*c->at);
        if (digit > 15) {
            hp_cursor_fail(c, HP_WORDS("keys-digit-expected", "a digit"));
        } else {
            word = word << 4 | digit;
            c->at++;
        }
    }
    return word;
}

bool hp_process_keys_read(struct hp_process_keys *keys, struct hp_span text) {
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    expect_word(&c, mark);
    expect_word(&c, version);
    expect_word(&c, "snapshots=");
    keys->snapshots |= read_names(&c, snapshots_names, MODES);
    expect_word(&c, " of=");
    keys->columns |= read_names(&c, column_names, HP_COLUMNS);
    expect_word(&c, " untold=");
    uint64_t unidentified = hp_cursor_decimal(&c);
    expect_word(&c, " keys=");
    while (hp_cursor_good(&c) && !hp_cursor_at_end(&c)) {
        struct hp_process_key key = {{{0}}, 0};
        key.map.of[0] = read_word(&c);
        key.map.of[1] = read_word(&c);
        key.pid = read_word(&c);
        if (!hp_digest_is_known(key.map)) {
            hp_cursor_fail(&c, HP_WORDS("keys-map-expected", "a map"));
        }
        hp_vec_push(&keys->all, key);
    }
    bool fits =
        !__builtin_add_overflow(keys->unidentified, unidentified, &keys->unidentified);
    keys->repeated += settle(keys);
    return fits && hp_cursor_good(&c);
}

// --- in two inputs ---------------------------------------------------------------------

// One occurrence of a process in an input.
struct key_place {
    struct hp_process_key key;
    uint64_t labels; // labels of the input; processes with different labels are different
    bool is_base, is_merged;
    uint32_t input; // number of the input
};

// Order occurrences of processes by everything except the process id.
static int by_map(const struct key_place *a, const struct key_place *b) {
    int order = compare(a->is_base, b->is_base);
    order = order ? order : compare(a->labels, b->labels);
    return order ? order : compare_maps(a->key.map, b->key.map);
}

static int by_place(const void *left, const void *right) {
    const struct key_place *a = left, *b = right;
    int order = by_map(a, b);
    order = order ? order : compare(a->key.pid, b->key.pid);
    return order ? order : compare(a->input, b->input);
}

// Count one more process that the inputs of `a` and `b` have in common.  The pair of
// inputs that is reported is the first one in the order of the inputs.
static void note(struct hp_process_clash *clash, const struct key_place *a,
                 const struct key_place *b) {
    uint32_t first = a->input < b->input ? a->input : b->input;
    uint32_t again = a->input < b->input ? b->input : a->input;
    if (clash->processes++ == 0 || again < clash->again ||
        (again == clash->again && first < clash->first)) {
        clash->first = first;
        clash->again = again;
    }
}

// Note a clash if the places, which are all those of one process, are in two inputs or
// more, and at least one of these is a merged profile.
static void find_one(struct hp_process_clash *clash, const struct key_place *places,
                     size_t count) {
    const struct key_place *other = NULL, *merged = NULL;
    for (size_t i = 0; i < count; i++) {
        bool is_other = places[i].input != places[0].input;
        merged = !merged && places[i].is_merged ? &places[i] : merged;
        other = !other && is_other ? &places[i] : other;
    }
    if (other && merged) {
        note(clash, merged, merged->input == places[0].input ? other : &places[0]);
    }
}

// Note a clash if one map has several process ids in all inputs together, but only one in
// the merged profile, or in the dumps, that also have the map without process id.  There
// the dump without process id was taken to be of the one process; with the other process
// ids this is no longer certain.
static void find_joined(struct hp_process_clash *clash, const struct key_place *places,
                        size_t count) {
    const struct key_place *own = NULL, *other = NULL;
    size_t ids = 0;
    for (size_t i = 0; i < count && places[0].key.pid == 0; i++) {
        bool is_own = places[i].is_merged == places[0].is_merged &&
                      (!places[0].is_merged || places[i].input == places[0].input);
        bool is_id = places[i].key.pid != 0;
        ids += is_own && is_id && (!own || own->key.pid != places[i].key.pid);
        own = is_own && is_id ? &places[i] : own;
        other = !is_own && is_id ? &places[i] : other;
    }
    if (ids == 1 && other && other->key.pid != own->key.pid) {
        note(clash, &places[0], other);
    }
}

// Find clashes among the places of one map, which are sorted by process id and input.
static void find_of_map(struct hp_process_clash *clash, const struct key_place *places,
                        size_t count) {
    size_t first = 0;
    while (first < count - 1 && places[first].key.pid == 0) {
        first++;
    }
    if (places[first].key.pid == places[count - 1].key.pid) {
        find_one(clash, places, count);
        return;
    }
    size_t before = clash->processes;
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && places[end].key.pid == places[i].key.pid) {
            end++;
        }
        find_one(clash, places + i, end - i);
    }
    if (clash->processes == before) {
        find_joined(clash, places, count);
    }
}

struct key_places {
    HP_VEC(struct key_place) all;
};

// Add a place for each process of a merged profile.
static void add_keys(struct key_places *places, const struct hp_input_record *input,
                     uint32_t number) {
    const struct hp_process_key *key;
    hp_vec_each (key, &input->keys->all) {
        struct key_place place = {*key, input->identity.labels, input->is_base, true,
                                  number};
        hp_vec_push(&places->all, place);
    }
}

// Add a place for a dump with a memory map.
static void add_own_key(struct key_places *places, const struct hp_input_record *input,
                        uint32_t number) {
    struct key_place place = {{input->identity.map, input->identity.pid},
                              input->identity.labels,
                              input->is_base,
                              false,
                              number};
    if (hp_digest_is_known(place.key.map)) {
        hp_vec_push(&places->all, place);
    }
}

// Collect the places of all used inputs.  Returns false if no input is a merged profile.
static bool collect(struct key_places *places, const struct hp_processes *processes,
                    const struct hp_input_record *inputs, size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (inputs[i].keys && hp_input_is_used(&inputs[i])) {
            add_keys(places, &inputs[i], i);
        }
    }
    for (size_t i = 0; i < processes->dumps.count && places->all.count > 0; i++) {
        uint32_t number = processes->dumps.at[i];
        const struct hp_input_record *input = &inputs[number];
        if (!input->keys) {
            add_own_key(places, input, number);
        }
    }
    return places->all.count > 0;
}

struct hp_process_clash hp_process_keys_clash(const struct hp_processes *processes,
                                              const struct hp_input_record *inputs,
                                              size_t count) {
    struct hp_process_clash clash = {HP_NO_INPUT, HP_NO_INPUT, 0};
    struct key_places places = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (inputs[i].keys && hp_input_is_used(&inputs[i]) &&
            inputs[i].keys->repeated > 0) {
            struct key_place own = {.input = i};
            note(&clash, &own, &own);
        }
    }
    if (collect(&places, processes, inputs, count)) {
        hp_vec_sort(&places.all, by_place);
        for (size_t i = 0, end; i < places.all.count; i = end) {
            end = i + 1;
            while (end < places.all.count &&
                   by_map(&places.all.at[end], &places.all.at[i]) == 0) {
                end++;
            }
            find_of_map(&clash, places.all.at + i, end - i);
        }
    }
    hp_vec_done(&places.all);
    return clash;
}

// --- on both sides ---------------------------------------------------------------------

// Order by labels, map and process id, so that both sides of a diff are next to each
// other.
static int by_process(const void *left, const void *right) {
    const struct key_place *a = left, *b = right;
    int order = compare(a->labels, b->labels);
    order = order ? order : compare_maps(a->key.map, b->key.map);
    return order ? order : compare(a->key.pid, b->key.pid);
}

static bool are_of_both_sides(const struct key_place *places, size_t count) {
    bool has[2] = {false, false};
    for (size_t i = 0; i < count; i++) {
        has[places[i].is_base] = true;
    }
    return has[0] && has[1];
}

// Return how many processes of one memory map occur on both sides of a diff.  An
// occurrence without process id can be of any process of the map; it is compared only if
// no process id is on both sides.
static size_t count_shared(const struct key_place *places, size_t count) {
    size_t shared = 0;
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && places[end].key.pid == places[i].key.pid) {
            end++;
        }
        shared += are_of_both_sides(places + i, end - i);
    }
    bool may_be_any = places[0].key.pid == 0 && are_of_both_sides(places, count);
    return shared == 0 && may_be_any ? 1 : shared;
}

size_t hp_process_keys_shared(const struct hp_input_record *inputs, size_t count) {
    struct key_places places = {0};
    size_t shared = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!hp_input_is_used(&inputs[i])) {
            continue;
        }
        if (inputs[i].keys) {
            add_keys(&places, &inputs[i], i);
        } else {
            add_own_key(&places, &inputs[i], i);
        }
    }
    hp_vec_sort(&places.all, by_process);
    for (size_t i = 0, end; i < places.all.count; i = end) {
        const struct key_place *first = &places.all.at[i];
        end = i + 1;
        while (end < places.all.count && places.all.at[end].labels == first->labels &&
               compare_maps(places.all.at[end].key.map, first->key.map) == 0) {
            end++;
        }
        shared += count_shared(first, end - i);
    }
    hp_vec_done(&places.all);
    return shared;
}
