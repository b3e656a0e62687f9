// The slow reader of the sample types of a pprof profile, and of its comments and
// patterns.
#include "pprof.h"

#include "inputs/process_keys.h"

#include <string.h>

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

// Whether it is tcmalloc's profile of allocations, which gives them the names that others
// give to memory in use.
static bool is_of_allocations(const struct profile *p) {
    return reference_producer(p) == HP_PRODUCER_PPROF_TCMALLOC &&
           hp_span_is(p->strings.at[p->default_type], "objects");
}

// Whether it is tcmalloc's profile of lifetimes, whose "space" is not necessarily in use.
static bool has_lifetimes(const struct profile *p) {
    bool has = false;
    for (size_t i = 0; i < p->types.count; i++) {
        struct hp_span name = reference_string(p, &p->types.at[i], 1);
        has |= hp_span_is(name, "allocations") || hp_span_is(name, "deallocations");
    }
    return has;
}

// The metric in which the values of a sample type belong, by the names that Go, tcmalloc,
// Datadog and Android use; NULL if it is none.  *times becomes the factor of the values.
static uint64_t *column_of(struct profile *p, const struct fields *type,
                           uint64_t *times) {
    static const char *const names[4][8] = {
        {"inuse_objects", "objects", "inuse-objects", "heap-live-samples",
         "Unreleased malloc count", "Unreleased count"},
        {"inuse_space", "space", "inuse-space", "heap-live-size", "heap-space",
         "Unreleased malloc size", "Unreleased size"},
        {"alloc_objects", "alloc-samples", "Total malloc count", "Total count"},
        {"alloc_space", "alloc-space", "alloc-size", "Total malloc size", "Total size"},
    };
    uint64_t *columns[4] = {&p->counts.inuse.objects, &p->counts.inuse.bytes,
                            &p->counts.alloc.objects, &p->counts.alloc.bytes};

    struct hp_span name = reference_string(p, type, 1),
                   unit = reference_string(p, type, 2);
    for (int i = 0; i < 4 && !has_lifetimes(p); i++) {
        *times = i % 2 ? reference_bytes_in(unit) : hp_span_is(unit, "count");
        for (int k = 0; k < 8 && names[i][k] && *times > 0; k++) {
            if (hp_span_is(name, names[i][k])) {
                return columns[is_of_allocations(p) ? i % 2 + 2 : i];
            }
        }
    }
    return NULL;
}

static bool has_column(const struct profile *p, const uint64_t *column) {
    for (size_t i = 0; i < p->columns.count; i++) {
        if (p->columns.at[i] == column) {
            return true;
        }
    }
    return false;
}

// Bytes in the unit of sample type `i`; 0 if the unit is not one of bytes.
static uint64_t bytes_of(const struct profile *p, size_t i) {
    return reference_bytes_in(reference_string(p, &p->types.at[i], 2));
}

// Whether an earlier sample type has the same name and unit; all units of bytes are
// alike.
static bool is_repeated(const struct profile *p, size_t i) {
    bool is = false;
    for (size_t k = 0; k < i; k++) {
        bool both_space = bytes_of(p, i) > 0 && bytes_of(p, k) > 0;
        is |= hp_span_equal(reference_string(p, &p->types.at[k], 1),
                            reference_string(p, &p->types.at[i], 1)) &&
              (both_space || hp_span_equal(reference_string(p, &p->types.at[k], 2),
                                           reference_string(p, &p->types.at[i], 2)));
    }
    return is;
}

static const char *const go[4] = {"inuse_objects", "inuse_space", "alloc_objects",
                                  "alloc_space"};

static bool is_of_go(const struct profile *p, size_t i) {
    bool is = false;
    for (int k = 0; k < 4; k++) {
        is |= hp_span_is(reference_string(p, &p->types.at[i], 1), go[k]);
    }
    return is;
}

// Leave one sample type for each metric: the one that has Go's name, else the first.  The
// others become further sample types.
static void keep_one_each(struct profile *p) {
    uint64_t *columns[4] = {&p->counts.inuse.objects, &p->counts.inuse.bytes,
                            &p->counts.alloc.objects, &p->counts.alloc.bytes};
    for (int metric = 0; metric < 4; metric++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < p->columns.count; i++) {
            if (p->columns.at[i] == columns[metric] &&
                (best == SIZE_MAX || (is_of_go(p, i) && !is_of_go(p, best)))) {
                best = i;
            }
        }
        for (size_t i = 0; i < p->columns.count; i++) {
            if (p->columns.at[i] == columns[metric] && i != best) {
                p->columns.at[i] = NULL;
            }
        }
    }
}

static hp_string keep(struct profile *p, struct hp_span text) {
    return hp_strtab_add(&p->dump->strings, text);
}

static void add_further(struct profile *p) {
    for (size_t i = 0; i < p->types.count; i++) {
        if (!p->columns.at[i]) {
            bool is_space = bytes_of(p, i) > 0;
            struct hp_span unit = reference_string(p, &p->types.at[i], 2);
            struct hp_dump_type type = {keep(p, reference_string(p, &p->types.at[i], 1)),
                                        keep(p, is_space ? hp_span_of("bytes") : unit),
                                        is_space};
            p->units.at[i] = is_space ? bytes_of(p, i) : 1;
            hp_vec_push(&p->dump->types, type);
        }
    }
}

// Fail, because no sample type is one of bytes.
static int refuse(const struct profile *p, struct hp_err *err) {
    const struct fields *last = &p->types.at[p->types.count - 1];
    struct hp_span name = reference_string(p, last, 1),
                   unit = reference_string(p, last, 2);
    return hp_fail(err, HP_E_UNSUPPORTED,
                   "a pprof profile, but not of the heap: it measures '%.*s' in "
                   "'%.*s'",
                   name.size < 100 ? (int)name.size : 100, name.at,
                   unit.size < 100 ? (int)unit.size : 100, unit.at);
}

int reference_find_columns(struct profile *p, struct hp_err *err) {
    bool has_space = false;
    if (p->types.count == 0) {
        return hp_fail(err, HP_E_FORMAT, "damaged: a pprof profile without sample types");
    }
    if (p->types.count > 256) {
        return hp_fail(err, HP_E_LIMIT, "a pprof profile of more than 256 sample types");
    }
    for (size_t i = 0; i < p->types.count; i++) {
        uint64_t times = 1, *column = column_of(p, &p->types.at[i], &times);
        hp_vec_push(&p->columns, column);
        hp_vec_push(&p->units, times);
        has_space |= bytes_of(p, i) > 0;
        if (is_repeated(p, i)) {
            return hp_fail(err, HP_E_FORMAT, "damaged: two sample types of one name");
        }
    }
    keep_one_each(p);
    if (!has_space) {
        return refuse(p, err);
    }
    add_further(p);
    p->dump->missing_metrics =
        (has_column(p, &p->counts.inuse.bytes) ? 0u : 1u << HP_INUSE_SPACE) |
        (has_column(p, &p->counts.alloc.bytes) ? 0u : 1u << HP_ALLOC_SPACE) |
        (has_column(p, &p->counts.inuse.objects) ? 0u : 1u << HP_INUSE_OBJECTS) |
        (has_column(p, &p->counts.alloc.objects) ? 0u : 1u << HP_ALLOC_OBJECTS);
    return HP_OK;
}

// --- apart from the samples ---------------------------------------------------------------

static void annotate(struct profile *p, enum hp_annotation_kind kind, struct hp_span text,
                     uint32_t place) {
    hp_annotations_add(&p->dump->annotations, kind, keep(p, text), place);
}

// Keep a pattern.  A pattern "(?:a)|(?:b)", which we made of several, is split into these
// again, provided that each of them has balanced parentheses.
static void annotate_patterns(struct profile *p, enum hp_annotation_kind kind,
                              struct hp_span whole) {
    HP_VEC(struct hp_span) parts = {0};
    bool is_made = p->dump->producer == HP_PRODUCER_PPROF_OURS && whole.size > 4 &&
                   hp_span_starts(whole, "(?:") && hp_span_ends(whole, ")");
    struct hp_span rest = whole;
    if (is_made) {
        rest = (struct hp_span){whole.at + 3, whole.size - 4};
    }
    while (is_made && rest.at <= whole.at + whole.size - 1) {
        const char *end = memmem(rest.at, rest.size, ")|(?:", 5);
        struct hp_span part = {rest.at, end ? (size_t)(end - rest.at) : rest.size};
        int depth = 0;
        for (size_t i = 0; i < part.size && depth >= 0; i++) {
            bool is_escaped = part.at[i] == '\\';
            i += is_escaped;
            depth += i < part.size && part.at[i] == '(';
            depth -= i < part.size && part.at[i] == ')';
        }
        is_made = depth == 0;
        hp_vec_push(&parts, part);
        if (!end) {
            break;
        }
        rest = (struct hp_span){end + 5, (size_t)(rest.at + rest.size - end) - 5};
    }
    is_made &= parts.count > 1;
    for (size_t i = 0; is_made && i < parts.count; i++) {
        annotate(p, kind, parts.at[i], 0);
    }
    if (!is_made) {
        annotate(p, kind, whole, 0);
    }
    hp_vec_done(&parts);
}

void reference_annotate(struct profile *p) {
    uint64_t *columns[4] = {&p->counts.inuse.objects, &p->counts.inuse.bytes,
                            &p->counts.alloc.objects, &p->counts.alloc.bytes};
    struct hp_span shown = p->strings.at[p->default_type], first = shown;
    bool is_ours = p->dump->producer == HP_PRODUCER_PPROF_OURS;
    bool is_found = false;
    for (size_t i = 0; i < p->types.count; i++) {
        for (int metric = 0; metric < 4; metric++) {
            if (!is_found && p->columns.at[i] == columns[metric] &&
                hp_span_equal(first, reference_string(p, &p->types.at[i], 1))) {
                shown = hp_span_of(go[metric]);
                is_found = true;
            }
        }
    }
    struct hp_span unit = reference_string(p, &p->period_type, 2);
    bool in_bytes = reference_bytes_in(unit) > 0;
    annotate_patterns(p, HP_ANNOTATION_DROP_FRAMES, p->strings.at[p->drop_frames]);
    annotate_patterns(p, HP_ANNOTATION_KEEP_FRAMES, p->strings.at[p->keep_frames]);
    annotate(p, HP_ANNOTATION_DOC_URL, p->strings.at[p->doc_url], 0);
    annotate(p, HP_ANNOTATION_DEFAULT_TYPE, shown, 0);
    annotate(p, HP_ANNOTATION_PERIOD_TYPE, reference_string(p, &p->period_type, 1), 0);
    annotate(p, HP_ANNOTATION_PERIOD_UNIT, in_bytes ? hp_span_of("bytes") : unit, 0);
    for (size_t i = 0; i < p->comments.count; i++) {
        struct hp_span text = p->strings.at[p->comments.at[i]];
        bool is_mark = is_ours && (hp_span_starts(text, "made by hprof-agg ") ||
                                   hp_span_starts(text, "hprof-agg warns: ") ||
                                   hp_span_starts(text, "inputs: "));
        if (!is_mark && !hp_span_starts(text, "#hprof-agg processes/")) {
            annotate(p, HP_ANNOTATION_COMMENT, text, (uint32_t)i);
        }
    }
    p->dump->annotations.period = in_bytes ? 0 : p->period;
    p->dump->annotations.time = p->time;
    p->dump->annotations.duration = p->duration;
}

// Uses the library's own function to read the texts: the comparison is about whether, and
// with which error, a profile fails because of them.
void reference_read_processes(struct profile *p) {
    for (size_t i = 0; i < p->comments.count; i++) {
        uint64_t string = p->comments.at[i];
        struct hp_span text = p->strings.at[string];
        bool is_again = false;
        for (size_t k = 0; k < i; k++) {
            is_again |= p->comments.at[k] == string;
        }
        if (!is_again && hp_process_keys_is_text(text) &&
            !hp_process_keys_read(&p->dump->process_keys, text)) {
            reference_fail(p, "its list of processes");
        }
    }
}
