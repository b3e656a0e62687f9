// Rounding of counts leans the same way in dumps that are alike, while intervals take it for
// chance.  It is told where all of it together may be more than a quarter of the total's
// interval.
#include "lib/warnings.h"

#include "base/units.h"
#include "stats/measure.h"

#include <stdio.h>
#include <string.h>

enum {
    NAMED = 3, // inputs with one diagnostic that are named; the others are counted
};

// --- diagnostics of single inputs ------------------------------------------------------

enum diagnostic {
    KEPT_DAMAGED,
    PRODUCER_WARNING,
    MALFORMED,
    WRAPPED,
    NEGATIVE,
    HEADER_CONTRADICTS,
    TORN,
    NO_PERIOD,
    NO_OBJECTS,
    OVERLAPS,
    UNKNOWN,
    UNMAPPED,
    DIAGNOSTICS,
};

// What follows the input's name; "%" stands for how many there are.
static const char *const diagnostics[DIAGNOSTICS] = {
    [KEPT_DAMAGED] = "is damaged, and used as far as it goes",
    [PRODUCER_WARNING] = "comes with a warning: ",
    [MALFORMED] = "has malformed lines, which are passed over: %; expected ",
    [WRAPPED] = "has counts that wrapped around zero, which are left out: %",
    [NEGATIVE] = ("is a difference of two profiles, of which no error is known; values "
                  "below zero: %"),
    [HEADER_CONTRADICTS] =
        "has a total that contradicts the sum of its stacks: it may be cut or damaged",
    [TORN] =
        "has stacks whose numbers contradict those of their threads: %; it may be damaged",
    [NO_PERIOD] = "has no sample period: its counts stand as they are",
    [NO_OBJECTS] = "tells bytes, but not how many objects they are of",
    [OVERLAPS] = "has overlapping rows in its memory map, of which the first hold: %",
    [UNKNOWN] = "has indented lines of an unknown dialect, which are passed over: %",
    [UNMAPPED] = "has addresses in no mapping: %",
};

static bool lacks_objects(const struct hp_input_record *input) {
    bool inuse = hp_input_has_metric(input, HP_INUSE_SPACE);
    bool alloc = hp_input_has_metric(input, HP_ALLOC_SPACE);
    return (inuse && !hp_input_has_metric(input, HP_INUSE_OBJECTS)) ||
           (alloc && !hp_input_has_metric(input, HP_ALLOC_OBJECTS));
}

static struct hp_diagnostic_count found_in(const struct hp_input_record *input,
                                           enum diagnostic kind) {
    bool is_damaged = input->public.status == HP_INPUT_KEPT_DAMAGED;
    const struct hp_diagnostic_count found[DIAGNOSTICS] = {
        [KEPT_DAMAGED] = {is_damaged, is_damaged ? input->public.err->line : 0},
        [PRODUCER_WARNING] = {input->producer_warning != NULL,
                              input->producer_warning_line},
        [MALFORMED] = input->malformed,
        [WRAPPED] = input->wrapped,
        [NEGATIVE] = {input->negative, 0},
        [HEADER_CONTRADICTS] = {input->header_check == HP_HEADER_CONTRADICTS,
                                input->header_line},
        [TORN] = {input->torn_stacks, 0},
        [NO_PERIOD] = {input->period == 0 && input->stacks > 0, 0},
        [NO_OBJECTS] = {lacks_objects(input), 0},
        [OVERLAPS] = input->overlaps,
        [UNKNOWN] = input->unknown,
        [UNMAPPED] = {input->unmapped_addresses, 0},
    };
    return found[kind];
}

// At the end of the sentence.
static const char *detail_of(const struct hp_input_record *input, enum diagnostic kind) {
    return kind == MALFORMED          ? input->expected
           : kind == PRODUCER_WARNING ? input->producer_warning
                                      : "";
}

static void warn_of_one(struct hp_profile *profile, const struct hp_input_record *input,
                        enum diagnostic kind) {
    const char *name = input->public.name, *what = diagnostics[kind];
    struct hp_diagnostic_count found = found_in(input, kind);
    char line[32] = "", how_many[32] = "";
    size_t before = strcspn(what, "%");
    const char *after = what + before;
    if (found.line > 0) {
        snprintf(line, sizeof line, ":%llu", (unsigned long long)found.line);
    }
    if (*after) {
        snprintf(how_many, sizeof how_many, "%llu", (unsigned long long)found.count);
        after++;
    }
    hp_profile_warn(profile, "%s%s %.*s%s%s%s",
                    strcmp(name, "-") ? name : "standard input", line, (int)before, what,
                    how_many, after, detail_of(input, kind));
}

static void warn_of_diagnostics(struct hp_profile *profile, enum diagnostic kind) {
    size_t found = 0;
    for (size_t i = 0; i < profile->inputs.count; i++) {
        const struct hp_input_record *input = &profile->inputs.at[i];
        bool has = hp_input_is_used(input) && found_in(input, kind).count > 0;
        found += has;
        if (has && found <= NAMED) {
            warn_of_one(profile, input, kind);
        }
    }
    if (found > NAMED) {
        const char *what = diagnostics[kind];
        hp_profile_warn(profile, "%zu more input%s: each %.*s", found - NAMED,
                        found == NAMED + 1 ? "" : "s", (int)strcspn(what, ":%"), what);
    }
}

// --- inputs that are not independent ---------------------------------------------------

struct keyed {
    struct hp_digest key;
    size_t input;
};

static int by_key(const void *left, const void *right) {
    const struct keyed *a = left, *b = right;
    int order = memcmp(&a->key, &b->key, sizeof a->key);
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

// The path up to the process id: two files of one process, not of two hosts.
static bool key_of_pid(const struct hp_input_record *input, struct hp_digest *key) {
    *key = (struct hp_digest){{input->identity.series, 0}};
    return input->identity.series != 0;
}

static bool key_of_maps(const struct hp_input_record *input, struct hp_digest *key) {
    *key = input->identity.map;
    return hp_digest_is_known(input->identity.map);
}

static bool key_of_samples(const struct hp_input_record *input, struct hp_digest *key) {
    *key = input->samples;
    return input->stacks > 0;
}

// A series is of one process, and so are the sides of many a diff.
static const struct {
    bool (*key)(const struct hp_input_record *input, struct hp_digest *key);
    bool in_series; // also wrong there
    const char *sentence;
} kinships[] = {
    {key_of_samples, true,
     "hold the same stacks and counts: one sample is counted twice"},
    {key_of_maps, false,
     "are dumps of one process, by their memory maps: what lives in both is counted "
     "twice"},
    {key_of_pid, false,
     "are named as dumps of one process: what lives in both is counted twice"},
};

// In containers one process after the other has the same number, which maps know better.
static bool maps_deny(const struct hp_profile *profile, size_t kind, size_t a, size_t b) {
    return kinships[kind].key == key_of_pid &&
           !hp_identity_is_same(&profile->inputs.at[a].identity,
                                &profile->inputs.at[b].identity);
}

// Warn of the inputs that share a key with an earlier one and that no warning names yet.
static void warn_of_kin(struct hp_profile *profile, size_t kind, bool *warned) {
    size_t count = profile->inputs.count, keys = 0, more = 0;
    struct keyed *order = hp_alloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        const struct hp_input_record *input = &profile->inputs.at[i];
        struct keyed keyed = {.input = i};
        if (hp_input_is_used(input) && kinships[kind].key(input, &keyed.key)) {
            keyed.key.of[0] ^= input->is_base; // the sides of a diff are not added up
            order[keys++] = keyed;
        }
    }
    qsort(order, keys, sizeof *order, by_key);
    struct keyed first_pair[2] = {{.input = count}};
    for (size_t i = 1; i < keys; i++) {
        bool same = memcmp(&order[i].key, &order[i - 1].key, sizeof order->key) == 0;
        if (!same || warned[order[i].input] ||
            maps_deny(profile, kind, order[i - 1].input, order[i].input)) {
            continue;
        }
        warned[order[i].input] = true;
        more++;
        if (order[i - 1].input < first_pair[0].input) {
            first_pair[0] = order[i - 1];
            first_pair[1] = order[i];
        }
    }
    if (more > 0) {
        const char *a = profile->inputs.at[first_pair[0].input].public.name;
        const char *b = profile->inputs.at[first_pair[1].input].public.name;
        if (more == 1) {
            hp_profile_warn(profile, "%s and %s %s", a, b, kinships[kind].sentence);
        } else {
            hp_profile_warn(profile, "%s, %s and %zu more input%s %s", a, b, more - 1,
                            more == 2 ? "" : "s", kinships[kind].sentence);
        }
    }
    free(order);
}

// A series of several processes is none.
static void warn_of_strangers(struct hp_profile *profile) {
    const struct hp_input_record *first = NULL, *input;
    hp_vec_each (input, &profile->inputs) {
        const struct hp_identity *identity = &input->identity;
        bool is_known = identity->series != 0 || hp_digest_is_known(identity->map);
        if (!hp_input_is_used(input) || !is_known) {
            continue;
        }
        first = first ? first : input;
        if (first != input && !hp_identity_is_same(&first->identity, identity)) {
            hp_profile_warn(profile,
                            "%s and %s are dumps of two processes, by their memory maps "
                            "or names: what they differ by is taken for growth",
                            first->public.name, input->public.name);
            return;
        }
    }
}

// --- all inputs together ---------------------------------------------------------------

static void warn_of_skipped(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->summary[HP_SIDE_ALL];
    size_t skipped = hp_input_summary_skipped(summary), count = summary->all;
    size_t duplicates = summary->left_out[HP_REASON_REPEATED];
    size_t young = summary->left_out[HP_REASON_YOUNG];
    if (skipped > 0) {
        hp_profile_warn(profile, "%zu of %zu inputs were skipped", skipped, count);
    }
    if (duplicates > 0) {
        hp_profile_warn(profile, "%zu of %zu inputs repeat another and count once",
                        duplicates, count);
    }
    if (young > 0) {
        hp_profile_warn(profile,
                        "%zu of %zu inputs were written to a moment ago and left out",
                        young, count);
    }
}

static void warn_of_mixtures(struct hp_profile *profile) {
    size_t used = 0, with_alloc = 0, with_inuse = 0;
    uint64_t period = 0;
    bool mixed = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input) && input->stacks > 0) {
            mixed |= used > 0 && input->period != period;
            period = input->period;
            used++;
            with_alloc += input->has_alloc;
            with_inuse += hp_input_has_metric(input, HP_INUSE_SPACE);
        }
    }
    if (mixed) {
        hp_profile_warn(profile,
                        "the inputs have different sample periods: each is "
                        "estimated with its own");
    }
    if (with_alloc > 0 && with_alloc < used) {
        hp_profile_warn(profile,
                        "only %zu of %zu inputs tell what was allocated and "
                        "freed (prof_accum)",
                        with_alloc, used);
    }
    if (with_inuse > 0 && with_inuse < used) {
        hp_profile_warn(profile, "only %zu of %zu inputs tell what is in use", with_inuse,
                        used);
    }
}

// Nothing in a rewritten dump tells which jemalloc wrote it.
static void warn_of_large_sizes(struct hp_profile *profile) {
    static const int least_percent = 5;
    hp_fixed large = 0, all = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input)) {
            large += input->large_bytes;
            all += input->total.of[HP_INUSE_SPACE];
        }
    }
    if (large > all / 100 * least_percent) {
        char text[HP_NUMBER_SIZE];
        hp_format_bytes(text, large, HP_UNIT_AUTO);
        hp_profile_warn(
            profile,
            "%s in use are in objects of more than 32 KiB and may be up to 20%% less: "
            "jemalloc from 5.3.1 on rounds these up to pages alone (--large-sizes)",
            text);
    }
}

void hp_warn_of_inputs(struct hp_profile *profile) {
    warn_of_skipped(profile);
    for (enum diagnostic i = 0; i < DIAGNOSTICS; i++) {
        warn_of_diagnostics(profile, i);
    }
    bool *warned = hp_alloc(profile->inputs.count * sizeof *warned);
    for (size_t i = 0; i < sizeof kinships / sizeof *kinships; i++) {
        if (!profile->keeps.series || kinships[i].in_series) {
            warn_of_kin(profile, i, warned);
        }
    }
    free(warned);
    if (profile->keeps.series) {
        warn_of_strangers(profile);
    }
    warn_of_mixtures(profile);
    warn_of_large_sizes(profile);
}
