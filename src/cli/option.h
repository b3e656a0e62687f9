// The options, as one table: parsing, help, completions and the manual come from it.
#ifndef HP_CLI_OPTION_H
#define HP_CLI_OPTION_H

#include "cli/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum hp_cli_group {
    HP_CLI_GROUP_INPUT,
    HP_CLI_GROUP_MEASURE,
    HP_CLI_GROUP_GROUPING,
    HP_CLI_GROUP_FILTER,
    HP_CLI_GROUP_TABLE,
    HP_CLI_GROUP_SYMBOLS,
    HP_CLI_GROUP_OUTPUT,
    HP_CLI_GROUP_MACHINE,
    HP_CLI_GROUP_OTHER,
    HP_CLI_GROUPS,
};

// What may be given to an option, so that a shell can complete it.
enum hp_cli_value {
    HP_CLI_NO_VALUE,
    HP_CLI_TEXT,
    HP_CLI_FILE,
    HP_CLI_DIRECTORY,
    HP_CLI_CHOICE, // one of `choices`
    HP_CLI_FORMAT, // one of the library's formats
};

struct hp_cli_option;

// Store `value`, which may be cut into pieces and outlives the settings.
typedef int hp_cli_set_fn(struct hp_cli_settings *settings,
                          const struct hp_cli_option *option, char *value,
                          struct hp_err *err);

struct hp_cli_option {
    const char *name; // without the dashes
    char letter;      // or '\0'
    enum hp_cli_value value;
    const char *value_name;     // in the help; NULL if it takes none
    const char *const *choices; // of HP_CLI_CHOICE, ends in NULL; [0] is the default
    enum hp_cli_group group;
    unsigned commands; // the enum hp_cli_command_id it concerns
    const char *help;  // in one line, without the choices
    hp_cli_set_fn *set;
    size_t field;   // the member of the settings that `set` stores to
    int number;     // what a flag stores, or what choices[0] stands for
    unsigned needs; // enum hp_format_ability of the formats it has an effect on; 0: all
};

// i < hp_cli_option_count(); in the order of the groups.
size_t hp_cli_option_count(void);
const struct hp_cli_option *hp_cli_option(size_t i);
const char *hp_cli_group_name(enum hp_cli_group group);

// Whether it has an effect on reports of this format.
bool hp_cli_option_fits(const struct hp_cli_option *option, const char *format);

// The names of those formats, as "text, json".
void hp_cli_option_formats(const struct hp_cli_option *option, char *text, size_t room);

// By name or unambiguous beginning of a name; else HP_E_USAGE.
int hp_cli_option_find(const char *name, const struct hp_cli_option **option,
                       struct hp_err *err);
// Go's tools, and pprof, take long options with a single dash, which here are letters: `name`
// stands behind one.  HP_E_USAGE if it is such an option, HP_OK if it may be letters.
int hp_cli_option_refuse_dash(const char *name, struct hp_err *err);

int hp_cli_option_find_letter(char letter, const struct hp_cli_option **option,
                              struct hp_err *err);

#endif
