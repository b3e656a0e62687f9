// The commands: one for each kind of report that has a help, and five more.
#ifndef HP_CLI_COMMAND_H
#define HP_CLI_COMMAND_H

#include "hprof-agg/hprof-agg.h"

// Bits, so that an option can say which commands it concerns: of a report the bit of its kind.
enum hp_cli_command_id {
    HP_CLI_TOP = 1 << HP_REPORT_TOP,
    HP_CLI_TREE = 1 << HP_REPORT_TREE,
    HP_CLI_PEEK = 1 << HP_REPORT_PEEK,
    HP_CLI_LIST = 1 << HP_REPORT_LIST,
    HP_CLI_STACKS = 1 << HP_REPORT_STACKS,
    HP_CLI_DIFF = 1 << HP_REPORT_DIFF,
    HP_CLI_TREND = 1 << HP_REPORT_TREND,
    HP_CLI_MERGE = 1 << HP_REPORT_MERGE,
    HP_CLI_INFO = 1 << HP_REPORT_INFO,
    HP_CLI_ACCOUNT = 1 << HP_REPORT_ACCOUNT,
    HP_CLI_LIFETIME = 1 << HP_REPORT_LIFETIME,
    HP_CLI_REPORTS = (1 << HP_REPORT_KINDS) - 1, // also those without a name here
    HP_CLI_HELP = 1 << HP_REPORT_KINDS,
    HP_CLI_VERSION = HP_CLI_HELP << 1,
    HP_CLI_MANIFEST = HP_CLI_HELP << 2,
    HP_CLI_TAKES_INPUTS = HP_CLI_REPORTS | HP_CLI_MANIFEST,
    HP_CLI_DIGEST = HP_CLI_HELP << 3,
    HP_CLI_JEPROF = HP_CLI_HELP << 4, // whose options are its own
};

struct hp_cli_command {
    const char *name;
    const char *arguments;    // what follows the options in a usage line, or ""
    const char *help;         // what it answers, in one line
    unsigned id;              // a bit of enum hp_cli_command_id
    enum hp_report_kind kind; // for those that report
    bool takes_pattern;       // before the inputs
};

// i < hp_cli_command_count().
size_t hp_cli_command_count(void);
const struct hp_cli_command *hp_cli_command(size_t i);
const struct hp_cli_command *hp_cli_command_by_id(unsigned id);

// All words for commands: their names, and then those of formats, which mean `merge
// --format=NAME` or, if another alone writes it, that one; i = 0, 1, ...; NULL after the last.
const char *hp_cli_command_word(size_t i, const struct hp_cli_command **command);

// Whether the word is a command or names a format.
bool hp_cli_command_is_known(const char *word);

// By word.  Of a format's name `*format` is set, else it is NULL.  An unknown word is
// HP_E_USAGE, with the nearest name as a suggestion.
int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err);

#endif
