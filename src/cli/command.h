// The commands, as a table.
#ifndef HP_CLI_COMMAND_H
#define HP_CLI_COMMAND_H

#include "hprof-agg/hprof-agg.h"

// Bits, so that an option can say which commands it concerns.
enum hp_cli_command_id {
    HP_CLI_TOP = 1 << 0,
    HP_CLI_STACKS = 1 << 1,
    HP_CLI_MERGE = 1 << 2,
    HP_CLI_INFO = 1 << 3,
    HP_CLI_HELP = 1 << 4,
    HP_CLI_VERSION = 1 << 5,
    HP_CLI_DIFF = 1 << 6,
    HP_CLI_TREND = 1 << 7,
    HP_CLI_TREE = 1 << 8,
    HP_CLI_PEEK = 1 << 9,
    HP_CLI_LIST = 1 << 10,
};

struct hp_cli_command {
    const char *name;
    const char *arguments; // what follows the options in a usage line, or ""
    enum hp_cli_command_id id;
    enum hp_report_kind kind; // for those that report
    const char *help;         // what it answers, in one line
    bool takes_pattern;       // before the inputs
};

// i < hp_cli_command_count().
size_t hp_cli_command_count(void);
const struct hp_cli_command *hp_cli_command(size_t i);
const struct hp_cli_command *hp_cli_command_by_id(enum hp_cli_command_id id);

// The formats whose names are words for a command, `merge --format=NAME` or, if another alone
// writes it, that one; i = 0, 1, ...; NULL after the last.
const char *hp_cli_format_word(size_t i, const struct hp_cli_command **command);

// By name.  Of a format's name `*format` is set, else it is NULL.  An unknown word is
// HP_E_USAGE, with the nearest name as a suggestion.
int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err);

#endif
