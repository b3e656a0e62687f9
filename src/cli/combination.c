#include "cli/combination.h"

#include "cli/message.h"

static int check_formats(const struct hp_cli_settings *settings,
                         const struct hp_cli_arguments *given, struct hp_err *err) {
    for (size_t i = 0; i < given->option_count; i++) {
        const struct hp_cli_option *option = given->options[i].option;
        if (!hp_cli_option_fits(option, settings->report.format)) {
            char formats[256];
            hp_cli_option_formats(option, formats, sizeof formats);
            return hp_cli_fail(err, HP_E_USAGE, "--%s goes with --format=%s",
                               option->name, formats);
        }
    }
    return HP_OK;
}

// Rows, or the labels of samples that stand for them in pprof.
static bool has_groups(const struct hp_cli_settings *settings) {
    const struct hp_report_options *report = &settings->report;
    unsigned can = hp_format_can(report->format);
    return report->kind == HP_REPORT_TOP     ? (can & HP_CAN_INTERVALS) != 0
           : report->kind == HP_REPORT_MERGE ? (can & HP_CAN_LABELS) != 0
                                             : false;
}

static int check_by(const struct hp_cli_settings *settings, struct hp_err *err) {
    const struct hp_report_options *report = &settings->report;
    if (report->by < HP_BY_INPUT) {
        return HP_OK;
    }
    if (!has_groups(settings)) {
        bool by_format = report->kind == HP_REPORT_TOP || report->kind == HP_REPORT_MERGE;
        return hp_cli_fail(err, HP_E_USAGE,
                           "%s%s has no rows of inputs, threads or labels",
                           by_format ? report->format : settings->command->name,
                           settings->timeline ? " --timeline" : "");
    }
    return report->spread
               ? hp_cli_fail(err, HP_E_USAGE, "--spread goes with rows of functions")
               : HP_OK;
}

// A condition that can never hold would let everything pass.
static int check_gate(const struct hp_cli_settings *settings, struct hp_err *err) {
    const char *without = settings->report.no_error ? "--no-error"
                          : settings->read.estimator == HP_ESTIMATOR_JEPROF
                              ? "--compat=jeprof"
                          : settings->read.estimator == HP_ESTIMATOR_NONE ? "--no-unbias"
                                                                          : NULL;
    enum hp_metric metric = settings->report.metric;
    bool is_objects = metric == HP_INUSE_OBJECTS || metric == HP_ALLOC_OBJECTS;
    if (settings->has_gate && settings->gate.p > 0 && without != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "--fail-if with p does not go with %s: no p is known then",
                           without);
    }
    if (settings->has_gate && settings->gate_has_unit && is_objects) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "--fail-if: objects have no unit of space, growth>1000 or "
                           "growth>5%% counts them");
    }
    return HP_OK;
}

int hp_cli_combination_check(const struct hp_cli_settings *settings,
                             const struct hp_cli_arguments *given, struct hp_err *err) {
    int ret = check_formats(settings, given, err);
    ret = ret == HP_OK ? check_by(settings, err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    if (settings->read.label_from != NULL && settings->report.by != HP_BY_LABEL) {
        return hp_cli_fail(err, HP_E_USAGE, "--label-from goes with --by=label:KEY");
    }
    if (settings->report.with_error && settings->report.kind == HP_REPORT_DIFF) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "--with-error: the errors of a difference do not add up");
    }
    ret = check_gate(settings, err);
    if (ret != HP_OK) {
        return ret;
    }
    if (hp_cli_arguments_have(given, "no-unbias") &&
        hp_cli_arguments_have(given, "compat")) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "--no-unbias and --compat exclude each other");
    }
    if (settings->null_separated && settings->files_from == NULL &&
        settings->base_files_from == NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "--null goes with --files-from");
    }
    return HP_OK;
}
