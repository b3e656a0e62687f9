#include "report/json/jsonhead.h"

#include "report/json/jsontext.h"
#include "view/chosen.h"
#include "view/left.h"
#include "view/unseen.h"

#include <string.h>

const char *hp_json_metric(enum hp_metric metric) {
    static const char *const names[HP_METRICS] = {
        [HP_INUSE_SPACE] = "inuse-space",
        [HP_INUSE_OBJECTS] = "inuse-objects",
        [HP_ALLOC_SPACE] = "alloc-space",
        [HP_ALLOC_OBJECTS] = "alloc-objects",
    };
    return names[metric];
}

void hp_json_head(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options, const char *command) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "horvitz-thompson",
        [HP_ESTIMATOR_JEPROF] = "jeprof",
        [HP_ESTIMATOR_NONE] = "none",
    };
    static const char *const by[] = {
        [HP_BY_FUNCTION] = "function", [HP_BY_LINE] = "line",
        [HP_BY_FILE] = "file",         [HP_BY_MODULE] = "module",
        [HP_BY_ADDRESS] = "address",   [HP_BY_INPUT] = "input",
        [HP_BY_THREAD] = "thread",     [HP_BY_LABEL] = "label",
    };
    hp_sink_print(out,
                  "{\"schema\": \"hprof-agg.%s/1\", \"command\": \"%s\", "
                  "\"by\": \"%s\",\n ",
                  command, command, by[options->by]);
    if (options->by == HP_BY_LABEL) {
        hp_sink_text(out, "\"label\": ");
        hp_json_string(out, hp_span_of(options->label));
        hp_sink_text(out, ", ");
    }
    hp_sink_print(out,
                  "\"estimator\": \"%s\", \"metric\": \"%s\", \"confidence\": %g,\n ",
                  estimators[profile->estimator], hp_json_metric(options->metric),
                  hp_chosen_confidence(options));
    if (profile->thread.n != 0) {
        hp_sink_text(out, "\"thread\": ");
        hp_json_string(out, hp_strtab_span(&profile->strings, profile->thread));
        hp_sink_text(out, ",\n ");
    }
}

// --- inputs -----------------------------------------------------------------------------

static bool is_of(const struct hp_input_record *input, enum hp_json_inputs which) {
    return which == HP_JSON_ALL || input->is_base == (which == HP_JSON_BASE);
}

static int by_size(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void put_periods(struct hp_sink *out, const struct hp_profile *profile,
                        enum hp_json_inputs which) {
    HP_VEC(uint64_t) periods = {0};
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input) && is_of(input, which)) {
            hp_vec_push(&periods, input->period);
        }
    }
    if (periods.count > 0) {
        qsort(periods.at, periods.count, sizeof *periods.at, by_size);
    }
    hp_sink_text(out, "[");
    for (size_t i = 0; i < periods.count; i++) {
        if (i == 0 || periods.at[i] != periods.at[i - 1]) {
            hp_sink_print(out, "%s%llu", i > 0 ? ", " : "",
                          (unsigned long long)periods.at[i]);
        }
    }
    hp_sink_text(out, "]");
    hp_vec_done(&periods);
}

// NULL if it is used.
static const char *reason_of(const struct hp_input *input) {
    static const char *const reasons[] = {
        [HP_INPUT_DUPLICATE] = "repeated",
        [HP_INPUT_IGNORED] = "program",
        [HP_INPUT_YOUNG] = "young",
    };
    if (input->status != HP_INPUT_SKIPPED) {
        return reasons[input->status];
    }
    switch (input->err->code) {
    case HP_E_IO:
        return "unreadable";
    case HP_E_LIMIT:
        return "limit";
    case HP_E_UNSUPPORTED:
        return "unsupported";
    case HP_OK:
    case HP_E_USAGE:
    case HP_E_FORMAT:
    case HP_E_DUPLICATE:
    case HP_E_OUTPUT:
    case HP_E_EMPTY:
    case HP_E_INTERNAL:
        break;
    }
    return "malformed";
}

static void put_reasons(struct hp_sink *out, const struct hp_profile *profile,
                        enum hp_json_inputs which) {
    static const char *const reasons[] = {"unreadable", "malformed", "unsupported",
                                          "limit",      "repeated",  "program",
                                          "young"};
    const char *between = "";
    hp_sink_text(out, "\"reasons\": {");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        size_t count = 0;
        const struct hp_input_record *input;
        hp_vec_each (input, &profile->inputs) {
            const char *reason = is_of(input, which) ? reason_of(&input->public) : NULL;
            count += reason != NULL && strcmp(reason, reasons[i]) == 0;
        }
        if (count > 0) {
            hp_sink_print(out, "%s\"%s\": %zu", between, reasons[i], count);
            between = ", ";
        }
    }
    hp_sink_text(out, "}, ");
}

void hp_json_inputs(struct hp_sink *out, const struct hp_profile *profile,
                    enum hp_json_inputs which) {
    static const char *const keys[] = {"inputs", "base", "new"};
    size_t used = 0, all = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        all += is_of(input, which);
        used += is_of(input, which) && hp_input_is_used(input);
    }
    hp_sink_print(out, "\"%s\": {\"used\": %zu, \"skipped\": %zu, ", keys[which], used,
                  all - used);
    put_reasons(out, profile, which);
    hp_sink_text(out, "\"periods\": ");
    put_periods(out, profile, which);
}

bool hp_json_filters(struct hp_sink *out, const struct hp_profile *profile) {
    const struct hp_filter_text *filter;
    const char *between = "\"filters\": [";
    bool is_filtered = false;
    hp_vec_each (filter, &profile->marks.filters) {
        if (filter->rule != HP_PICK) {
            hp_sink_print(out, "%s{\"rule\": \"%s\", \"pattern\": ", between,
                          hp_filter_rule_text(filter->rule));
            hp_json_string(out, hp_strtab_span(&profile->strings, filter->pattern));
            hp_sink_text(out, "}");
            between = ", ";
            is_filtered = true;
        }
    }
    hp_sink_text(out, is_filtered ? "],\n " : "");
    return is_filtered;
}

// --- numbers ------------------------------------------------------------------------------

void hp_json_key(struct hp_sink *out, const char *name) {
    hp_sink_print(out, "\"%s\": ", name);
}

void hp_json_number(const struct hp_json_report *w, hp_fixed value,
                    const struct hp_error *error, enum hp_metric metric) {
    struct hp_interval range = hp_precision_range(&w->precision, value, error, metric);
    hp_sink_text(w->out, "{\"estimate\": ");
    hp_json_fixed(w->out, value, metric);
    hp_sink_text(w->out, ", \"low\": ");
    hp_json_double(w->out, range.low);
    hp_sink_text(w->out, ", \"high\": ");
    hp_json_double(w->out, range.high);
    hp_sink_text(w->out, "}");
}

void hp_json_numbers(const struct hp_json_report *w, const struct hp_values *values,
                     const struct hp_error errors[HP_COLUMNS]) {
    hp_sink_text(w->out, "{");
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        enum hp_column column = hp_column_of(metric);
        hp_sink_text(w->out, metric > 0 ? ", " : "");
        hp_json_key(w->out, hp_json_metric(metric));
        if (w->has_metric[metric]) {
            hp_json_number(w, values->of[metric], &errors[column], metric);
        } else {
            hp_sink_text(w->out, "null");
        }
    }
    hp_sink_text(w->out, "}");
}

static void put_totals(const struct hp_json_report *w) {
    struct hp_values total = hp_profile_total(w->profile);
    struct hp_error errors[HP_COLUMNS];
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        errors[i] = hp_profile_error(w->profile, i);
    }
    hp_json_key(w->out, "total");
    hp_json_numbers(w, &total, errors);
    hp_sink_text(w->out, ",\n ");
}

static void put_unseen(const struct hp_json_report *w) {
    hp_json_key(w->out, "unseen");
    enum hp_column column = hp_column_of(w->options->metric);
    struct hp_unseen unseen = {0};
    if (w->precision.is_known[column]) {
        unseen = hp_unseen_of(w->profile, column, w->precision.confidence);
    }
    if (!unseen.is_known) {
        hp_sink_text(w->out, "null,\n ");
        return;
    }
    hp_sink_text(w->out, "{\"estimate\": ");
    hp_json_double(w->out, unseen.estimate);
    hp_sink_text(w->out, ", \"high\": ");
    hp_json_double(w->out, unseen.highest);
    hp_sink_text(w->out, ", \"stack\": ");
    hp_json_double(w->out, unseen.stack);
    hp_sink_text(w->out, "},\n ");
}

// What HP_REPORT_PEEK and HP_REPORT_LIST are about.
static void put_patterns(struct hp_sink *out, const struct hp_profile *profile) {
    const struct hp_filter_text *filter;
    const char *between = "\"patterns\": [";
    hp_vec_each (filter, &profile->marks.filters) {
        if (filter->rule == HP_PICK) {
            hp_sink_text(out, between);
            hp_json_string(out, hp_strtab_span(&profile->strings, filter->pattern));
            between = ", ";
        }
    }
    hp_sink_text(out, between[0] == ',' ? "],\n " : "");
}

static void put_left(const struct hp_json_report *w, const struct hp_naming *naming) {
    if (hp_json_filters(w->out, w->profile)) {
        struct hp_left left = hp_left_of(naming);
        hp_json_key(w->out, "left");
        hp_json_numbers(w, &left.values, left.errors);
        hp_sink_text(w->out, ",\n ");
    }
}

void hp_json_begin(const struct hp_json_report *w, const struct hp_naming *naming,
                   const char *command) {
    hp_json_head(w->out, w->profile, w->options, command);
    hp_json_inputs(w->out, w->profile, HP_JSON_ALL);
    hp_sink_print(w->out, ", \"stacks\": %zu},\n ", w->profile->stacks.count);
    put_totals(w);
    put_unseen(w);
    put_patterns(w->out, w->profile);
    put_left(w, naming);
    hp_sink_text(w->out, "\"rows\": [");
}

void hp_json_foot(struct hp_sink *out, const struct hp_profile *profile) {
    hp_sink_text(out, ",\n \"warnings\": [");
    for (size_t i = 0; i < profile->warnings.count; i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        hp_json_string(out, hp_strtab_span(&profile->strings, profile->warnings.at[i]));
    }
    hp_sink_text(out, "]}\n");
}
