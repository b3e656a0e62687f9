// The options that help shows by default, with shorter texts than those of option_table.c.
#ifndef HP_CLI_BRIEF_H
#define HP_CLI_BRIEF_H

#include "cli/option.h"

// Where an option is shown besides `help --all` and the manual.
enum hp_cli_place {
    HP_CLI_ON_FIRST_SCREEN, // `help`, and `help COMMAND` of each command that takes it
    HP_CLI_WITH_COMMAND,    // `help COMMAND`
};

struct hp_cli_brief {
    const char *option; // its name
    enum hp_cli_place place;
    const char *text; // begins with a verb
};

// The table, in the order in which help shows the options; i < hp_cli_brief_count().
size_t hp_cli_brief_count(void);
const struct hp_cli_brief *hp_cli_brief(size_t i);

// The row of option_table.c.
const struct hp_cli_option *hp_cli_brief_option(const struct hp_cli_brief *brief);

#endif
