// The reference of options in README.md.
#ifndef HP_CLI_REFERENCE_H
#define HP_CLI_REFERENCE_H

#include <stdio.h>

// Copy the text of `readme`; what stands between its lines "<!-- options -->" and
// "<!-- end of options -->" gives way to the tables.
void hp_cli_reference(FILE *readme, FILE *out);

#endif
