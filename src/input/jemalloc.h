// The heap_v2 text format of jemalloc 4.0 and later.
#ifndef HP_INPUT_JEMALLOC_H
#define HP_INPUT_JEMALLOC_H

#include "base/err.h"
#include "base/span.h"
#include "input/stack_line.h"
#include "input/text.h"
#include "model/dump.h"

// True if the text begins as this format does.
bool hp_jemalloc_is(struct hp_span text);

// Read a text from its first window on into an empty dump, whose mappings' paths then point
// into the last window.  A dump that may be short, and lines that fit no grammar, are told
// in *dump; a failure is only what leaves nothing to use.  Digests are made only when asked
// for.
HP_MUST_CHECK int hp_jemalloc_read(struct hp_text *text, struct hp_stack_lines *lines,
                                   bool digests, struct hp_dump *dump,
                                   struct hp_err *err);

#endif
