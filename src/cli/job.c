#include "cli/job.h"

#include "cli/diagnostics.h"
#include "cli/filelist.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/progressbar.h"
#include "cli/safetext.h"
#include "cli/storage.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    // Stacks may use this part (1/N) of the memory before they are moved to a file.
    STACK_SHARE = 4,
};

// Whether the format of the report has at least one of the abilities in `ability`, a set
// of bits of enum hp_format_ability.
static bool format_can(const struct hp_cli_settings *settings, unsigned ability) {
    return (hp_format_can(settings->report.format) & ability) != 0;
}

// Whether the report is for people.  Such a report contains the warnings itself.
static bool is_for_people(const struct hp_cli_settings *settings) {
    return format_can(settings, HP_IS_FOR_PEOPLE);
}

// Whether to color the report.  Without --color, a report is colored if its format can be
// and it goes to a terminal, unless $NO_COLOR is set.
static bool wants_color(const struct hp_cli_settings *settings) {
    const char *no_color = getenv("NO_COLOR");
    if (settings->color != HP_CLI_AUTO || !format_can(settings, HP_CAN_COLOR)) {
        return settings->color == HP_CLI_ALWAYS && format_can(settings, HP_CAN_COLOR);
    }
    return (no_color == NULL || *no_color == '\0') && settings->output == NULL &&
           hp_cli_is_terminal(STDOUT_FILENO);
}

static bool writes_to_terminal(const struct hp_cli_settings *settings) {
    bool to_stdout = settings->output == NULL || strcmp(settings->output, "-") == 0;
    return to_stdout && isatty(STDOUT_FILENO);
}

// Columns of the report's lines; 0: lines are not cut.
static size_t width_of(const struct hp_cli_settings *settings) {
    return settings->has_width            ? settings->width
           : writes_to_terminal(settings) ? hp_cli_columns(STDOUT_FILENO)
                                          : 0;
}

static bool wants_progress(const struct hp_cli_settings *settings) {
    if (settings->progress != HP_CLI_AUTO) {
        return settings->progress == HP_CLI_ALWAYS;
    }
    return !settings->quiet && hp_cli_is_terminal(STDERR_FILENO);
}

void hp_cli_job_start_progress(const struct hp_cli_settings *settings) {
    if (wants_progress(settings)) {
        hp_cli_progress_start();
    }
}

// Read the lists in `files`; append their paths to `list`.
static int read_lists(const struct hp_cli_settings *settings,
                      const struct hp_cli_words *files, struct hp_cli_filelist *list,
                      struct hp_err *err) {
    int ret = HP_OK;
    for (size_t i = 0; ret == HP_OK && i < files->count; i++) {
        ret = hp_cli_filelist_read(list, settings, files->items[i], err);
    }
    return ret;
}

// Number of paths that are "-".
static size_t count_stdin(const struct hp_cli_words *paths) {
    size_t count = 0;
    for (size_t i = 0; i < paths->count; i++) {
        count += strcmp(paths->items[i], "-") == 0;
    }
    return count;
}

// HP_E_USAGE if standard input would be read more than once.
static int check_stdin(const struct hp_cli_settings *settings, struct hp_err *err) {
    size_t listed = count_stdin(&settings->files_from) +
                    count_stdin(&settings->base_files_from) +
                    count_stdin(&settings->archives);
    if (listed + (count_stdin(&settings->inputs) > 0) > 1) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("stdin-twice",
                       "standard input can be read only once: as an input, a list or an "
                       "archive"));
    }
    return HP_OK;
}

int hp_cli_job_collect(const struct hp_cli_settings *settings,
                       struct hp_cli_filelist *list, struct hp_err *err) {
    size_t i = 0;
    int ret = check_stdin(settings, err);
    list->with_statistics = settings->report.kind == HP_REPORT_ACCOUNT;
    for (; i < settings->base_words; i++) {
        hp_cli_filelist_add(list, settings->inputs.items[i]);
    }
    if (ret == HP_OK) {
        ret = read_lists(settings, &settings->base_files_from, list, err);
    }
    list->base_count = list->paths.count;
    for (; i < settings->inputs.count; i++) {
        hp_cli_filelist_add(list, settings->inputs.items[i]);
    }
    ret = ret == HP_OK ? read_lists(settings, &settings->files_from, list, err) : ret;
    return ret == HP_OK ? hp_cli_filelist_check(list, err) : ret;
}

// Fail with "pprof is not for a terminal: name a file, --output=x.pb.gz".
static int refuse_terminal(const struct hp_cli_settings *settings, struct hp_err *err) {
    size_t i = 0;
    while (strcmp(hp_format_name(i), settings->report.format) != 0) {
        i++;
    }
    const char *pattern = hp_format_files(i) + 1; // skips "*"
    return hp_cli_fail(
        err, HP_E_USAGE,
        HP_MESSAGE("not-for-terminal",
                   "%s cannot be written to a terminal. Use --output=x%.*s"),
        settings->report.format, (int)strcspn(pattern, " "), pattern);
}

// HP_E_USAGE if the output would replace a file that is read, under whatever name.
static int refuse_read(const struct hp_cli_settings *settings,
                       const struct hp_cli_filelist *list, struct hp_err *err) {
    const struct hp_cli_read_files read[] = {
        {"input", &list->paths},
        {"archive", &settings->archives},
        {"list", &settings->files_from},
        {"list", &settings->base_files_from},
    };
    return settings->output == NULL
               ? HP_OK
               : hp_cli_outfile_refuse("--output=", settings->output, read,
                                       sizeof read / sizeof *read, err);
}

// Check and open the output.  This is done before any input is read, so that hours of
// work are not lost to a mistyped folder.
static int open_output(const struct hp_cli_settings *settings,
                       const struct hp_cli_filelist *list, struct hp_cli_outfile *out,
                       struct hp_err *err) {
    if (refuse_read(settings, list, err) != HP_OK) {
        return err->code;
    }
    if (format_can(settings, HP_IS_BINARY) && writes_to_terminal(settings)) {
        return refuse_terminal(settings, err);
    }
    return hp_cli_outfile_open(out, settings->output, err);
}

// Bytes that stacks may take before they are moved to a file: a part of the memory, since
// tables, dumps and records have to fit into memory, too.
static uint64_t stack_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t limit = hp_cli_memory_limit_bytes();
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
    return (limit > 0 ? limit : all) / STACK_SHARE;
}

struct hp_symbol_options hp_cli_job_symbols(const struct hp_cli_settings *settings) {
    return (struct hp_symbol_options){
        .symbol_dirs = settings->symbol_dirs.items,
        .symbol_dir_count = settings->symbol_dirs.count,
        .path_maps = settings->path_maps,
        .path_map_count = settings->path_map_count,
        .symbol_dirs_only = settings->symbol_dirs_only,
        .progress = hp_cli_progress,
        .sandbox = settings->read.sandbox,
    };
}

// Whether the report shows names of functions.
static bool wants_names(const struct hp_cli_settings *settings) {
    return !settings->no_symbols && !format_can(settings, HP_IS_PARTIAL);
}

// Set where maps of generated code are searched.  Without symbols only those that the
// user names are used.
static void set_perf_maps(const struct hp_cli_settings *settings,
                          struct hp_read_options *options) {
    options->perf_maps = settings->perf_maps.items;
    options->perf_map_count = settings->perf_maps.count;
    if (!settings->no_symbols) {
        options->map_folders = settings->symbol_dirs.items;
        options->map_folder_count = settings->symbol_dirs.count;
        options->maps_beside = !settings->symbol_dirs_only;
    }
}

// Read the inputs into `profile`, with read options derived from the settings and from
// the options of the report.
static int read_inputs(const struct hp_cli_settings *settings,
                       const struct hp_report_options *report,
                       const struct hp_symbol_options *symbols,
                       const struct hp_cli_filelist *list,
                       const struct hp_cli_outfile *out, struct hp_profile *profile,
                       struct hp_err *err) {
    struct hp_read_options options = settings->read;
    char folder[PATH_MAX];
    struct hp_report_options planned = *report;
    if (settings->prints_used) { // chooses inputs as a table does
        planned.kind = HP_REPORT_TOP;
        planned.no_error = true;
        options.names_inputs = true;
        planned.by =
            options.snapshots == HP_SNAPSHOTS_EACH ? HP_BY_INPUT : HP_BY_FUNCTION;
    }
    bool wants_builds = options.with_builds || options.with_names;
    bool wants_files =
        wants_names(settings) || (wants_builds && format_can(settings, HP_IS_PARTIAL));
    // --used needs no binaries, except for the peak: which dump is the largest may
    // depend on large sizes that binaries reveal.
    bool is_choice = settings->prints_used && options.snapshots != HP_SNAPSHOTS_PEAK;
    options.symbols = wants_files && !is_choice ? symbols : NULL;
    options.base_count = list->base_count;
    options.tars = settings->archives.items;
    options.tar_count = settings->archives.count;
    set_perf_maps(settings, &options);
    options.planned = &planned;
    options.planned_count = 1;
    options.progress = hp_cli_progress;
    if (format_can(settings, HP_IS_PARTIAL) && !settings->prints_used) {
        options.stack_memory = stack_memory();
        options.run_folder = hp_cli_outfile_folder(out, folder);
    }
    return hp_profile_read(profile, list->paths.items, list->paths.count, &options, err);
}

// Warnings that are printed after the view was made: an error is not buried under them.
// Redaction replaces those of the profile, so that they are copied before.
struct warnings {
    char **lines; // owned, as each line is
    size_t count;
};

// Append a copy of a line.
static void add_warning(struct warnings *warnings, const char *prefix, const char *text) {
    size_t size = strlen(prefix) + strlen(text) + 1;
    char *line = hp_cli_resize(NULL, size);
    snprintf(line, size, "%s%s", prefix, text);
    warnings->lines =
        hp_cli_grow(warnings->lines, warnings->count, sizeof *warnings->lines);
    warnings->lines[warnings->count++] = line;
}

// Copy the warnings of the profile, and which dumps of each process are used, unless
// --quiet was given.
static void take_warnings(struct warnings *warnings,
                          const struct hp_cli_settings *settings,
                          const struct hp_profile *profile) {
    for (size_t i = 0; !settings->quiet && i < hp_profile_moment_count(profile); i++) {
        add_warning(warnings, "", hp_profile_moment(profile, i));
    }
    for (size_t i = 0; !settings->quiet && i < hp_profile_warning_count(profile); i++) {
        add_warning(warnings, "warning: ", hp_profile_warning(profile, i));
    }
}

// Print and free the warnings; if `is_printed` is false, only free them.
static void print_warnings(struct warnings *warnings, bool is_printed) {
    for (size_t i = 0; i < warnings->count; i++) {
        if (is_printed) {
            hp_cli_message("%s", warnings->lines[i]);
        }
        free(warnings->lines[i]);
    }
    free(warnings->lines);
    *warnings = (struct warnings){0};
}

void hp_cli_job_warn(const struct hp_cli_settings *settings,
                     const struct hp_profile *profile) {
    struct warnings warnings = {0};
    take_warnings(&warnings, settings, profile);
    print_warnings(&warnings, true);
}

// Print the minor warnings of the profile, unless --quiet was given.
static void warn_minor(const struct hp_cli_settings *settings,
                       const struct hp_profile *profile) {
    size_t count = hp_profile_minor_warning_count(profile);
    for (size_t i = 0; !settings->quiet && i < count; i++) {
        hp_cli_message("warning: %s", hp_profile_minor_warning(profile, i));
    }
}

// Write the report to `out` and commit the output.  Returns HP_OK or the code of the
// error.
static int write_view(const struct hp_view *view, struct hp_cli_outfile *out,
                      struct hp_err *err) {
    hp_cli_progress_clear();
    int ret = hp_view_write(view, hp_cli_outfile_write, out, err);
    if (out->sys != 0) {
        return hp_cli_outfile_failed(out, err);
    }
    return ret == HP_OK ? hp_cli_outfile_commit(out, err) : ret;
}

// Whether `info` still writes its report after the read failed with `ret`: it exists to
// explain inputs that cannot be used.  The command fails afterwards.
static bool is_explained_by_info(const struct hp_cli_settings *settings, int ret) {
    return settings->command->id == HP_CLI_INFO &&
           (ret == HP_E_FORMAT || ret == HP_E_LIMIT || ret == HP_E_EMPTY);
}

// Evaluate --fail-if; print what was tested and its limit, or why there is no verdict.
static void evaluate_gate(const struct hp_cli_settings *settings,
                          const struct hp_view *view, struct hp_cli_outcome *outcome) {
    struct hp_excess first = {.name = NULL};
    char text[512] = "";
    outcome->exceeded = hp_view_exceeds(view, &first);
    outcome->is_open = !outcome->exceeded && hp_view_is_open(view);
    if (first.name) {
        hp_view_excess_text(view, &first, text, sizeof text);
    }
    if (outcome->exceeded) {
        hp_cli_message(HP_MESSAGE("fail-if-exceeded", "--fail-if: %s %s"), first.name,
                       text);
    } else if (first.name && !outcome->is_open && !settings->quiet) {
        hp_cli_message(HP_MESSAGE("fail-if-passed", "--fail-if passed: %s %s"),
                       first.name, text);
    } else if (outcome->is_open) {
        hp_cli_message(HP_MESSAGE(
            "fail-if-open",
            "--fail-if: no verdict, as parts of the dumps cannot be compared"));
        for (size_t i = 0; i < hp_view_caution_count(view); i++) {
            hp_cli_message("%s", hp_view_caution(view, i));
        }
    }
}

// Warn of rows omitted because of --max-bytes, if the report is for programs: it does not
// say itself that rows are missing.
static void warn_of_cut(const struct hp_cli_settings *settings,
                        const struct hp_view *view) {
    size_t left_out = hp_view_left_out(view);
    if (left_out > 0 && !is_for_people(settings) && !settings->quiet) {
        hp_cli_message(HP_MESSAGE("rows-cut",
                                  "warning: %zu row%s dropped by --max-bytes=%llu"),
                       left_out, left_out == 1 ? " is" : "s are",
                       (unsigned long long)settings->report.max_bytes);
    }
}

// Replace names in the profile by hashes if --redact was given.  The key must never be in
// a message or report.
static int redact(const struct hp_cli_settings *settings, struct hp_profile *profile,
                  struct hp_err *err) {
    const char *key = settings->redact_key_size > 0 ? settings->redact_key : NULL;
    return settings->redacts
               ? hp_profile_redact(profile, key, settings->redact_key_size, err)
               : HP_OK;
}

// Name the frames, print warnings, write the report and evaluate --fail-if.
static int report(const struct hp_cli_settings *settings,
                  const struct hp_report_options *options,
                  const struct hp_symbol_options *symbols, struct hp_profile *profile,
                  struct hp_cli_outfile *out, struct hp_cli_outcome *outcome,
                  struct hp_err *err) {
    if (wants_names(settings) ||
        (settings->read.with_names && format_can(settings, HP_IS_PARTIAL))) {
        hp_profile_symbolize(profile, symbols);
    }
    struct warnings warnings = {0};
    if (!is_for_people(settings) || settings->redacts) {
        take_warnings(&warnings, settings, profile);
    }
    struct hp_view *view = redact(settings, profile, err) == HP_OK
                               ? hp_view_new(profile, options, err)
                               : NULL;
    print_warnings(&warnings, view != NULL);
    bool warns = view != NULL && !settings->quiet && !is_for_people(settings);
    for (size_t i = 0; warns && i < hp_view_caution_count(view); i++) {
        hp_cli_message("warning: %s", hp_view_caution(view, i));
    }
    int ret = view ? write_view(view, out, err) : (int)err->code;
    if (ret == HP_OK) {
        warn_of_cut(settings, view);
    }
    // Missing names may be the reason why no pattern matches.
    if (ret == HP_E_EMPTY && settings->filter_count > 0 && settings->verbose) {
        take_warnings(&warnings, settings, profile);
        print_warnings(&warnings, true);
        warn_minor(settings, profile);
    }
    if (ret == HP_OK) {
        evaluate_gate(settings, view, outcome);
    }
    hp_view_free(view);
    return ret;
}

// --- paths of used inputs --------------------------------------------------------------

// Write a path: escaped if the output is a terminal, else unchanged.  Returns 0, or -1
// after a failed write.
static int put_path(struct hp_cli_outfile *out, const char *path) {
    char *safe = isatty(out->fd) ? hp_cli_safe(path) : NULL;
    const char *shown = safe != NULL ? safe : path;
    int ret = hp_cli_outfile_write(out, shown, strlen(shown));
    free(safe);
    return ret;
}

// Write one path of --used and `end`.  HP_E_USAGE if the path is "-" (standard
// input), or contains `end`.
static int print_path(const char *path, char end, struct hp_cli_outfile *out,
                      struct hp_err *err) {
    if (strcmp(path, "-") == 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("used-stdin",
                                      "--used: standard input has no path"));
    }
    if (end != '\0' && strchr(path, end) != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("used-newline",
                                      "a path has a newline. Use --null for such lists"));
    }
    bool is_written = put_path(out, path) == 0 && hp_cli_outfile_write(out, &end, 1) == 0;
    return is_written ? HP_OK : hp_cli_outfile_failed(out, err);
}

// Write the paths of the inputs that were used, for --used.
static int print_used(const struct hp_cli_settings *settings,
                      const struct hp_profile *profile, struct hp_cli_outfile *out,
                      struct hp_err *err) {
    int ret = HP_OK;
    hp_cli_job_warn(settings, profile);
    for (size_t i = 0; ret == HP_OK && i < hp_profile_input_count(profile); i++) {
        const struct hp_input *input = hp_profile_input(profile, i);
        if (input->status <= HP_INPUT_KEPT_DAMAGED) {
            char end = settings->null_separated ? '\0' : '\n';
            ret = print_path(input->name, end, out, err);
        }
    }
    return ret == HP_OK ? hp_cli_outfile_commit(out, err) : ret;
}

// The options of the report; they borrow from the settings.
static struct hp_report_options options_of(const struct hp_cli_settings *settings) {
    struct hp_report_options options = settings->report;
    options.text.color = wants_color(settings);
    if (settings->verbose && is_for_people(settings) &&
        options.frames.names == HP_NAMES_DEFAULT) {
        options.frames.names = HP_NAMES_FULL;
    }
    options.names_readers = settings->verbose;
    options.memory_limit = settings->verbose ? hp_cli_memory_limit_text() : NULL;
    options.text.width = width_of(settings);
    options.text.details = settings->verbose;
    options.text.ascii = writes_to_terminal(settings) && !hp_cli_knows_utf8();
    options.text.again = (const char *const *)settings->again;
    options.text.again_count = settings->again_count;
    options.text.again_options = settings->again_options;
    options.gate = settings->has_gate ? &settings->gate : NULL;
    options.filters = settings->filters;
    options.filter_count = settings->filter_count;
    options.groups =
        (struct hp_group_rules){settings->group_rules, settings->group_rule_count};
    options.frames.rules = settings->rules;
    options.frames.rule_count = settings->rule_count;
    options.sources.dirs = settings->source_dirs.items;
    options.sources.count = settings->source_dirs.count;
    options.sources.only = settings->symbol_dirs_only;
    return options;
}

// Read the inputs in `list` and write the report to `out`.
static int run(const struct hp_cli_settings *settings, const struct hp_cli_filelist *list,
               struct hp_cli_outfile *out, struct hp_cli_outcome *outcome,
               struct hp_err *err) {
    struct hp_report_options options = options_of(settings);
    struct hp_symbol_options symbols = hp_cli_job_symbols(settings);
    struct hp_profile *profile = hp_profile_new();
    hp_cli_job_start_progress(settings);
    int ret = read_inputs(settings, &options, &symbols, list, out, profile, err);
    outcome->skipped =
        hp_cli_input_diagnostics(profile, settings, ret == HP_OK ? NULL : err);
    if (settings->prints_used) {
        ret = ret == HP_OK ? print_used(settings, profile, out, err) : ret;
    } else if (ret == HP_OK) {
        ret = report(settings, &options, &symbols, profile, out, outcome, err);
    } else if (is_explained_by_info(settings, ret)) {
        struct hp_err read_error = *err;
        ret = report(settings, &options, &symbols, profile, out, outcome, err) == HP_OK
                  ? (int)read_error.code
                  : (int)err->code;
    }
    hp_profile_free(profile);
    return ret;
}

int hp_cli_job_check_sandbox(const struct hp_cli_settings *settings, struct hp_err *err) {
    bool required = settings->read.sandbox == HP_SANDBOX_REQUIRE;
    const char *missing = required ? hp_sandbox_missing() : "";
    return *missing == '\0'
               ? HP_OK
               : hp_cli_fail(err, HP_E_USAGE,
                             HP_MESSAGE("sandbox-required",
                                        "--sandbox=require: this system lacks %s"),
                             missing);
}

int hp_cli_job_run(const struct hp_cli_settings *settings, struct hp_cli_outcome *outcome,
                   struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    struct hp_cli_filelist list = {0};
    int ret = hp_cli_job_check_sandbox(settings, err);
    if (ret == HP_OK) {
        ret = hp_cli_job_collect(settings, &list, err);
    }
    if (ret == HP_OK) {
        ret = open_output(settings, &list, &out, err);
    }
    if (ret == HP_OK) {
        ret = run(settings, &list, &out, outcome, err);
    }
    hp_cli_outfile_discard(&out);
    hp_cli_filelist_done(&list);
    return ret;
}

// --- digests ---------------------------------------------------------------------------

// Write "DIGEST  PATH", as sha256sum does.
static int print_digest(const char *path, struct hp_cli_outfile *out,
                        struct hp_err *err) {
    char digest[HP_DIGEST_SIZE];
    int ret = hp_partial_digest(path, digest, err);
    if (ret != HP_OK) {
        return ret;
    }
    bool is_written = hp_cli_outfile_write(out, digest, strlen(digest)) == 0 &&
                      hp_cli_outfile_write(out, "  ", 2) == 0 &&
                      put_path(out, path) == 0 && hp_cli_outfile_write(out, "\n", 1) == 0;
    return is_written ? HP_OK : hp_cli_outfile_failed(out, err);
}

int hp_cli_job_digest(const struct hp_cli_settings *settings, struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    int ret = hp_cli_outfile_open(&out, NULL, err);
    for (size_t i = 0; ret == HP_OK && i < settings->inputs.count; i++) {
        ret = print_digest(settings->inputs.items[i], &out, err);
    }
    ret = ret == HP_OK ? hp_cli_outfile_commit(&out, err) : ret;
    hp_cli_outfile_discard(&out);
    return ret;
}
