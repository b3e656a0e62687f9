// What kind of file a text is, told by its first bytes, never by its name.
#ifndef HP_INPUT_FORMAT_H
#define HP_INPUT_FORMAT_H

#include "base/err.h"
#include "base/span.h"

enum hp_format {
    HP_FORMAT_JEMALLOC, // heap_v2
    HP_FORMAT_CLASSIC,  // "heap profile:"
    HP_FORMAT_PPROF,    // protobuf
    HP_FORMAT_SYMBOLS,  // names in front of a dump
    HP_FORMAT_ELF,      // a program: needless, but no mistake to stop for
    HP_FORMAT_OTHER,
};

enum hp_format hp_format_of(struct hp_span text);

// Fail with one sentence that says what a HP_FORMAT_OTHER text is and what to do.
HP_MUST_CHECK int hp_format_refuse(struct hp_span text, struct hp_err *err);

#endif
