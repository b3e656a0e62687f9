// A profile does not say so, but
//
//     hprof-agg       has "made by hprof-agg 1.0" among the comments
//     tcmalloc        has frames to drop of the name space "TCMallocInternal..."
//     Go              has functions of its runtime
//     jemalloc_pprof  has the bytes in use only, and mappings that are all of memory
#include "input/pprof_origin.h"

static bool maps_all_of_memory(const struct hp_pprof_tables *tables) {
    const struct hp_pprof_mapping *mapping;
    hp_vec_each (mapping, &tables->mappings) {
        if (mapping->start != 0 || mapping->limit != UINT64_MAX) {
            return false;
        }
    }
    return tables->mappings.count > 0;
}

static bool has_functions_of_go(const struct hp_pprof_tables *tables) {
    const struct hp_pprof_function *function;
    hp_vec_each (function, &tables->functions) {
        if (hp_span_starts(hp_pprof_text(tables, function->name), "runtime.")) {
            return true;
        }
    }
    return false;
}

enum hp_producer hp_pprof_producer(const struct hp_pprof_tables *tables) {
    const struct hp_span *text;
    hp_vec_each (text, &tables->strings) {
        if (hp_span_starts(*text, "made by hprof-agg ")) {
            return HP_PRODUCER_PPROF_OURS;
        }
        if (hp_span_contains(*text, "TCMallocInternal")) {
            return HP_PRODUCER_PPROF_TCMALLOC;
        }
    }
    if (has_functions_of_go(tables)) {
        return HP_PRODUCER_PPROF_GO;
    }
    return tables->types.count == 1 && maps_all_of_memory(tables)
               ? HP_PRODUCER_PPROF_JEMALLOC
               : HP_PRODUCER_PPROF;
}
