#include "report/notes.h"

#include <stdio.h>
#include <string.h>

// Call `note` with each filter, except the patterns that select the functions of peek and
// list.
static void report_filters(const struct hp_view *view, hp_note_fn *note, void *data) {
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

// Call `note` with each sample type that the format writes: it is not known how its
// values were scaled.  A format writes all types, or only the type that the view shows
// instead of a metric.
static void report_types(const struct hp_view *view, hp_note_fn *note, void *data) {
    const struct hp_sample_types *types = hp_view_types(view);
    const struct hp_sample_type *type;
    bool has_all = (view->use.can & HP_HAS_SAMPLE_TYPES) != 0;
    hp_vec_each (type, &types->of) {
        if (has_all || type == view->type) {
            char *name = hp_view_type_name(view, type);
            char *text =
                hp_printed(HP_MESSAGE("note-type-unscaled",
                                      "%s: added up unchanged: its scaling is unknown"),
                           name);
            note(data, text);
            free(text);
            free(name);
        }
    }
}

// Call `note` with the sentences that say which dumps are used of processes with several
// dumps.  As with the number of inputs, a later merge replaces them by its own.
static void report_moments(const struct hp_view *view, hp_note_fn *note, void *data) {
    for (size_t i = 0; i < hp_view_moment_count(view); i++) {
        char *text = hp_printed("inputs: %s", hp_view_moment(view, i).at);
        note(data, text);
        free(text);
    }
}

// Names of the estimators.
static const char *const estimators[] = {
    [HP_ESTIMATOR_BEST] =
        HP_WORDS("note-estimator-best", "estimator: unbiased, each stack of each input"),
    [HP_ESTIMATOR_JEPROF] =
        HP_WORDS("note-estimator-jeprof", "estimator: jeprof, each thread of each stack"),
    [HP_ESTIMATOR_NONE] =
        HP_WORDS("note-estimator-none", "estimator: none, sampled counts"),
};

void hp_notes_report_facts(const struct hp_view *view, hp_note_fn *note, void *data) {
    const struct hp_head *head = &view->head;
    char made_by[64], inputs[96], thread[256], age[HP_NUMBER_SIZE], older[128];
    snprintf(made_by, sizeof made_by, "made by hprof-agg %s", hp_version());
    snprintf(inputs, sizeof inputs, "inputs: %llu used of %llu",
             (unsigned long long)head->summary[HP_SIDE_ALL].merged_used,
             (unsigned long long)head->summary[HP_SIDE_ALL].merged_all);
    note(data, made_by);
    // A view of a sample type (a projection) shows no metric that was estimated.
    bool has_metrics = !view->projection || (view->use.can & HP_HAS_SAMPLE_TYPES) != 0;
    if (has_metrics) {
        note(data, hp_words(estimators[head->estimator]));
    }
    note(data, inputs);
    report_moments(view, note, data);
    if (head->thread.size > 0) {
        snprintf(thread, sizeof thread, "read: only --thread=%s", head->thread.at);
        note(data, thread);
    }
    if (head->older_than > 0) {
        hp_format_double(age, (double)head->older_than / 1e9);
        snprintf(older, sizeof older, "read: only --older-than=%ss", age);
        note(data, older);
    }
    if (view->split && view->options.only_grown) {
        note(data, hp_words(HP_WORDS("note-only-grown",
                                     "only: what grew of a difference of two profiles")));
    }
    report_filters(view, note, data);
    report_types(view, note, data);
    if (view->report->needs_series) {
        note(data, hp_words(HP_WORDS(
                       "note-series",
                       "a series: values of different inputs are not to be added up")));
    }
}

void hp_notes_report(const struct hp_view *view, hp_note_fn *note, void *data) {
    hp_notes_report_facts(view, note, data);
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        note(data, hp_view_warning(view, i).at);
    }
}

static void put_element(void *json, const char *note) {
    hp_json_line(json, 2);
    hp_json_put_word(json, NULL, note);
}

void hp_notes_json(struct hp_json *json, const struct hp_view *view) {
    hp_json_open(json, "notes", '[');
    hp_notes_report(view, put_element, json);
    hp_json_close(json);
}
