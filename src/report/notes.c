#include "report/notes.h"

#include "report/json/jsontext.h"

#include <stdio.h>

static size_t count_used(const struct hp_profile *profile) {
    size_t used = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        used += hp_input_is_used(input);
    }
    return used;
}

void hp_notes_tell(const struct hp_profile *profile, enum hp_report_kind kind,
                   hp_note_fn *note, void *data) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "estimator: horvitz-thompson, each stack of each input",
        [HP_ESTIMATOR_JEPROF] = "estimator: jeprof, each thread of each stack",
        [HP_ESTIMATOR_NONE] = "estimator: none, these are the samples alone",
    };
    char made_by[64], inputs[96];
    snprintf(made_by, sizeof made_by, "made by hprof-agg %s", hp_version());
    snprintf(inputs, sizeof inputs, "inputs: %zu used of %zu", count_used(profile),
             profile->inputs.count);
    note(data, made_by);
    note(data, estimators[profile->estimator]);
    note(data, inputs);
    if (profile->thread.n != 0) {
        char text[256];
        snprintf(text, sizeof text, "read: only --thread=%s",
                 hp_profile_text(profile, profile->thread));
        note(data, text);
    }
    const struct hp_filter_text *filter;
    hp_vec_each (filter, &profile->marks.filters) {
        char text[256];
        if (filter->rule != HP_PICK) {
            snprintf(text, sizeof text, "filter: --%s=%s",
                     hp_filter_rule_text(filter->rule),
                     hp_profile_text(profile, filter->pattern));
            note(data, text);
        }
    }
    if (kind == HP_REPORT_TIMELINE) {
        note(data,
             "a series: what one input holds is not to be added to what another holds");
    }
    for (size_t i = 0; i < profile->warnings.count; i++) {
        note(data, hp_profile_text(profile, profile->warnings.at[i]));
    }
}

struct elements {
    struct hp_sink *out;
    const char *between;
};

static void put_element(void *data, const char *note) {
    struct elements *elements = data;
    hp_sink_text(elements->out, elements->between);
    hp_json_string(elements->out, hp_span_of(note));
    elements->between = ",\n  ";
}

void hp_notes_json(struct hp_sink *out, const struct hp_profile *profile,
                   enum hp_report_kind kind) {
    struct elements elements = {out, "\n  "};
    hp_notes_tell(profile, kind, put_element, &elements);
}
