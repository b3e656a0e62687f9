// Reports without rows, and the table of all reports.
#include "view/view.h"

// Formats write these three reports from view->stacks or from view->head.
const struct hp_report hp_report_merge = {
    .name = "merge",
    .help = "all inputs as one profile, for other tools",
    .format = "pprof",
};
const struct hp_report hp_report_timeline = {
    .name = "timeline",
    .format = "pprof",
    .needs_series = true,
};
const struct hp_report hp_report_info = {
    .name = "info",
    .help = "what the inputs are: formats, sample periods, totals, modules, damage",
    .explains_inputs = true,
};

#define ENTRY(kind, report) [kind] = &(report),
const struct hp_report *const hp_reports[HP_REPORT_KINDS] = {HP_EACH_REPORT(ENTRY)};

struct hp_diagnosed hp_view_diagnosed(const struct hp_view *view,
                                      enum hp_diagnostic_kind kind) {
    struct hp_diagnosed diagnosed =
        hp_inputs_diagnosed(&view->profile->inputs, false, kind);
    if (view->profile->originals.texts) { // the file's identity is redacted
        diagnosed.named = 0;
    }
    return diagnosed;
}

const char *hp_view_name_of_input(const struct hp_view *view, struct hp_digest id) {
    return hp_inputs_name_of(&view->profile->inputs, id);
}

// --- for programs -------------------------------------------------------------------------

bool hp_report_can_group(enum hp_report_kind kind, enum hp_granularity by, unsigned can) {
    // A partial file records sizes in any case.
    bool has_label = by != HP_BY_AGE && !(by == HP_BY_SIZE && (can & HP_IS_PARTIAL) != 0);
    return kind == HP_REPORT_TOP      ? (can & HP_CAN_INTERVALS) != 0
           : kind == HP_REPORT_STACKS ? by == HP_BY_LABEL && (can & HP_CAN_INTERVALS) != 0
           : kind == HP_REPORT_MERGE  ? has_label && (can & HP_CAN_LABELS) != 0
                                      : false;
}

const char *hp_report_name(enum hp_report_kind kind) {
    return hp_reports[kind]->name;
}

const char *hp_report_help(enum hp_report_kind kind) {
    return hp_reports[kind]->help;
}

// Return the arguments that a kind of report takes besides the new inputs, as bits.
unsigned hp_report_takes(enum hp_report_kind kind) {
    const struct hp_report *report = hp_reports[kind];
    return (report->takes_pattern ? HP_TAKES_PATTERN : 0u) |
           (report->has_sides ? HP_TAKES_BASE : 0u) |
           (report->needs_accounts ? HP_TAKES_STATS : 0u);
}
