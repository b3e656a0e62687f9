// How the dumps that are not recorded individually differ from one another
// (model/between.h). The sums of each stack over replicates are in the section of stacks;
// these are the other sections:
//
//     distribution   labels; number of replicates with dumps; for each: distance from the
//                    number of the one before, dumps; for each column: dumps with 0 bytes
//                    or less, number of buckets; for each: distance from the bucket
//                    before, dumps; then number of dumps with the largest totals; for
//                    each, the largest first: bytes, identity, replicate; and the same
//                    for the smallest totals
//     extreme names  identity, name, archive
//
// Rows of a distribution are in the order of their labels as texts.
#include "partial/partial_reader.h"
#include "partial/partial_writer.h"

#include <string.h>

// --- sums over replicates --------------------------------------------------------------

enum {
    PLACE = 7, // bits of a key for column and replicate, below those of the stack's place
};

// Change the keys of the sums in w->between.sums to the place of their stack in the file,
// column and replicate; sort them, and drop those of stacks that are not written. These
// sums are the writer's own copy.
void hp_order_replicates(struct hp_partial_writer *w) {
    struct hp_replicates *sums = &w->between.sums;
    struct hp_replicate *sum;
    size_t kept = 0;
    hp_vec_each (sum, &sums->all) {
        uint32_t rank = w->rank[hp_replicate_stack(sum)];
        if (rank != HP_NO_RANK) {
            uint64_t key = (uint64_t)rank << PLACE | sum->key >> 32;
            sums->all.at[kept++] = (struct hp_replicate){key, sum->bytes};
        }
    }
    sums->all.count = kept;
    hp_vec_sort_by_key(&sums->all);
}

void hp_take_replicates(struct hp_partial_writer *w, uint32_t rank,
                        struct hp_stack_row *row) {
    const struct hp_replicates *sums = &w->between.sums;
    for (; w->next_replicate < sums->all.count; w->next_replicate++) {
        const struct hp_replicate *sum = &sums->all.at[w->next_replicate];
        uint64_t place = sum->key & ((1 << PLACE) - 1);
        if (sum->key >> PLACE != rank) {
            break;
        }
        struct hp_group_sum group = {(uint32_t)(place % HP_REPLICATES), sum->bytes};
        hp_vec_push(&row->groups[place / HP_REPLICATES], group);
    }
}

void hp_reader_replicates(struct hp_partial_reader *r, uint32_t stack) {
    struct hp_replicates *sums = &r->profile->variation.between[r->to->is_base].sums;
    for (enum hp_column i = 0; i < HP_COLUMNS && r->keeps_between; i++) {
        const struct hp_group_sum *sum;
        hp_vec_each (sum, &r->stack_row.groups[i]) {
            hp_replicates_add(sums, i, sum->group, stack, sum->bytes);
        }
    }
}

// --- totals of dumps -------------------------------------------------------------------

// Append a set of labels to the row: their number, then the numbers of their keys and
// values. In `labels` each key and value ends in a NUL.
static void put_labels(struct hp_partial_writer *w, struct hp_span labels) {
    size_t count = 0;
    for (size_t at = 0; at < labels.size; at += strlen(labels.at + at) + 1) {
        count++;
    }
    hp_put_number(&w->row, count / 2);
    for (size_t at = 0; at < labels.size; at += strlen(labels.at + at) + 1) {
        hp_put_interned(w, hp_span_of(labels.at + at));
    }
}

// Append the list of the dumps with the largest, or with the smallest, totals.
static void put_extremes(struct hp_partial_writer *w, const struct hp_extreme *dumps,
                         uint32_t count) {
    hp_put_number(&w->row, count);
    for (uint32_t i = 0; i < count; i++) {
        hp_put_signed(&w->row, dumps[i].total);
        hp_put_fixed(&w->row, dumps[i].id[0], 8);
        hp_put_fixed(&w->row, dumps[i].id[1], 2);
        hp_put_number(&w->row, dumps[i].group);
    }
}

// Append the distribution of the dumps' totals in one column.
static void put_totals(struct hp_partial_writer *w, const struct hp_totals *totals) {
    uint32_t last = 0;
    const struct hp_bucket *bucket;
    hp_put_number(&w->row, totals->none);
    hp_put_number(&w->row, totals->buckets.count);
    hp_vec_each (bucket, &totals->buckets) {
        hp_put_number(&w->row, bucket->number - last);
        hp_put_number(&w->row, bucket->dumps);
        last = bucket->number;
    }
    put_extremes(w, totals->largest, totals->largest_count);
    put_extremes(w, totals->smallest, totals->smallest_count);
}

// Write the row of one set of labels, unless no dump has it.
static void put_set(struct hp_partial_writer *w, struct hp_span labels,
                    const struct hp_label_set *set) {
    size_t groups = 0;
    unsigned last = 0;
    put_labels(w, labels);
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        groups += set->dumps[i] > 0;
    }
    hp_put_number(&w->row, groups);
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        if (set->dumps[i] > 0) {
            hp_put_number(&w->row, i - last);
            hp_put_number(&w->row, set->dumps[i]);
            last = i;
        }
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        put_totals(w, &set->totals[i]);
    }
    if (groups > 0) {
        hp_put_row(w, HP_SECTION_DISTRIBUTION);
    }
    w->row.count = 0;
}

// Order numbers of label sets by the texts of their labels.
static int by_labels(const void *left, const void *right, void *texts) {
    const uint32_t *a = left, *b = right;
    return hp_span_compare(hp_strtab_span(texts, (hp_string){*a}),
                           hp_strtab_span(texts, (hp_string){*b}));
}

void hp_put_distribution(struct hp_partial_writer *w) {
    struct hp_distribution *dumps = &w->between.dumps;
    HP_VEC(uint32_t) order = {0};
    for (uint32_t i = 0; i < dumps->sets.count; i++) {
        hp_vec_push(&order, i);
    }
    hp_vec_sort_r(&order, by_labels, &dumps->labels);
    const uint32_t *set;
    hp_vec_each (set, &order) {
        put_set(w, hp_strtab_span(&dumps->labels, (hp_string){*set}),
                &dumps->sets.at[*set]);
    }
    hp_vec_done(&order);
}

// Read the labels at the start of a row, and return the distribution of the dumps with
// these labels in the profile, to which the rest of the row is added.
static struct hp_label_set *read_labels(struct hp_partial_reader *r) {
    HP_VEC(char) text = {0};
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    for (uint64_t i = 0; i < 2 * count && !r->row.damage; i++) {
        struct hp_span part = hp_strtab_span(&r->profile->strings, hp_reader_text(r));
        hp_vec_append(&text, part.at, part.size + 1);
    }
    struct hp_label_set *set =
        hp_distribution_set(&r->profile->variation.between[r->to->is_base].dumps,
                            (struct hp_span){text.at, text.count});
    hp_vec_done(&text);
    return set;
}

// Read a list of dumps with the largest, or with the smallest, totals, and add each dump
// to `totals` by `add`.
static void read_extremes(struct hp_partial_reader *r, struct hp_totals *totals,
                          void add(struct hp_totals *, const struct hp_extreme *)) {
    uint64_t count = hp_get_below(&r->row, HP_EXTREMES + 1);
    for (uint64_t i = 0; i < count && !r->row.damage; i++) {
        struct hp_extreme dump = {.total = hp_get_signed(&r->row)};
        dump.id[0] = hp_get_fixed(&r->row, 8);
        dump.id[1] = hp_get_fixed(&r->row, 2);
        dump.group = (uint32_t)hp_get_below(&r->row, HP_REPLICATES);
        add(totals, &dump);
    }
}

// Read the distribution of one column, and add it to *totals.
static void read_totals(struct hp_partial_reader *r, struct hp_totals *totals) {
    totals->none += hp_get_word(&r->row);
    uint64_t count = hp_get_below(&r->row, HP_BUCKETS + 1), number = 0;
    for (uint64_t i = 0; i < count && !r->row.damage; i++) {
        number += hp_get_below(&r->row, HP_BUCKETS - number);
        struct hp_bucket bucket = {(uint32_t)number, hp_get_word(&r->row)};
        if (bucket.dumps == 0) {
            hp_numbers_fail(&r->row, HP_WORDS("bucket-empty", "a bucket is empty"));
        }
        hp_totals_add_bucket(totals, bucket);
    }
    read_extremes(r, totals, hp_totals_add_largest);
    read_extremes(r, totals, hp_totals_add_smallest);
}

void hp_reader_distribution(struct hp_partial_reader *r) {
    struct hp_label_set *set = read_labels(r);
    size_t sets = r->profile->variation.between[r->to->is_base].dumps.sets.count;
    // The profile may have the sets of several partials, each within the limit.
    if (sets > 2 * HP_PARTIAL_LABEL_SETS) {
        r->is_over_limit = true;
        hp_numbers_fail(&r->row,
                        HP_WORDS("buckets-many-labels",
                                 "more sets of labels than an aggregate file can have"));
    }
    uint64_t count = hp_get_below(&r->row, HP_REPLICATES + 1), group = 0;
    for (uint64_t i = 0; i < count && !r->row.damage; i++) {
        group += hp_get_below(&r->row, HP_REPLICATES - group);
        set->dumps[group] += hp_get_word(&r->row);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        read_totals(r, &set->totals[i]);
    }
}

// --- names -----------------------------------------------------------------------------

// Order names by identity, then by the names themselves.
static int by_id(const void *left, const void *right) {
    const struct hp_named_dump *a = left, *b = right;
    int order = (a->id[0] > b->id[0]) - (a->id[0] < b->id[0]);
    order = order ? order : (a->id[1] > b->id[1]) - (a->id[1] < b->id[1]);
    order = order ? order : strcmp(a->name, b->name);
    return order ? order : strcmp(a->archive, b->archive);
}

// Names of dumps, sorted by identity.
struct dump_names {
    HP_VEC(struct hp_named_dump) all;
};

// Write the row of a dump's name, the first in the order of `names`, if one is known.
static void put_name_of(struct hp_partial_writer *w, const struct dump_names *names,
                        const struct hp_extreme *dump) {
    struct hp_named_dump first = {{dump->id[0], dump->id[1]}, "", ""};
    size_t low = 0, high = names->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_id(&names->all.at[middle], &first) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct hp_named_dump *found =
        low < names->all.count ? &names->all.at[low] : NULL;
    if (found && found->id[0] == dump->id[0] && found->id[1] == dump->id[1]) {
        hp_put_fixed(&w->row, found->id[0], 8);
        hp_put_fixed(&w->row, found->id[1], 2);
        hp_put_text(&w->row, hp_span_of(found->name));
        hp_put_text(&w->row, hp_span_of(found->archive));
        hp_put_row(w, HP_SECTION_EXTREME_NAMES);
    }
}

// Order dumps by identity.
static int by_extreme(const void *left, const void *right) {
    const struct hp_extreme *a = left, *b = right;
    int order = (a->id[0] > b->id[0]) - (a->id[0] < b->id[0]);
    return order ? order : (a->id[1] > b->id[1]) - (a->id[1] < b->id[1]);
}

// Dumps whose names are to be written, because the partial mentions them.
struct extreme_dumps {
    HP_VEC(struct hp_extreme) all;
};

// Collect the dumps in the lists of extreme totals, and those that the diagnostics name.
static void add_ends(struct hp_partial_writer *w, struct extreme_dumps *ends) {
    const struct hp_label_set *set;
    hp_vec_each (set, &w->between.dumps.sets) {
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            const struct hp_totals *totals = &set->totals[i];
            hp_vec_append(&ends->all, totals->largest, totals->largest_count);
            hp_vec_append(&ends->all, totals->smallest, totals->smallest_count);
        }
    }
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS && w->has_between; i++) {
        struct hp_diagnosed diagnosed =
            hp_inputs_diagnosed(&w->profile->inputs, false, i);
        for (uint32_t k = 0; k < diagnosed.named; k++) {
            const uint64_t *id = diagnosed.of[k].of;
            hp_vec_push(&ends->all, ((struct hp_extreme){.id = {id[0], id[1]}}));
        }
    }
}

// Write one name, the first in order, of each dump that the distribution or the
// diagnostics mention.
void hp_put_extreme_names(struct hp_partial_writer *w) {
    struct dump_names names = {.all = {0}};
    struct extreme_dumps ends = {.all = {0}};
    add_ends(w, &ends);
    hp_vec_append(&names.all, w->profile->inputs.named.at,
                  w->profile->inputs.named.count);
    const struct hp_input_record *input;
    hp_vec_each (input, &w->profile->inputs.records) {
        if (ends.all.count > 0 && hp_input_is_used(input) && !input->is_group) {
            struct hp_digest id = hp_dump_identity(input->content, &input->identity);
            struct hp_named_dump named = {{id.of[0], id.of[1]},
                                          input->public.name,
                                          input->archive ? input->archive : ""};
            hp_vec_push(&names.all, named);
        }
    }
    hp_vec_sort(&names.all, by_id);
    hp_vec_sort(&ends.all, by_extreme);
    for (size_t i = 0; i < ends.all.count; i++) {
        if (i == 0 || by_extreme(&ends.all.at[i - 1], &ends.all.at[i]) != 0) {
            put_name_of(w, &names, &ends.all.at[i]);
        }
    }
    hp_vec_done(&names.all);
    hp_vec_done(&ends.all);
}

void hp_reader_extreme_name(struct hp_partial_reader *r) {
    struct hp_named_dump named = {.id = {hp_get_fixed(&r->row, 8)}};
    named.id[1] = hp_get_fixed(&r->row, 2);
    named.name = hp_reader_kept_text(r, hp_get_text(&r->row));
    named.archive = hp_reader_kept_text(r, hp_get_text(&r->row));
    if (!r->row.damage) {
        hp_vec_push(&r->profile->inputs.named, named);
    }
}
