// The "heap profile:" text format of gperftools, jemalloc up to 3.6, and Go.
#ifndef HP_INPUT_CLASSIC_H
#define HP_INPUT_CLASSIC_H

#include "base/span.h"
#include "input/scan.h"

// True if the text begins as this format does.
bool hp_classic_is(struct hp_span text);

extern const struct hp_scan_grammar hp_classic_grammar;

#endif
