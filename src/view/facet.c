#include "view/facet.h"

#include "view/groups.h"
#include "view/unseen.h"

static int by_text(const void *left, const void *right, void *names) {
    return hp_span_compare(hp_strtab_span(names, *(const hp_string *)left),
                           hp_strtab_span(names, *(const hp_string *)right));
}

// List the names in byte order in facet->values, and replace the numbers of names in
// facet->of_set and facet->inputs by their positions in that list.
static void sort_values(struct hp_facet *facet, size_t sets) {
    size_t count = facet->names.strings.count;
    uint32_t *place = hp_alloc((count + 1) * sizeof *place);
    struct hp_facet_input *input;
    place[0] = HP_OF_INPUTS;
    for (uint32_t i = 1; i < count; i++) {
        hp_vec_push(&facet->values, (hp_string){i});
    }
    hp_vec_sort_r(&facet->values, by_text, &facet->names);
    for (uint32_t i = 0; i < facet->values.count; i++) {
        place[facet->values.at[i].n] = i;
    }
    for (size_t set = 0; set < sets; set++) {
        facet->of_set[set] = place[facet->of_set[set]];
    }
    hp_vec_each (input, &facet->inputs) {
        input->place = place[input->place];
    }
    free(place);
}

// Return the key of the label or property that a page divides stacks by, as
// "label:tenant"; the caller frees it.
static char *key_of(const struct hp_report_options *options) {
    bool by_label = options->by == HP_BY_LABEL;
    return hp_printed("%s%s", by_label ? "label:" : "", hp_groups_key(options));
}

// Add the inputs that are used, each with its value of the property by which the page
// divides stacks.
static void add_inputs(struct hp_facet *facet, const struct hp_view *view) {
    size_t count;
    struct hp_group_member *members = hp_group_members(view, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t name = hp_strtab_add(&facet->names, members[i].name).n;
        hp_vec_push(&facet->inputs, ((struct hp_facet_input){members[i].input, name}));
    }
    free(members);
}

void hp_facet_init(struct hp_facet *facet, const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    const struct hp_report_options *options = &view->options;
    bool are_alone = hp_groups_are_of_samples(profile, options);
    struct hp_span none =
        are_alone ? hp_group_of_none(options->by) : (struct hp_span){"", 0};
    struct hp_group_name name = {0};
    // Set 0 has no labels.  It exists even if the table of sets is empty: hence + 1.
    size_t sets = profile->tags.sets.strings.count + 1;
    size_t deciding = hp_group_sets(profile, options);
    facet->key = key_of(options);
    facet->of_set = hp_alloc(sets * sizeof *facet->of_set);
    for (uint32_t set = 0; set < sets; set++) {
        name.text.count = 0;
        if (set > 0 && set < deciding) {
            hp_group_of_set(&name, profile, (hp_string){set}, options);
        }
        struct hp_span text = {name.text.at, name.text.count};
        facet->of_set[set] = hp_strtab_add(&facet->names, text.size > 0 ? text : none).n;
    }
    hp_vec_done(&name.text);
    if (!are_alone) {
        add_inputs(facet, view);
    }
    sort_values(facet, sets);
}

void hp_facet_done(struct hp_facet *facet) {
    free(facet->key);
    hp_strtab_done(&facet->names);
    hp_vec_done(&facet->values);
    free(facet->of_set);
    hp_vec_done(&facet->inputs);
}

// --- properties of values ---------------------------------------------------------------------

bool hp_facet_is_of_inputs(const struct hp_view *view) {
    const struct hp_facet *facet = &view->facet;
    size_t sets = view->profile->tags.sets.strings.count + 1;
    bool is = facet->inputs.count > 0;
    for (size_t set = 0; is && set < sets; set++) {
        is = facet->of_set[set] == HP_OF_INPUTS;
    }
    return is;
}

// Whether an input has values of a column.
static bool has_column_values(const struct hp_input_record *input,
                              enum hp_column column) {
    return hp_input_has_metric(input, hp_space_of(column)) ||
           hp_input_has_metric(input, hp_objects_of(column));
}

struct hp_facet_part hp_facet_part(const struct hp_view *view, uint32_t place,
                                   enum hp_column column) {
    struct hp_facet_part part = {0};
    const struct hp_facet_input *input;
    hp_vec_each (input, &view->facet.inputs) {
        if (input->place == place && has_column_values(input->record, column)) {
            uint64_t period = input->record->period;
            part.has_values = true;
            part.period = period > 1 && period > part.period ? period : part.period;
        }
    }
    part.is_chosen = view->precision.is_known[column] &&
                     hp_is_much_unseen(view, column, place, part.period);
    return part;
}
