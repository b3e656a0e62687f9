#include "cli/command.h"

#include "cli/habits.h"
#include "cli/message.h"
#include "cli/suggestion.h"

#include <string.h>

// The table; five commands write no report.
struct commands {
    struct hp_cli_command at[HP_REPORT_KINDS + 5];
    size_t count;
};

// The operands of a report, for its usage line.
static const char *arguments_of(enum hp_report_kind kind) {
    unsigned takes = hp_report_takes(kind);
    return (takes & HP_TAKES_PATTERN) != 0 ? "REGEX INPUT..."
           : (takes & HP_TAKES_BASE) != 0  ? "BASE NEW, or BASE... --to NEW..."
           : (takes & HP_TAKES_STATS) != 0 ? "DUMP --stats=FILE, or DUMP STATS..."
                                           : "INPUT...";
}

// Append a command for each kind of report that has a help text.
static void add_reports(struct commands *commands) {
    for (enum hp_report_kind kind = 0; kind < HP_REPORT_KINDS; kind++) {
        if (hp_report_help(kind) != NULL) {
            commands->at[commands->count++] = (struct hp_cli_command){
                .name = hp_report_name(kind),
                .arguments = arguments_of(kind),
                .help = hp_report_help(kind),
                .id = 1u << kind,
                .kind = kind,
                .takes_pattern = (hp_report_takes(kind) & HP_TAKES_PATTERN) != 0,
            };
        }
    }
}

// The table, which is built at the first call.
static const struct commands *all_commands(void) {
    static struct commands commands;
    if (commands.count == 0) {
        add_reports(&commands);
        commands.at[commands.count++] = (struct hp_cli_command){
            .name = "manifest",
            .arguments = "--shards=N --output=PREFIX PATH...",
            .help =
                "lists of the dumps that count, by their names, for N tasks on any number of "
                "machines",
            .id = HP_CLI_MANIFEST,
        };
        commands.at[commands.count++] = (struct hp_cli_command){
            .name = "digest",
            .arguments = "PARTIAL...",
            .help = "SHA-256 of what partials hold: the same of the same dumps",
            .id = HP_CLI_DIGEST,
        };
        commands.at[commands.count++] = (struct hp_cli_command){
            .name = "jeprof",
            .arguments = "[PROGRAM] DUMP...",
            .help = "what jeprof does, with its options: also called hprof-jeprof",
            .id = HP_CLI_JEPROF,
        };
        commands.at[commands.count++] = (struct hp_cli_command){
            .name = "help",
            .arguments = "[COMMAND]",
            .help =
                "how to use the tool, or one command with its options; help frame-rules "
                "prints how frames are classified",
            .id = HP_CLI_HELP,
        };
        commands.at[commands.count++] = (struct hp_cli_command){
            .name = "version",
            .arguments = "",
            .help = "the version of the tool",
            .id = HP_CLI_VERSION,
        };
    }
    return &commands;
}

size_t hp_cli_command_count(void) {
    return all_commands()->count;
}

const struct hp_cli_command *hp_cli_command(size_t i) {
    return &all_commands()->at[i];
}

const struct hp_cli_command *hp_cli_command_by_id(unsigned id) {
    const struct hp_cli_command *command = hp_cli_command(0);
    while (command->id != id) {
        command++;
    }
    return command;
}

// The command that is run if the name of a format is given as a word: `merge` if that
// writes the format, else the only command that does.  NULL if several write it, as with
// text.
static const struct hp_cli_command *command_of_format(const char *format) {
    const struct hp_cli_command *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        const struct hp_cli_command *command = hp_cli_command(i);
        if ((command->id & HP_CLI_REPORTS) != 0 &&
            hp_format_fits(format, command->kind)) {
            found = command;
            count++;
        }
    }
    bool merges = hp_format_fits(format, HP_REPORT_MERGE);
    return merges ? hp_cli_command_by_id(HP_CLI_MERGE) : count == 1 ? found : NULL;
}

const char *hp_cli_command_word(size_t i, const struct hp_cli_command **command) {
    if (i < hp_cli_command_count()) {
        *command = hp_cli_command(i);
        return (*command)->name;
    }
    i -= hp_cli_command_count();
    for (size_t all = 0; all < hp_format_count(); all++) {
        *command = command_of_format(hp_format_name(all));
        if (*command != NULL && i-- == 0) {
            return hp_format_name(all);
        }
    }
    return NULL;
}

bool hp_cli_command_is_known(const char *word) {
    bool is_known = false;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        is_known |= strcmp(word, hp_cli_command(i)->name) == 0;
    }
    for (size_t i = 0; i < hp_format_count(); i++) {
        is_known |= strcmp(word, hp_format_name(i)) == 0;
    }
    return is_known;
}

// Fail with HP_E_USAGE and suggest what was meant: an option, another word or help.
static int unknown(const char *word, struct hp_err *err) {
    const char *instead = hp_cli_habit(word, false);
    struct hp_cli_suggestion suggestion = {.word = word};
    const char *name;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        hp_cli_suggestion_try(&suggestion, hp_cli_command(i)->name);
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
    if (instead != NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "unknown command %s: %s", word, instead);
    }
    if (suggestion.best != NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "unknown command %s, did you mean %s?", word,
                           suggestion.best);
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       "%s is no command and no file, see hprof-agg help", word);
}

int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err) {
    const char *name;
    for (size_t i = 0; (name = hp_cli_command_word(i, command)) != NULL; i++) {
        if (strcmp(word, name) == 0) {
            *format = name != (*command)->name ? name : NULL;
            return HP_OK;
        }
    }
    return unknown(word, err);
}
