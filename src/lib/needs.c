#include "lib/needs.h"

const struct hp_format *hp_format_of(const struct hp_report_options *options) {
    return hp_format_find(options->format ? options->format
                                          : hp_format_of_kind(options->kind));
}

unsigned hp_format_abilities(const struct hp_report_options *options) {
    const struct hp_format *format = hp_format_of(options);
    unsigned all =
        HP_CAN_INTERVALS | HP_CAN_ALL_ENDS | HP_CAN_NEGATIVE | HP_HAS_ALL_METRICS;
    return (format ? format->can : 0) | (options->format ? 0 : all);
}

static bool is_sides_or_series(enum hp_report_kind kind) {
    return hp_reports[kind]->has_sides || kind == HP_REPORT_TREND;
}

// Of the column that is measured, or of all where the format has all metrics.
static void add_errors(struct hp_needs *needs, const struct hp_report_options *options) {
    unsigned can = hp_format_abilities(options);
    bool has_rows = (can & HP_CAN_INTERVALS) != 0 && options->kind != HP_REPORT_INFO;
    bool is_asked =
        !options->no_error || (options->spread && options->kind == HP_REPORT_TOP);
    bool needs_p = options->gate && options->gate->p > 0;
    bool is_shown = is_asked && (has_rows || needs_p);
    bool all_metrics =
        (can & HP_HAS_ALL_METRICS) != 0 && !is_sides_or_series(options->kind);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_measured = all_metrics || i == hp_column_of(options->metric);
        needs->errors[i] |= options->with_error || (is_shown && is_measured);
    }
}

static void add(struct hp_needs *needs, const struct hp_report_options *options) {
    const struct hp_report *report = hp_reports[options->kind];
    bool is_top = options->kind == HP_REPORT_TOP;
    bool by_group = options->by >= HP_BY_INPUT && is_top;
    unsigned can = hp_format_abilities(options);
    add_errors(needs, options);
    needs->history |= report->has_sides || report->needs_series || by_group ||
                      options->by == HP_BY_INPUT || (options->spread && is_top);
    needs->series |= report->needs_series;
    needs->threads |= options->by == HP_BY_THREAD;
    needs->labels |= options->by == HP_BY_THREAD || options->by == HP_BY_LABEL ||
                     (can & HP_CAN_LABELS) != 0;
}

struct hp_needs hp_needs_of(const struct hp_report_options *planned, size_t count) {
    struct hp_needs needs = {{false}, false, false, false, false};
    if (count == 0) {
        return (struct hp_needs){.errors = {true, true}, .history = true, .labels = true};
    }
    for (size_t i = 0; i < count; i++) {
        add(&needs, &planned[i]);
    }
    return needs;
}

int hp_needs_check(const struct hp_needs *kept, const struct hp_report_options *options,
                   struct hp_err *err) {
    struct hp_needs needs = hp_needs_of(options, 1);
    bool lacks = (needs.history && !kept->history) || (needs.labels && !kept->labels) ||
                 (needs.threads && !kept->threads);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        lacks |= needs.errors[i] && !kept->errors[i];
    }
    return lacks ? hp_fail(
                       err, HP_E_USAGE,
                       "this report, %s by %s, was not planned when the inputs were read",
                       hp_reports[options->kind]->name, hp_granularity_text(options->by))
                 : HP_OK;
}
