// What the values of a pprof sample are.
#include "pprof.h"

uint64_t reference_bytes_in(struct hp_span unit) {
    static const char *const words[] = {"byte",     "kilobyte", "megabyte",
                                        "gigabyte", "terabyte", "petabyte"};
    char text[32];
    if (unit.size == 0 || unit.size > 20) {
        return 0;
    }
    for (size_t i = 0; i < unit.size; i++) {
        unsigned char byte = (unsigned char)unit.at[i];
        text[i] = (char)(byte > 64 && byte < 91 ? byte + 32 : byte);
    }
    struct hp_span name = {text, unit.size};
    name.size -= name.size > 2 && hp_span_ends(name, "s");
    uint64_t bytes = 1;
    for (int i = 0; i < 6; i++) {
        struct hp_span rest = name;
        bool has_letter = i == 0 || name.at[0] == words[i][0];
        rest = i == 0 ? rest : hp_span_from(rest, 1);
        if (hp_span_is(name, words[i]) ||
            (has_letter && (hp_span_is(rest, "b") || hp_span_is(rest, "byte")))) {
            return bytes;
        }
        bytes *= 1024;
    }
    return 0;
}

// tcmalloc's profile of allocations calls them as others do what is in use.
static bool is_of_allocations(const struct profile *p) {
    return reference_producer(p) == HP_PRODUCER_PPROF_TCMALLOC &&
           hp_span_is(p->strings.at[p->default_type], "objects");
}

// Where a sample's values of that type go, and times what: Go's names, tcmalloc's, Datadog's.
static uint64_t *column_of(struct profile *p, const struct fields *type,
                           uint64_t *times) {
    static const char *const names[4][6] = {
        {"inuse_objects", "objects", "inuse-objects", "heap-live-samples"},
        {"inuse_space", "space", "inuse-space", "heap-live-size", "heap-space"},
        {"alloc_objects", "alloc-samples"},
        {"alloc_space", "alloc-space", "alloc-size"},
    };
    uint64_t *columns[4] = {&p->counts.inuse.objects, &p->counts.inuse.bytes,
                            &p->counts.alloc.objects, &p->counts.alloc.bytes};

    struct hp_span name = reference_string(p, type, 1),
                   unit = reference_string(p, type, 2);
    for (int i = 0; i < 4; i++) {
        *times = i % 2 ? reference_bytes_in(unit) : hp_span_is(unit, "count");
        for (int k = 0; k < 6 && names[i][k] && *times > 0; k++) {
            if (hp_span_is(name, names[i][k])) {
                return columns[is_of_allocations(p) ? i % 2 + 2 : i];
            }
        }
    }
    return NULL;
}

static bool is_repeated(const struct profile *p, size_t i) {
    bool is = false;
    for (size_t k = 0; k < i; k++) {
        is |= hp_span_equal(reference_string(p, &p->types.at[k], 1),
                            reference_string(p, &p->types.at[i], 1));
    }
    return is;
}

static bool has_column(const struct profile *p, const uint64_t *column) {
    for (size_t i = 0; i < p->columns.count; i++) {
        if (p->columns.at[i] == column) {
            return true;
        }
    }
    return false;
}

int reference_find_columns(struct profile *p, struct hp_err *err) {
    if (p->types.count == 0) {
        return hp_fail(err, HP_E_FORMAT, "damaged: a pprof profile without sample types");
    }
    const struct fields *other = &p->types.at[0];
    for (size_t i = 0; i < p->types.count; i++) {
        uint64_t times, *column = column_of(p, &p->types.at[i], &times);
        if (!column) {
            other = &p->types.at[i];
        } else if (is_repeated(p, i)) {
            return hp_fail(err, HP_E_FORMAT, "damaged: two sample types of one name");
        } else if (has_column(p, column)) {
            column = NULL;
        }
        hp_vec_push(&p->columns, column);
        hp_vec_push(&p->units, times);
    }
    bool inuse = has_column(p, &p->counts.inuse.bytes);
    bool alloc = has_column(p, &p->counts.alloc.bytes);
    if (!inuse && !alloc) {
        struct hp_span name = reference_string(p, other, 1);
        struct hp_span unit = reference_string(p, other, 2);
        return hp_fail(
            err, HP_E_UNSUPPORTED,
            "a pprof profile, but not of the heap: its values are of '%.*s' in "
            "'%.*s'",
            name.size < 100 ? (int)name.size : 100, name.at,
            unit.size < 100 ? (int)unit.size : 100, unit.at);
    }
    p->dump->missing_metrics =
        (inuse ? 0u : 1u << HP_INUSE_SPACE) | (alloc ? 0u : 1u << HP_ALLOC_SPACE) |
        (has_column(p, &p->counts.inuse.objects) ? 0u : 1u << HP_INUSE_OBJECTS) |
        (has_column(p, &p->counts.alloc.objects) ? 0u : 1u << HP_ALLOC_OBJECTS);
    return HP_OK;
}
