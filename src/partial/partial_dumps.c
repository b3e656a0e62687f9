// The sections about inputs:
//
//     groups        status, traits as bits, key fields, labels; number of dumps, sums;
//                   gain by headers
//     skipped       reason, number of inputs
//     identities    process in 8 bytes, dump in 10
//     diagnostics   kind, number of dumps, number of identities that follow: the smallest
//     dumps         status, kind, fields, program, warning, what was expected, labels,
//                   line and message of damage; fields HP_SLOT_APART << 1, | 1 if process
//                   keys follow; texts of the keys of a merged profile, each with whether
//                   another follows; gain by the header
//     history       dump, as distance; stack, or its distance from the last of this dump;
//                   bits of what follows; for each column its values and error
//     type history  type, dump, 0; then rows of type, dump, stack + 1, value
//     names         number of a dump + 1, name, archive, time; or 0, the same, and
//                   status, code, line and message of a skipped input
//
// Labels are their number and pairs of key and value. A gain is left out if no header is
// used: earlier versions have none. Dumps are in order of process and
// identity, and are numbered by their rows.
#include "partial/partial_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Uses of the fields that are in the row of a dump, and of all fields of an error: all
// uses except HP_SLOT_APART and HP_SLOT_LATER.
static const unsigned every_use =
    1u << HP_SLOT_OWN | 1u << HP_SLOT_KEY | 1u << HP_SLOT_SUM;

// Whether an input is a dump that is recorded by its identity: one that is used, or one
// skipped because another dump of its process is used.
static bool is_dump(const struct hp_input_record *input) {
    return hp_input_is_used(input) || input->public.status == HP_INPUT_OTHER_MOMENT;
}

// Append the labels of an input to the row.
static void put_labels(struct hp_partial_writer *w, const struct hp_input_record *input) {
    hp_put_number(&w->row, input->labels);
    for (uint32_t i = 0; i < input->labels; i++) {
        const struct hp_label *label =
            &w->profile->inputs.labels.at[input->first_label + i];
        hp_put_string(w, label->key);
        hp_put_string(w, label->value);
    }
}

// Append the gain by the headers of an input, or of a group, to the row.
static void put_gain(struct hp_partial_writer *w, const struct hp_input_record *input) {
    if (input->has_gain) {
        hp_put_slots(&w->row, &hp_record_slots, 1u << HP_SLOT_LATER, input);
    }
}

// --- groups ----------------------------------------------------------------------------

// Returns a bit for each property of an input that decides about warnings, and above
// these its fields HP_SLOT_APART. The dumps of a group agree in all of them, so
// that the warnings can be derived from the group alone.
static unsigned traits_of(const struct hp_input_record *input) {
    const bool traits[] = {
        input->malformed.count > 0,
        input->unknown.count > 0,
        input->wrapped.count > 0,
        input->overlaps.count > 0,
        input->negative > 0,
        input->inconsistent_stacks > 0,
        input->unmapped_addresses > 0,
        input->stacks > 0,
        input->listed > 0,
        input->slabs.bytes > 0,
        input->merged_all > 0,
    };
    unsigned bits = 0;
    static_assert(sizeof traits / sizeof *traits == HP_TRAITS, "the sizes follow");
    for (size_t i = 0; i < HP_TRAITS; i++) {
        bits |= (unsigned)traits[i] << i;
    }
    return bits | hp_put_apart(input) << HP_TRAITS;
}

// A group of dumps that agree in status, traits, key fields (HP_SLOT_KEY) and labels.  A
// partial that does not record dumps individually has a row for each group.
struct dump_group {
    size_t at, size;            // range of its key in `keys`
    struct hp_input_record sum; // the first input, with sums over all
    uint64_t dumps;             // number of dumps in it
};

// All groups of dumps, and an index that finds a group by its key.
struct dump_groups {
    struct hp_bytes keys; // keys of all groups, one after the other
    HP_VEC(struct dump_group) all;
    struct hp_index index;
};

static struct hp_span key_of(const struct dump_groups *groups,
                             const struct dump_group *group) {
    return (struct hp_span){(const char *)groups->keys.at + group->at, group->size};
}

static int by_key(const void *left, const void *right, void *groups) {
    return hp_span_compare(key_of(groups, left), key_of(groups, right));
}

// Returns the group whose key is in w->row; a new one has no dumps and begins as a copy
// of `input`.
static struct dump_group *find_group(const struct hp_partial_writer *w,
                                     struct dump_groups *groups,
                                     const struct hp_input_record *input) {
    struct hp_span key = {(const char *)w->row.at, w->row.count};
    uint32_t hash = (uint32_t)hp_hash_bytes(key.at, key.size, hp_hash_key()), item;
    for (size_t at = hash; hp_index_next(&groups->index, hash, &at, &item);) {
        if (hp_span_equal(key_of(groups, &groups->all.at[item]), key)) {
            return &groups->all.at[item];
        }
    }
    struct dump_group group = {.at = groups->keys.count, .size = key.size, .sum = *input};
    hp_vec_append(&groups->keys, w->row.at, w->row.count);
    hp_index_put(&groups->index, hash, groups->all.count);
    return hp_vec_push(&groups->all, group);
}

// Add an input, or a record of a group that was read from a partial, to the group with
// its key.
static void add_to_group(struct hp_partial_writer *w, struct dump_groups *groups,
                         const struct hp_input_record *input) {
    w->row.count = 0;
    hp_put_number(&w->row, input->public.status);
    hp_put_number(&w->row, traits_of(input));
    hp_put_slots(&w->row, &hp_record_slots, 1u << HP_SLOT_KEY, input);
    put_labels(w, input);
    struct dump_group *group = find_group(w, groups, input);
    if (group->dumps > 0) {
        w->blocks.is_too_large |= !hp_record_add(&group->sum, input);
    }
    group->dumps += input->others + 1;
    w->row.count = 0;
}

// Write the row of a group of dumps.
static void write_group(struct hp_partial_writer *w, const struct dump_groups *groups,
                        const struct dump_group *group) {
    hp_vec_append(&w->row, groups->keys.at + group->at, group->size);
    hp_put_number(&w->row, group->dumps);
    hp_put_slots(&w->row, &hp_record_slots, 1u << HP_SLOT_SUM, &group->sum);
    put_gain(w, &group->sum);
    hp_put_row(w, HP_SECTION_GROUPS);
}

void hp_put_groups(struct hp_partial_writer *w) {
    struct dump_groups groups = {.keys = {0}};
    const struct hp_input_record *input;
    hp_vec_each (input, &w->profile->inputs.records) {
        if (hp_input_is_used(input)) {
            add_to_group(w, &groups, input);
        }
    }
    hp_vec_sort_r(&groups.all, by_key, &groups);
    const struct dump_group *group;
    hp_vec_each (group, &groups.all) {
        write_group(w, &groups, group);
    }
    hp_index_drop(&groups.index);
    hp_vec_done(&groups.keys);
    hp_vec_done(&groups.all);
}

void hp_put_skipped(struct hp_partial_writer *w) {
    const struct hp_input_summary *summary = &w->profile->inputs.summary[HP_SIDE_ALL];
    for (unsigned i = 0; i < HP_REASONS; i++) {
        if (summary->left_out[i] > 0) {
            hp_put_number(&w->row, i);
            hp_put_number(&w->row, summary->left_out[i]);
            hp_put_row(w, HP_SECTION_SKIPPED);
        }
    }
}

// Write the rows of diagnostics. They cover all dumps, including those recorded
// individually, so that a reader need not go through these.
void hp_put_diagnostics(struct hp_partial_writer *w) {
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        struct hp_diagnosed diagnosed =
            hp_inputs_diagnosed(&w->profile->inputs, false, i);
        uint32_t named = w->profile->settings.drops_identities ? 0 : diagnosed.named;
        if (diagnosed.inputs > 0) {
            hp_put_number(&w->row, i);
            hp_put_number(&w->row, diagnosed.inputs);
            hp_put_number(&w->row, named);
            for (uint32_t k = 0; k < named; k++) {
                hp_put_fixed(&w->row, diagnosed.of[k].of[0], 8);
                hp_put_fixed(&w->row, diagnosed.of[k].of[1], 2);
            }
            hp_put_row(w, HP_SECTION_DIAGNOSTICS);
        }
    }
}

// --- dumps -----------------------------------------------------------------------------

// Returns a copy of a record, which must not be freed, without traces of the order of
// reading: a dump that is not used may have been added first and replaced later, or not,
// depending on that order.
static struct hp_input_record as_read(const struct hp_input_record *input) {
    struct hp_input_record record = *input;
    record.is_added &= input->public.status != HP_INPUT_OTHER_MOMENT;
    return record;
}

// Append everything that is recorded of a dump to the row, except its name.
static void put_dump(struct hp_partial_writer *w, const struct hp_input_record *input) {
    struct hp_input_record record = as_read(input);
    struct hp_span program = hp_strtab_span(&w->profile->inputs.programs,
                                            (hp_string){input->identity.program});
    const char *warning = input->producer_warning ? input->producer_warning : "";
    const char *expected = input->expected ? input->expected : "";
    hp_put_number(&w->row, input->public.status);
    hp_put_number(&w->row, (unsigned char)input->identity.kind);
    hp_put_slots(&w->row, &hp_record_slots, every_use, &record);
    hp_put_interned(w, program);
    hp_put_interned(w, hp_span_of(warning));
    hp_put_interned(w, hp_span_of(expected));
    put_labels(w, input);
    hp_put_number(&w->row, input->err ? input->err->line : 0);
    hp_put_interned(w, hp_span_of(input->err ? input->err->message : ""));
    size_t next = 0, keys = input->keys ? input->keys->all.count : 0;
    hp_put_number(&w->row, (input->keys != NULL) | hp_put_apart(input) << 1);
    for (bool has = input->keys != NULL; has; has = next < keys) {
        char *text = hp_process_keys_text(input->keys, &next);
        hp_put_interned(w, hp_span_of(text));
        hp_put_number(&w->row, next < keys);
        free(text);
    }
    put_gain(w, input);
}

static int compare_words(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

// Order dumps by process and identity.
static int by_known(const void *left, const void *right) {
    const struct hp_known_dump *a = left, *b = right;
    int order = compare_words(a->process, b->process);
    order = order ? order : compare_words(a->id[0], b->id[0]);
    order = order ? order : compare_words(a->id[1], b->id[1]);
    order = order ? order : compare_words(a->content, b->content);
    return order ? order : compare_words(a->pid, b->pid);
}

// Order dumps by process, identity, and finally their rows.
static int by_identity(const void *left, const void *right, void *rows) {
    const struct hp_written_dump *a = left, *b = right;
    const char *bytes = rows;
    int order = by_known(&a->known, &b->known);
    return order ? order
                 : hp_span_compare((struct hp_span){bytes + a->row, a->row_size},
                                   (struct hp_span){bytes + b->row, b->row_size});
}

// Decides whether dumps are recorded individually (has_history: all have records, and
// they are few enough), by sums over replicates (has_between), or, if identities are to
// be dropped, not at all. Collects the dumps in w->dumps; dumps of equal identity are
// kept as often as they were given. Fills w->between for has_between.
void hp_find_dumps(struct hp_partial_writer *w) {
    size_t groups = 0;
    for (uint32_t i = 0; i < w->profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &w->profile->inputs.records.at[i];
        groups += is_dump(input) && input->is_group;
        if (is_dump(input) && !input->is_group && w->dumps.count <= HP_PARTIAL_HISTORY) {
            struct hp_written_dump dump = {.input = i, .known = hp_known_dump_of(input)};
            hp_vec_push(&w->dumps, dump);
        }
    }
    w->has_history = groups == 0 && w->dumps.count <= HP_PARTIAL_HISTORY &&
                     !w->profile->settings.drops_identities;
    w->has_between = !w->has_history && !w->profile->settings.drops_identities;
    if (w->has_between) {
        hp_between_init(&w->between, w->profile, false);
        w->blocks.is_too_large |= w->between.sums.overflow;
    }
}

// Collect the identities of all dumps in w->known, in order.
static void collect_known(struct hp_partial_writer *w) {
    const struct hp_inputs *inputs = &w->profile->inputs;
    const struct hp_input_record *input;
    hp_vec_append(&w->known, inputs->known.at, inputs->known.count);
    hp_vec_each (input, &inputs->records) {
        if (is_dump(input) && !input->is_group && input->source == 0) {
            hp_vec_push(&w->known, hp_known_dump_of(input));
        }
    }
    hp_vec_sort(&w->known, by_known);
}

void hp_put_identities(struct hp_partial_writer *w) {
    const struct hp_known_dump *known;
    if (w->profile->settings.drops_identities) {
        return;
    }
    collect_known(w);
    hp_vec_each (known, &w->known) {
        hp_put_fixed(&w->row, known->process, 8);
        hp_put_fixed(&w->row, known->id[0], 8);
        hp_put_fixed(&w->row, known->id[1], 2);
        hp_put_row(w, HP_SECTION_IDENTITIES);
    }
}

void hp_put_contents(struct hp_partial_writer *w) {
    const struct hp_known_dump *known;
    hp_vec_each (known, &w->known) {
        hp_put_fixed(&w->row, known->content, 8);
        hp_put_fixed(&w->row, known->pid, 4);
        hp_put_row(w, HP_SECTION_CONTENTS);
    }
}

// Write the rows of the dumps. In the first pass this only collects texts. In the second
// it sorts w->dumps by identity, dumps of equal identity by the bytes of their rows, and
// writes the rows.
void hp_put_dumps(struct hp_partial_writer *w) {
    struct hp_written_dump *dump;
    if (!w->has_history) {
        return;
    }
    hp_vec_each (dump, &w->dumps) {
        w->row.count = 0;
        put_dump(w, &w->profile->inputs.records.at[dump->input]);
        dump->row = w->rows.count;
        dump->row_size = w->row.count;
        hp_vec_append(&w->rows, w->row.at, w->row.count);
    }
    w->row.count = 0;
    if (w->is_collecting) {
        w->rows.count = 0;
        return;
    }
    hp_vec_sort_r(&w->dumps, by_identity, w->rows.at);
    hp_vec_each (dump, &w->dumps) {
        hp_vec_append(&w->row, w->rows.at + dump->row, dump->row_size);
        hp_put_row(w, HP_SECTION_DUMPS);
    }
}

// --- what each added -------------------------------------------------------------------

// The contribution of a dump to one stack: values and errors, or the value of a further
// sample type, encoded.
struct contribution {
    uint32_t stack;  // place of the stack in the file
    size_t at, size; // range in `bytes` of the list
};

// The contributions of one dump, one for each stack that it has.
struct contribution_list {
    HP_VEC(struct contribution) all;
    struct hp_bytes bytes; // encoded contributions, one after the other
};

// Order contributions by the place of their stack in the file, then by their encoded
// bytes.
static int by_stack(const void *left, const void *right, void *context) {
    const struct contribution *a = left, *b = right;
    const char *bytes = context;
    int order = (a->stack > b->stack) - (a->stack < b->stack);
    return order ? order
                 : hp_span_compare((struct hp_span){bytes + a->at, a->size},
                                   (struct hp_span){bytes + b->at, b->size});
}

// Append an encoded contribution: a number with bit i if column i has values, and bit
// i + 2 if it has errors; then the values and errors of each column.
static void put_observation(struct hp_bytes *out, const struct hp_observation *seen,
                            const struct hp_profile *profile) {
    unsigned parts = 0;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool has = seen->values.of[hp_space_of(i)] || seen->values.of[hp_objects_of(i)];
        parts |= (has ? 1u : 0) << i;
        parts |= (hp_profile_has_errors(profile, i) ? 4u : 0) << i;
    }
    hp_put_number(out, parts);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (parts & 1u << i) {
            hp_put_signed(out, seen->values.of[hp_space_of(i)]);
            hp_put_signed(out, seen->values.of[hp_objects_of(i)]);
        }
        if (parts & 4u << i) {
            hp_put_slots(out, &hp_error_slots, every_use, &seen->errors[i]);
        }
    }
}

// Append the contributions of a dump to `list`, one for each of its stacks that are
// written, and sort the list by the place of the stack in the file.
static void read_history(struct hp_partial_writer *w, const struct hp_input_record *input,
                         struct contribution_list *list) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &w->profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        if (hp_rank_of(w, seen.stack) == HP_NO_RANK) {
            continue;
        }
        struct contribution row = {hp_rank_of(w, seen.stack), list->bytes.count, 0};
        put_observation(&list->bytes, &seen, w->profile);
        row.size = list->bytes.count - row.at;
        hp_vec_push(&list->all, row);
    }
    hp_history_done_reading(&reader);
    hp_vec_sort_r(&list->all, by_stack, list->bytes.at);
}

// Write the values of dump `d` for further sample type `t`, if the dump has that type: a
// row without a stack, then a row for each stack.
static void write_type_history(struct hp_partial_writer *w, uint32_t t, uint32_t d) {
    const struct hp_sample_type *type = &w->profile->types.of.at[t];
    uint32_t number = w->profile->inputs.records.at[w->dumps.at[d].input].number;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    struct contribution_list list = {.bytes = {0}};
    if (!hp_sample_type_input(type, number)) {
        return;
    }
    hp_history_open(&reader, &type->history, number);
    while (hp_history_next(&reader, &seen)) {
        if (hp_rank_of(w, seen.stack) == HP_NO_RANK) {
            continue;
        }
        struct contribution row = {hp_rank_of(w, seen.stack), list.bytes.count, 0};
        hp_put_signed(&list.bytes, seen.values.of[type->in_place_of]);
        row.size = list.bytes.count - row.at;
        hp_vec_push(&list.all, row);
    }
    hp_history_done_reading(&reader);
    hp_vec_sort_r(&list.all, by_stack, list.bytes.at);
    hp_put_number(&w->row, t);
    hp_put_number(&w->row, d);
    hp_put_number(&w->row, 0);
    hp_put_row(w, HP_SECTION_TYPE_HISTORY);
    const struct contribution *row;
    hp_vec_each (row, &list.all) {
        hp_put_number(&w->row, t);
        hp_put_number(&w->row, d);
        hp_put_number(&w->row, (uint64_t)row->stack + 1);
        hp_vec_append(&w->row, list.bytes.at + row->at, row->size);
        hp_put_row(w, HP_SECTION_TYPE_HISTORY);
    }
    hp_vec_done(&list.all);
    hp_vec_done(&list.bytes);
}

void hp_put_history(struct hp_partial_writer *w) {
    struct contribution_list list = {.bytes = {0}};
    size_t count = w->has_history ? w->dumps.count : 0;
    for (size_t i = 0, last = 0; i < count; i++) {
        uint32_t stack = 0;
        list.all.count = list.bytes.count = 0;
        read_history(w, &w->profile->inputs.records.at[w->dumps.at[i].input], &list);
        const struct contribution *seen;
        hp_vec_each (seen, &list.all) {
            hp_put_number(&w->row, i - last);
            hp_put_number(&w->row, seen->stack - stack);
            hp_vec_append(&w->row, list.bytes.at + seen->at, seen->size);
            hp_put_row(w, HP_SECTION_HISTORY);
            stack = seen->stack;
            last = i;
        }
    }
    hp_vec_done(&list.all);
    hp_vec_done(&list.bytes);
    for (uint32_t t = 0; t < w->profile->types.of.count; t++) {
        for (uint32_t d = 0; d < count; d++) {
            write_type_history(w, t, d);
        }
    }
}

// --- names -----------------------------------------------------------------------------

// Append name, archive and time of an input to the row.
static void put_name(struct hp_partial_writer *w, const struct hp_input_record *input) {
    uint64_t time;
    memcpy(&time, &input->identity.time, sizeof time);
    hp_put_text(&w->row, hp_span_of(input->public.name));
    hp_put_text(&w->row, hp_span_of(input->archive ? input->archive : ""));
    hp_put_fixed(&w->row, time, sizeof time);
}

void hp_place_texts(struct hp_partial_writer *w) {
    for (size_t i = 0; w->has_history && i < w->dumps.count; i++) {
        hp_put_number(&w->row, i + 1);
        put_name(w, &w->profile->inputs.records.at[w->dumps.at[i].input]);
        hp_put_row(w, HP_SECTION_NAMES);
    }
    const struct hp_input_record *input;
    hp_vec_each (input, &w->profile->inputs.records) {
        if (!is_dump(input) && !input->is_group && w->has_history) {
            const struct hp_err *err = input->err;
            hp_put_number(&w->row, 0);
            put_name(w, input);
            bool is_replaced = input->public.status == HP_INPUT_REPLACED;
            hp_put_number(&w->row, is_replaced ? HP_INPUT_SKIPPED : input->public.status);
            hp_put_number(&w->row, err ? (unsigned)-(int)err->code : 0);
            hp_put_number(&w->row, err ? err->line : 0);
            hp_put_text(&w->row, hp_span_of(err ? err->message : ""));
            hp_put_row(w, HP_SECTION_NAMES);
        }
    }
}
