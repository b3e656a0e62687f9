// Recognize the producer of a pprof profile and the meaning of its sample types. Only
// pprof_reader.c uses this.
#ifndef HP_INPUT_PPROF_TYPES_H
#define HP_INPUT_PPROF_TYPES_H

#include "base/err.h"
#include "input/pprof_tables.h"
#include "inputs/input.h"

// Guess the producer from comments, names of functions, mappings and types.
enum hp_producer hp_pprof_producer(const struct hp_pprof_tables *tables);

// The meaning of the values of one sample type: the metric and the unit.
struct hp_pprof_kind {
    // The metric that the values belong to; HP_METRICS: none; such values are kept as a
    // further type, unchanged.
    enum hp_metric metric;
    unsigned shift; // values are in units of 1 << shift bytes; 0 unless is_space
    bool is_space;  // the unit of the values is bytes or a multiple, such as kilobytes
};

// The meaning of each sample type, in the order of a sample's values. {0} is empty.
struct hp_pprof_kinds {
    HP_VEC(struct hp_pprof_kind) of; // one for each value of a sample
    unsigned found;                  // bit 1 << metric for each metric found
};

// Find the meaning of all sample types. Fails if none of them is in bytes.
HP_MUST_CHECK int hp_pprof_kinds_find(struct hp_pprof_kinds *kinds,
                                      const struct hp_pprof_tables *tables,
                                      enum hp_producer producer, struct hp_err *err);

// The name that reports use for the sample type `name` (an index of strings):
// "inuse_space" for a type whose values are bytes in use, for example "space"; the text
// of `name` itself for a type that is none of the metrics.
struct hp_span hp_pprof_type_name(const struct hp_pprof_kinds *kinds,
                                  const struct hp_pprof_tables *tables, uint64_t name);

// Whether `unit` is the name of bytes or of a multiple; if so, sets *shift: the unit has
// 1 << *shift bytes.
bool hp_pprof_is_bytes(struct hp_span unit, unsigned *shift);

#endif
