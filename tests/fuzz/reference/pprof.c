// The slow reader of the locations and samples of a pprof profile.
#include "pprof.h"

#include <string.h>

// --- locations ------------------------------------------------------------------------------------

static uint64_t fnv(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash ^= at[i];
        hash *= 1099511628211u;
    }
    return (hash ^ 255) * 1099511628211u;
}

// A line of a location with its function; texts are "" if there is no function.
struct location_line {
    struct hp_span name, linkage, file;
    uint64_t number, column, start;
};

static struct location_line line_of(const struct profile *p, struct hp_span bytes) {
    struct fields message = reference_fields_of(bytes);
    struct location_line line = {{"", 0},
                                 {"", 0},
                                 {"", 0},
                                 reference_number(&message, 2),
                                 reference_number(&message, 3),
                                 0};
    size_t function = reference_find(p->functions.at, p->functions.count,
                                     reference_number(&message, 1));
    hp_vec_done(&message.of);
    if (function != SIZE_MAX) {
        const struct fields *of = &p->functions.at[function];
        line.name = reference_string(p, of, reference_number(of, 2) > 0 ? 2 : 3);
        line.linkage = reference_string(p, of, 3);
        line.file = reference_string(p, of, 4);
        line.start = reference_number(of, 5);
    }
    return line;
}

// A hash of all functions and lines of a location, which serves as its address if it has
// no address of its own.  The highest bit is set.
static uint64_t hash_of_lines(const struct profile *p, const struct fields *location) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < location->of.count; i++) {
        if (location->of.at[i].number == 4) {
            struct location_line line = line_of(p, location->of.at[i].bytes);
            struct hp_span linkage = line.linkage.size ? line.linkage : line.name;
            hash = fnv(hash, line.name.at, line.name.size);
            hash = fnv(hash, linkage.at, linkage.size);
            hash = fnv(hash, line.file.at, line.file.size);
            hash = fnv(hash, &line.number, sizeof line.number);
            if (line.column != 0) {
                hash = fnv(hash, &line.column, sizeof line.column);
            }
        }
    }
    return hash | (uint64_t)1 << 63;
}

static hp_string keep(struct profile *p, struct hp_span text) {
    return hp_strtab_add(&p->dump->strings, text);
}

static uint32_t small_or_0(uint64_t number) {
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

// Embed the functions of a location in the dump.  Returns whether it has lines.
static bool embed_lines(struct profile *p, const struct fields *location) {
    bool has_lines = false;
    for (size_t i = 0; i < location->of.count; i++) {
        if (location->of.at[i].number != 4) {
            continue;
        }
        has_lines = true;
        struct location_line line = line_of(p, location->of.at[i].bytes);
        if (line.name.size > 0) {
            struct hp_embedded_call call = {
                keep(p, line.name),      keep(p, line.file),     keep(p, line.linkage),
                small_or_0(line.number), small_or_0(line.start), small_or_0(line.column)};
            hp_vec_push(&p->dump->embedded_calls, call);
        }
    }
    return has_lines;
}

// 1 + the index of the mapping that contains the location; 0 if none does.
static uint32_t row_of(const struct profile *p, const struct fields *location) {
    uint64_t address = reference_number(location, 3), id = reference_number(location, 2);
    size_t row = id ? reference_find(p->mappings.at, p->mappings.count, id) : SIZE_MAX;
    if (row == SIZE_MAX || p->dump->mappings.at[row].path.size == 0) {
        return 0;
    }
    uint64_t start = reference_number(&p->mappings.at[row], 2);
    uint64_t limit = reference_number(&p->mappings.at[row], 3);
    bool is_after = limit > start && address >= limit;
    return address < start || is_after ? 0 : (uint32_t)row + 1;
}

static bool has_names(const struct profile *p, const struct fields *location) {
    bool has = false;
    for (size_t i = 0; i < location->of.count; i++) {
        has |= location->of.at[i].number == 4 &&
               line_of(p, location->of.at[i].bytes).name.size > 0;
    }
    return has;
}

// Whether the location is identified by its address in a file.  It is not if another
// location at the same address has different names.
static bool is_known_by_address(const struct profile *p, const struct fields *location) {
    uint32_t row = row_of(p, location);
    uint64_t address = reference_number(location, 3);
    if (!has_names(p, location)) {
        return true;
    }
    for (size_t i = 0; i < p->locations.count && row > 0 && address > 0; i++) {
        const struct fields *other = &p->locations.at[i];
        if (reference_number(other, 3) == address && row_of(p, other) == row &&
            has_names(p, other) &&
            hash_of_lines(p, other) != hash_of_lines(p, location)) {
            return false;
        }
    }
    return row > 0 && address > 0;
}

// Add a location that has neither an address nor a name, and is in no file.
static void add_unknown(struct profile *p, uint32_t number) {
    struct hp_embedded_call call = {.function = keep(p, hp_span_of("[unknown]"))};
    hp_vec_push(&p->dump->embedded_calls, call);
    hp_dump_embed(p->dump, number);
    hp_vec_push(&p->dump->addresses, (uint64_t)1 << 63);
    hp_vec_push(&p->dump->rows, 0);
}

static void add_location(struct profile *p, size_t at) {
    const struct fields *location = &p->locations.at[at];
    uint64_t address = reference_number(location, 3);
    uint32_t number = (uint32_t)p->dump->addresses.count;
    p->location_numbers.at[at] = number;
    if (address == 0 && row_of(p, location) == 0 && !has_names(p, location)) {
        add_unknown(p, number);
        return;
    }
    if (embed_lines(p, location)) {
        hp_dump_embed(p->dump, number);
    }
    bool has_address = is_known_by_address(p, location);
    hp_vec_push(&p->dump->addresses,
                has_address ? address + 1 : hash_of_lines(p, location));
    hp_vec_push(&p->dump->rows, has_address ? row_of(p, location) : 0);
}

// --- samples ------------------------------------------------------------------------------------

static void take_location(struct profile *p, uint64_t id) {
    size_t at = reference_find(p->locations.at, p->locations.count, id);
    if (at == SIZE_MAX) {
        reference_fail(p, "a location that is missing");
        return;
    }
    if (p->location_numbers.at[at] == UINT32_MAX) {
        add_location(p, at);
    }
    hp_vec_push(&p->dump->frames, p->location_numbers.at[at]);
}

// Add value number *values of the current sample to its counts or its further values.
static void take_value(struct profile *p, uint64_t value, size_t *values) {
    if (*values >= p->columns.count) {
        reference_fail(p, "a sample of more values than there are types");
    } else {
        hp_int128 whole = (hp_int128)(int64_t)value * p->units.at[*values];
        if (whole > INT64_MAX || whole < INT64_MIN) {
            reference_fail(p, "a value of 2^63 bytes or more");
        }
        p->dump->negative += value >> 63;
        if (p->columns.at[*values]) {
            *p->columns.at[*values] = (uint64_t)whole;
        } else {
            hp_vec_push(&p->further, (int64_t)whole);
        }
    }
    ++*values;
}

// Read one number of a sample, or several that are packed in one field.
static void take_numbers(struct profile *p, const struct wire_field *field,
                         size_t *values) {
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

// Keep a label: a key, and either a text or a number with a unit.
static void keep_label(struct profile *p, const struct fields *label) {
    struct hp_tag tag = {.key = keep(p, reference_string(p, label, 1)),
                         .text = keep(p, reference_string(p, label, 2)),
                         .unit = keep(p, reference_string(p, label, 4)),
                         .is_number = reference_number(label, 2) == 0,
                         .number = (int64_t)reference_number(label, 3)};
    hp_vec_push(&p->tags, tag);
}

// Read a label.  Returns the size of the objects if the label contains it, else 0.
static uint64_t read_label(struct profile *p, const struct wire_field *field) {
    if (field->type != 2) {
        reference_fail(p, "a number where bytes are expected");
        return 0;
    }
    struct fields label = reference_fields_of(field->bytes);
    uint64_t size = 0;
    reference_check_numbers(p, &label, 0x1e);
    reference_fail(p, label.wrong);
    if (reference_number(&label, 1) >= p->strings.count ||
        reference_number(&label, 2) >= p->strings.count ||
        reference_number(&label, 4) >= p->strings.count) {
        reference_fail(p, "a string that is missing");
    }
    if (!p->wrong) {
        bool is_size = (int64_t)reference_number(&label, 3) > 0 &&
                       hp_span_is(reference_string(p, &label, 1), "bytes");
        size = is_size ? reference_number(&label, 3) : 0;
        if (p->keeps_labels) {
            keep_label(p, &label);
        }
    }
    hp_vec_done(&label.of);
    return size;
}

// Read a sample; it becomes a stack unless all its values are 0.
static void read_sample(struct profile *p, struct hp_span bytes) {
    struct fields sample = reference_fields_of(bytes);
    struct hp_dump_stack stack = {.first_frame = p->dump->frames.count};
    size_t values = 0;
    uint64_t size = 0;
    p->counts = (struct hp_counts){{0, 0}, {0, 0}};
    p->tags.count = p->further.count = 0;
    for (size_t i = 0; i < sample.of.count && !p->wrong; i++) {
        const struct wire_field *field = &sample.of.at[i];
        if (field->number == 1 || field->number == 2) {
            take_numbers(p, field, &values);
        } else if (field->number == 3) {
            uint64_t label_size = read_label(p, field);
            size = label_size > 0 ? label_size : size;
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
    bool has_counts = p->counts.inuse.objects || p->counts.inuse.bytes ||
                      p->counts.alloc.objects || p->counts.alloc.bytes;
    bool has_further = false;
    for (size_t i = 0; i < p->further.count; i++) {
        has_further |= p->further.at[i] != 0;
    }
    if (has_further && !p->wrong) {
        hp_vec_append(&p->dump->values, p->further.at, p->further.count);
        hp_dump_next_extra(p->dump)->values_end = p->dump->values.count;
    }
    if (has_counts || has_further) {
        if (size > 0) {
            hp_dump_next_extra(p->dump)->object_size = size;
        }
        if (p->tags.count > 0) {
            hp_dump_next_extra(p->dump)->tags =
                hp_tags_add(&p->dump->tag_sets, p->tags.at, p->tags.count);
        }
        hp_vec_push(&p->dump->stacks, stack);
    }
}

// --- the whole ------------------------------------------------------------------------------------

static bool is_build_id(struct hp_span text) {
    return text.size <= 512;
}

static void add_mapping(struct profile *p, const struct fields *mapping) {
    struct hp_span id = reference_string(p, mapping, 6);
    uint64_t start = reference_number(mapping, 2), limit = reference_number(mapping, 3);
    struct hp_mapping row = {.start = start,
                             .end = limit > start ? limit : start,
                             .offset = reference_number(mapping, 4),
                             .path = reference_string(p, mapping, 5),
                             .executable = limit > start};
    if (is_build_id(id)) {
        row.build_id = hp_strtab_add(&p->dump->strings, id);
    }
    for (unsigned i = 0; i < 4; i++) {
        row.resolved |= (unsigned char)((reference_number(mapping, 7 + i) > 0) << i);
    }
    hp_vec_push(&p->dump->mappings, row);
}

static void read_samples(struct profile *p) {
    struct hp_dump *dump = p->dump;
    uint64_t times = reference_bytes_in(reference_string(p, &p->period_type, 2));
    dump->producer = reference_producer(p);
    bool fits = times > 0 && p->period < ((uint64_t)1 << 62) / times;
    dump->period = fits ? p->period * times : 0;
    dump->scaling = dump->period == 1 ? HP_SCALING_EXACT : HP_SCALING_SCALED;
    dump->has_rows = true;
    reference_annotate(p);
    reference_read_processes(p);
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
    hp_vec_done(&p->units);
    hp_vec_done(&p->further);
    hp_vec_done(&p->comments);
    hp_vec_done(&p->tags);
}

void reference_read_pprof(struct reference *r) {
    struct profile p = {.dump = &r->dump,
                        .whole = r->whole,
                        .keeps_labels = r->keeps,
                        .top = reference_fields_of(r->whole)};
    reference_read_tables(&p);
    r->ret = p.wrong ? HP_OK : reference_find_columns(&p, &r->err);
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
