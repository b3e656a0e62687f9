// Who wrote a pprof profile, and what the values of its samples are.  Only pprof_reader.c
// uses it.
#ifndef HP_INPUT_PPROF_TYPES_H
#define HP_INPUT_PPROF_TYPES_H

#include "base/err.h"
#include "input/pprof_tables.h"
#include "model/input.h"

enum hp_producer hp_pprof_producer(const struct hp_pprof_tables *tables);

struct hp_pprof_kind {
    enum hp_metric metric; // HP_METRICS: none of ours, and taken as it is
    unsigned shift;        // it counts units of 1 << shift
    bool is_space;         // in bytes
};

// {0} is empty.
struct hp_pprof_kinds {
    HP_VEC(struct hp_pprof_kind) of; // each value
    unsigned found;                  // 1 << each metric there is
};

// Fails if there is no space among them.
HP_MUST_CHECK int hp_pprof_kinds_find(struct hp_pprof_kinds *kinds,
                                      const struct hp_pprof_tables *tables,
                                      enum hp_producer producer, struct hp_err *err);

// A type by what its values are taken for: "inuse_space" for "space"; else its name.
struct hp_span hp_pprof_type_name(const struct hp_pprof_kinds *kinds,
                                  const struct hp_pprof_tables *tables, uint64_t name);

// Whether a unit is of 1 << *shift bytes.
bool hp_pprof_is_bytes(struct hp_span unit, unsigned *shift);

#endif
