#include "cli/commandline.h"

#include "cli/message.h"
#include "cli/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENVIRONMENT "HPROF_AGG_OPTS"

#define ROWS_OF_TEXT 50
#define NODES_OF_DOT 80 // more take Graphviz minutes

void hp_cli_commandline_done(struct hp_cli_commandline *line) {
    hp_cli_arguments_done(&line->given);
    hp_cli_arguments_done(&line->preset);
    free(line->environment);
    free(line->environment_words);
    *line = (struct hp_cli_commandline){0};
}

// An option that does not concern the command is a mistake where it was given, and to be
// expected in a preset for all commands.
static int apply(const struct hp_cli_arguments *arguments, bool preset,
                 struct hp_cli_settings *settings, struct hp_err *err) {
    for (size_t i = 0; i < arguments->option_count; i++) {
        const struct hp_cli_option *option = arguments->options[i].option;
        bool concerns = (option->commands & settings->command->id) != 0;
        if (!concerns && preset) {
            continue;
        }
        if (!concerns) {
            return hp_cli_fail(err, HP_E_USAGE, "%s takes no --%s",
                               settings->command->name, option->name);
        }
        int ret = option->set(settings, option, arguments->options[i].value, err);
        if (ret != HP_OK) {
            return ret;
        }
    }
    return HP_OK;
}

static int apply_environment(struct hp_cli_commandline *line,
                             struct hp_cli_settings *settings, struct hp_err *err) {
    const char *text = getenv(ENVIRONMENT);
    if (text == NULL) {
        return HP_OK;
    }
    size_t count = 0;
    line->environment = hp_cli_copy(text);
    int ret = hp_cli_split(line->environment, &line->environment_words, &count, err);
    if (ret == HP_OK) {
        ret = hp_cli_arguments_scan(&line->preset, line->environment_words, count, err);
    }
    if (ret == HP_OK && line->preset.word_count > 0) {
        ret = hp_cli_fail(err, HP_E_USAGE, "%s is not an option", line->preset.words[0]);
    }
    if (ret == HP_OK) {
        ret = apply(&line->preset, true, settings, err);
    }
    if (ret != HP_OK) {
        snprintf(err->where, sizeof err->where, "%s", ENVIRONMENT);
    }
    return ret;
}

static bool has(const struct hp_cli_arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The inputs of a diff before --to, or the first of two, are its base.
static int split_sides(const struct hp_cli_arguments *given,
                       struct hp_cli_settings *settings, struct hp_err *err) {
    if (settings->command->id != HP_CLI_DIFF) {
        return HP_OK;
    }
    bool has_lists = settings->files_from != NULL || settings->base_files_from != NULL ||
                     settings->read.tar != NULL;
    if (!settings->has_to && !has_lists && settings->input_count != 2) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "diff takes two inputs, or those of both sides with --to "
                           "between them");
    }
    settings->base_words = settings->base_files_from == NULL && settings->input_count > 0;
    for (size_t i = 0; i < given->option_count; i++) {
        if (strcmp(given->options[i].option->name, "to") == 0) {
            size_t words = given->options[i].words;
            settings->base_words = words > 0 ? words - 1 : 0; // without the command
        }
    }
    bool has_base = settings->base_words > 0 || settings->base_files_from != NULL;
    bool has_new = settings->base_words < settings->input_count ||
                   settings->files_from != NULL || settings->read.tar != NULL;
    if (!has_base || !has_new) {
        return hp_cli_fail(err, HP_E_USAGE, "diff has no %s input",
                           has_base ? "new" : "base");
    }
    return HP_OK;
}

// --help and --version win over all else that is well-formed.
static int choose_command(const struct hp_cli_arguments *given,
                          struct hp_cli_settings *settings, const char **format,
                          struct hp_err *err) {
    *format = NULL;
    settings->help = has(given, "help");
    settings->version = has(given, "version");
    if (settings->help) {
        settings->command = hp_cli_command_by_id(HP_CLI_HELP);
        return given->word_count == 0 || strcmp(given->words[0], "help") == 0
                   ? HP_OK
                   : hp_cli_command_find(given->words[0], &settings->topic, format, err);
    }
    if (settings->version) {
        settings->command = hp_cli_command_by_id(HP_CLI_VERSION);
        return HP_OK;
    }
    if (given->word_count == 0) {
        return hp_cli_fail(err, HP_E_USAGE, "no command, see hprof-agg help");
    }
    return hp_cli_command_find(given->words[0], &settings->command, format, err);
}

static int read_help_or_version(const struct hp_cli_arguments *given,
                                struct hp_cli_settings *settings, struct hp_err *err) {
    const char *format;
    size_t words_max = settings->command->id == HP_CLI_HELP ? 2 : 1;
    if (given->word_count > words_max) {
        return hp_cli_fail(err, HP_E_USAGE, "%s is one word too many",
                           given->words[words_max]);
    }
    int ret = apply(given, false, settings, err);
    return ret == HP_OK && given->word_count == 2
               ? hp_cli_command_find(given->words[1], &settings->topic, &format, err)
               : ret;
}

static int fail_format(const struct hp_cli_settings *settings, struct hp_err *err) {
    char known[256] = "";
    for (size_t i = 0; i < hp_format_count(); i++) {
        const char *name = hp_format_name(i);
        if (hp_format_fits(name, settings->report.kind) &&
            strlen(known) + strlen(name) + 3 < sizeof known) {
            strcat(strcat(known, *known ? ", " : ""), name);
        }
    }
    return hp_cli_fail(err, HP_E_USAGE, "%s%s does not write %s, but: %s",
                       settings->command->name, settings->timeline ? " --timeline" : "",
                       settings->report.format, known);
}

static int check_rows(const struct hp_cli_settings *settings, struct hp_err *err) {
    const struct hp_report_options *report = &settings->report;
    bool is_pprof = report->format != NULL && strcmp(report->format, "pprof") == 0;
    bool labels = is_pprof && report->kind == HP_REPORT_MERGE;
    if (report->by >= HP_BY_INPUT && settings->command->id != HP_CLI_TOP && !labels) {
        return hp_cli_fail(err, HP_E_USAGE, "%s has no rows of inputs, threads or labels",
                           settings->command->name);
    }
    if (report->by >= HP_BY_INPUT && !labels && report->format != NULL &&
        !hp_format_has_rows(report->format)) {
        return hp_cli_fail(err, HP_E_USAGE, "%s has no rows of inputs, threads or labels",
                           report->format);
    }
    if (report->by >= HP_BY_INPUT && report->spread) {
        return hp_cli_fail(err, HP_E_USAGE, "--spread goes with rows of functions");
    }
    return HP_OK;
}

static int check_pprof(const struct hp_cli_settings *settings, struct hp_err *err) {
    const struct hp_report_options *report = &settings->report;
    const char *option = report->flavor != HP_FLAVOR_PPROF ? "--flavor"
                         : report->with_error              ? "--with-error"
                         : report->max_samples > 0         ? "--max-samples"
                         : report->max_depth > 0           ? "--max-depth"
                                                           : NULL;
    if (option && (report->format == NULL || strcmp(report->format, "pprof") != 0)) {
        return hp_cli_fail(err, HP_E_USAGE, "%s goes with --format=pprof", option);
    }
    if (report->with_error && report->kind == HP_REPORT_DIFF) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "--with-error: the errors of a difference do not add up");
    }
    return HP_OK;
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
    if (settings->has_gate && settings->gate.p > 0 && without) {
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

static int complete(struct hp_cli_settings *settings, struct hp_err *err) {
    struct hp_report_options *report = &settings->report;
    report->kind = settings->timeline ? HP_REPORT_TIMELINE : settings->command->kind;
    if (report->format == NULL && settings->output != NULL) {
        report->format = hp_format_of_file(settings->output);
    }
    if (report->format == NULL && settings->command->id == HP_CLI_MERGE) {
        report->format = "pprof";
    }
    bool text = report->format == NULL || strcmp(report->format, "text") == 0;
    if (!hp_format_fits(text ? "text" : report->format, report->kind)) {
        return fail_format(settings, err);
    }
    const unsigned tables = HP_CLI_TOP | HP_CLI_TREE | HP_CLI_PEEK | HP_CLI_LIST |
                            HP_CLI_STACKS | HP_CLI_DIFF | HP_CLI_TREND;
    bool table = (settings->command->id & tables) != 0;
    if (table && text && !settings->limit_given) {
        report->limit = ROWS_OF_TEXT;
    } else if (!text && strcmp(report->format, "dot") == 0 && !settings->limit_given) {
        report->limit = NODES_OF_DOT;
    }
    int ret = check_rows(settings, err);
    if (ret == HP_OK) {
        ret = check_pprof(settings, err);
    }
    if (ret == HP_OK) {
        ret = check_gate(settings, err);
    }
    if (ret != HP_OK) {
        return ret;
    }
    if (settings->null_separated && settings->files_from == NULL &&
        settings->base_files_from == NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "--null goes with --files-from");
    }
    if (settings->input_count == 0 && settings->files_from == NULL &&
        settings->base_files_from == NULL && settings->read.tar == NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "no input: name files, or - for standard input");
    }
    return HP_OK;
}

static int take_pattern(const struct hp_cli_arguments *given,
                        struct hp_cli_settings *settings, struct hp_err *err) {
    if (given->word_count < 2) {
        const char *name = settings->command->name;
        return hp_cli_fail(err, HP_E_USAGE,
                           "%s needs a pattern: hprof-agg %s REGEX INPUT...", name, name);
    }
    return hp_cli_settings_add_filter(settings, HP_PICK, given->words[1], err);
}

int hp_cli_commandline_read(struct hp_cli_commandline *line, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err) {
    if (argc < 2) {
        return HP_OK;
    }
    const struct hp_cli_arguments *given = &line->given;
    const char *format;
    int ret = hp_cli_arguments_scan(&line->given, argv + 1, (size_t)argc - 1, err);
    if (ret == HP_OK) {
        ret = choose_command(given, settings, &format, err);
    }
    if (ret != HP_OK || settings->help || settings->version) {
        return ret;
    }
    if ((settings->command->id & (HP_CLI_HELP | HP_CLI_VERSION)) != 0) {
        return read_help_or_version(given, settings, err);
    }
    ret = apply_environment(line, settings, err);
    if (ret == HP_OK && format != NULL) {
        settings->report.format = format;
    }
    if (ret == HP_OK) {
        ret = apply(given, false, settings, err);
    }
    size_t first = 1;
    if (ret == HP_OK && settings->command->takes_pattern) {
        ret = take_pattern(given, settings, err);
        first = 2;
    }
    for (size_t i = first; ret == HP_OK && i < given->word_count; i++) {
        settings->inputs = hp_cli_grow(settings->inputs, settings->input_count,
                                       sizeof *settings->inputs);
        settings->inputs[settings->input_count++] = given->words[i];
    }
    if (ret == HP_OK) {
        ret = split_sides(given, settings, err);
    }
    return ret == HP_OK ? complete(settings, err) : ret;
}
