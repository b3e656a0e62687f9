// Recognizes the producer of a pprof profile.
#include "pprof.h"

static bool contains(struct hp_span text, const char *word) {
    bool is = false;
    for (size_t i = 0; i < text.size; i++) {
        is |= hp_span_starts(hp_span_from(text, i), word);
    }
    return is;
}

// The first of these decides: a string that we write; a string that TCMalloc writes; a
// function of Go; mappings that cover the whole address space, as those of jemalloc do.
enum hp_producer reference_producer(const struct profile *p) {
    for (size_t i = 0; i < p->strings.count; i++) {
        if (hp_span_starts(p->strings.at[i], "made by hprof-agg ")) {
            return HP_PRODUCER_PPROF_OURS;
        }
    }
    for (size_t i = 0; i < p->strings.count; i++) {
        if (contains(p->strings.at[i], "TCMallocInternal")) {
            return HP_PRODUCER_PPROF_TCMALLOC;
        }
    }
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct fields *function = &p->functions.at[i];
        uint64_t name = reference_number(function, 2) > 0 ? 2 : 3;
        if (hp_span_starts(reference_string(p, function, name), "runtime.")) {
            return HP_PRODUCER_PPROF_GO;
        }
    }
    bool is_all = p->types.count == 1 && p->mappings.count > 0;
    for (size_t i = 0; i < p->mappings.count; i++) {
        is_all &= reference_number(&p->mappings.at[i], 2) == 0 &&
                  reference_number(&p->mappings.at[i], 3) == UINT64_MAX;
    }
    return is_all ? HP_PRODUCER_PPROF_JEMALLOC : HP_PRODUCER_PPROF;
}
