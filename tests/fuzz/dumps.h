// Comparison of the contents of two dumps, and a check of the invariants of one.
#ifndef TESTS_FUZZ_DUMPS_H
#define TESTS_FUZZ_DUMPS_H

#include "model/dump.h"

// Return a description of the first difference between the contents of two dumps, digests
// aside; NULL if there is none.
const char *dumps_difference(const struct hp_dump *a, const struct hp_dump *b);

// Return the invariant that the dump violates, or NULL.  The invariants hold for every
// dump that a reader returns, whatever bytes it was read from.
const char *dumps_flaw(const struct hp_dump *dump);

#endif
