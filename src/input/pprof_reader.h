// pprof's protobuf profiles, as far as they tell of the heap.
#ifndef HP_INPUT_PPROF_READER_H
#define HP_INPUT_PPROF_READER_H

#include "base/err.h"
#include "input/input_stream.h"
#include "model/dump.h"

// True if the text begins as such a profile.
bool hp_pprof_is(struct hp_span text);

// Read a text, from its first window on, into an empty dump, whose mappings then point into
// the last window.  All or nothing: what is cut or damaged fails.
HP_MUST_CHECK int hp_pprof_read(struct hp_input_stream *stream, bool keeps_labels,
                                struct hp_dump *dump, struct hp_err *err);

#endif
