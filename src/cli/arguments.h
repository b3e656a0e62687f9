// Words taken apart into options with their values, and the rest.
#ifndef HP_CLI_ARGUMENTS_H
#define HP_CLI_ARGUMENTS_H

#include "cli/option.h"

struct hp_cli_argument {
    const struct hp_cli_option *option;
    char *value;  // part of the words, or NULL
    size_t words; // that stand before it
};

// {0} is none.
struct hp_cli_arguments {
    struct hp_cli_argument *options; // in the order given
    size_t option_count;
    struct hp_cli_words words; // neither options nor their values
};

void hp_cli_arguments_done(struct hp_cli_arguments *arguments);

// Options may be abbreviated and bundled and stand anywhere before "--"; "-" is no option.
// The strings stay the caller's, and must outlive the arguments.
int hp_cli_arguments_scan(struct hp_cli_arguments *arguments, char *const *words,
                          size_t count, struct hp_err *err);

bool hp_cli_arguments_have(const struct hp_cli_arguments *arguments, const char *option);

#endif
