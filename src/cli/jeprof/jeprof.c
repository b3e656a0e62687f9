#include "cli/jeprof/jeprof.h"

#include "cli/diagnostics.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/safetext.h"
#include "cli/storage.h"
#include "cli/terminal.h"

#include <ctype.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hp_jeprof_is_meant(const char *program) {
    const char *name = hp_jeprof_basename(program);
    return strcmp(name, "jeprof") == 0 || strcmp(name, "hprof-jeprof") == 0 ||
           strcmp(name, "google-pprof") == 0;
}

// --- help ------------------------------------------------------------------------------

// Print the help of this command line.
static void print_help(void) {
    fputs(
        "Usage: hprof-jeprof [options] [program] dump...\n\n"
        "Takes the options of jeprof, and undoes the sampling as hprof-agg does.  The\n"
        "program is not needed if the dump has a memory map; - is standard input.\n\n",
        stdout);
    for (size_t i = 0; i < HP_JEPROF_OPTIONS; i++) {
        const char *name, *value, *text = hp_jeprof_option_help(i, &name, &value);
        if (text != NULL) {
            printf("  --%s%-*s %s\n", name, (int)(20 - strlen(name)), value, text);
        }
    }
}

// --- operands --------------------------------------------------------------------------

// Whether the word is a URL, by the rules of jeprof: "http://host/", "host:8080",
// "host:8080/pprof/heap".
static bool is_url(const char *word) {
    size_t host = strcspn(word, ":/");
    return access(word, F_OK) != 0 &&
           (strstr(word, "://") != NULL ||
            (host > 0 && word[host] == ':' && isdigit((unsigned char)word[host + 1])));
}

// Whether the file is a binary or a script.  Pipes are always dumps, and are not read.
static bool is_program(const char *path) {
    char head[4] = "";
    struct stat status;
    struct hp_err err;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    int fd = hp_open_input(path, false, &err);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return got >= 2 && (memcmp(head, "#!", 2) == 0 ||
                        (got == sizeof head && memcmp(head, "\177ELF", 4) == 0));
}

// Fail with HP_E_UNSUPPORTED.  Suggests a command only if it can be pasted: the shell
// takes the URL as one word, curl takes it as a URL, and the message has room for it.
static int refuse_url(const char *url, struct hp_err *err) {
    char *word = hp_cli_quoted(url);
    bool fits = word != NULL && isalnum((unsigned char)*url) &&
                strlen(word) < sizeof err->message / 2;
    const char *scheme = strstr(url, "://") != NULL ? "" : "http://";
    if (fits) {
        char with_scheme[sizeof err->message];
        snprintf(with_scheme, sizeof with_scheme, "'%s%s", scheme, word + 1);
        hp_cli_fail(err, HP_E_UNSUPPORTED,
                    HP_MESSAGE("jeprof-net-url",
                               "no network is used: curl -s %s | hprof-jeprof - --text"),
                    with_scheme);
    } else {
        hp_cli_fail(err, HP_E_UNSUPPORTED,
                    HP_MESSAGE("jeprof-net",
                               "no network is used: save the dump to a file first"));
    }
    free(word);
    return HP_E_UNSUPPORTED;
}

// Index of the program among the operands, or their number if there is none.  The program
// may be at any place, since dumps are recognised by their content.  A first operand of
// several that does not exist is taken for a program that was removed.
static size_t find_program(const struct hp_cli_words *words) {
    for (size_t i = 0; i < words->count; i++) {
        if (is_program(words->items[i])) {
            return i;
        }
    }
    bool is_gone = words->count > 1 && strcmp(words->items[0], "-") != 0 &&
                   access(words->items[0], F_OK) != 0;
    return is_gone ? 0 : words->count;
}

// Remove the program from the operands; the rest are dumps.  HP_E_USAGE if there is no
// dump.
static int split_operands(struct hp_jeprof_options *options, const char **program,
                          struct hp_err *err) {
    struct hp_cli_words *words = &options->operands;
    for (size_t i = 0; i < words->count; i++) {
        if (is_url(words->items[i])) {
            return refuse_url(words->items[i], err);
        }
    }
    if (words->count == 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("jeprof-no-program", "Did not specify program"));
    }
    size_t at = find_program(words);
    if (at < words->count) {
        *program = words->items[at];
        words->count--;
        memmove(words->items + at, words->items + at + 1,
                (words->count - at) * sizeof *words->items);
    }
    return words->count > 0 ? HP_OK
                            : hp_cli_fail(err, HP_E_USAGE,
                                          HP_MESSAGE("jeprof-no-profile",
                                                     "Did not specify profile file"));
}

// Print the line about an input that jeprof prints; scripts filter exactly this line.
static void print_local_file(const char *path) {
    struct stat status;
    if (path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        hp_cli_say(HP_MESSAGE("jeprof-local-file", "Using local file %s."), path);
    }
}

// --- reading ---------------------------------------------------------------------------

// Print which dump of a process is used.  The library's text names choices of
// --dumps, which are replaced by the only choice here, --sum.
static void print_moment(const char *moment) {
    const char *choices = strstr(moment, "; --dumps");
    size_t size = choices != NULL ? (size_t)(choices - moment) : strlen(moment);
    hp_cli_message(HP_MESSAGE("jeprof-moment", "%.*s; --sum adds all up"), (int)size,
                   moment);
}

// Read the dumps into `profile`, and print diagnostics.
static int read_dumps(const struct hp_jeprof_options *options, const char *const *paths,
                      size_t count, struct hp_profile *profile, struct hp_err *err) {
    bool sums = options->exact || options->is_on[HP_JEPROF_SUM];
    struct hp_read_options read = {
        .wait = true, // like jeprof
        .estimator = options->exact ? HP_ESTIMATOR_JEPROF : HP_ESTIMATOR_BEST,
        .skip_duplicates = !options->exact,
        .count_duplicates = options->exact,
        .thread = options->text[HP_JEPROF_THREAD],
        .sandbox = options->settings.read.sandbox,
        .snapshots = sums ? HP_SNAPSHOTS_SUM : HP_SNAPSHOTS_LAST,
    };
    int ret = hp_profile_read(profile, paths, count, &read, err);
    struct hp_cli_settings settings = {0};
    hp_cli_input_diagnostics(profile, &settings, ret == HP_OK ? NULL : err);
    for (size_t i = 0; ret == HP_OK && i < hp_profile_moment_count(profile); i++) {
        print_moment(hp_profile_moment(profile, i));
    }
    return ret;
}

// Make a path map from each program that was profiled to `program`, the binary on the
// command line, which is then read instead.  Returns their number; the caller frees *maps
// and the strings in it.
static size_t find_programs(const struct hp_profile *profile, const char *program,
                            struct hp_path_map **maps) {
    struct hp_report_options options = {.by = HP_BY_PROGRAM, .no_error = true};
    struct hp_err err = {0};
    struct hp_view *view = program != NULL ? hp_view_new(profile, &options, &err) : NULL;
    char *to = program != NULL ? realpath(program, NULL) : NULL;
    size_t count = view != NULL && to != NULL ? hp_view_row_count(view) : 0;
    *maps = NULL;
    for (size_t i = 0; i < count; i++) {
        char *from = strdup(hp_view_row(view, i)->name);
        *maps = hp_cli_grow(*maps, i, sizeof **maps);
        (*maps)[i] = (struct hp_path_map){from, strdup(to)};
    }
    free(to);
    hp_view_free(view);
    return count;
}

// Split the value "A,B" of --lib_prefix, which may be NULL, and append its parts to
// `prefixes`.  Returns the memory of the parts, which the caller frees.
static char *split_prefixes(const char *text, struct hp_cli_words *prefixes) {
    char *copy = text != NULL ? strdup(text) : NULL, *rest = NULL;
    char *word = copy != NULL ? strtok_r(copy, ",", &rest) : NULL;
    for (; word != NULL; word = strtok_r(NULL, ",", &rest)) {
        hp_cli_words_add(prefixes, word);
    }
    return copy;
}

// Name the frames of the profile, and print warnings.
static void symbolize(const struct hp_jeprof_options *options, const char *program,
                      struct hp_profile *profile) {
    struct hp_cli_words prefixes = {0};
    struct hp_path_map *maps;
    char *text = split_prefixes(options->text[HP_JEPROF_LIB_PREFIX], &prefixes);
    size_t map_count = find_programs(profile, program, &maps);
    struct hp_symbol_options symbols = {
        .symbol_dirs = prefixes.items,
        .symbol_dir_count = prefixes.count,
        .path_maps = maps,
        .path_map_count = map_count,
        .sandbox = options->settings.read.sandbox,
    };
    hp_profile_symbolize(profile, &symbols);
    for (size_t i = 0; i < hp_profile_warning_count(profile); i++) {
        hp_cli_message("warning: %s", hp_profile_warning(profile, i));
    }
    for (size_t i = 0; i < map_count; i++) {
        free((void *)(uintptr_t)maps[i].from);
        free((void *)(uintptr_t)maps[i].to);
    }
    free(maps);
    free(prefixes.items);
    free(text);
}

// Read the dumps (sign 1) or the base (sign -1) into the session, name their frames and
// add their stacks.
static int read_side(struct hp_jeprof_session *session, const char *const *paths,
                     size_t count, double sign, struct hp_err *err) {
    struct hp_profile **profile = sign > 0 ? &session->profile : &session->base;
    *profile = hp_profile_new();
    int ret = read_dumps(session->options, paths, count, *profile, err);
    if (ret == HP_OK) {
        symbolize(session->options, session->program, *profile);
        ret = hp_jeprof_stacks_add(&session->stacks, *profile, sign, err);
    }
    return ret;
}

// Read all inputs, match the patterns of options and remove the frames that reports omit
// from the stacks.
static int read_all(struct hp_jeprof_session *session, struct hp_err *err) {
    static const enum hp_jeprof_option patterns[] = {HP_JEPROF_FOCUS, HP_JEPROF_IGNORE,
                                                     HP_JEPROF_RETAIN, HP_JEPROF_EXCLUDE};
    struct hp_jeprof_options *options = session->options;
    print_local_file(session->program);
    for (size_t i = 0; i < options->operands.count; i++) {
        print_local_file(options->operands.items[i]);
    }
    int ret =
        read_side(session, options->operands.items, options->operands.count, 1, err);
    const char *base = options->text[HP_JEPROF_BASE];
    if (ret == HP_OK && base != NULL) {
        ret = read_side(session, &base, 1, -1, err);
    }
    for (size_t i = 0; ret == HP_OK && i < sizeof patterns / sizeof *patterns; i++) {
        ret = hp_jeprof_stacks_match(&session->stacks, options->text[patterns[i]],
                                     patterns[i], err);
    }
    if (ret == HP_OK) {
        hp_jeprof_stacks_reduce(&session->stacks);
    }
    return ret;
}

// --- the command line ------------------------------------------------------------------

// Whether to start the shell: on a terminal, as jeprof does, and also if commands come
// through a pipe or from a here-document.  Waits 0.1 s at most for a pipe.
static bool wants_shell(const struct hp_jeprof_options *options) {
    struct stat status;
    if (options->mode != HP_JEPROF_OPTIONS) {
        return options->mode == HP_JEPROF_INTERACTIVE;
    }
    if (hp_cli_is_terminal(STDOUT_FILENO) || isatty(STDOUT_FILENO)) {
        return true;
    }
    for (size_t i = 0; i < options->operands.count; i++) {
        if (strcmp(options->operands.items[i], "-") == 0) {
            return false;
        }
    }
    if (fstat(STDIN_FILENO, &status) != 0 ||
        !(S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode))) {
        return false;
    }
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int first = poll(&input, 1, 100) > 0 ? fgetc(stdin) : EOF;
    return first != EOF && ungetc(first, stdin) != EOF;
}

// Run the shell, or write the report that was chosen.
static int report(struct hp_jeprof_session *session, struct hp_err *err) {
    const struct hp_jeprof_options *options = session->options;
    if (wants_shell(options)) {
        hp_jeprof_shell(session);
        return HP_OK;
    }
    return options->mode == HP_JEPROF_LIST
               ? hp_jeprof_library_report(session, options->text[HP_JEPROF_LIST], NULL,
                                          HP_REPORT_LIST, err)
               : hp_jeprof_report(session, NULL, options->mode, err);
}

// Run with parsed options: check them, read the inputs, and write the report or start the
// shell.
static int run(struct hp_jeprof_options *options, struct hp_err *err) {
    struct hp_jeprof_session session = {.options = options, .stacks.options = options};
    int ret = split_operands(options, &session.program, err);
    if (ret == HP_OK) {
        session.title = hp_cli_safe(session.program != NULL ? session.program
                                                            : options->operands.items[0]);
        ret = hp_jeprof_options_check(options, err);
    }
    ret = ret == HP_OK ? hp_cli_job_check_sandbox(&options->settings, err) : ret;
    ret = ret == HP_OK ? read_all(&session, err) : ret;
    ret = ret == HP_OK ? report(&session, err) : ret;
    hp_jeprof_stacks_done(&session.stacks);
    hp_profile_free(session.profile);
    hp_profile_free(session.base);
    free(session.title);
    return ret;
}

int hp_jeprof_run(int count, char *const *words) {
    struct hp_jeprof_options options;
    struct hp_err err = {0};
    int ret = hp_jeprof_options_read(&options, count, words, &err);
    if (ret == HP_OK && options.is_on[HP_JEPROF_HELP]) {
        print_help();
    } else if (ret == HP_OK && options.is_on[HP_JEPROF_VERSION]) {
        printf("jeprof, as hprof-agg %s has it\n", hp_version());
    } else if (ret == HP_OK) {
        hp_cli_limit_memory(options.settings.max_memory);
        ret = run(&options, &err);
    }
    if (err.message[0] != '\0') {
        hp_cli_message_err(&err);
    }
    hp_jeprof_options_done(&options);
    return ret == HP_OK ? 0 : 1;
}
