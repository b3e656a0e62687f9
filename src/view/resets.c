#include "view/resets.h"

#include "base/memory.h"
#include "view/series.h"

#include <stdio.h>
#include <string.h>

// Size of the buffer for a sentence, in bytes with the NUL.
enum {
    SENTENCE = 600,
};

// Whether two dumps with the same process id may be of two processes.
static bool may_share_ids(const struct hp_input_record *a,
                          const struct hp_input_record *b) {
    return a->identity.pid <= 1 || b->identity.pid <= 1; // each container has a process 1
}

// What is printed of a reset between two dumps.
#define RESET_OR_ORDER                                                           \
    HP_MESSAGE("reset-or-order",                                                 \
               "%s and %s: wrong order, or prof.reset between them%s: no stack " \
               "allocated more in the second")
#define RESET_BETWEEN                                                                  \
    HP_MESSAGE("reset-between",                                                        \
               "prof.reset was called between %s and %s%s: %s. Memory from before is " \
               "not in the second")

// Write a sentence that says that `reset` lies between the dumps `a` and `b`.
static void put_reset(char text[SENTENCE], enum hp_reset reset,
                      const struct hp_input_record *a, const struct hp_input_record *b) {
    const char *first = a->public.name, *second = b->public.name;
    const char *or_two = may_share_ids(a, b)
                             ? ", or these are two runs, or forks, with one memory map"
                             : "";
    if (reset == HP_RESET_ORDER) {
        hp_message_print(text, SENTENCE, RESET_OR_ORDER, first, second, or_two);
    } else {
        hp_message_print(text, SENTENCE, RESET_BETWEEN, first, second, or_two,
                         reset == HP_RESET_PERIOD
                             ? "their sample periods differ"
                             : "some stacks have allocated fewer objects in the second, "
                               "others more");
    }
}

// Add a warning about a reset to the view.
static void caution(struct hp_view *view, enum hp_reset reset, const char *text) {
    hp_caution_add(view, reset == HP_RESET_ORDER ? RESET_OR_ORDER : RESET_BETWEEN,
                   hp_copy(text));
}

// --- two dumps ------------------------------------------------------------------------------

// Find the base dump, pair[0], and the new dump, pair[1], of a comparison.  Returns false
// if a side has no dump or several, or if the two are of different processes.
static bool find_pair(const struct hp_view *view, const struct hp_input_record *pair[2]) {
    size_t counts[2] = {0, 0};
    const struct hp_input_record *input;
    hp_vec_each (input, &view->profile->inputs.records) {
        if (hp_input_is_used(input)) {
            pair[!input->is_base] = input;
            counts[!input->is_base] += 1 + input->others;
        }
    }
    return counts[0] == 1 && counts[1] == 1 &&
           hp_identity_is_same(&pair[0]->identity, &pair[1]->identity);
}

enum hp_reset hp_reset_of_sides(const struct hp_view *view) {
    const struct hp_input_record *pair[2] = {NULL, NULL};
    return find_pair(view, pair) ? hp_reset_between(pair[0], pair[1]) : HP_RESET_NONE;
}

// Whether both dumps are known to have exactly the same samples, and have any.
static bool are_equal_samples(const struct hp_input_record *pair[2]) {
    return hp_digest_is_known(pair[0]->samples) && pair[0]->stacks > 0 &&
           memcmp(&pair[0]->samples, &pair[1]->samples, sizeof pair[0]->samples) == 0;
}

// Add a warning if there is a reset between the two dumps of a comparison, or if they
// have equal samples.
static void warn_of_sides(struct hp_view *view) {
    const struct hp_input_record *pair[2] = {NULL, NULL};
    char text[SENTENCE];
    if (!find_pair(view, pair)) {
        return;
    }
    enum hp_reset reset = hp_reset_between(pair[0], pair[1]);
    if (reset != HP_RESET_NONE) {
        put_reset(text, reset, pair[0], pair[1]);
        caution(view, reset, text);
    } else if (are_equal_samples(pair)) {
        hp_caution(view,
                   HP_MESSAGE("samples-of-two-equal",
                              "%s and %s have identical samples. Was prof.active off?"),
                   pair[0]->public.name, pair[1]->public.name);
    }
}

// --- series -----------------------------------------------------------------------------------

// The reset between two dumps of view->series; HP_RESET_NONE if they are of different
// series or processes, or if their process is not known.
static enum hp_reset between(const struct hp_series_dump *a,
                             const struct hp_series_dump *b) {
    bool are_comparable = a->series == b->series && a->process != HP_NO_PROCESS &&
                          hp_identity_is_same(&a->input->identity, &b->input->identity);
    return are_comparable ? hp_reset_between(a->input, b->input) : HP_RESET_NONE;
}

// Whether dumps i - 1 and i are only in the wrong order, and there is no reset: if they
// are swapped, there is none before and after the two.  Two threads that dump at the same
// time can take each other's number.
static bool are_swapped(const struct hp_series_dump *dumps, size_t count, size_t i) {
    bool fits_before = i < 2 || between(&dumps[i - 2], &dumps[i]) == HP_RESET_NONE;
    bool fits_after =
        i + 1 == count || between(&dumps[i - 1], &dumps[i + 1]) == HP_RESET_NONE;
    return count >= 3 && fits_before && fits_after;
}

// Find the resets of one series, and swap dumps that are in the wrong order; add a
// warning for each.  Returns the number of the first dump after the last reset.
static size_t settle(struct hp_view *view, struct hp_series_dump *dumps, size_t count) {
    char text[SENTENCE];
    size_t start = 0;
    for (size_t i = 1; i < count; i++) {
        enum hp_reset reset = between(&dumps[i - 1], &dumps[i]);
        if (reset == HP_RESET_NONE) {
            continue;
        }
        if (reset == HP_RESET_ORDER && !view->profile->inputs.have_times &&
            are_swapped(dumps, count, i)) {
            struct hp_series_dump other = dumps[i];
            dumps[i] = dumps[i - 1];
            dumps[i - 1] = other;
            dumps[i].time = other.time;
            dumps[i - 1].time = other.time - 1;
            hp_caution(
                view,
                HP_MESSAGE("dumps-in-other-order",
                           "%s was made before %s, by the allocation counts of stacks"),
                dumps[i - 1].input->public.name, dumps[i].input->public.name);
        } else {
            start = i;
            put_reset(text, reset, dumps[i - 1].input, dumps[i].input);
            size_t used = strlen(text);
            hp_message_print(text + used, sizeof text - used,
                             HP_MESSAGE("series-begins-late",
                                        "; the series begins with it"));
            caution(view, reset, text);
        }
    }
    return start;
}

// Keep in each series only the dumps after the last reset.
static void settle_series(struct hp_view *view) {
    size_t kept = 0;
    for (size_t i = 0, length; i < view->series_count; i += length) {
        struct hp_series_dump *dumps = view->series + i;
        length = hp_series_length(dumps, view->series_count - i);
        for (size_t k = settle(view, dumps, length); k < length; k++) {
            view->series[kept++] = dumps[k];
        }
    }
    view->series_count = kept;
}

void hp_resets_settle(struct hp_view *view) {
    if (view->report->has_sides) {
        warn_of_sides(view);
    } else if (view->options.kind == HP_REPORT_TREND) {
        settle_series(view);
    }
}

int hp_resets_refuse(const struct hp_view *view, struct hp_err *err) {
    char text[SENTENCE];
    for (size_t i = 1; i < view->series_count; i++) {
        const struct hp_series_dump *a = &view->series[i - 1], *b = &view->series[i];
        enum hp_reset reset = hp_reset_between(a->input, b->input);
        if (reset != HP_RESET_NONE) {
            put_reset(text, reset, a->input, b->input);
            return hp_fail(err, HP_E_EMPTY, "%s", text);
        }
    }
    return HP_OK;
}

int hp_resets_refuse_fall(const struct hp_view *view, size_t i, struct hp_err *err) {
    const struct hp_input_record *a = view->series[i - 1].input;
    const struct hp_input_record *b = view->series[i].input;
    if (a->producer != HP_PRODUCER_JEMALLOC || b->producer != HP_PRODUCER_JEMALLOC ||
        a->is_damaged || b->is_damaged) {
        return HP_OK;
    }
    return hp_fail(
        err, HP_E_EMPTY,
        HP_MESSAGE(
            "allocated-fell",
            "%s and %s: prof.reset between them, wrong order, or truncated: stacks "
            "allocated less in the second"),
        a->public.name, b->public.name);
}
