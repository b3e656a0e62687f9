// The interactive shell: "top20 --cum focus -ignore" and other commands of jeprof's
// shell.
#include "cli/jeprof/jeprof.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/safetext.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Commands:\n"
    "  top[N] [--cum] [--lines] [focus] [-ignore]  the N largest rows, or 10; text is "
    "the same\n"
    "  list REGEX [-ignore]  source of matching functions, line by line\n"
    "  peek REGEX [-ignore]  callers and callees of matching functions\n"
    "  callgrind FILE write for KCachegrind\n"
    "  dot FILE       write for Graphviz\n"
    "  svg FILE       draw the graph of calls; pdf FILE is the same\n"
    "  help, quit\n";

// The options of one command of the shell, which apply to this command only.  Each
// pattern has room for all words of the line.
struct shell_command {
    char *focus, *ignore; // alternatives, joined by "|"; "" for none; owned
    bool cum, lines;
};

// Append a word to the alternatives of a pattern.
static void add_pattern(char *pattern, const char *word) {
    if (*pattern != '\0') {
        strcat(pattern, "|");
    }
    strcat(pattern, word);
}

// Allocate an empty pattern with room for `size` bytes.
static char *new_pattern(size_t size) {
    char *pattern = hp_cli_resize(NULL, size + 1);
    *pattern = '\0';
    return pattern;
}

static void command_done(struct shell_command *command) {
    free(command->focus);
    free(command->ignore);
}

// Parse the words after the name of a command; `words` is changed.  Release the result
// with command_done().
static struct shell_command command_of(char *words) {
    size_t size = strlen(words);
    struct shell_command command = {.focus = new_pattern(size),
                                    .ignore = new_pattern(size)};
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        const char *name = word + strspn(word, "-");
        if (*word == '-' && strcmp(name, "cum") == 0) {
            command.cum = true;
        } else if (*word == '-' && strcmp(name, "lines") == 0) {
            command.lines = true;
        } else {
            add_pattern(*word == '-' ? command.ignore : command.focus,
                        *word == '-' ? word + 1 : word);
        }
    }
    return command;
}

// Set the pattern of focus or ignore (`as`) in the options, and mark the frames that it
// matches.  NULL: no pattern.
static int match(struct hp_jeprof_session *session, enum hp_jeprof_option as,
                 const char *pattern, struct hp_err *err) {
    session->options->text[as] = pattern;
    return hp_jeprof_stacks_match(&session->stacks, pattern, as, err);
}

// Print the share of the shown stacks: "After focusing on 'x': 3.1 MB of 8.5 MB (36.5%)".
static void print_part(const struct hp_jeprof_session *session, const char *what,
                       const char *pattern) {
    const struct hp_jeprof_stacks *stacks = &session->stacks;
    double part = hp_jeprof_shown(stacks);
    const char *units = hp_jeprof_units(session->options);
    char *safe = hp_cli_safe(pattern);
    printf("After %s '%s': %s %s of %s %s (%s)\n", what, safe,
           hp_jeprof_number(session->options, part).text, units,
           hp_jeprof_number(session->options, stacks->total).text, units,
           hp_jeprof_share(part, stacks->total).text);
    free(safe);
}

// Print the total and the table of `limit` rows (0: all), with the options of the
// command; then restore those of the command line.
static int top(struct hp_jeprof_session *session, size_t limit,
               const struct shell_command *command, struct hp_err *err) {
    struct hp_jeprof_options *options = session->options, before = *options;
    options->is_on[HP_JEPROF_CUM] = command->cum;
    hp_jeprof_write_total(stdout, &session->stacks, NULL);
    int ret = HP_OK;
    if (*command->focus != '\0') {
        ret = match(session, HP_JEPROF_FOCUS, command->focus, err);
        if (ret == HP_OK) {
            print_part(session, "focusing on", command->focus);
        }
    }
    if (ret == HP_OK && *command->ignore != '\0') {
        ret = match(session, HP_JEPROF_IGNORE, command->ignore, err);
        if (ret == HP_OK) {
            print_part(session, "ignoring", command->ignore);
        }
    }
    if (ret == HP_OK) {
        hp_jeprof_stacks_group(&session->stacks, command->lines ? HP_BY_LINE : before.by);
        hp_jeprof_write_text(stdout, &session->stacks, limit);
        hp_jeprof_stacks_group(&session->stacks, before.by);
    }
    const char *focus = before.text[HP_JEPROF_FOCUS],
               *ignore = before.text[HP_JEPROF_IGNORE];
    struct hp_err other;
    // Restores the patterns of the command line.
    match(session, HP_JEPROF_FOCUS, focus, &other);
    match(session, HP_JEPROF_IGNORE, ignore, &other);
    *options = before;
    return ret;
}

// Whether a line begins with `word`; *rest is then the text after it.
static bool begins(char *line, const char *word, char **rest) {
    size_t size = strlen(word);
    *rest = line + size;
    return strncmp(line, word, size) == 0;
}

// HP_E_USAGE if `path` is a file that this run reads, since its content would be lost.
static int refuse_read(const struct hp_jeprof_session *session, const char *path,
                       struct hp_err *err) {
    const struct hp_jeprof_options *options = session->options;
    const char *base = options->text[HP_JEPROF_BASE], *program = session->program;
    const char *commands = "-";
    const struct hp_cli_words bases = {&base, base != NULL},
                              programs = {&program, program != NULL},
                              lines = {&commands, 1};
    const struct hp_cli_read_files read[] = {{"dump", &options->operands},
                                             {"dump", &bases},
                                             {"program", &programs},
                                             {"list of commands", &lines}};
    return hp_cli_outfile_refuse("", path, read, sizeof read / sizeof *read, err);
}

// Write the report `mode` (a graph, or calls for KCachegrind) to the file that `rest`,
// the rest of the line, names.
static int write_file(struct hp_jeprof_session *session, char *rest,
                      enum hp_jeprof_option mode, struct hp_err *err) {
    rest += strspn(rest, " \t");
    rest[strcspn(rest, " \t\r\n")] = '\0';
    if (*rest == '\0') {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("shell-no-file",
                                      "name a file: no other program is started"));
    }
    if (refuse_read(session, rest, err) != HP_OK) {
        return err->code;
    }
    hp_cli_say(HP_MESSAGE("shell-writing", "Writing to '%s'."), rest);
    return hp_jeprof_report(session, rest, mode, err);
}

// Print the library's report `kind` (list or peek) of functions that match one of the
// words, without stacks that match a word after "-".
static int report_of(const struct hp_jeprof_session *session, char *words,
                     enum hp_report_kind kind, struct hp_err *err) {
    struct shell_command command = command_of(words);
    const char *ignore = *command.ignore != '\0' ? command.ignore : NULL;
    int ret =
        *command.focus == '\0'
            ? hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("shell-no-regex", "which functions? \"list main\""))
            : hp_jeprof_library_report(session, command.focus, ignore, kind, err);
    command_done(&command);
    return ret;
}

// Run the command in one line.
static int run(struct hp_jeprof_session *session, char *line, struct hp_err *err) {
    char *rest;
    if (begins(line, "top", &rest) || begins(line, "text", &rest)) {
        size_t limit = isdigit((unsigned char)*rest) ? strtoul(rest, &rest, 10) : 10;
        struct shell_command command = command_of(rest);
        int ret = top(session, limit, &command, err);
        command_done(&command);
        return ret;
    }
    bool is_peek = begins(line, "peek", &rest);
    if (is_peek || begins(line, "list", &rest)) {
        return report_of(session, rest, is_peek ? HP_REPORT_PEEK : HP_REPORT_LIST, err);
    }
    if (begins(line, "callgrind", &rest)) {
        return write_file(session, rest, HP_JEPROF_CALLGRIND, err);
    }
    if (begins(line, "dot", &rest)) {
        return write_file(session, rest, HP_JEPROF_DOT, err);
    }
    if (begins(line, "svg", &rest)) {
        return write_file(session, rest, HP_JEPROF_SVG, err);
    }
    if (begins(line, "pdf", &rest)) {
        return write_file(session, rest, HP_JEPROF_PDF, err);
    }
    if (begins(line, "web", &rest) || begins(line, "gv", &rest) ||
        begins(line, "evince", &rest)) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("shell-no-viewer",
                       "no program is started: \"svg x.svg\", for a viewer of your own"));
    }
    if (begins(line, "disasm", &rest)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("shell-no-disassembly",
                                      "nothing is disassembled: list shows lines"));
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("shell-unknown", "Unknown command: try 'help'."));
}

void hp_jeprof_shell(struct hp_jeprof_session *session) {
    char *line = NULL, *rest;
    size_t room = 0;
    fputs("Welcome to jeprof!  For help, type 'help'.\n", stderr);
    for (;;) {
        fflush(stdout);
        fputs("(jeprof) ", stderr);
        if (getline(&line, &room, stdin) < 0) {
            fputc('\n', stderr);
            break;
        }
        char *command = line + strspn(line, " \t\r\n");
        struct hp_err err = {0};
        if (begins(command, "quit", &rest) || strcmp(command, "q\n") == 0) {
            break;
        }
        if (begins(command, "help", &rest)) {
            fputs(help, stderr);
        } else if (*command != '\0' && run(session, command, &err) != HP_OK &&
                   err.message[0] != '\0') {
            hp_cli_message_err(&err);
        }
    }
    free(line);
}
