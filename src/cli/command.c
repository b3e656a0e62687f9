#include "cli/command.h"

#include "cli/message.h"
#include "cli/suggestion.h"

#include <string.h>
#include <unistd.h>

// clang-format off
static const struct hp_cli_command commands[] = {
    {"top", "INPUT...", HP_CLI_TOP, HP_REPORT_TOP,
     "which functions hold, or allocated, the memory"},
    {"tree", "INPUT...", HP_CLI_TREE, HP_REPORT_TREE,
     "who calls the functions that hold the memory, from the roots on"},
    {"peek", "REGEX INPUT...", HP_CLI_PEEK, HP_REPORT_PEEK,
     "who calls the functions that match, and whom they call", true},
    {"list", "REGEX INPUT...", HP_CLI_LIST, HP_REPORT_LIST,
     "the source of the functions that match, line by line", true},
    {"stacks", "INPUT...", HP_CLI_STACKS, HP_REPORT_STACKS,
     "every distinct stack with its values"},
    {"diff", "BASE NEW, or BASE... --to NEW...", HP_CLI_DIFF, HP_REPORT_DIFF,
     "what changed, and whether it is more than sampling noise"},
    {"trend", "INPUT...", HP_CLI_TREND, HP_REPORT_TREND,
     "how functions grew over a series of dumps of one process"},
    {"merge", "INPUT...", HP_CLI_MERGE, HP_REPORT_MERGE,
     "all inputs as one profile, for other tools"},
    {"info", "INPUT...", HP_CLI_INFO, HP_REPORT_INFO,
     "what the inputs are: formats, sample periods, totals, modules, damage"},
    {"help", "[COMMAND]", HP_CLI_HELP, HP_REPORT_TOP,
     "how to use the tool, or one command with its options"},
    {"version", "", HP_CLI_VERSION, HP_REPORT_TOP,
     "the version of the tool"},
};

// clang-format on

size_t hp_cli_command_count(void) {
    return sizeof commands / sizeof *commands;
}

const struct hp_cli_command *hp_cli_command(size_t i) {
    return &commands[i];
}

const struct hp_cli_command *hp_cli_command_by_id(enum hp_cli_command_id id) {
    const struct hp_cli_command *command = commands;
    while (command->id != id) {
        command++;
    }
    return command;
}

// NULL if several write it, and `merge` does not: text, for people, and the like.
static const struct hp_cli_command *command_of_format(const char *format) {
    const struct hp_cli_command *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        bool reports = (commands[i].id & (HP_CLI_HELP | HP_CLI_VERSION)) == 0;
        if (reports && hp_format_fits(format, commands[i].kind)) {
            found = &commands[i];
            count++;
        }
    }
    bool merges = hp_format_fits(format, HP_REPORT_MERGE);
    return merges ? hp_cli_command_by_id(HP_CLI_MERGE) : count == 1 ? found : NULL;
}

const char *hp_cli_format_word(size_t i, const struct hp_cli_command **command) {
    for (size_t all = 0; all < hp_format_count(); all++) {
        *command = command_of_format(hp_format_name(all));
        if (*command != NULL && i-- == 0) {
            return hp_format_name(all);
        }
    }
    return NULL;
}

static int unknown(const char *word, struct hp_err *err) {
    struct hp_cli_suggestion suggestion = {.word = word};
    const char *name;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        hp_cli_suggestion_try(&suggestion, commands[i].name);
    }
    for (size_t i = 0; i < hp_format_count(); i++) {
        name = hp_format_name(i);
        if (strcmp(word, name) == 0) {
            return hp_cli_fail(err, HP_E_USAGE,
                               "%s is a format, not a command: hprof-agg top --format=%s",
                               name, name);
        }
        hp_cli_suggestion_try(&suggestion, name);
    }
    if (strcmp(word, "-") == 0 || access(word, F_OK) == 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           "%s is not a command, did you mean \"hprof-agg top %s\"?",
                           word, word);
    }
    if (suggestion.best != NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "unknown command %s, did you mean %s?", word,
                           suggestion.best);
    }
    return hp_cli_fail(err, HP_E_USAGE, "unknown command %s, see hprof-agg help", word);
}

int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err) {
    *format = NULL;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        if (strcmp(word, commands[i].name) == 0) {
            *command = &commands[i];
            return HP_OK;
        }
    }
    const struct hp_cli_command *writer;
    const char *name;
    for (size_t i = 0; (name = hp_cli_format_word(i, &writer)) != NULL; i++) {
        if (strcmp(word, name) == 0) {
            *command = writer;
            *format = name;
            return HP_OK;
        }
    }
    return unknown(word, err);
}
