// Parse argv into settings, and check that the options fit each other.
#ifndef HP_CLI_COMMANDLINE_H
#define HP_CLI_COMMANDLINE_H

#include "cli/option.h"
#include "cli/settings.h"

// --- arguments -------------------------------------------------------------------------
//
// Split the words of a command line into options with their values and remaining words.

// An option as it was given.
struct hp_cli_argument {
    const struct hp_cli_option *option;
    char *value;  // points into one of the words; NULL: the option has none
    size_t words; // number of non-option words given before the option
};

// The result of hp_cli_arguments_scan().  {0} contains nothing.  Release it with
// hp_cli_arguments_done().
struct hp_cli_arguments {
    struct hp_cli_argument *options; // in the order given
    size_t option_count;
    struct hp_cli_words words; // words that are neither options nor their values
};

// Free the arrays and reset `arguments` to {0}; the strings belong to the caller.
void hp_cli_arguments_done(struct hp_cli_arguments *arguments);

// Sort `words` into options and other words.  Options may be abbreviated, letters may be
// bundled, and both may be given anywhere before "--"; "-" is an ordinary word.  Returns
// HP_OK or HP_E_USAGE. The strings belong to the caller and must outlive `arguments`.
int hp_cli_arguments_scan(struct hp_cli_arguments *arguments, char *const *words,
                          size_t count, struct hp_err *err);

// Whether the option of this full name was given.
bool hp_cli_arguments_have(const struct hp_cli_arguments *arguments, const char *option);

// --- commandline -----------------------------------------------------------------------

// Read the command line.  Without any argument, `settings->command` stays NULL.  Fails
// with HP_E_USAGE or with the error of a file that an option names.  `given` and
// `settings` must be {0} at first.  The settings point into `given` and `argv`; release
// both structs together with hp_cli_commandline_done(), also after a failure.
int hp_cli_commandline_read(struct hp_cli_arguments *given, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err);
void hp_cli_commandline_done(struct hp_cli_arguments *given,
                             struct hp_cli_settings *settings);

#endif
