// The table of commands: one for each kind of report that has a help text, and seven
// others.
#ifndef HP_CLI_COMMAND_H
#define HP_CLI_COMMAND_H

#include "hprof-agg/hprof-agg.h"

#include <stdbool.h>
#include <stddef.h>

// Identities of commands.  Each is a bit, so that an option can list the commands that
// accept it in one number.  The bit of a report is derived from its kind.
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
    HP_CLI_PLAN = 1 << HP_REPORT_PLAN,
    // all reports, including kinds that are no command
    HP_CLI_REPORTS = (1 << HP_REPORT_KINDS) - 1,
    HP_CLI_HELP = 1 << HP_REPORT_KINDS,
    HP_CLI_VERSION = HP_CLI_HELP << 1,
    HP_CLI_MANIFEST = HP_CLI_HELP << 2,
    HP_CLI_ROWS = HP_CLI_HELP << 6,
    HP_CLI_READS = HP_CLI_REPORTS | HP_CLI_ROWS, // reads dumps
    HP_CLI_TAKES_INPUTS = HP_CLI_READS | HP_CLI_MANIFEST,
    HP_CLI_DIGEST = HP_CLI_HELP << 3,
    HP_CLI_JEPROF = HP_CLI_HELP << 4, // has options of its own, see jeprof/
    HP_CLI_DOCTOR = HP_CLI_HELP << 5, // the same, see doctor/
};

// One row of the table of commands, from which `help`, the completions and the parser are
// made.
struct hp_cli_command {
    const char *name;
    const char *arguments;    // the part of a usage line after the options, or ""
    const char *help;         // its purpose, in one line
    unsigned id;              // a bit of enum hp_cli_command_id
    enum hp_report_kind kind; // only for commands that report
    bool takes_pattern;       // the first word after the command is a pattern
};

// Access to the table of commands; i < hp_cli_command_count().  `id` has to be the bit of
// exactly one command.
size_t hp_cli_command_count(void);
const struct hp_cli_command *hp_cli_command(size_t i);
const struct hp_cli_command *hp_cli_command_by_id(unsigned id);

// Return word number i (0, 1, ...) of all words that may be given as a command: first the
// names of commands, then names of formats.  A format means `merge --format=NAME` or, if
// merge cannot write it and exactly one other command can, that command.  Sets *command
// to the command that the word means.  Returns NULL after the last word.
const char *hp_cli_command_word(size_t i, const struct hp_cli_command **command);

// Whether the word is a command or names any format, also one that several commands
// write.
bool hp_cli_command_is_known(const char *word);

// Find a command by its word.  If the word is the name of a format, *format is set to it,
// else to NULL. An unknown word is HP_E_USAGE; the message suggests the nearest name.
int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err);

// --- habits ----------------------------------------------------------------------------
//
// Options and commands that users of jeprof and pprof type, and what to use here instead.

// Advice for an option of jeprof or pprof, or a command of their shells: a sentence that
// follows "unknown option --lines: ".  If `begins` is true, `word` may be the beginning
// of a name.  NULL if the word is unknown or fits several entries.
const char *hp_cli_habit(const char *word, bool begins);

// Advice, as above, for the ending of a kind of file that no format here writes, such as
// "png"; NULL if there is none.
const char *hp_cli_habit_of_kind(const char *kind);

// Whether the input is an address on the network instead of a file; such inputs are never
// opened.
bool hp_cli_is_url(const char *input);
// Fail with HP_E_USAGE because inputs are never fetched from the network; the message
// suggests a curl command whose output `command` can read.
int hp_cli_fail_url(const char *url, const struct hp_cli_command *command,
                    struct hp_err *err);

#endif
