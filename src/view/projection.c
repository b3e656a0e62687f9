#include "view/projection.h"

#include <stdio.h>
#include <string.h>

// --- names --------------------------------------------------------------------------------

const char *hp_metric_name(enum hp_metric metric) {
    static const char *const names[HP_METRICS] = {
        [HP_INUSE_SPACE] = "inuse-space",
        [HP_INUSE_OBJECTS] = "inuse-objects",
        [HP_ALLOC_SPACE] = "alloc-space",
        [HP_ALLOC_OBJECTS] = "alloc-objects",
    };
    return names[metric];
}

bool hp_metric_find(const char *name, enum hp_metric *metric) {
    for (enum hp_metric i = 0; name && i < HP_METRICS; i++) {
        const char *known = hp_metric_name(i);
        size_t same = 0;
        while (known[same] &&
               (name[same] == known[same] || (name[same] == '_' && known[same] == '-'))) {
            same++;
        }
        if (!known[same] && !name[same]) {
            *metric = i;
            return true;
        }
    }
    return false;
}

static struct hp_span text_of(const struct hp_profile *profile, hp_string string) {
    return hp_strtab_span(&profile->strings, string);
}

// Return a type's name with its unit, "resident_space/bytes"; the caller frees it.
static char *full_name(const struct hp_profile *profile,
                       const struct hp_sample_type *type) {
    struct hp_span name = text_of(profile, type->type);
    struct hp_span unit = text_of(profile, type->unit);
    char *text = hp_alloc(name.size + unit.size + 2);
    memcpy(text, name.at, name.size);
    text[name.size] = '/';
    memcpy(text + name.size + 1, unit.at, unit.size);
    return text;
}

// Return the number of sample types with a name, whatever their units.
static size_t count_named(const struct hp_profile *profile, struct hp_span name) {
    size_t count = 0;
    const struct hp_sample_type *type;
    hp_vec_each (type, &profile->types.of) {
        count += hp_span_equal(text_of(profile, type->type), name);
    }
    return count;
}

const struct hp_sample_type *hp_projection_find(const struct hp_profile *profile,
                                                const char *name) {
    const struct hp_sample_type *type, *found = NULL;
    bool is_alone = count_named(profile, hp_span_of(name)) == 1;
    hp_vec_each (type, &profile->types.of) {
        char *full = full_name(profile, type);
        bool is_it = is_alone && hp_span_is(text_of(profile, type->type), name);
        found = is_it || (!is_alone && strcmp(full, name) == 0) ? type : found;
        free(full);
    }
    return found;
}

char *hp_sample_type_name(const struct hp_profile *profile,
                          const struct hp_sample_type *type) {
    char *text = full_name(profile, type);
    struct hp_span name = text_of(profile, type->type);
    enum hp_metric ignored;
    text[name.size] = '\0';
    if (count_named(profile, name) > 1 || hp_metric_find(text, &ignored)) {
        text[name.size] = '/';
    }
    return text;
}

void hp_projection_names(const struct hp_profile *profile, char *text, size_t room) {
    unsigned metrics = profile->inputs.summary[HP_SIDE_ALL].metrics;
    HP_VEC(const char *) names = {0};
    HP_VEC(char *) owned = {0};
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        if (metrics >> metric & 1) {
            hp_vec_push(&names, hp_metric_name(metric));
        }
    }
    const struct hp_sample_type *type;
    hp_vec_each (type, &profile->types.of) {
        hp_vec_push(&owned, hp_sample_type_name(profile, type));
        hp_vec_push(&names, owned.at[owned.count - 1]);
    }
    hp_join(text, room, names.at, names.count, ", ");
    char **name;
    hp_vec_each (name, &owned) {
        free(*name);
    }
    hp_vec_done(&owned);
    hp_vec_done(&names);
}

// --- the profile -----------------------------------------------------------------------

// Copy the stacks of the profile, with their values of the type instead of the metrics.
// Their frames stay borrowed.
static void copy_stacks(struct hp_profile *projection, const struct hp_profile *profile,
                        const struct hp_sample_type *type) {
    memset(&projection->stacks, 0, sizeof projection->stacks);
    hp_vec_append(&projection->stacks, profile->stacks.at, profile->stacks.count);
    struct hp_stack *stack;
    hp_vec_each (stack, &projection->stacks) {
        stack->values = (struct hp_values){{0}};
    }
    const struct hp_sample_sum *sum;
    hp_vec_each (sum, &type->sums) {
        projection->stacks.at[sum->stack].values.of[type->in_place_of] = sum->value;
    }
}

// Copy the inputs, with their totals of the type instead of the metrics.  An input
// without the type lacks both space and objects in use; an input with it has both, one of
// them 0.
static void copy_inputs(struct hp_profile *projection, const struct hp_profile *profile,
                        const struct hp_sample_type *type) {
    const unsigned of_allocations = 1u << HP_ALLOC_SPACE | 1u << HP_ALLOC_OBJECTS;
    const unsigned in_use = 1u << HP_INUSE_SPACE | 1u << HP_INUSE_OBJECTS;
    memset(&projection->inputs.records, 0, sizeof projection->inputs.records);
    hp_vec_append(&projection->inputs.records, profile->inputs.records.at,
                  profile->inputs.records.count);
    struct hp_input_record *input;
    hp_vec_each (input, &projection->inputs.records) {
        const struct hp_sample_input *own = hp_sample_type_input(type, input->number);
        input->missing_metrics = of_allocations | (own ? 0 : in_use);
        input->has_alloc = false;
        input->negative += own && own->is_negative;
        input->total = (struct hp_values){{0}};
        memset(input->gain, 0, sizeof input->gain);
        input->total.of[type->in_place_of] = own ? own->total : 0;
    }
    memset(projection->inputs.summary, 0, sizeof projection->inputs.summary);
    hp_inputs_summarize(&projection->inputs);
}

struct hp_profile *hp_projection_new(const struct hp_profile *profile,
                                     const struct hp_sample_type *type) {
    struct hp_profile *projection = hp_alloc(sizeof *projection);
    *projection = *profile;
    copy_stacks(projection, profile, type);
    copy_inputs(projection, profile, type);
    memset(projection->errors.stacks, 0, sizeof projection->errors.stacks);
    projection->errors.are_unknown = true;
    projection->inputs.have_alloc = false;
    projection->history = type->history;
    return projection;
}

void hp_projection_free(struct hp_profile *projection) {
    if (projection) {
        hp_vec_done(&projection->stacks);
        hp_vec_done(&projection->inputs.records);
        for (int i = 0; i < HP_SIDES; i++) {
            hp_vec_done(&projection->inputs.summary[i].periods);
        }
        free(projection);
    }
}
