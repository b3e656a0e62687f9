// The manual page: prose with the tables put in.
#ifndef HP_CLI_MANUAL_H
#define HP_CLI_MANUAL_H

#include <stdio.h>

// Copy the mdoc text of `prose`; the lines @COMMANDS@, @OPTIONS@ and @FORMATS@ give way to
// the tables.
void hp_cli_manual(FILE *prose, FILE *out);

#endif
