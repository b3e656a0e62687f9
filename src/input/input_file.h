// Files of inputs, which several threads may hold open.
#ifndef HP_INPUT_INPUT_FILE_H
#define HP_INPUT_INPUT_FILE_H

#include "base/err.h"

#include <stdbool.h>

// As hp_open_input().  If the process has no descriptor left, wait until another thread closes its file;
// if no thread has one open, that is the error.  A thread that has one open opens no other.
HP_MUST_CHECK int hp_input_file_open(const char *path, bool waits, struct hp_err *err);

void hp_input_file_close(int fd);

#endif
