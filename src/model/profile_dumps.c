// How the dumps of a profile differ.  A dump either has a record of its own, or partials
// contain it only in sums over many dumps.
#include "model/profile.h"

// Return the distribution of the dumps with the labels of an input; it is added if it is
// new.
static struct hp_label_set *set_of(struct hp_between *between,
                                   const struct hp_profile *profile,
                                   const struct hp_input_record *input) {
    HP_VEC(char) text = {0};
    for (uint32_t i = 0; i < input->labels; i++) {
        const struct hp_label *label = &profile->inputs.labels.at[input->first_label + i];
        struct hp_span parts[] = {hp_strtab_span(&profile->strings, label->key),
                                  hp_strtab_span(&profile->strings, label->value)};
        // Both texts are followed by a NUL, which is copied too.
        for (int k = 0; k < 2; k++) {
            hp_vec_append(&text, parts[k].at, parts[k].size + 1);
        }
    }
    struct hp_label_set *set =
        hp_distribution_set(&between->dumps, (struct hp_span){text.at, text.count});
    hp_vec_done(&text);
    return set;
}

void hp_between_count(struct hp_between *between, const struct hp_profile *profile,
                      const struct hp_input_record *input) {
    struct hp_label_set *set = set_of(between, profile, input);
    unsigned group = hp_replicate_of(input->content, &input->identity);
    struct hp_digest id = hp_dump_identity(input->content, &input->identity);
    set->dumps[group]++;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        enum hp_metric metric = hp_space_of(i);
        if (hp_input_has_metric(input, metric)) {
            struct hp_extreme dump = {hp_fixed_round(input->total.of[metric], metric),
                                      {id.of[0], id.of[1]},
                                      group};
            hp_totals_add(&set->totals[i], &dump);
        }
    }
}

// Add a dump that has a record to `between`: its totals, and its bytes in each stack in
// memory, as the history has them.
static void add_dump(struct hp_between *between, const struct hp_profile *profile,
                     const struct hp_input_record *input) {
    unsigned group = hp_replicate_of(input->content, &input->identity);
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_between_count(between, profile, input);
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        // For stacks in runs, the sums over replicates are in the runs.
        if (seen.stack < HP_RUN_STACKS) {
            hp_replicates_add_values(&between->sums, group, seen.stack, &seen.values);
        }
    }
    hp_history_done_reading(&reader);
}

void hp_profile_sum_groups(struct hp_profile *profile) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_sort(&profile->history);
    for (; profile->variation.summed < profile->variation.group_of.count;
         profile->variation.summed++) {
        const struct hp_group_of *dump =
            &profile->variation.group_of.at[profile->variation.summed];
        hp_history_open(&reader, &profile->history, dump->input);
        while (hp_history_next(&reader, &seen)) {
            hp_replicates_add_values(&profile->variation.between[0].sums, dump->group,
                                     seen.stack, &seen.values);
        }
    }
    hp_history_done_reading(&reader);
}

void hp_profile_fold_history(struct hp_profile *profile) {
    hp_profile_sum_groups(profile);
    hp_history_done(&profile->history);
    hp_vec_done(&profile->variation.group_of);
    profile->variation.summed = 0;
    profile->history = (struct hp_history){.is_kept = false};
}

void hp_between_init(struct hp_between *between, const struct hp_profile *profile,
                     bool is_base) {
    const struct hp_input_record *input;
    *between = (struct hp_between){.sums = {.settled = 0}};
    hp_between_add(between, &profile->variation.between[is_base], NULL);
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && input->is_base == is_base && !input->is_group) {
            add_dump(between, profile, input);
        }
    }
    hp_replicates_settle(&between->sums);
}
