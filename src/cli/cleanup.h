// Leaving nothing behind: when the process is told to end, the unfinished output goes.
#ifndef HP_CLI_CLEANUP_H
#define HP_CLI_CLEANUP_H

// Unlink the pending file, if any, on every signal that ends the process and can be caught, and
// then die of it.  A limit on the size of files becomes an error of the write.
void hp_cli_cleanup_on_signals(void);

// The file to unlink, or NULL for none; the string stays the caller's.
void hp_cli_cleanup_file(const char *path);

// Do now what a signal would do, but do not die.
void hp_cli_cleanup(void);

#endif
