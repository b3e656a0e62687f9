#include "view/groups.h"

#include "base/units.h"
#include "view/left.h"
#include "view/walk.h"

#include <string.h>

static struct hp_span name_of_input(const struct hp_profile *profile,
                                    const struct hp_input_record *input,
                                    const struct hp_report_options *options) {
    if (options->by == HP_BY_INPUT) {
        bool is_stdin = strcmp(input->public.name, "-") == 0;
        return hp_span_of(is_stdin ? "standard input" : input->public.name);
    }
    for (uint32_t i = 0; options->by == HP_BY_LABEL && i < input->labels; i++) {
        const struct hp_label *label = &profile->labels.at[input->first_label + i];
        if (strcmp(hp_profile_text(profile, label->key), options->label) == 0) {
            return hp_strtab_span(&profile->strings, label->value);
        }
    }
    return hp_span_of(options->by == HP_BY_THREAD ? "[no thread]" : "[no label]");
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
        if (hp_input_is_used(input)) {
            members[(*count)++] =
                (struct hp_group_member){name_of_input(profile, input, options),
                                         input->number};
        }
    }
    qsort(members, *count, sizeof *members, by_name);
    return members;
}

struct hp_group_sum hp_group_sum(const struct hp_profile *profile,
                                 const struct hp_input_record *input,
                                 enum hp_metric metric, const bool *is_left) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    struct hp_group_sum sum = {0};
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        sum.all += seen.values.of[metric];
        if (is_left[seen.stack]) {
            sum.left += seen.values.of[metric];
            hp_error_add(&sum.error, &seen.errors[hp_column_of(metric)]);
        }
    }
    hp_history_done_reading(&reader);
    return sum;
}

// --- names of labels --------------------------------------------------------------------

struct name {
    HP_VEC(char) text; // "" for none
};

static void append(struct name *name, const char *bytes, size_t size) {
    hp_vec_reserve(&name->text, size);
    memcpy(name->text.at + name->text.count, bytes, size);
    name->text.count += size;
}

static void append_tag(struct name *name, const struct hp_profile *profile,
                       const struct hp_tag *tag) {
    struct hp_span text = hp_strtab_span(&profile->strings, tag->text);
    struct hp_span unit = hp_strtab_span(&profile->strings, tag->unit);
    char number[HP_NUMBER_SIZE];
    if (name->text.count > 0) {
        append(name, ", ", 2);
    }
    if (tag->is_number) {
        hp_format_integer(number, tag->number);
        append(name, number, strlen(number));
        append(name, " ", unit.size > 0);
        append(name, unit.at, unit.size);
    } else {
        append(name, text.at, text.size);
    }
}

// All values that the set has for a key.
static void name_of_key(struct name *name, const struct hp_profile *profile,
                        hp_string set, const char *key) {
    name->text.count = 0;
    for (size_t i = 0; i < hp_tags_count(&profile->tag_sets, set); i++) {
        struct hp_tag tag = hp_tags_at(&profile->tag_sets, set, i);
        if (hp_span_is(hp_strtab_span(&profile->strings, tag.key), key)) {
            append_tag(name, profile, &tag);
        }
    }
}

static void name_of_keys(struct name *name, const struct hp_profile *profile,
                         hp_string set, const char *const keys[HP_THREAD_KEYS]) {
    name->text.count = 0;
    for (size_t i = 0; i < HP_THREAD_KEYS && name->text.count == 0; i++) {
        name_of_key(name, profile, set, keys[i]);
    }
}

// By its name, else as jemalloc writes it: "t7".
static void name_of_thread(struct name *name, const struct hp_profile *profile,
                           hp_string set) {
    name_of_keys(name, profile, set, hp_thread_name_keys);
    if (name->text.count == 0) {
        name_of_keys(name, profile, set, hp_thread_number_keys);
        if (name->text.count > 0) {
            append(name, "t", 1);
            memmove(name->text.at + 1, name->text.at, name->text.count - 1);
            name->text.at[0] = 't';
        }
    }
}

static void name_of_set(struct name *name, const struct hp_profile *profile,
                        hp_string set, const struct hp_report_options *options) {
    if (options->by == HP_BY_LABEL) {
        name_of_key(name, profile, set, options->label);
    } else if (options->by == HP_BY_THREAD) {
        name_of_thread(name, profile, set);
    }
}

static bool names_input(const struct hp_profile *profile, const char *key) {
    const struct hp_label *label;
    hp_vec_each (label, &profile->labels) {
        if (strcmp(hp_profile_text(profile, label->key), key) == 0) {
            return true;
        }
    }
    return false;
}

bool hp_groups_exist(const struct hp_profile *profile,
                     const struct hp_report_options *options) {
    struct name name = {0};
    bool found = options->by == HP_BY_INPUT ||
                 (options->by == HP_BY_LABEL && names_input(profile, options->label));
    for (uint32_t set = 1; !found && set < profile->tag_sets.strings.count; set++) {
        name_of_set(&name, profile, (hp_string){set}, options);
        found = name.text.count > 0;
    }
    hp_vec_done(&name.text);
    return found;
}

// --- rows -------------------------------------------------------------------------------

struct rows {
    struct hp_table *table;
    const bool *is_left;    // of each stack
    HP_VEC(size_t) of_node; // the number of its row, + 1; 0: none yet
    hp_node_id *of_set;     // of labels: the node that it belongs to, 0 for none
};

static hp_node_id node_of(struct rows *rows, struct hp_span name) {
    return (hp_node_id){hp_strtab_add(&rows->table->naming.names, name).n};
}

static struct hp_row *row_of(struct rows *rows, hp_node_id node) {
    struct hp_table *table = rows->table;
    while (rows->of_node.count <= node.n) {
        hp_vec_push(&rows->of_node, 0);
    }
    if (rows->of_node.at[node.n] == 0) {
        struct hp_row row = {.node = node};
        hp_vec_push(&table->rows, row);
        rows->of_node.at[node.n] = table->rows.count;
    }
    return &table->rows.at[rows->of_node.at[node.n] - 1];
}

static void find_nodes(struct rows *rows, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    size_t count = profile->tag_sets.strings.count;
    struct name name = {0};
    rows->of_set = hp_alloc((count + 1) * sizeof *rows->of_set);
    for (uint32_t set = 1; set < count; set++) {
        name_of_set(&name, profile, (hp_string){set}, options);
        struct hp_span text = {name.text.at, name.text.count};
        rows->of_set[set] = text.size > 0 ? node_of(rows, text) : (hp_node_id){0};
    }
    hp_vec_done(&name.text);
}

static void add(struct hp_row *row, const struct hp_observation *seen,
                enum hp_metric metric) {
    row->flat += seen->values.of[metric];
    hp_error_add(&row->flat_error, &seen->errors[hp_column_of(metric)]);
    row->cum = row->flat;
    row->cum_error = row->flat_error;
}

static void add_input(struct rows *rows, const struct hp_input_record *input,
                      const struct hp_report_options *options,
                      struct hp_history_reader *reader) {
    struct hp_table *table = rows->table;
    const struct hp_profile *profile = table->naming.profile;
    hp_node_id own = node_of(rows, name_of_input(profile, input, options));
    struct hp_observation seen;
    bool is_used = false;
    hp_history_open(reader, &profile->history, input->number);
    while (hp_history_next(reader, &seen)) {
        hp_node_id node = rows->of_set[hp_profile_tags(profile, seen.stack).n];
        is_used = true;
        table->total += seen.values.of[options->metric];
        if (rows->is_left[seen.stack]) {
            table->left += seen.values.of[options->metric];
            add(row_of(rows, node.n ? node : own), &seen, options->metric);
        }
    }
    // Also what has no stacks has a row; but it has no threads.
    if (!is_used && !hp_walk_is_filtered(profile) && options->by != HP_BY_THREAD) {
        row_of(rows, own);
    }
}

void hp_groups_make_rows(struct hp_table *table, const struct hp_profile *profile,
                         const struct hp_report_options *options) {
    hp_naming_init(&table->naming, profile, options);
    bool *is_left = hp_left_stacks(&table->naming);
    struct rows rows = {.table = table, .is_left = is_left};
    struct hp_history_reader reader = {0};
    const struct hp_input_record *input;
    find_nodes(&rows, profile, options);
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input)) {
            add_input(&rows, input, options, &reader);
        }
    }
    hp_history_done_reading(&reader);
    hp_vec_done(&rows.of_node);
    free(rows.of_set);
    free(is_left);
}
