#include "lib/cut_dumps.h"

#include "lib/metadata.h"
#include "stats/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

// Order inputs by side of the comparison, labels and series, so that dumps of one process
// are adjacent; among these the earliest comes first.
static int by_series(const void *left, const void *right) {
    const struct hp_input_record *a = *(struct hp_input_record *const *)left;
    const struct hp_input_record *b = *(struct hp_input_record *const *)right;
    int order = compare(a->is_base, b->is_base);
    order = order ? order : compare(a->identity.labels, b->identity.labels);
    order = order ? order : compare(a->identity.series, b->identity.series);
    order = order ? order : compare(a->identity.number, b->identity.number);
    return order ? order : compare(a->number, b->number);
}

// Return whether two inputs are dumps of one process by name, on the same side of the
// comparison.
static bool are_together(const struct hp_input_record *a,
                         const struct hp_input_record *b) {
    return a->is_base == b->is_base && a->identity.labels == b->identity.labels &&
           a->identity.series == b->identity.series;
}

// --- cut maps --------------------------------------------------------------------------

// The addresses of a process that stay the same: start of the vdso and end of the main
// stack.  0: the map does not show it.
struct map_ends {
    uint64_t vdso, stack;
};

// Return the start of the vdso and the end of the main stack of an input's process.  They
// are the digest of its memory map, unless the highest bit of the digest is set; both are
// 0 then.
static struct map_ends ends_of(const struct hp_input_record *input) {
    struct hp_digest map = input->identity.map;
    bool is_of_files = map.of[0] >> 63;
    return is_of_files ? (struct map_ends){0, 0}
                       : (struct map_ends){map.of[0], map.of[1]};
}

bool hp_cut_dumps_has_map_end(const struct hp_input_record *input) {
    struct map_ends ends = ends_of(input);
    return ends.vdso != 0 || ends.stack != 0;
}

static bool may_be_one(uint64_t a, uint64_t b) {
    return a == b || a == 0 || b == 0;
}

// Return whether the map of `cut` is missing, or is the beginning of the map of `whole`.
static bool is_cut_map(const struct hp_input_record *cut,
                       const struct hp_input_record *whole) {
    const struct hp_identity *a = &cut->identity, *b = &whole->identity;
    struct map_ends has = ends_of(cut), all = ends_of(whole);
    bool is_alike = a->program == 0 || a->program == b->program;
    bool is_random = hp_digest_is_known(a->map) || a->map_start != 0;
    bool is_shorter =
        is_random && a->map_start == b->map_start && a->map_end < b->map_end;
    return all.stack != 0 && is_alike &&
           (a->map_end == 0 || (is_shorter && may_be_one(has.vdso, all.vdso) &&
                                may_be_one(has.stack, all.stack)));
}

static bool is_whole(const struct hp_input_record *input) {
    return hp_input_is_used(input) && !input->is_damaged;
}

// Mark as damaged all dumps of one process whose map is truncated, by comparing it with
// the map that ends at the highest address.
static void find_cut_maps(struct hp_input_record **inputs, size_t count) {
    const struct hp_input_record *highest = NULL;
    for (size_t i = 0; i < count; i++) {
        bool is_higher =
            !highest || inputs[i]->identity.map_end >= highest->identity.map_end;
        highest = is_whole(inputs[i]) && is_higher ? inputs[i] : highest;
    }
    for (size_t i = 0; i < count; i++) {
        struct hp_input_record *input = inputs[i];
        if (is_whole(input) && is_cut_map(input, highest)) {
            struct hp_err err = {.code = HP_E_FORMAT, .line = input->lines};
            hp_message_print(err.message, sizeof err.message,
                             HP_MESSAGE("damaged-map-cut",
                                        "damaged: its memory map ends before that of %s"),
                             highest->public.name);
            hp_input_set_err(input, &err);
            input->is_damaged = true;
        }
    }
}

// --- the dump that is used -------------------------------------------------------------

// Return whether an input is better than the best one so far to be used for its process:
// complete, or at least with stacks; if both are equal, the later one.
static bool is_better(const struct hp_input_record *input,
                      const struct hp_input_record *best) {
    bool is_any = hp_input_is_used(input);
    if (!is_any || !best) {
        return is_any;
    }
    if (is_whole(input) != is_whole(best)) {
        return is_whole(input);
    }
    return input->stacks > 0 || best->stacks == 0;
}

// Estimate the bytes in use from the dump's own totals, which are sampled counts, by
// jeprof's formula.
static double total_of(const struct hp_input_record *input) {
    struct hp_count count = input->header.inuse;
    double bytes = (double)count.bytes, period = (double)input->period;
    return count.objects == 0 || input->period <= 1
               ? bytes
               : bytes / -expm1(-bytes / (double)count.objects / period);
}

bool hp_cut_dumps_total(char text[HP_NUMBER_SIZE], const struct hp_input_record *input) {
    bool has_total = input->header_line > 0 && !hp_count_is_wrapped(&input->header.inuse);
    if (has_total) {
        hp_format_bytes(text, (hp_int128)(total_of(input) * 0x1p20), HP_UNIT_AUTO);
    }
    return has_total;
}

// Add to the error of a skipped dump its own totals and the dump that is used instead.
static void explain_replacement(struct hp_input_record *input,
                                const struct hp_input_record *instead) {
    char total[HP_NUMBER_SIZE];
    struct hp_err err = *input->err;
    size_t used = strlen(err.message);
    if (hp_cut_dumps_total(total, input)) {
        hp_message_print(err.message + used, sizeof err.message - used,
                         HP_MESSAGE("replaced-total",
                                    "; its first lines say that %s were in use"),
                         total);
        used = strlen(err.message);
    }
    hp_message_print(err.message + used, sizeof err.message - used,
                     HP_MESSAGE("replaced-by", "; %s is used instead"),
                     instead->public.name);
    hp_input_set_err(input, &err);
}

// Find truncated dumps among those of one process, and mark them as replaced by the best
// of its dumps.
static void settle(struct hp_input_record **inputs, size_t count) {
    const struct hp_input_record *best = NULL;
    find_cut_maps(inputs, count);
    for (size_t i = 0; i < count; i++) {
        best = is_better(inputs[i], best) ? inputs[i] : best;
    }
    for (size_t i = 0; i < count && best; i++) {
        struct hp_input_record *input = inputs[i];
        bool is_less = is_whole(best) || (input->stacks == 0 && best->stacks > 0);
        if (input->is_damaged && input != best && is_less) {
            explain_replacement(input, best);
            input->public.status = HP_INPUT_REPLACED;
        } else if (input->is_damaged && hp_input_is_used(input)) {
            // The damaged dump is used, but its map may be only the beginning of the real
            // one, and does not identify the process.
            input->identity.map = (struct hp_digest){{0}};
            input->identity.program = 0;
        }
    }
}

void hp_cut_dumps_settle(struct hp_profile *profile) {
    HP_VEC(struct hp_input_record *) named = {0};
    struct hp_input_record *input;
    if (profile->settings.snapshots >= HP_SNAPSHOTS_EACH) {
        return;
    }
    hp_labels_identify(profile);
    hp_vec_each (input, &profile->inputs.records) {
        bool counts = hp_input_is_used(input) || input->is_damaged;
        if (counts && input->identity.series != 0 && input->source == 0) {
            hp_vec_push(&named, input);
        }
    }
    hp_vec_sort(&named, by_series);
    for (size_t i = 0, end; i < named.count; i = end) {
        end = i + 1;
        while (end < named.count && are_together(named.at[end], named.at[i])) {
            end++;
        }
        settle(named.at + i, end - i);
    }
    hp_vec_done(&named);
}

size_t hp_cut_dumps_count(const struct hp_profile *profile) {
    size_t count = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        count += input->public.status == HP_INPUT_REPLACED;
    }
    return count;
}
