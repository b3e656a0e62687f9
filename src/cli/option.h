// The table of options, from which the parser, help, completions and manual are made.
#ifndef HP_CLI_OPTION_H
#define HP_CLI_OPTION_H

#include "cli/settings.h"

#include <stdbool.h>
#include <stddef.h>

// Headings under which help and manual list the options.
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

// The kind of value that an option accepts, so that a shell can complete it.
enum hp_cli_value {
    HP_CLI_NO_VALUE,
    HP_CLI_TEXT,
    HP_CLI_FILE,
    HP_CLI_DIRECTORY,
    HP_CLI_CHOICE, // one of `choices`
    HP_CLI_FORMAT, // one of the library's formats
};

struct hp_cli_option;

// Convert `value` and store it in the settings.  The function may write into `value`,
// which outlives the settings.  Returns HP_OK or an error code, usually HP_E_USAGE.
typedef int hp_cli_set_fn(struct hp_cli_settings *settings,
                          const struct hp_cli_option *option, char *value,
                          struct hp_err *err);

// One row of the table.
struct hp_cli_option {
    const char *name; // without the dashes
    char letter;      // '\0': it has no short form
    enum hp_cli_value value;
    const char *value_name; // placeholder in the help; NULL if it takes no value
    // Values of an option of kind HP_CLI_CHOICE, up to NULL; [0] is the default.
    const char *const *choices;
    enum hp_cli_group group;
    unsigned commands; // bits of enum hp_cli_command_id: commands that accept it
    const char *help;  // one line, without the choices
    hp_cli_set_fn *set;
    size_t field; // offset of the member of the settings that `set` writes
    // An argument of `set`, see setter.h: the value that a flag stores, the value of
    // choices[0], the least number allowed, or a rule.
    int number;
    unsigned needs; // enum hp_format_ability of formats on which it has an effect; 0: all
};

// Access to the table of options, which is sorted by group; i < hp_cli_option_count().
size_t hp_cli_option_count(void);
const struct hp_cli_option *hp_cli_option(size_t i);
const char *hp_cli_group_name(enum hp_cli_group group);

// Whether the option has an effect on reports of this format.
bool hp_cli_option_fits(const struct hp_cli_option *option, const char *format);

// Write the names of the formats that the option fits to `text`, as "text, json"; `room`
// is its size.
void hp_cli_option_formats(const struct hp_cli_option *option, char *text, size_t room);

// Find an option by its name or an unambiguous beginning of it.  HP_E_USAGE if there is
// none or several.
int hp_cli_option_find(const char *name, const struct hp_cli_option **option,
                       struct hp_err *err);
// Refuse a long option with a single dash, as Go's tools and pprof accept them; here a
// single dash precedes letters.  `name` is the text after the dash.  Returns HP_E_USAGE
// if it is the name of a long option here, or of one of jeprof or pprof; HP_OK if it may
// be letters.
int hp_cli_option_refuse_dash(const char *name, struct hp_err *err);

// Find an option by its letter; HP_E_USAGE if there is none.
int hp_cli_option_find_letter(char letter, const struct hp_cli_option **option,
                              struct hp_err *err);

#endif
