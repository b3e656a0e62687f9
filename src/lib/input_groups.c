#include "lib/input_groups.h"

#include "inputs/diagnosed.h"
#include "view/groups.h"

// Return whether a report needs each input individually.
static bool asks_for_inputs(const struct hp_report_options *report) {
    const struct hp_report *kind = hp_reports[report->kind];
    bool by_group = report->by >= HP_BY_INPUT && !hp_is_of_parts(report->by);
    return kind->has_sides || kind->needs_series || report->kind == HP_REPORT_INFO ||
           report->columns.spread || by_group;
}

bool hp_inputs_are_not_asked_for(const struct hp_profile *profile,
                                 const struct hp_read_options *options) {
    bool suffice = !options->names_inputs && !options->label_from &&
                   !options->time_from && options->planned_count == 1;
    for (size_t i = 0; i < options->planned_count; i++) {
        const struct hp_report_options *report = &options->planned[i];
        bool is_merge = report->kind == HP_REPORT_MERGE; // a merge may list processes
        suffice &= !asks_for_inputs(report) && (!is_merge || profile->keeps.partial);
    }
    return suffice;
}

bool hp_input_groups_suffice(const struct hp_profile *profile,
                             const struct hp_read_options *options) {
    return options->no_input_ids && options->count_duplicates &&
           options->snapshots == HP_SNAPSHOTS_SUM &&
           hp_inputs_are_not_asked_for(profile, options);
}

// Whether an input may be added to a group: it is used, there is nothing to warn about,
// and it is no pprof profile.  Inputs with sample types or processes, as of pprof
// profiles, are recorded individually.
bool hp_input_is_plain(const struct hp_input_record *input) {
    return input->public.status == HP_INPUT_USED && !input->err && !input->keys &&
           input->producer < HP_PRODUCER_PPROF && input->merged_all == 0 &&
           !hp_input_has_diagnostic(input);
}

// Make the key by which an input finds its group: the fields that are equal in all inputs
// of a group, and the traits that decide in which group of a partial they are.
static void make_key(struct hp_bytes *key, const struct hp_input_record *input) {
    const bool traits[] = {
        input->is_base,    input->unmapped_addresses > 0, input->stacks > 0,
        input->listed > 0, input->slabs.bytes > 0,
    };
    key->count = 0;
    hp_put_slots(key, &hp_record_slots, 1u << HP_SLOT_KEY | 1u << HP_SLOT_APART, input);
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        hp_vec_push(key, traits[i]);
    }
}

// Return the key of group number `group`; valid until a group is added.
static struct hp_span key_of(const struct hp_input_groups *groups, size_t group) {
    size_t start = group > 0 ? groups->ends.at[group - 1] : 0;
    return (struct hp_span){(const char *)groups->keys.at + start,
                            groups->ends.at[group] - start};
}

// Make the record of a new group from its first input: without a name, content and
// identity.
static struct hp_input_record as_group(const struct hp_input_record *input) {
    struct hp_input_record group = *input;
    group.is_group = true;
    group.public.name = "";
    group.archive = NULL;
    group.has_content = false;
    group.identity = (struct hp_identity){.is_merged = true};
    return group;
}

bool hp_input_groups_take(struct hp_input_groups *groups,
                          const struct hp_input_record *input) {
    if (!hp_input_is_plain(input)) {
        return false;
    }
    make_key(&groups->scratch, input);
    struct hp_span key = {(const char *)groups->scratch.at, groups->scratch.count};
    uint32_t hash = (uint32_t)hp_hash_bytes(key.at, key.size, hp_hash_key()), item;
    for (size_t at = hash; hp_index_next(&groups->index, hash, &at, &item);) {
        if (hp_span_equal(key_of(groups, item), key)) {
            groups->all.at[item].others++;
            groups->overflow |= !hp_record_add(&groups->all.at[item], input);
            return true;
        }
    }
    hp_index_put(&groups->index, hash, groups->all.count);
    hp_vec_append(&groups->keys, groups->scratch.at, groups->scratch.count);
    hp_vec_push(&groups->ends, groups->keys.count);
    hp_vec_push(&groups->all, as_group(input));
    return true;
}

void hp_input_groups_done(struct hp_input_groups *groups, struct hp_profile *profile) {
    profile->overflow |= groups->overflow;
    hp_vec_append(&profile->inputs.records, groups->all.at, groups->all.count);
    hp_index_drop(&groups->index);
    hp_vec_done(&groups->all);
    hp_vec_done(&groups->ends);
    hp_vec_done(&groups->keys);
    hp_vec_done(&groups->scratch);
}
