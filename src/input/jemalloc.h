// The heap_v2 text format of jemalloc 4.0 and later.
#ifndef HP_INPUT_JEMALLOC_H
#define HP_INPUT_JEMALLOC_H

#include "base/span.h"
#include "input/scan.h"

// True if the text begins as this format does.
bool hp_jemalloc_is(struct hp_span text);

extern const struct hp_scan_grammar hp_jemalloc_grammar;

#endif
