// A profile does not name its producer, but
//
//     hprof-agg       has the comment "made by hprof-agg 1.0"
//     tcmalloc        has a pattern of frames to drop with "TCMallocInternal..."
//     Go              has functions of its runtime
//     jemalloc_pprof  has only bytes in use, and mappings that span all of memory
//
// Sample types have the names used by Go, tcmalloc, Datadog's profilers or Android's
// heapprofd, and the units of pprof's internal/measurement. Types of other names, such as
// tcmalloc's on the lifetime of objects, are kept unchanged as further types.
//
// tcmalloc uses the names "objects" and "space" both for memory in use and, in a profile
// of allocations, for allocated memory; only the default type shows which, being
// "objects" in the latter. In a profile with "allocations" and "deallocations" its
// "space" also includes objects that were freed meanwhile.
#include "input/pprof_types.h"

enum {
    LONGEST_UNIT = 16, // bytes
    MOST_TYPES = 256,  // tcmalloc has twenty
};

// --- who wrote it ----------------------------------------------------------------------

// Whether there are mappings, and each spans the whole address space.
static bool maps_all_of_memory(const struct hp_pprof_tables *tables) {
    const struct hp_pprof_mapping *mapping;
    hp_vec_each (mapping, &tables->mappings) {
        if (mapping->start != 0 || mapping->limit != UINT64_MAX) {
            return false;
        }
    }
    return tables->mappings.count > 0;
}

// Whether a function of Go's runtime is in the profile.
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
    bool is_tcmalloc = false;
    const struct hp_span *text;
    hp_vec_each (text, &tables->strings) {
        if (hp_span_starts(*text, "made by hprof-agg ")) {
            return HP_PRODUCER_PPROF_OURS;
        }
        is_tcmalloc |= hp_span_contains(*text, "TCMallocInternal");
    }
    if (is_tcmalloc) {
        return HP_PRODUCER_PPROF_TCMALLOC;
    }
    if (has_functions_of_go(tables)) {
        return HP_PRODUCER_PPROF_GO;
    }
    return tables->types.count == 1 && maps_all_of_memory(tables)
               ? HP_PRODUCER_PPROF_JEMALLOC
               : HP_PRODUCER_PPROF;
}

// --- what it counts --------------------------------------------------------------------

// Whether `unit` is the name of bytes or of a multiple. Units are compared as pprof does:
// in upper or lower case, and with or without an s at the end.
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

// The names that Go gives to our metrics. They take precedence over other names of the
// same metric.
static const char *const go_names[HP_METRICS] = {
    [HP_INUSE_SPACE] = "inuse_space",
    [HP_INUSE_OBJECTS] = "inuse_objects",
    [HP_ALLOC_SPACE] = "alloc_space",
    [HP_ALLOC_OBJECTS] = "alloc_objects",
};

// Whether a type has one of Go's names.
static bool has_go_name(struct hp_span type) {
    bool found = false;
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        found |= hp_span_is(type, go_names[metric]);
    }
    return found;
}

// Returns the metric that a type's name is known for, or HP_METRICS.
static enum hp_metric metric_of(struct hp_span type) {
    static const struct {
        const char *type;
        enum hp_metric metric;
    } known[] = {
        {"inuse_objects", HP_INUSE_OBJECTS},
        {"inuse_space", HP_INUSE_SPACE},
        {"objects", HP_INUSE_OBJECTS},
        {"space", HP_INUSE_SPACE},
        {"alloc_objects", HP_ALLOC_OBJECTS},
        {"alloc_space", HP_ALLOC_SPACE},
        {"inuse-objects", HP_INUSE_OBJECTS},
        {"inuse-space", HP_INUSE_SPACE},
        {"heap-live-samples", HP_INUSE_OBJECTS},
        {"heap-live-size", HP_INUSE_SPACE},
        {"heap-space", HP_INUSE_SPACE},
        {"alloc-samples", HP_ALLOC_OBJECTS},
        {"alloc-space", HP_ALLOC_SPACE},
        {"alloc-size", HP_ALLOC_SPACE},
        {"Unreleased malloc count", HP_INUSE_OBJECTS},
        {"Unreleased malloc size", HP_INUSE_SPACE},
        {"Total malloc count", HP_ALLOC_OBJECTS},
        {"Total malloc size", HP_ALLOC_SPACE},
        {"Unreleased count", HP_INUSE_OBJECTS},
        {"Unreleased size", HP_INUSE_SPACE},
        {"Total count", HP_ALLOC_OBJECTS},
        {"Total size", HP_ALLOC_SPACE},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (hp_span_is(type, known[i].type)) {
            return known[i].metric;
        }
    }
    return HP_METRICS;
}

// Returns the metric of allocated memory (bytes or objects) that corresponds to one of
// memory in use; any other metric unchanged.
static enum hp_metric as_allocated(enum hp_metric metric) {
    return metric == HP_INUSE_SPACE     ? HP_ALLOC_SPACE
           : metric == HP_INUSE_OBJECTS ? HP_ALLOC_OBJECTS
                                        : metric;
}

// Whether the profile is one of tcmalloc's on the lifetime of objects.
static bool has_lifetimes(const struct hp_pprof_tables *tables) {
    bool has = false;
    const struct hp_pprof_type *type;
    hp_vec_each (type, &tables->types) {
        struct hp_span name = hp_pprof_text(tables, type->type);
        has |= hp_span_is(name, "allocations") || hp_span_is(name, "deallocations");
    }
    return has;
}

// Returns the meaning of type `i` by its name and unit. A type whose unit does not fit
// its metric has no metric. `is_of_allocations`: types named as memory in use are
// allocated memory.
static struct hp_pprof_kind kind_of(const struct hp_pprof_tables *tables, size_t i,
                                    bool is_of_allocations) {
    const struct hp_pprof_type *type = &tables->types.at[i];
    struct hp_span unit = hp_pprof_text(tables, type->unit);
    struct hp_pprof_kind kind = {.metric = metric_of(hp_pprof_text(tables, type->type))};
    bool is_space = kind.metric == HP_INUSE_SPACE || kind.metric == HP_ALLOC_SPACE;
    kind.is_space = hp_pprof_is_bytes(unit, &kind.shift);
    if (is_space ? !kind.is_space : !hp_span_is(unit, "count")) {
        kind.metric = HP_METRICS;
    }
    kind.metric = is_of_allocations ? as_allocated(kind.metric) : kind.metric;
    return kind;
}

// Whether an earlier type has the same name and unit.
static bool is_repeated(const struct hp_pprof_tables *tables,
                        const struct hp_pprof_kinds *kinds, size_t i) {
    const struct hp_pprof_type *types = tables->types.at;
    bool found = false;
    for (size_t k = 0; k < i && !found; k++) {
        bool same_unit = kinds->of.at[i].is_space
                             ? kinds->of.at[k].is_space
                             : hp_span_equal(hp_pprof_text(tables, types[i].unit),
                                             hp_pprof_text(tables, types[k].unit));
        found = same_unit && hp_span_equal(hp_pprof_text(tables, types[i].type),
                                           hp_pprof_text(tables, types[k].type));
    }
    return found;
}

// Whether another type of the same metric takes precedence over type `i`: the one with
// Go's name, else the first. The others are kept unchanged as further types.
static bool is_second(const struct hp_pprof_tables *tables,
                      const struct hp_pprof_kind *kinds, size_t i) {
    const struct hp_pprof_type *types = tables->types.at;
    bool is_go = has_go_name(hp_pprof_text(tables, types[i].type)), found = false;
    for (size_t k = 0; k < tables->types.count; k++) {
        bool is_go_too = has_go_name(hp_pprof_text(tables, types[k].type));
        bool goes_first = is_go == is_go_too ? k < i : is_go_too;
        found |= k != i && goes_first && kinds[k].metric == kinds[i].metric;
    }
    return found;
}

// Fail because no type is in bytes; the message names the last type.
static int refuse(const struct hp_pprof_tables *tables, struct hp_err *err) {
    const struct hp_pprof_type *type = &tables->types.at[tables->types.count - 1];
    struct hp_span name = hp_pprof_text(tables, type->type);
    struct hp_span unit = hp_pprof_text(tables, type->unit);
    return hp_fail(
        err, HP_E_UNSUPPORTED,
        HP_MESSAGE("pprof-not-heap",
                   "a pprof profile, but not of the heap: it measures '%.*s' in '%.*s'"),
        (int)(name.size < 100 ? name.size : 100), name.at,
        (int)(unit.size < 100 ? unit.size : 100), unit.at);
}

// Find the meaning of each type without regard to the others.
static void find_each(struct hp_pprof_kinds *kinds, const struct hp_pprof_tables *tables,
                      enum hp_producer producer) {
    struct hp_span shown = hp_pprof_text(tables, tables->default_type);
    bool is_of_allocations =
        producer == HP_PRODUCER_PPROF_TCMALLOC && hp_span_is(shown, "objects");
    bool is_of_lifetimes = has_lifetimes(tables);
    for (size_t i = 0; i < tables->types.count; i++) {
        struct hp_pprof_kind kind = kind_of(tables, i, is_of_allocations);
        kind.metric = is_of_lifetimes ? HP_METRICS : kind.metric;
        hp_vec_push(&kinds->of, kind);
    }
}

int hp_pprof_kinds_find(struct hp_pprof_kinds *kinds,
                        const struct hp_pprof_tables *tables, enum hp_producer producer,
                        struct hp_err *err) {
    size_t count = tables->types.count;
    bool second[MOST_TYPES];
    bool has_space = false;
    if (count == 0) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-pprof-no-types",
                                  "damaged: a pprof profile without sample types"));
    }
    if (count > MOST_TYPES) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("pprof-many-types",
                                  "a pprof profile of more than %d sample types"),
                       (int)MOST_TYPES);
    }
    find_each(kinds, tables, producer);
    for (size_t i = 0; i < count; i++) {
        if (is_repeated(tables, kinds, i)) {
            return hp_fail(err, HP_E_FORMAT,
                           HP_MESSAGE("damaged-pprof-type-twice",
                                      "damaged: two sample types of one name"));
        }
        second[i] = is_second(tables, kinds->of.at, i);
        has_space |= kinds->of.at[i].is_space;
    }
    for (size_t i = 0; i < count; i++) {
        struct hp_pprof_kind *kind = &kinds->of.at[i];
        kind->metric = second[i] ? HP_METRICS : kind->metric;
        kinds->found |= 1u << kind->metric;
    }
    return has_space ? HP_OK : refuse(tables, err);
}

struct hp_span hp_pprof_type_name(const struct hp_pprof_kinds *kinds,
                                  const struct hp_pprof_tables *tables, uint64_t name) {
    struct hp_span wanted = hp_pprof_text(tables, name);
    for (size_t i = 0; i < tables->types.count; i++) {
        enum hp_metric metric = kinds->of.at[i].metric;
        if (metric != HP_METRICS &&
            hp_span_equal(wanted, hp_pprof_text(tables, tables->types.at[i].type))) {
            return hp_span_of(go_names[metric]);
        }
    }
    return wanted;
}
