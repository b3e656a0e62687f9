#include "view/groups.h"

#include "base/units.h"

#include <string.h>

const char *hp_groups_key(const struct hp_report_options *options) {
    return options->by == HP_BY_LABEL ? options->label : hp_granularity_text(options->by);
}

// Return the name of an input's process: that of the process's chosen dump, or of its
// newest dump if all are used.
static const char *name_of_process(const struct hp_profile *profile,
                                   const struct hp_input_record *input) {
    const struct hp_process *process = &profile->inputs.processes.all.at[input->process];
    uint32_t named = process->chosen;
    if (named == HP_NO_INPUT) {
        named = profile->inputs.processes.dumps.at[process->first + process->dumps - 1];
    }
    return profile->inputs.records.at[named].public.name;
}

struct hp_span hp_group_of_none(enum hp_granularity by) {
    return hp_span_of(by == HP_BY_THREAD ? "[no thread]" : "[no label]");
}

// Return the name of the group that an input belongs to.
static struct hp_span name_of_input(const struct hp_profile *profile,
                                    const struct hp_input_record *input,
                                    const struct hp_report_options *options) {
    if (options->by == HP_BY_INPUT || options->by == HP_BY_PROCESS) {
        const char *name = options->by == HP_BY_INPUT ? input->public.name
                                                      : name_of_process(profile, input);
        return hp_span_of(strcmp(name, "-") == 0 ? "standard input" : name);
    }
    if (options->by == HP_BY_PROGRAM) {
        struct hp_span path = hp_strtab_span(&profile->inputs.programs,
                                             (hp_string){input->identity.program});
        return path.size > 0 ? path : hp_span_of("[unknown program]");
    }
    for (uint32_t i = 0; options->by == HP_BY_LABEL && i < input->labels; i++) {
        const struct hp_label *label = &profile->inputs.labels.at[input->first_label + i];
        if (strcmp(hp_profile_text(profile, label->key), options->label) == 0) {
            return hp_strtab_span(&profile->strings, label->value);
        }
    }
    return hp_group_of_none(options->by);
}

static int by_name(const void *left, const void *right) {
    const struct hp_group_member *a = left, *b = right;
    int order = hp_span_compare(a->name, b->name);
    return order != 0 ? order
                      : (a->input->number > b->input->number) -
                            (a->input->number < b->input->number);
}

struct hp_group_member *hp_group_members(const struct hp_view *view, size_t *count) {
    const struct hp_profile *profile = view->profile;
    struct hp_group_member *members =
        hp_alloc(profile->inputs.records.count * sizeof *members);
    const struct hp_input_record *input;
    *count = 0;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input)) {
            members[(*count)++] =
                (struct hp_group_member){name_of_input(profile, input, &view->options),
                                         input};
        }
    }
    qsort(members, *count, sizeof *members, by_name);
    return members;
}

// --- names of labels --------------------------------------------------------------------

// Append the value of a label to a name; several values are separated by ", ".
static void append_tag(struct hp_group_name *name, const struct hp_profile *profile,
                       const struct hp_tag *tag) {
    struct hp_span text = hp_strtab_span(&profile->strings, tag->text);
    struct hp_span unit = hp_strtab_span(&profile->strings, tag->unit);
    char number[HP_NUMBER_SIZE];
    if (name->text.count > 0) {
        hp_vec_append(&name->text, ", ", 2);
    }
    if (tag->is_number) {
        hp_format_integer(number, tag->number);
        hp_vec_append(&name->text, number, strlen(number));
        hp_vec_append(&name->text, " ", unit.size > 0);
        hp_vec_append(&name->text, unit.at, unit.size);
    } else {
        hp_vec_append(&name->text, text.at, text.size);
    }
}

// Set a name to all values that a set of labels has for a key.
static void name_of_key(struct hp_group_name *name, const struct hp_profile *profile,
                        hp_string set, const char *key) {
    name->text.count = 0;
    for (size_t i = 0; i < hp_tags_count(&profile->tags.sets, set); i++) {
        struct hp_tag tag = hp_tags_at(&profile->tags.sets, set, i);
        if (hp_span_is(hp_strtab_span(&profile->strings, tag.key), key)) {
            append_tag(name, profile, &tag);
        }
    }
}

// Set a name to the values of the first of several keys that the set has.
static void name_of_keys(struct hp_group_name *name, const struct hp_profile *profile,
                         hp_string set, const char *const keys[HP_THREAD_KEYS]) {
    name->text.count = 0;
    for (size_t i = 0; i < HP_THREAD_KEYS && name->text.count == 0; i++) {
        name_of_key(name, profile, set, keys[i]);
    }
}

// Set a name to the thread's name in a set of labels, else to the thread's number as
// jemalloc writes it: "t7".
static void name_of_thread(struct hp_group_name *name, const struct hp_profile *profile,
                           hp_string set) {
    name_of_keys(name, profile, set, hp_thread_name_keys);
    if (name->text.count == 0) {
        name_of_keys(name, profile, set, hp_thread_number_keys);
        if (name->text.count > 0) {
            hp_vec_append(&name->text, "t", 1);
            memmove(name->text.at + 1, name->text.at, name->text.count - 1);
            name->text.at[0] = 't';
        }
    }
}

// Whether any input that is used is a profile that this program wrote.
static bool has_merged_input(const struct hp_profile *profile) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && input->producer == HP_PRODUCER_PPROF_OURS) {
            return true;
        }
    }
    return false;
}

size_t hp_group_sets(const struct hp_profile *profile,
                     const struct hp_report_options *options) {
    bool has_any = options->by == HP_BY_PROGRAM || options->by == HP_BY_PROCESS
                       ? has_merged_input(profile)
                       : options->by != HP_BY_INPUT;
    return has_any ? profile->tags.sets.strings.count : 0;
}

void hp_group_of_set(struct hp_group_name *name, const struct hp_profile *profile,
                     hp_string set, const struct hp_report_options *options) {
    if (options->by == HP_BY_THREAD) {
        name_of_thread(name, profile, set);
    } else {
        name_of_key(name, profile, set, hp_groups_key(options));
    }
}

// Whether any input has a label with this key.
static bool names_input(const struct hp_profile *profile, const char *key) {
    const struct hp_label *label;
    hp_vec_each (label, &profile->inputs.labels) {
        if (strcmp(hp_profile_text(profile, label->key), key) == 0) {
            return true;
        }
    }
    return false;
}

bool hp_groups_exist(const struct hp_profile *profile,
                     const struct hp_report_options *options) {
    struct hp_group_name name = {0};
    bool found =
        options->by == HP_BY_INPUT || hp_is_of_parts(options->by) ||
        options->by == HP_BY_PROCESS ||
        (options->by == HP_BY_PROGRAM && profile->inputs.programs.strings.count > 0) ||
        (options->by == HP_BY_LABEL && names_input(profile, options->label));
    size_t sets = hp_group_sets(profile, options);
    for (uint32_t set = 1; !found && set < sets; set++) {
        hp_group_of_set(&name, profile, (hp_string){set}, options);
        found = name.text.count > 0;
    }
    hp_vec_done(&name.text);
    return found;
}

bool hp_groups_are_of_samples(const struct hp_profile *profile,
                              const struct hp_report_options *options) {
    return options->by == HP_BY_THREAD ||
           (options->by == HP_BY_LABEL && !names_input(profile, options->label));
}

bool hp_groups_are_of_partials(const struct hp_profile *profile,
                               const struct hp_report_options *options) {
    bool are = options->by == HP_BY_INPUT || options->by == HP_BY_LABEL;
    const struct hp_input_record *input, *last = NULL;
    hp_vec_each (input, &profile->inputs.records) {
        if (!input->is_group || !hp_input_is_used(input)) {
            continue;
        }
        bool is_one_file = last && last->source == input->source;
        are &= !is_one_file || hp_span_equal(name_of_input(profile, last, options),
                                             name_of_input(profile, input, options));
        last = input;
    }
    return are;
}

// --- nodes and rows ---------------------------------------------------------------------

// Return the node of the group with this name; the node has no class.
static hp_node_id add_node(struct hp_view *view, struct hp_span name) {
    return hp_naming_add(&view->naming, name, HP_CLASSES);
}

void hp_groups_init(struct hp_groups *groups, struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    size_t sets = hp_group_sets(profile, &view->options);
    struct hp_group_name name = {0};
    groups->of_set = hp_alloc((profile->tags.sets.strings.count + 1) *
                              sizeof *groups->of_set); // also if no set decides a group
    for (uint32_t set = 1; set < sets; set++) {
        hp_group_of_set(&name, profile, (hp_string){set}, &view->options);
        struct hp_span text = {name.text.at, name.text.count};
        groups->of_set[set] = text.size > 0 ? add_node(view, text) : (hp_node_id){0};
    }
    hp_vec_done(&name.text);
    groups->of_input = hp_alloc(profile->inputs.records.count * sizeof *groups->of_input);
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        if (hp_input_is_used(input)) {
            groups->of_input[i] =
                add_node(view, name_of_input(profile, input, &view->options));
        }
    }
}

void hp_groups_done(struct hp_groups *groups) {
    free(groups->of_set);
    free(groups->of_input);
}

// Add the row of a node if it has none yet.
static void see(struct hp_top *top, struct hp_view *view, hp_node_id node) {
    if (!top->seen[node.n]) {
        top->seen[node.n] = 1;
        hp_view_add_row(view, node);
    }
}

void hp_groups_add(struct hp_top *top, hp_node_id node,
                   const struct hp_observation *seen) {
    hp_top_add(top, top->flat, node, &seen->values);
    hp_top_add(top, top->cum, node, &seen->values);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (top->flat_errors[i]) {
            hp_error_add(&top->flat_errors[i][node.n], &seen->errors[i]);
        }
        if (top->cum_errors[i]) {
            hp_error_add(&top->cum_errors[i][node.n], &seen->errors[i]);
        }
    }
}

// Add the stacks of an input: each to the group of its labels, else to that of the input.
static void add_input(const struct hp_groups *groups, struct hp_view *view,
                      struct hp_top *top, size_t number,
                      struct hp_history_reader *reader) {
    const struct hp_profile *profile = view->profile;
    hp_node_id own = groups->of_input[number];
    struct hp_observation seen;
    bool is_used = false;
    hp_history_open(reader, &profile->history, profile->inputs.records.at[number].number);
    while (hp_history_next(reader, &seen)) {
        hp_node_id node = groups->of_set[hp_profile_tags(profile, seen.stack).n];
        is_used = true;
        if (!view->is_visible || view->is_visible[seen.stack]) {
            node = node.n ? node : own;
            see(top, view, node);
            hp_groups_add(top, node, &seen);
        }
    }
    // An input without stacks gets a row, too, unless rows are threads, as it has no
    // thread.
    if (!is_used && !view->head.is_filtered && view->options.by != HP_BY_THREAD) {
        see(top, view, own);
    }
}

// Add all stacks of the profile at once: each to the group of its labels, else to `none`.
static void add_stacks(const struct hp_groups *groups, struct hp_view *view,
                       struct hp_top *top, hp_node_id none) {
    const struct hp_profile *profile = view->profile;
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        struct hp_observation sum = {.stack = i, .values = profile->stacks.at[i].values};
        for (enum hp_column column = 0; column < HP_COLUMNS; column++) {
            if (profile->errors.stacks[column].of.count > 0) {
                sum.errors[column] = *hp_stack_error(&profile->errors.stacks[column], i);
            }
        }
        if (!view->is_visible || view->is_visible[i]) {
            hp_node_id node = groups->of_set[hp_profile_tags(profile, i).n];
            node = node.n ? node : none;
            see(top, view, node);
            hp_groups_add(top, node, &sum);
        }
    }
}

void hp_groups_sum(const struct hp_groups *groups, struct hp_view *view,
                   struct hp_top *top) {
    struct hp_history_reader reader = {0};
    // Rows of samples need no dumps, and groups of dumps have none.
    bool is_of_samples = hp_groups_are_of_samples(view->profile, &view->options);
    for (size_t i = 0; i < view->profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &view->profile->inputs.records.at[i];
        if (is_of_samples && input->is_group && hp_input_is_used(input)) {
            add_stacks(groups, view, top, groups->of_input[i]);
            return;
        }
    }
    for (size_t i = 0; i < view->profile->inputs.records.count; i++) {
        if (hp_input_is_used(&view->profile->inputs.records.at[i])) {
            add_input(groups, view, top, i, &reader);
        }
    }
    hp_history_done_reading(&reader);
}
