#include "cli/commandline.h"

#include "cli/command.h"
#include "cli/message.h"
#include "cli/rulefile.h"
#include "cli/setter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- arguments -------------------------------------------------------------------------

// The words of the command line, and the number of the next one to read.
struct word_source {
    char *const *words;
    size_t count, next;
};

void hp_cli_arguments_done(struct hp_cli_arguments *arguments) {
    free(arguments->options);
    free(arguments->words.items);
    *arguments = (struct hp_cli_arguments){0};
}

// Append an option with its value, and the number of words before it.
static void add_option(struct hp_cli_arguments *arguments,
                       const struct hp_cli_option *option, char *value) {
    arguments->options = hp_cli_grow(arguments->options, arguments->option_count,
                                     sizeof *arguments->options);
    arguments->options[arguments->option_count++] = (struct hp_cli_argument){
        .option = option, .value = value, .words = arguments->words.count};
}

// Complete *value, which is the text in the same word or NULL: take the next word if the
// option needs one.  HP_E_USAGE if the option takes no value and has one, or lacks one
// that it needs.
static int take_value(struct word_source *source, const struct hp_cli_option *option,
                      char **value, struct hp_err *err) {
    if (option->value == HP_CLI_NO_VALUE) {
        return *value == NULL ? HP_OK
                              : hp_cli_fail(err, HP_E_USAGE,
                                            HP_MESSAGE("option-takes-no-value",
                                                       "--%s takes no value"),
                                            option->name);
    }
    if (*value == NULL && source->next < source->count) {
        *value = source->words[source->next++];
    }
    return *value != NULL ? HP_OK
                          : hp_cli_fail(err, HP_E_USAGE,
                                        HP_MESSAGE("option-needs-value",
                                                   "--%s needs a value: --%s=%s"),
                                        option->name, option->name, option->value_name);
}

#define NAME_SIZE 64

// Copy the part of `word` before "=" to `name`, truncated to fit.
static void copy_name(char name[NAME_SIZE], const char *word) {
    snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(word, "="), word);
}

// Read a long option without its dashes, and append it: "NAME", "NAME=VALUE", or "NAME"
// with the next word as its value.
static int scan_long(struct hp_cli_arguments *arguments, struct word_source *source,
                     char *word, struct hp_err *err) {
    char name[NAME_SIZE];
    const struct hp_cli_option *option;
    char *equals = strchr(word, '=');
    char *value = equals != NULL ? equals + 1 : NULL;
    copy_name(name, word);
    int ret = hp_cli_option_find(name, &option, err);
    if (ret == HP_OK) {
        ret = take_value(source, option, &value, err);
    }
    if (ret == HP_OK) {
        add_option(arguments, option, value);
    }
    return ret;
}

// Read the letters after a single dash, and append their options: any number of flags,
// then perhaps one option with its value ("n20").
static int scan_letters(struct hp_cli_arguments *arguments, struct word_source *source,
                        char *letters, struct hp_err *err) {
    char name[NAME_SIZE];
    copy_name(name, letters);
    if (strlen(name) > 1 && hp_cli_option_refuse_dash(name, err) != HP_OK) {
        return (int)err->code;
    }
    while (*letters != '\0') {
        const struct hp_cli_option *option;
        int ret = hp_cli_option_find_letter(*letters++, &option, err);
        if (ret != HP_OK) {
            return ret;
        }
        char *value = NULL;
        if (option->value != HP_CLI_NO_VALUE && *letters != '\0') {
            value = letters;
            letters += strlen(letters);
        }
        ret = take_value(source, option, &value, err);
        if (ret != HP_OK) {
            return ret;
        }
        add_option(arguments, option, value);
    }
    return HP_OK;
}

int hp_cli_arguments_scan(struct hp_cli_arguments *arguments, char *const *words,
                          size_t count, struct hp_err *err) {
    struct word_source source = {.words = words, .count = count};
    bool ended = false;
    int ret = HP_OK;
    while (ret == HP_OK && source.next < source.count) {
        char *word = source.words[source.next++];
        if (ended || word[0] != '-' || word[1] == '\0') {
            hp_cli_words_add(&arguments->words, word);
        } else if (strcmp(word, "--") == 0) {
            ended = true;
        } else if (word[1] == '-') {
            ret = scan_long(arguments, &source, word + 2, err);
        } else {
            ret = scan_letters(arguments, &source, word + 1, err);
        }
    }
    return ret;
}

bool hp_cli_arguments_have(const struct hp_cli_arguments *arguments, const char *option) {
    for (size_t i = 0; i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].option->name, option) == 0) {
            return true;
        }
    }
    return false;
}

// --- commandline -----------------------------------------------------------------------

// Largest number of lists that --tasks accepts.
enum {
    TASKS_MAX = 1000000,
};

void hp_cli_commandline_done(struct hp_cli_arguments *given,
                             struct hp_cli_settings *settings) {
    free(settings->inputs.items);
    free(settings->files_from.items);
    free(settings->base_files_from.items);
    free(settings->bases.items);
    free(settings->archives.items);
    free(settings->symbol_dirs.items);
    free(settings->source_dirs.items);
    free(settings->perf_maps.items);
    free(settings->path_maps);
    free(settings->filters);
    for (size_t i = 0; i < settings->again_count; i++) {
        free(settings->again[i]);
    }
    free(settings->again);
    hp_cli_rules_done(settings);
    explicit_bzero(settings->redact_key, sizeof settings->redact_key);
    *settings = (struct hp_cli_settings){0};
    hp_cli_arguments_done(given);
}

enum {
    FEW_COMMANDS = 3, // that a message names
};

// Fail with HP_E_USAGE: the command does not take the option; name those that do, if they
// are few.
static int refuse_option(const struct hp_cli_command *command,
                         const struct hp_cli_option *option, struct hp_err *err) {
    char others[64] = "";
    int count = 0;
    size_t used = 0;
    for (size_t i = 0; i < hp_cli_command_count() && used < sizeof others; i++) {
        const struct hp_cli_command *other = hp_cli_command(i);
        if ((other->id & option->commands) != 0 && count++ < FEW_COMMANDS) {
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used > 0 ? ", " : " (only ", other->name);
        }
    }
    bool are_few = count > 0 && count <= FEW_COMMANDS;
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("option-not-of-command", "%s does not take --%s%s%s"),
                       command->name, option->name, are_few ? others : "",
                       are_few ? ")" : "");
}

// Whether an option belongs to a command that reads the same inputs and symbols for another
// report.  Options about the report itself do not.
static bool is_of_reading(const struct hp_cli_option *option) {
    unsigned all = HP_CLI_TOP | HP_CLI_PEEK | HP_CLI_LIST | HP_CLI_STACKS | HP_CLI_INFO;
    bool is_in_group = option->group == HP_CLI_GROUP_INPUT ||
                       option->group == HP_CLI_GROUP_SYMBOLS ||
                       strcmp(option->name, "estimator") == 0 ||
                       strcmp(option->name, "large-sizes") == 0 ||
                       strcmp(option->name, "frame-rules") == 0;
    return is_in_group && (option->commands & all) == all;
}

// Append a word to settings->again: "--NAME=VALUE" or, if the name is NULL, the value.
static void keep_word(struct hp_cli_settings *settings, const char *name,
                      const char *value) {
    size_t room = (name ? strlen(name) : 0) + (value ? strlen(value) : 0) + sizeof "--=";
    char *word = hp_cli_resize(NULL, room);
    snprintf(word, room, "%s%s%s%s", name ? "--" : "", name ? name : "",
             name && value ? "=" : "", value ? value : "");
    settings->again =
        hp_cli_grow(settings->again, settings->again_count, sizeof *settings->again);
    settings->again[settings->again_count++] = word;
}

static int compare_words(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Keep the words of the command line that read the same inputs again.  Inputs are sorted:
// the same inputs in another order give the same report.
static void keep_words(const struct hp_cli_arguments *given,
                       struct hp_cli_settings *settings) {
    size_t tars = 0;
    for (size_t i = 0; i < given->option_count; i++) {
        const struct hp_cli_argument *argument = &given->options[i];
        tars += strcmp(argument->option->name, "tar") == 0;
        bool is_stdin = argument->value && strcmp(argument->value, "-") == 0;
        if (is_of_reading(argument->option) && !is_stdin) { // that has been read
            keep_word(settings, argument->option->name, argument->value);
        }
    }
    settings->again_options = settings->again_count;
    for (size_t i = 0; i < settings->inputs.count; i++) {
        keep_word(settings, NULL, settings->inputs.items[i]);
    }
    for (size_t i = tars; i < settings->archives.count; i++) { // those without --tar
        keep_word(settings, NULL, settings->archives.items[i]);
    }
    if (settings->again_count > settings->again_options) {
        qsort(settings->again + settings->again_options,
              settings->again_count - settings->again_options, sizeof *settings->again,
              compare_words);
    }
}

// Apply all options in the order given.  HP_E_USAGE if the command does not take one of
// them.
static int apply(const struct hp_cli_arguments *given, struct hp_cli_settings *settings,
                 struct hp_err *err) {
    // Options read the files that they name, so they have to know of a --wait that is
    // given later.
    settings->read.wait = hp_cli_arguments_have(given, "wait");
    for (size_t i = 0; i < given->option_count; i++) {
        const struct hp_cli_option *option = given->options[i].option;
        if ((option->commands & settings->command->id) == 0) {
            return refuse_option(settings->command, option, err);
        }
        int ret = option->set(settings, option, given->options[i].value, err);
        if (ret != HP_OK) {
            return ret;
        }
    }
    return HP_OK;
}

// Insert the command `top` if the first word is the name of a file or "-", as jeprof and
// pprof work.  Fails if the word is a URL.
static int supply_command(struct hp_cli_arguments *given, struct hp_err *err) {
    struct hp_cli_words *words = &given->words;
    const char *first = words->count > 0 ? words->items[0] : "help";
    if (hp_cli_command_is_known(first)) {
        return HP_OK;
    }
    if (hp_cli_is_url(first)) {
        return hp_cli_fail_url(first, hp_cli_command_by_id(HP_CLI_TOP), err);
    }
    if (strcmp(first, "-") == 0 || access(first, F_OK) == 0) {
        hp_cli_words_add(words, first);
        memmove(words->items + 1, words->items,
                (words->count - 1) * sizeof *words->items);
        words->items[0] = hp_cli_command_by_id(HP_CLI_TOP)->name;
    }
    return HP_OK;
}

// Set settings->command from the first word or from --help and --version, which override
// all other valid options; with --help the first word is the topic.
static int choose_command(struct hp_cli_arguments *given,
                          struct hp_cli_settings *settings, struct hp_err *err) {
    const char **format = &settings->report.format;
    if (supply_command(given, err) != HP_OK) {
        return (int)err->code;
    }
    settings->help = hp_cli_arguments_have(given, "help");
    settings->version = hp_cli_arguments_have(given, "version");
    if (settings->help) {
        settings->command = hp_cli_command_by_id(HP_CLI_HELP);
        return given->words.count == 0 || strcmp(given->words.items[0], "help") == 0
                   ? HP_OK
                   : hp_cli_command_find(given->words.items[0], &settings->topic, format,
                                         err);
    }
    if (settings->version) {
        settings->command = hp_cli_command_by_id(HP_CLI_VERSION);
        return HP_OK;
    }
    if (given->words.count == 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("no-command", "no command. See hprof-agg --help"));
    }
    return hp_cli_command_find(given->words.items[0], &settings->command, format, err);
}

// Apply the options of help or version, and look up the topic of help.
static int read_help_or_version(const struct hp_cli_arguments *given,
                                struct hp_cli_settings *settings, struct hp_err *err) {
    const char *format;
    size_t words_max = settings->command->id == HP_CLI_HELP ? 2 : 1;
    if (given->words.count > words_max) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("word-too-many", "%s: one argument too many"),
                           given->words.items[words_max]);
    }
    int ret = apply(given, settings, err);
    if (ret != HP_OK || given->words.count < 2) {
        return ret;
    }
    settings->explains_frames = strcmp(given->words.items[1], "frame-rules") == 0;
    settings->explains_formats = strcmp(given->words.items[1], "formats") == 0;
    return settings->explains_frames || settings->explains_formats
               ? HP_OK
               : hp_cli_command_find(given->words.items[1], &settings->topic, &format,
                                     err);
}

// Fail with HP_E_USAGE: the command cannot write the format; list those that it can
// write.
static int fail_format(const struct hp_cli_settings *settings, struct hp_err *err) {
    char known[256] = "";
    for (size_t i = 0; i < hp_format_count(); i++) {
        const char *name = hp_format_name(i);
        if (hp_format_fits(name, settings->report.kind) &&
            strlen(known) + strlen(name) + 3 < sizeof known) {
            strcat(strcat(known, *known ? ", " : ""), name);
        }
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("format-not-of-command",
                                  "%s%s cannot write %s. Use one of: %s"),
                       settings->command->name, settings->timeline ? " --timeline" : "",
                       settings->report.format, known);
}

// Replace the error about the ending of the output's name by advice on what makes such
// files, if there is any.  Returns the code of the error.
static int explain_kind(const char *path, struct hp_err *err) {
    const char *dot = strrchr(path, '.');
    const char *instead = dot != NULL ? hp_cli_habit_of_kind(dot + 1) : NULL;
    return instead != NULL
               ? hp_cli_fail(err, HP_E_USAGE,
                             HP_MESSAGE("format-of-file", "cannot write %s: %s"), path,
                             instead)
               : (int)err->code;
}

// Set the format of the report.  An option has priority over the output's name, and that
// over the default of the command.  HP_E_USAGE if the command cannot write the format.
static int settle_format(const struct hp_cli_arguments *given,
                         struct hp_cli_settings *settings, struct hp_err *err) {
    struct hp_report_options *report = &settings->report;
    if (report->format == NULL && settings->output != NULL) {
        int ret = hp_format_of_file(settings->output, &report->format, err);
        if (ret != HP_OK) {
            return explain_kind(settings->output, err);
        }
    }
    if (report->format == NULL) {
        report->format = hp_format_of_kind(settings->command->kind);
    }
    report->kind = settings->timeline ? HP_REPORT_TIMELINE : settings->command->kind;
    if (!hp_cli_arguments_have(given, "limit")) {
        report->limit = hp_format_limit(report->format);
    }
    return hp_format_fits(report->format, report->kind) ? HP_OK
                                                        : fail_format(settings, err);
}

// HP_E_USAGE if an option has no effect on the format of the report.
static int check_formats(const struct hp_cli_settings *settings,
                         const struct hp_cli_arguments *given, struct hp_err *err) {
    for (size_t i = 0; i < given->option_count; i++) {
        const struct hp_cli_option *option = given->options[i].option;
        if (!hp_cli_option_fits(option, settings->report.format)) {
            char formats[256];
            hp_cli_option_formats(option, formats, sizeof formats);
            return hp_cli_fail(err, HP_E_USAGE,
                               HP_MESSAGE("option-goes-with-format",
                                          "--%s applies only to --format=%s"),
                               option->name, formats);
        }
    }
    return HP_OK;
}

// Whether the report can group by inputs, threads, labels, sizes or ages.
static bool has_groups(const struct hp_cli_settings *settings) {
    const struct hp_report_options *report = &settings->report;
    return hp_report_can_group(report->kind, report->by, hp_format_can(report->format));
}

// Check --dumps, and select --by=input for --dumps=each, which shows each dump
// separately as a row or a label.
static int settle_dumps(const struct hp_cli_arguments *given,
                        struct hp_cli_settings *settings, struct hp_err *err) {
    struct hp_report_options *report = &settings->report;
    if (settings->timeline && hp_cli_arguments_have(given, "dumps")) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "dumps-timeline",
                "--dumps cannot be combined with --timeline, which shows all dumps"));
    }
    if (settings->read.snapshots != HP_SNAPSHOTS_EACH || report->kind == HP_REPORT_INFO) {
        return HP_OK;
    }
    if (hp_cli_arguments_have(given, "by") ? report->by != HP_BY_INPUT
                                           : !has_groups(settings)) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "dumps-each",
                "--dumps=each needs rows of dumps: hprof-agg top, and --by=input"));
    }
    report->by = HP_BY_INPUT;
    return HP_OK;
}

// Refuse --by=group without rules, and rules without it.
static int check_groups(const struct hp_cli_settings *settings, struct hp_err *err) {
    bool is_by_group = settings->report.by == HP_BY_GROUP;
    bool has_rules = settings->group_rule_count > 0;
    bool has_column =
        settings->report.kind == HP_REPORT_STACKS || settings->command->id == HP_CLI_ROWS;
    if (is_by_group ? has_rules && settings->report.kind != HP_REPORT_STACKS
                    : has_column || !has_rules) {
        return HP_OK;
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       is_by_group
                           ? HP_MESSAGE("by-group-alone",
                                        "--by=group needs rules: --groups=FILE, in "
                                        "top, diff and trend")
                           : HP_MESSAGE("groups-alone", "--groups needs --by=group"));
}

// Check --by=input and later granularities (threads, labels, sizes, ages): report and
// format have to support them.
static int check_by(const struct hp_cli_settings *settings, struct hp_err *err) {
    const struct hp_report_options *report = &settings->report;
    if (report->by >= HP_BY_INPUT && !has_groups(settings)) {
        bool by_format = report->kind == HP_REPORT_TOP || report->kind == HP_REPORT_MERGE;
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("rows-not-of-format",
                       "%s%s cannot show rows of inputs, threads, labels, sizes or ages"),
            by_format ? report->format : settings->command->name,
            settings->timeline ? " --timeline" : "");
    }
    return HP_OK;
}

// Refuse a condition of --fail-if that can never be met, since every comparison would
// pass.  Returns HP_OK or HP_E_USAGE.
static int check_gate(const struct hp_cli_settings *settings, struct hp_err *err) {
    const char *without =
        settings->report.no_error                         ? "--confidence=none"
        : settings->read.estimator == HP_ESTIMATOR_JEPROF ? "--estimator=jeprof"
        : settings->read.estimator == HP_ESTIMATOR_NONE   ? "--estimator=none"
                                                          : NULL;
    enum hp_metric metric = settings->report.metric;
    bool is_objects = metric == HP_INUSE_OBJECTS || metric == HP_ALLOC_OBJECTS;
    if (settings->has_gate && settings->gate.p > 0 && without != NULL) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("fail-if-without-p",
                       "--fail-if with p cannot be combined with %s: p is unknown then"),
            without);
    }
    if (settings->has_gate && settings->gate_has_unit && is_objects) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("fail-if-objects",
                       "--fail-if: objects have no unit. Use growth>1000 or growth>5%%"));
    }
    return HP_OK;
}

// Refuse --redact with partial files and with --used, and --symbol-dir-only without
// --symbol-dir or with --path-map.  Returns HP_OK or HP_E_USAGE.
static int check_places(const struct hp_cli_settings *settings, struct hp_err *err) {
    bool redacts = settings->redacts;
    if (redacts && (hp_format_can(settings->report.format) & HP_IS_PARTIAL) != 0) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "redact-partial",
                "--redact: an aggregate file needs the real names. Use --format=pprof"));
    }
    if (redacts && settings->prints_used) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("redact-paths",
                       "--redact cannot be combined with --used, which prints paths"));
    }
    if (!settings->symbol_dirs_only) {
        return HP_OK;
    }
    if (settings->symbol_dirs.count == 0) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "symbol-dir-only-alone",
                "--symbol-dir-only needs --symbol-dir=DIR. Use --no-symbols to open no "
                "binary"));
    }
    return settings->path_map_count > 0
               ? hp_cli_fail(
                     err, HP_E_USAGE,
                     HP_MESSAGE("symbol-dir-only-path-map",
                                "--symbol-dir-only and --path-map cannot be combined"))
               : HP_OK;
}

// Refuse options that --used has no meaning with.
static int check_print(const struct hp_cli_settings *settings,
                       const struct hp_cli_arguments *given, struct hp_err *err) {
    if (settings->prints_used && hp_cli_arguments_have(given, "format")) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("used-with-format",
                                      "--used writes a list: --format does not apply"));
    }
    if (settings->prints_used && settings->archives.count > 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("used-archive",
                                      "--used: files in an archive have no paths"));
    }
    return HP_OK;
}

// Refuse options that contradict each other or have no meaning without others.  The
// table of hp_options_check() has the rules that the library has, too; here are those of
// options that only the command line has.
static int check_combinations(struct hp_cli_settings *settings,
                              const struct hp_cli_arguments *given, struct hp_err *err) {
    int ret = check_formats(settings, given, err);
    ret = ret == HP_OK ? settle_dumps(given, settings, err) : ret;
    ret = ret == HP_OK ? check_groups(settings, err) : ret;
    ret = ret == HP_OK ? check_by(settings, err) : ret;
    if (settings->read.folded_unit == HP_FOLDED_OBJECTS) {
        settings->report.metric = HP_INUSE_OBJECTS; // they have no other
    }
    ret = ret == HP_OK ? hp_options_check(&settings->read, &settings->report, err) : ret;
    ret = ret == HP_OK ? check_places(settings, err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    if (settings->null_separated && settings->files_from.count == 0 &&
        settings->base_files_from.count == 0 && !settings->prints_used) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("null-alone",
                                      "--null needs --files-from or --used"));
    }
    ret = check_print(settings, given, err);
    return ret == HP_OK ? check_gate(settings, err) : ret;
}

// Take the pattern after the command.  HP_E_USAGE if fewer than two words were given.
static int take_pattern(const struct hp_cli_arguments *given,
                        struct hp_cli_settings *settings, struct hp_err *err) {
    if (given->words.count < 2) {
        const char *name = settings->command->name;
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("pattern-needed",
                                      "%s needs a pattern: hprof-agg %s REGEX INPUT..."),
                           name, name);
    }
    return hp_cli_add_filter(settings, HP_PICK, given->words.items[1], err);
}

// Find which inputs of a diff are its base: those of --base and those before --to, or the
// first of two.
// HP_E_USAGE if a side has no input.
static int split_sides(const struct hp_cli_arguments *given,
                       struct hp_cli_settings *settings, struct hp_err *err) {
    if (settings->command->id != HP_CLI_DIFF) {
        return HP_OK;
    }
    size_t bases = settings->bases.count; // the first inputs
    bool has_lists = bases > 0 || settings->files_from.count > 0 ||
                     settings->base_files_from.count > 0 || settings->archives.count > 0;
    if (!settings->has_to && !has_lists && settings->inputs.count == 1) {
        return HP_OK; // the input may contain a difference itself
    }
    if (!settings->has_to && !has_lists && settings->inputs.count != 2) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "diff-two-inputs",
                "diff needs two sides: diff BASE NEW, or diff BASE... --to NEW..."));
    }
    settings->base_words = bases > 0 ? bases : settings->inputs.count > 0;
    for (size_t i = 0; i < given->option_count; i++) {
        if (strcmp(given->options[i].option->name, "to") == 0) {
            size_t words = given->options[i].words;
            // The first word is the command.
            settings->base_words = bases + (words > 0 ? words - 1 : 0);
        }
    }
    bool has_base = settings->base_words > 0 || settings->base_files_from.count > 0;
    bool has_new = settings->base_words < settings->inputs.count ||
                   settings->files_from.count > 0 || settings->archives.count > 0;
    if (!has_base || !has_new) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("diff-side-empty", "diff has no %s input"),
                           has_base ? "new" : "base");
    }
    return HP_OK;
}

// Whether a word is the name of a tar archive that the command reads as --tar=FILE does.
// In diff it does not show to which side the archive belongs.
static bool is_archive(const struct hp_cli_settings *settings, const char *word) {
    static const char *const endings[] = {".tar", ".tgz", ".tar.gz", ".tzst", ".tar.zst"};
    unsigned none = HP_CLI_ACCOUNT | HP_CLI_DIFF | HP_CLI_MANIFEST | HP_CLI_DIGEST;
    struct stat info;
    bool is_named = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(word), of_ending = strlen(endings[i]);
        is_named |= size > of_ending && strcmp(word + size - of_ending, endings[i]) == 0;
    }
    return is_named && (settings->command->id & none) == 0 && !settings->prints_used &&
           stat(word, &info) == 0 && S_ISREG(info.st_mode);
}

// Take the words after the command: a pattern if it needs one, then inputs and archives.
// Refuses URLs, and a command line without any input.
static int take_words(const struct hp_cli_arguments *given,
                      struct hp_cli_settings *settings, struct hp_err *err) {
    bool has_pattern = settings->command->takes_pattern;
    int ret = has_pattern ? take_pattern(given, settings, err) : HP_OK;
    for (size_t i = 0; i < settings->bases.count; i++) {
        hp_cli_words_add(&settings->inputs, settings->bases.items[i]);
    }
    for (size_t i = has_pattern ? 2 : 1; i < given->words.count; i++) {
        bool is_tar = is_archive(settings, given->words.items[i]);
        hp_cli_words_add(is_tar ? &settings->archives : &settings->inputs,
                         given->words.items[i]);
        if (ret == HP_OK && hp_cli_is_url(given->words.items[i])) {
            ret = hp_cli_fail_url(given->words.items[i], settings->command, err);
        }
    }
    if (ret == HP_OK) {
        ret = split_sides(given, settings, err);
    }
    if (ret == HP_OK && settings->inputs.count == 0 && settings->files_from.count == 0 &&
        settings->base_files_from.count == 0 && settings->archives.count == 0) {
        ret = hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("no-input",
                       "no input. Name files or folders, or - for standard input"));
    }
    return ret;
}

// Apply the options of manifest, check them and take the paths.
static int read_manifest(const struct hp_cli_arguments *given,
                         struct hp_cli_settings *settings, struct hp_err *err) {
    int ret = apply(given, settings, err);
    if (ret == HP_OK && (settings->tasks == 0 || settings->output == NULL)) {
        ret = hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "manifest-needs",
                "manifest needs --tasks=N and --output=PREFIX, how the names of lists "
                "begin"));
    }
    if (ret == HP_OK && settings->tasks > TASKS_MAX) {
        ret = hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("tasks-too-many", "--tasks must be at most %d"),
                          TASKS_MAX);
    }
    return ret == HP_OK ? take_words(given, settings, err) : ret;
}

// Add the rules of the file in $HPROF_AGG_FRAME_RULES.  They follow those of the command
// line, which therefore have priority.
static int add_rules_of_environment(struct hp_cli_settings *settings,
                                    struct hp_err *err) {
    const char *path = getenv("HPROF_AGG_FRAME_RULES");
    bool takes_rules = settings->command->id != HP_CLI_INFO;
    return path != NULL && *path != '\0' && takes_rules
               ? hp_cli_rulefile_read(settings, path, err)
               : HP_OK;
}

// Apply the options of rows, check them and take the inputs.
static int read_rows(const struct hp_cli_arguments *given,
                     struct hp_cli_settings *settings, struct hp_err *err) {
    int ret = apply(given, settings, err);
    ret = ret == HP_OK ? add_rules_of_environment(settings, err) : ret;
    if (ret == HP_OK && settings->output == NULL) {
        ret = hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("rows-needs",
                                     "rows needs --output=DIR, the directory of tables"));
    }
    if (ret == HP_OK && settings->adds_names && settings->redacts) {
        ret = hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("rows-names-redacted",
                                     "--add-names cannot be combined with --redact"));
    }
    if (ret == HP_OK && settings->adds_names && given->words.count > 1) {
        ret = hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("rows-names-input",
                                     "--add-names reads DIR only, not %s"),
                          given->words.items[1]);
    }
    return ret == HP_OK && !settings->adds_names ? take_words(given, settings, err) : ret;
}

// Apply the options of a report, check them and take the words.
static int read_report(const struct hp_cli_arguments *given,
                       struct hp_cli_settings *settings, struct hp_err *err) {
    int ret = apply(given, settings, err);
    ret = ret == HP_OK ? add_rules_of_environment(settings, err) : ret;
    if (ret == HP_OK) {
        ret = settle_format(given, settings, err);
    }
    if (ret == HP_OK) {
        ret = check_combinations(settings, given, err);
    }
    ret = ret == HP_OK ? take_words(given, settings, err) : ret;
    keep_words(given, settings);
    return ret;
}

int hp_cli_commandline_read(struct hp_cli_arguments *given, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err) {
    if (argc < 2) {
        return HP_OK;
    }
    int ret = hp_cli_arguments_scan(given, argv + 1, (size_t)argc - 1, err);
    if (ret == HP_OK) {
        ret = choose_command(given, settings, err);
    }
    if (ret != HP_OK || settings->help || settings->version) {
        return ret;
    }
    unsigned id = settings->command->id;
    if (id == HP_CLI_MANIFEST || id == HP_CLI_ROWS) {
        return id == HP_CLI_ROWS ? read_rows(given, settings, err)
                                 : read_manifest(given, settings, err);
    }
    if (id == HP_CLI_DIGEST) {
        ret = apply(given, settings, err);
        return ret == HP_OK ? take_words(given, settings, err) : ret;
    }
    if (id == HP_CLI_JEPROF) {
        ret = apply(given, settings, err);
        return ret == HP_OK ? hp_cli_fail(err, HP_E_USAGE,
                                          HP_MESSAGE("jeprof-first",
                                                     "jeprof must be the first argument"))
                            : ret;
    }
    if (id == HP_CLI_DOCTOR) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("doctor-first", "doctor has to come first"));
    }
    if ((id & HP_CLI_REPORTS) == 0) {
        return read_help_or_version(given, settings, err);
    }
    return read_report(given, settings, err);
}
