// Files that are not dumps, but that people give by mistake: what they are, and which
// program shows or converts them.
#ifndef HP_INPUT_FOREIGN_H
#define HP_INPUT_FOREIGN_H

#include "base/err.h"
#include "base/span.h"

struct hp_input_format;

// Fail with a sentence that names the kind of a file which is of none of the `formats`,
// and the next step. `head` is its first window, or the whole file if it is shorter;
// `formats` ends with NULL.
int hp_foreign_fail(struct hp_span head, const struct hp_input_format *const *formats,
                    struct hp_err *err);

#endif
