// Open and close input files. Several threads may have one open at the same time.
#ifndef HP_INPUT_INPUT_FILE_H
#define HP_INPUT_INPUT_FILE_H

#include "base/err.h"

#include <stdbool.h>

// Open a file as hp_open_input() does. If the process has no descriptor left, wait until
// another thread closes its file; fail only if no thread has one open. A thread that has
// a file open must not open another, or threads could wait for each other forever.
// Returns the descriptor, or -1.
HP_MUST_CHECK int hp_input_file_open(const char *path, bool waits, struct hp_err *err);

// Close a descriptor that hp_input_file_open() returned, and wake the threads waiting for
// one.
void hp_input_file_close(int fd);

#endif
