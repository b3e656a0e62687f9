#include "view/groups.h"

#include <string.h>

struct hp_span hp_group_name(const struct hp_profile *profile,
                             const struct hp_input_record *input,
                             const struct hp_report_options *options) {
    if (options->by == HP_BY_INPUT) {
        bool is_stdin = strcmp(input->public.name, "-") == 0;
        return hp_span_of(is_stdin ? "standard input" : input->public.name);
    }
    for (uint32_t i = 0; i < input->labels; i++) {
        const struct hp_label *label = &profile->labels.at[input->first_label + i];
        if (strcmp(hp_profile_text(profile, label->key), options->label) == 0) {
            return hp_strtab_span(&profile->strings, label->value);
        }
    }
    return hp_span_of("[no label]");
}

static int by_name(const void *left, const void *right) {
    const struct hp_group_member *a = left, *b = right;
    int order = hp_span_compare(a->name, b->name);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

struct hp_group_member *hp_group_members(const struct hp_profile *profile,
                                         const struct hp_report_options *options,
                                         size_t *count) {
    struct hp_group_member *members = hp_alloc(profile->inputs.count * sizeof *members);
    const struct hp_input_record *input;
    *count = 0;
    hp_vec_each (input, &profile->inputs) {
        if (input->public.status <= HP_INPUT_KEPT_DAMAGED) {
            members[(*count)++] =
                (struct hp_group_member){hp_group_name(profile, input, options),
                                         input->number};
        }
    }
    qsort(members, *count, sizeof *members, by_name);
    return members;
}

void hp_group_sum(const struct hp_profile *profile, const struct hp_input_record *input,
                  enum hp_metric metric, hp_fixed *value, struct hp_error *error) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    *value = 0;
    *error = (struct hp_error){0};
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        *value += seen.values.of[metric];
        hp_error_add(error, &seen.errors[hp_column_of(metric)]);
    }
    hp_history_done_reading(&reader);
}

// rows[node] is the row of a node, + 1; 0: none yet.
struct rows {
    HP_VEC(size_t) of;
};

static struct hp_row *row_of(struct hp_table *table, struct rows *rows,
                             struct hp_span name) {
    uint32_t node = hp_strtab_add(&table->naming.names, name).n;
    while (rows->of.count <= node) {
        hp_vec_push(&rows->of, 0);
    }
    if (rows->of.at[node] == 0) {
        struct hp_row row = {.node = {node}};
        hp_vec_push(&table->rows, row);
        rows->of.at[node] = table->rows.count;
    }
    return &table->rows.at[rows->of.at[node] - 1];
}

void hp_groups_make_rows(struct hp_table *table, const struct hp_profile *profile,
                         const struct hp_report_options *options) {
    struct rows rows = {0};
    const struct hp_input_record *input;
    table->naming.profile = profile;
    hp_vec_each (input, &profile->inputs) {
        if (input->public.status > HP_INPUT_KEPT_DAMAGED) {
            continue;
        }
        hp_fixed value;
        struct hp_error error;
        hp_group_sum(profile, input, options->metric, &value, &error);
        struct hp_row *row = row_of(table, &rows, hp_group_name(profile, input, options));
        row->flat += value;
        hp_error_add(&row->flat_error, &error);
        row->cum = row->flat;
        row->cum_error = row->flat_error;
        table->total += value;
    }
    hp_vec_done(&rows.of);
}
