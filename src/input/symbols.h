// The section of names that jeprof --raw and pprof --raw put before a dump.
#ifndef HP_INPUT_SYMBOLS_H
#define HP_INPUT_SYMBOLS_H

#include "input/scan.h"

// True if the text begins with such a section.
bool hp_symbols_is(struct hp_span text);

// Keep the names in the dump and step over the section; the dump itself is then in the
// window, if anything follows.
HP_MUST_CHECK int hp_symbols_read(struct hp_scan *scan, struct hp_err *err);

#endif
