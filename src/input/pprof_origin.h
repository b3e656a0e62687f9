// Who wrote a pprof profile.  Only pprof_reader.c uses it.
#ifndef HP_INPUT_PPROF_ORIGIN_H
#define HP_INPUT_PPROF_ORIGIN_H

#include "input/pprof_tables.h"
#include "model/input.h"

enum hp_producer hp_pprof_producer(const struct hp_pprof_tables *tables);

#endif
