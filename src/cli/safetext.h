// Make text from inputs safe for a terminal, a report or a shell.
#ifndef HP_CLI_SAFETEXT_H
#define HP_CLI_SAFETEXT_H

// Returns a copy of the text in which control characters are escaped; the caller frees
// it.
char *hp_cli_safe(const char *text);

// Returns the text as one word in single quotes that can be pasted into a shell; the
// caller frees it. NULL if the text has characters that would have to be escaped on a
// terminal.
char *hp_cli_quoted(const char *text);

#endif
