// Options that had another name before the first release.
#ifndef HP_CLI_RENAMED_H
#define HP_CLI_RENAMED_H

// The option that replaces the old one, without dashes and with its value: "dumps".  NULL
// if the name is not an old one.
const char *hp_cli_renamed(const char *name);

#endif
