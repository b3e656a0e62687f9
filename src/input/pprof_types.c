// Who wrote a profile it does not say, but
//
//     hprof-agg       has "made by hprof-agg 1.0" among the comments
//     tcmalloc        has frames to drop of the name space "TCMallocInternal..."
//     Go              has functions of its runtime
//     jemalloc_pprof  has the bytes in use only, and mappings that are all of memory
//
// Types have the names that Go gives them, tcmalloc, or Datadog's profilers, and the units of
// pprof's internal/measurement.
//
// tcmalloc calls objects and space both what is in use and, of a profile of allocations, what
// was allocated: only the default type tells, which is "objects" then.
#include "input/pprof_types.h"

enum {
    LONGEST_UNIT = 16,
};

// --- who wrote it -------------------------------------------------------------------------

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

// --- what it counts -----------------------------------------------------------------------

// As pprof takes them: in capitals or not, and with an s behind.
bool hp_pprof_is_bytes(struct hp_span unit, unsigned *shift) {
    static const char *const names[][3] = {
        {"b", "byte"},
        {"kb", "kbyte", "kilobyte"},
        {"mb", "mbyte", "megabyte"},
        {"gb", "gbyte", "gigabyte"},
        {"tb", "tbyte", "terabyte"},
        {"pb", "pbyte", "petabyte"},
    };

    char text[LONGEST_UNIT];
    struct hp_span lower = {text, unit.size < LONGEST_UNIT ? unit.size : 0};
    for (size_t i = 0; i < lower.size; i++) {
        bool is_capital = unit.at[i] >= 'A' && unit.at[i] <= 'Z';
        text[i] = (char)(is_capital ? unit.at[i] - 'A' + 'a' : unit.at[i]);
    }
    lower.size -= lower.size > 2 && text[lower.size - 1] == 's';
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        for (int k = 0; k < 3 && names[i][k]; k++) {
            if (hp_span_is(lower, names[i][k])) {
                *shift = 10 * i;
                return true;
            }
        }
    }
    return false;
}

static enum hp_metric metric_of(struct hp_span type) {
    static const struct {
        const char *type;
        enum hp_metric metric;
    } known[] = {
        {"inuse_objects", HP_INUSE_OBJECTS},     {"inuse_space", HP_INUSE_SPACE},
        {"objects", HP_INUSE_OBJECTS},           {"space", HP_INUSE_SPACE},
        {"alloc_objects", HP_ALLOC_OBJECTS},     {"alloc_space", HP_ALLOC_SPACE},
        {"inuse-objects", HP_INUSE_OBJECTS},     {"inuse-space", HP_INUSE_SPACE},
        {"heap-live-samples", HP_INUSE_OBJECTS}, {"heap-live-size", HP_INUSE_SPACE},
        {"heap-space", HP_INUSE_SPACE},          {"alloc-samples", HP_ALLOC_OBJECTS},
        {"alloc-space", HP_ALLOC_SPACE},         {"alloc-size", HP_ALLOC_SPACE},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (hp_span_is(type, known[i].type)) {
            return known[i].metric;
        }
    }
    return HP_METRICS;
}

static enum hp_metric as_allocated(enum hp_metric metric) {
    return metric == HP_INUSE_SPACE     ? HP_ALLOC_SPACE
           : metric == HP_INUSE_OBJECTS ? HP_ALLOC_OBJECTS
                                        : metric;
}

static struct hp_pprof_kind kind_of(const struct hp_pprof_tables *tables, size_t i,
                                    bool is_of_allocations) {
    const struct hp_pprof_type *type = &tables->types.at[i];
    struct hp_span unit = hp_pprof_text(tables, type->unit);
    struct hp_pprof_kind kind = {.metric = metric_of(hp_pprof_text(tables, type->type))};
    bool is_space = kind.metric == HP_INUSE_SPACE || kind.metric == HP_ALLOC_SPACE;
    bool fits =
        is_space ? hp_pprof_is_bytes(unit, &kind.shift) : hp_span_is(unit, "count");
    if (!fits) {
        return (struct hp_pprof_kind){HP_METRICS, 0};
    }
    kind.metric = is_of_allocations ? as_allocated(kind.metric) : kind.metric;
    return kind;
}

static bool is_repeated(const struct hp_pprof_tables *tables, size_t i) {
    struct hp_span name = hp_pprof_text(tables, tables->types.at[i].type);
    for (size_t k = 0; k < i; k++) {
        if (hp_span_equal(name, hp_pprof_text(tables, tables->types.at[k].type))) {
            return true;
        }
    }
    return false;
}

static int refuse(const struct hp_pprof_tables *tables, const struct hp_pprof_type *type,
                  struct hp_err *err) {
    struct hp_span name = hp_pprof_text(tables, type->type);
    struct hp_span unit = hp_pprof_text(tables, type->unit);
    return hp_fail(err, HP_E_UNSUPPORTED,
                   "a pprof profile, but not of the heap: its values are of '%.*s' in "
                   "'%.*s'",
                   (int)(name.size < 100 ? name.size : 100), name.at,
                   (int)(unit.size < 100 ? unit.size : 100), unit.at);
}

int hp_pprof_kinds_find(struct hp_pprof_kinds *kinds,
                        const struct hp_pprof_tables *tables, enum hp_producer producer,
                        struct hp_err *err) {
    struct hp_span shown = hp_pprof_text(tables, tables->default_type);
    bool is_of_allocations =
        producer == HP_PRODUCER_PPROF_TCMALLOC && hp_span_is(shown, "objects");
    const struct hp_pprof_type *other = tables->types.at;
    if (tables->types.count == 0) {
        return hp_fail(err, HP_E_FORMAT, "damaged: a pprof profile without sample types");
    }
    for (size_t i = 0; i < tables->types.count; i++) {
        struct hp_pprof_kind kind = kind_of(tables, i, is_of_allocations);
        if (kind.metric == HP_METRICS) {
            other = &tables->types.at[i];
        } else if (is_repeated(tables, i)) {
            return hp_fail(err, HP_E_FORMAT, "damaged: two sample types of one name");
        } else if (kinds->found & 1u << kind.metric) { // the first of two names holds
            kind = (struct hp_pprof_kind){HP_METRICS, 0};
        }
        kinds->found |= 1u << kind.metric;
        hp_vec_push(&kinds->of, kind);
    }
    bool is_ours = kinds->found & (1u << HP_INUSE_SPACE | 1u << HP_ALLOC_SPACE);
    return is_ours ? HP_OK : refuse(tables, other, err);
}
