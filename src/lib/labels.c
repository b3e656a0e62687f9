#include "lib/labels.h"

#include "base/pattern.h"

static void label(struct hp_profile *profile, struct hp_input_record *input,
                  const struct hp_pattern *pattern) {
    const char *name;
    uint32_t number;
    for (uint32_t i = 0; hp_pattern_name(pattern, i, &name, &number); i++) {
        struct hp_span text;
        if (hp_pattern_group(pattern, input->public.name, number, &text)) {
            struct hp_label found = {
                .key = hp_strtab_add(&profile->strings, hp_span_of(name)),
                .value = hp_strtab_add(&profile->strings, text),
            };
            hp_vec_push(&profile->labels, found);
            input->labels++;
        }
    }
}

int hp_labels_set(struct hp_profile *profile, const char *text, struct hp_err *err) {
    struct hp_pattern pattern;
    const char *name;
    uint32_t number;
    int ret = hp_pattern_init(&pattern, text, err);
    if (ret != HP_OK) {
        return ret;
    }
    if (!hp_pattern_name(&pattern, 0, &name, &number)) {
        ret = hp_fail(err, HP_E_USAGE,
                      "pattern %s has no group with a name: (?<host>...)", text);
    }
    for (size_t i = 0; ret == HP_OK && i < profile->inputs.count; i++) {
        struct hp_input_record *input = &profile->inputs.at[i];
        input->first_label = (uint32_t)profile->labels.count;
        if (hp_pattern_matches(&pattern, input->public.name)) {
            label(profile, input, &pattern);
        }
    }
    hp_pattern_done(&pattern);
    return ret;
}
