// What two dumps say, compared, and what no dump may say.
#ifndef TESTS_FUZZ_DUMPS_H
#define TESTS_FUZZ_DUMPS_H

#include "model/dump.h"

// What differs in what they say, but for digests; NULL if nothing does.
const char *dumps_difference(const struct hp_dump *a, const struct hp_dump *b);

// What a dump may not be whatever the bytes were, or NULL.
const char *dumps_flaw(const struct hp_dump *dump);

#endif
