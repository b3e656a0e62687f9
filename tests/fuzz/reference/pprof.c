// The samples of a pprof profile.
#include "pprof.h"

#include <string.h>

// --- values -------------------------------------------------------------------------------------

static struct hp_span string_in(const struct profile *p, const struct fields *message,
                                uint64_t number) {
    return p->strings.at[reference_number(message, number)];
}

// Where a sample's values of that type go.
static uint64_t *column_of(struct profile *p, const struct fields *type) {
    struct hp_span name = string_in(p, type, 1), unit = string_in(p, type, 2);
    bool is_alloc = hp_span_starts(name, "alloc_");
    struct hp_count *count = is_alloc ? &p->counts.alloc : &p->counts.inuse;
    size_t skip = is_alloc ? 6 : hp_span_starts(name, "inuse_") ? 6 : 0;
    if (hp_span_is(hp_span_from(name, skip), "objects") && hp_span_is(unit, "count")) {
        return &count->objects;
    }
    if (hp_span_is(hp_span_from(name, skip), "space") && hp_span_is(unit, "bytes")) {
        return &count->bytes;
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

static int find_columns(struct profile *p, struct hp_err *err) {
    struct hp_span other = {"none", 4};
    for (size_t i = 0; i < p->types.count; i++) {
        uint64_t *column = column_of(p, &p->types.at[i]);
        if (!column) {
            other = string_in(p, &p->types.at[i], 1);
        } else if (has_column(p, column)) {
            return hp_fail(err, HP_E_FORMAT, "damaged: two sample types of one name");
        }
        hp_vec_push(&p->columns, column);
    }
    bool inuse = has_column(p, &p->counts.inuse.bytes);
    bool alloc = has_column(p, &p->counts.alloc.bytes);
    if (!inuse && !alloc) {
        return hp_fail(err, HP_E_UNSUPPORTED,
                       "a pprof profile, but not of the heap: its values are of '%.*s'",
                       other.size < 100 ? (int)other.size : 100, other.at);
    }
    p->dump->lacks_objects = (inuse && !has_column(p, &p->counts.inuse.objects)) ||
                             (alloc && !has_column(p, &p->counts.alloc.objects));
    return HP_OK;
}

// --- locations ------------------------------------------------------------------------------------

static uint64_t fnv(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash ^= at[i];
        hash *= 1099511628211u;
    }
    return (hash ^ 255) * 1099511628211u;
}

// Calls function(), named or not, of each line of a location.
static void each_line(struct profile *p, const struct fields *location,
                      void (*each)(struct profile *p, struct hp_span name,
                                   struct hp_span file, uint64_t line, uint64_t *hash),
                      uint64_t *hash) {
    for (size_t i = 0; i < location->of.count; i++) {
        if (location->of.at[i].number != 4) {
            continue;
        }
        struct fields line = reference_fields_of(location->of.at[i].bytes);
        struct hp_span name = {"", 0}, file = {"", 0};
        size_t function = reference_find(p->functions.at, p->functions.count,
                                         reference_number(&line, 1));
        if (function != SIZE_MAX) {
            name = string_in(p, &p->functions.at[function], 2);
            file = string_in(p, &p->functions.at[function], 4);
        }
        each(p, name, file, reference_number(&line, 2), hash);
        hp_vec_done(&line.of);
    }
}

static void hash_line(struct profile *p, struct hp_span name, struct hp_span file,
                      uint64_t line, uint64_t *hash) {
    (void)p;
    *hash = fnv(*hash, name.at, name.size);
    *hash = fnv(*hash, file.at, file.size);
    *hash = fnv(*hash, &line, sizeof line);
}

static void tell_line(struct profile *p, struct hp_span name, struct hp_span file,
                      uint64_t line, uint64_t *hash) {
    (void)hash;
    if (name.size > 0) {
        struct hp_told_call call = {.function = hp_strtab_add(&p->dump->strings, name),
                                    .file = hp_strtab_add(&p->dump->strings, file),
                                    .line = line <= UINT32_MAX ? (uint32_t)line : 0};
        hp_vec_push(&p->dump->told_calls, call);
    }
}

// Of what is in no mapping 0, else its place + 1.
static uint32_t row_of(const struct profile *p, const struct fields *location) {
    uint64_t address = reference_number(location, 3), id = reference_number(location, 2);
    size_t row = id ? reference_find(p->mappings.at, p->mappings.count, id) : SIZE_MAX;
    if (row == SIZE_MAX) {
        return 0;
    }
    uint64_t start = reference_number(&p->mappings.at[row], 2);
    uint64_t limit = reference_number(&p->mappings.at[row], 3);
    bool is_behind = limit > start && address >= limit;
    return address < start || is_behind ? 0 : (uint32_t)row + 1;
}

static void add_location(struct profile *p, size_t at) {
    const struct fields *location = &p->locations.at[at];
    uint64_t address = reference_number(location, 3), hash = 14695981039346656037u;
    bool has_lines = false;
    for (size_t i = 0; i < location->of.count; i++) {
        has_lines |= location->of.at[i].number == 4;
    }
    p->location_numbers.at[at] = (uint32_t)p->dump->addresses.count;
    if (address > 0 || !has_lines) {
        hp_vec_push(&p->dump->addresses, address + 1);
        hp_vec_push(&p->dump->rows, row_of(p, location));
    } else {
        each_line(p, location, hash_line, &hash);
        hp_vec_push(&p->dump->addresses, hash | (uint64_t)1 << 63);
        hp_vec_push(&p->dump->rows, 0);
    }
    if (has_lines) {
        each_line(p, location, tell_line, &hash);
        hp_dump_tell(p->dump, p->location_numbers.at[at]);
    }
}

// --- samples ------------------------------------------------------------------------------------

static void take_location(struct profile *p, uint64_t id) {
    size_t at = reference_find(p->locations.at, p->locations.count, id);
    if (at == SIZE_MAX) {
        reference_fail(p, "a location that is not there");
        return;
    }
    if (p->location_numbers.at[at] == UINT32_MAX) {
        add_location(p, at);
    }
    hp_vec_push(&p->dump->frames, p->location_numbers.at[at]);
}

static void take_value(struct profile *p, uint64_t value, size_t *values) {
    if (*values >= p->columns.count) {
        reference_fail(p, "a sample of more values than there are types");
    } else if (p->columns.at[*values] && value >> 63) {
        reference_fail(p, "a value below zero, as in a difference of two profiles");
    } else if (p->columns.at[*values]) {
        *p->columns.at[*values] = value;
    }
    ++*values;
}

// One number, or packed ones.
static void take_numbers(struct profile *p, const struct field *field, size_t *values) {
    struct hp_span rest = field->bytes;
    uint64_t value = field->value;
    const char *wrong = NULL;
    if (field->type != 0 && field->type != 2) {
        reference_fail(p, "bytes where a number is expected");
    }
    while (!p->wrong && (field->type == 0 ||
                         (rest.size > 0 && reference_varint(&rest, &value, &wrong)))) {
        if (field->number == 1) {
            take_location(p, value);
        } else {
            take_value(p, value, values);
        }
        if (field->type == 0) {
            break;
        }
    }
    reference_fail(p, wrong);
}

static bool is_size(struct profile *p, const struct field *field) {
    if (field->type != 2) {
        reference_fail(p, "a number where bytes are expected");
        return false;
    }
    struct fields label = reference_fields_of(field->bytes);
    reference_check_numbers(p, &label, 1 << 1 | 1 << 3);
    reference_fail(p, label.wrong);
    uint64_t key = reference_number(&label, 1);
    if (key >= p->strings.count) {
        reference_fail(p, "a string that is not there");
    }
    bool is = !p->wrong && reference_number(&label, 3) > 0 &&
              hp_span_is(p->strings.at[key], "bytes");
    hp_vec_done(&label.of);
    return is;
}

static void read_sample(struct profile *p, struct hp_span bytes) {
    struct fields sample = reference_fields_of(bytes);
    struct hp_dump_stack stack = {.first_frame = p->dump->frames.count};
    size_t values = 0;
    bool has_size = false;
    p->counts = (struct hp_counts){{0, 0}, {0, 0}};
    for (size_t i = 0; i < sample.of.count && !p->wrong; i++) {
        const struct field *field = &sample.of.at[i];
        if (field->number == 1 || field->number == 2) {
            take_numbers(p, field, &values);
        } else if (field->number == 3) {
            has_size |= is_size(p, field);
        }
    }
    reference_fail(p, sample.wrong);
    hp_vec_done(&sample.of);
    if (values != p->columns.count) {
        reference_fail(p, "a sample of fewer values than there are types");
    }
    stack.depth = (uint32_t)(p->dump->frames.count - stack.first_frame);
    if (stack.depth > 65536) {
        reference_fail(p, "a stack of more than 65,536 frames");
    }
    stack.counts = p->counts;
    if (p->counts.inuse.objects || p->counts.inuse.bytes || p->counts.alloc.objects ||
        p->counts.alloc.bytes) {
        p->dump->mixes_sizes |= !has_size;
        hp_vec_push(&p->dump->stacks, stack);
    }
}

// --- the whole ------------------------------------------------------------------------------------

static bool is_build_id(struct hp_span text) {
    bool is = text.size <= 64;
    for (size_t i = 0; i < text.size; i++) {
        is &= text.at[i] != 0 && strchr("0123456789abcdef", text.at[i]) != NULL;
    }
    return is;
}

static void add_mapping(struct profile *p, const struct fields *mapping) {
    struct hp_span id = string_in(p, mapping, 6);
    uint64_t start = reference_number(mapping, 2), limit = reference_number(mapping, 3);
    struct hp_mapping row = {.start = start,
                             .end = limit > start ? limit : start,
                             .offset = reference_number(mapping, 4),
                             .path = string_in(p, mapping, 5),
                             .build_id = is_build_id(id) ? id : (struct hp_span){"", 0},
                             .executable = limit > start};
    hp_vec_push(&p->dump->mappings, row);
}

static void read_samples(struct profile *p) {
    struct hp_dump *dump = p->dump;
    bool is_bytes = hp_span_is(string_in(p, &p->period_type, 2), "bytes");
    dump->producer = HP_PRODUCER_PPROF;
    dump->period = is_bytes && p->period < (uint64_t)1 << 62 ? p->period : 0;
    dump->kind = dump->period == 1 ? HP_DUMP_EXACT : HP_DUMP_SCALED;
    dump->has_rows = true;
    for (size_t i = 0; i < p->mappings.count; i++) {
        add_mapping(p, &p->mappings.at[i]);
    }
    for (size_t i = 0; i < p->locations.count; i++) {
        hp_vec_push(&p->location_numbers, UINT32_MAX);
    }
    for (size_t i = 0; i < p->top.of.count && !p->wrong; i++) {
        if (p->top.of.at[i].number == 2) {
            read_sample(p, p->top.of.at[i].bytes);
        }
    }
}

#define done_with(table)                             \
    do {                                             \
        for (size_t i = 0; i < (table).count; i++) { \
            hp_vec_done(&(table).at[i].of);          \
        }                                            \
        hp_vec_done(&(table));                       \
    } while (0)

static void done(struct profile *p) {
    done_with(p->types);
    done_with(p->mappings);
    done_with(p->locations);
    done_with(p->functions);
    done_with(p->lines);
    hp_vec_done(&p->period_type.of);
    hp_vec_done(&p->top.of);
    hp_vec_done(&p->strings);
    hp_vec_done(&p->location_numbers);
    hp_vec_done(&p->columns);
}

void reference_read_pprof(struct reference *r) {
    struct profile p = {.dump = &r->dump, .top = reference_fields_of(r->whole)};
    reference_read_tables(&p);
    r->ret = p.wrong ? HP_OK : find_columns(&p, &r->err);
    if (r->ret == HP_OK && !p.wrong) {
        read_samples(&p);
    }
    if (r->ret == HP_OK && p.wrong) {
        r->ret =
            hp_fail(&r->err, HP_E_FORMAT, "damaged pprof profile: %s, in its %zu bytes",
                    p.wrong, r->whole.size);
    }
    done(&p);
}
