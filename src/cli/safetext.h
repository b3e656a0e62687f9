// Text from outside, for a terminal, a report or a shell.
#ifndef HP_CLI_SAFETEXT_H
#define HP_CLI_SAFETEXT_H

// A copy in which everything that could steer a terminal is escaped; to be freed.
char *hp_cli_safe(const char *text);

// The text as one word that can be pasted into a shell, in single quotes; to be freed.  NULL if a
// terminal cannot show the text as it is.
char *hp_cli_quoted(const char *text);

#endif
