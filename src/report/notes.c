#include "report/notes.h"

#include "report/json/json_text.h"

#include <stdio.h>

static void tell_filters(const struct hp_view *view, hp_note_fn *note, void *data) {
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        char text[256];
        if (filter->rule != HP_PICK) {
            snprintf(text, sizeof text, "filter: --%s=%s",
                     hp_filter_rule_text(filter->rule), filter->pattern);
            note(data, text);
        }
    }
}

void hp_notes_tell(const struct hp_view *view, hp_note_fn *note, void *data) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "estimator: horvitz-thompson, each stack of each input",
        [HP_ESTIMATOR_JEPROF] = "estimator: jeprof, each thread of each stack",
        [HP_ESTIMATOR_NONE] = "estimator: none, these are the samples alone",
    };
    const struct hp_head *head = &view->head;
    char made_by[64], inputs[96], thread[256];
    snprintf(made_by, sizeof made_by, "made by hprof-agg %s", hp_version());
    snprintf(inputs, sizeof inputs, "inputs: %zu used of %zu",
             head->summary[HP_SIDE_ALL].used, head->input_count);
    note(data, made_by);
    note(data, estimators[head->estimator]);
    note(data, inputs);
    if (head->thread.size > 0) {
        snprintf(thread, sizeof thread, "read: only --thread=%s", head->thread.at);
        note(data, thread);
    }
    tell_filters(view, note, data);
    if (view->options.kind == HP_REPORT_TIMELINE) {
        note(data,
             "a series: what one input holds is not to be added to what another holds");
    }
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        note(data, hp_view_warning(view, i).at);
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

void hp_notes_json(struct hp_sink *out, const struct hp_view *view) {
    struct elements elements = {out, "\n  "};
    hp_notes_tell(view, put_element, &elements);
}
