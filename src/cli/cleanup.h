// Remove the unfinished output file when a signal ends the process.
#ifndef HP_CLI_CLEANUP_H
#define HP_CLI_CLEANUP_H

// Install handlers for every catchable signal that ends the process by default: they
// unlink the pending file, if there is one, and raise the signal again, so that the
// process still dies of it. SIGXFSZ is ignored, so that exceeding the limit on file size
// becomes an error of write().
void hp_cli_cleanup_on_signals(void);

// Set the path of the pending file, which a signal unlinks; NULL for none.  The string
// belongs to the caller and must stay valid as long as it is set.
void hp_cli_cleanup_file(const char *path);

// Unlink the pending file and clear the progress line now, as a signal would, without
// ending the process.
void hp_cli_cleanup(void);

#endif
