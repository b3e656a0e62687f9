// A sample is a stack of locations, leaf first, and one value for each sample type:
//
//     Sample    1 location_id  2 value  3 label
//     Label     1 key  2 str  3 num  4 num_unit
//
// The values are estimates made by the writer, and may be below zero in a difference of
// two profiles. The address of a location is within its call instruction; the return
// address, which dumps are made of, is taken to be one byte later. In a label, `key`,
// `str` and `num_unit` are indices of strings; a label with `str` is a text, any other a
// number.
#include "input/input_format.h"
#include "input/maps.h"
#include "input/pprof_tables.h"
#include "input/pprof_types.h"
#include "input/scan.h"
#include "inputs/process_keys.h"
#include "model/dump.h"

#include <string.h>

// --- pprof locations -------------------------------------------------------------------
//
// Convert the locations of a pprof profile to addresses and symbols of a dump.
//
// A location is an address within a file, and may have names. It is identified by its
// address, but by its names if
//
//     it has no address,
//     its address is in no file: in another process something else may be there,
//     another location has the same address and different names.
//
// A location without address, file and names is an [unknown] call, and all of these are
// one.

// A location of a profile that has an address, a file and names.
struct named_place {
    uint64_t address; // as in the profile
    uint32_t row;     // row of the dump's map, + 1
    struct hp_pprof_location *location;
};

// All locations of a profile that have an address, a file and names.
struct named_places {
    HP_VEC(struct named_place) of; // sorted by row and address when they are compared
};

// Returns the row of the dump's map that a location is in, + 1; 0 if it is in no row. A
// mapping without a file counts as none, because pprof makes such mappings for addresses
// that are in no mapping.
static uint32_t row_of(const struct hp_pprof_tables *tables,
                       const struct hp_pprof_location *location) {
    const struct hp_pprof_mapping *mapping = hp_pprof_mapping(tables, location->mapping);
    if (!mapping || hp_pprof_text(tables, mapping->file).size == 0 ||
        location->address < mapping->start ||
        (mapping->limit > mapping->start && location->address >= mapping->limit)) {
        return 0;
    }
    return (uint32_t)(mapping - tables->mappings.at) + 1;
}

// --- names -----------------------------------------------------------------------------

// Returns the function of line `i` of a location, or NULL.
static const struct hp_pprof_function *function_of(
    const struct hp_pprof_tables *tables, const struct hp_pprof_location *location,
    uint32_t i) {
    return hp_pprof_function(tables, tables->lines.at[location->first_line + i].function);
}

static bool has_name(const struct hp_pprof_tables *tables,
                     const struct hp_pprof_function *function) {
    return function && hp_pprof_text(tables, function->name).size > 0;
}

// Whether any function of a location has a name.
static bool has_names(const struct hp_pprof_tables *tables,
                      const struct hp_pprof_location *location) {
    bool has = false;
    for (uint32_t i = 0; i < location->lines && !has; i++) {
        has = has_name(tables, function_of(tables, location, i));
    }
    return has;
}

// Return `hash` extended by some bytes and an end mark, so that "ab", "c" and "a", "bc"
// differ.
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) { // FNV-1a
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
    return (hash ^ 0xff) * 0x100000001b3;
}

static uint64_t mix_text(const struct hp_pprof_tables *tables, uint64_t hash,
                         uint64_t string) {
    struct hp_span text = hp_pprof_text(tables, string);
    return mix(hash, text.at, text.size);
}

// Returns a hash of all names, lines and columns of a location, to be used as its
// address. The hash is the same in all profiles, and is in the half of the address space
// that no program has.
static uint64_t address_of_names(const struct hp_pprof_tables *tables,
                                 const struct hp_pprof_location *location) {
    static const struct hp_pprof_function none;
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t i = 0; i < location->lines; i++) {
        const struct hp_pprof_function *function = function_of(tables, location, i);
        function = function ? function : &none;
        bool is_mangled = hp_pprof_text(tables, function->system_name).size > 0;
        uint64_t line = tables->lines.at[location->first_line + i].line;
        uint64_t column = tables->lines.at[location->first_line + i].column;
        hash = mix_text(tables, hash, function->name);
        hash =
            mix_text(tables, hash, is_mangled ? function->system_name : function->name);
        hash = mix_text(tables, hash, function->file);
        hash = mix(hash, &line, sizeof line);
        hash = column > 0 ? mix(hash, &column, sizeof column) : hash;
    }
    return hash | (uint64_t)1 << 63;
}

// --- who is known by names -------------------------------------------------------------

// Order locations by row of the map and address.
static int by_place(const void *left, const void *right) {
    const struct named_place *a = left, *b = right;
    int order = (a->row > b->row) - (a->row < b->row);
    return order ? order : (a->address > b->address) - (a->address < b->address);
}

// Returns the index after the last location at the row and address of location `i`.
// *differ becomes whether the names of these locations differ.
static size_t end_of(const struct hp_pprof_tables *tables,
                     const struct named_places *places, size_t i, bool *differ) {
    const struct named_place *at = places->of.at;
    uint64_t names = 0;
    size_t end = i + 1;
    *differ = false;
    for (; end < places->of.count && by_place(&at[i], &at[end]) == 0; end++) {
        names = end == i + 1 ? address_of_names(tables, at[i].location) : names;
        *differ |= address_of_names(tables, at[end].location) != names;
    }
    return end;
}

// Identify locations by their names where several have one row and address but different
// names.
static void settle_disputes(const struct hp_pprof_tables *tables,
                            struct named_places *places) {
    size_t count = places->of.count, end;
    hp_vec_sort(&places->of, by_place);
    for (size_t i = 0; i < count; i = end) {
        bool differ;
        end = end_of(tables, places, i, &differ);
        for (size_t k = i; k < end; k++) {
            places->of.at[k].location->is_by_names = differ;
        }
    }
}

// Decide which locations are identified by their names instead of their addresses, and
// find the row of each. Call this before hp_pprof_location_add().
static void hp_pprof_locations_settle(struct hp_pprof_tables *tables) {
    struct named_places places = {0};
    struct hp_pprof_location *location;
    hp_vec_each (location, &tables->locations) {
        bool is_named = has_names(tables, location);
        location->row = row_of(tables, location);
        location->is_unknown = !is_named && location->address == 0 && location->row == 0;
        if (is_named && (location->address == 0 || location->row == 0)) {
            location->is_by_names = true;
        } else if (is_named) {
            struct named_place place = {location->address, location->row, location};
            hp_vec_push(&places.of, place);
        }
    }
    settle_disputes(tables, &places);
    hp_vec_done(&places.of);
}

// --- the dump --------------------------------------------------------------------------

// Copy a string of the profile to the dump.
static hp_string keep_text(const struct hp_pprof_tables *tables, struct hp_dump *dump,
                           uint64_t string) {
    return hp_strtab_add(&dump->strings, hp_pprof_text(tables, string));
}

// A line or column number, or 0 if it does not fit.
static uint32_t line_number(uint64_t line) {
    return line <= UINT32_MAX ? (uint32_t)line : 0;
}

// Embed the functions of a location in the dump, as the symbols of its address.
static void embed_functions(const struct hp_pprof_tables *tables,
                            const struct hp_pprof_location *location,
                            struct hp_dump *dump) {
    for (uint32_t i = 0; i < location->lines; i++) {
        const struct hp_pprof_function *function = function_of(tables, location, i);
        const struct hp_pprof_line *line = &tables->lines.at[location->first_line + i];
        if (has_name(tables, function)) {
            struct hp_embedded_call call = {
                .function = keep_text(tables, dump, function->name),
                .linkage = keep_text(tables, dump, function->system_name),
                .file = keep_text(tables, dump, function->file),
                .line = line_number(line->line),
                .start_line = line_number(function->start_line),
                .column = line_number(line->column)};
            hp_vec_push(&dump->embedded_calls, call);
        }
    }
    hp_dump_embed(dump, location->number);
}

// Embed "[unknown]" as the name of an address.
static void embed_unknown(struct hp_dump *dump, uint32_t number) {
    hp_string name = hp_strtab_add(&dump->strings, hp_span_of("[unknown]"));
    hp_vec_push(&dump->embedded_calls, ((struct hp_embedded_call){.function = name}));
    hp_dump_embed(dump, number);
}

// Returns the address of a location in the dump. A location is within its call
// instruction, dumps have return addresses: hence + 1.
static uint64_t address_of(const struct hp_pprof_tables *tables,
                           const struct hp_pprof_location *location) {
    return location->is_unknown    ? (uint64_t)1 << 63
           : location->is_by_names ? address_of_names(tables, location)
                                   : location->address + 1;
}

// Return whether a location is in the module that our profiles have for generated code.
static bool is_in_generated(const struct hp_pprof_location *location,
                            const struct hp_dump *dump) {
    return location->row > 0 &&
           hp_span_is(dump->mappings.at[location->row - 1].path, HP_GENERATED_MODULE);
}

// Add the address and the symbols of a location to the dump, and set location->number to
// the index in dump->addresses. The caller does this once for each location, when a
// sample first uses it.
static void hp_pprof_location_add(const struct hp_pprof_tables *tables,
                                  struct hp_pprof_location *location,
                                  struct hp_dump *dump) {
    location->number = (uint32_t)dump->addresses.count;
    hp_vec_push(&dump->addresses, address_of(tables, location));
    bool is_placed = !location->is_by_names || is_in_generated(location, dump);
    hp_vec_push(&dump->rows, is_placed ? location->row : 0);
    if (location->is_unknown) {
        embed_unknown(dump, location->number);
    } else if (location->lines > 0) {
        embed_functions(tables, location, dump);
    }
}

// --- pprof reader ----------------------------------------------------------------------

enum {
    HIGHEST_FIELD = 15,    // of a Profile message
    LONGEST_TYPE = 32,     // bytes of a sample type or of the period's type
    LONGEST_BUILD_ID = 512 // bytes; Go's own build ids have some 80
};

// State of reading one profile.
struct pprof_reader {
    struct hp_dump *dump; // destination
    struct hp_pprof_tables tables;
    bool keeps_labels;          // false: only the label with the size of objects is used
    uint64_t size;              // size of each object of the sample; 0: unknown
    HP_VEC(struct hp_tag) tags; // labels of the sample
    // For each string of the tables, by its index, the copy in the dump; 0: not copied
    // yet.
    HP_VEC(hp_string) texts;
    // For each location id up to the number of locations: location->number + 1; 0: not
    // used yet.
    HP_VEC(uint32_t) numbers;
    struct hp_pprof_kinds kinds; // meaning of a sample's values
    HP_VEC(size_t) further;      // for each value its index in dump->types
    bool has_further;            // the sample has further values that are not all 0
    struct hp_proto profile;     // the profile, or what is left of it
};

// --- recognition -----------------------------------------------------------------------

// Whether a field may be one of a Profile message, by its number, type and, for a sample
// type, content.
static bool is_likely(const struct hp_wire_field *field) {
    static const bool is_number[HIGHEST_FIELD + 1] = {
        [7] = true,  [8] = true,  [9] = true,  [10] = true,
        [12] = true, [13] = true, [14] = true, [15] = true,
    };

    bool is_type = field->number == 1 || field->number == 11;
    if (field->number > HIGHEST_FIELD) {
        return false;
    }
    if (field->type == HP_WIRE_NUMBER) {
        return is_number[field->number];
    }
    return field->type == HP_WIRE_BYTES &&
           (!is_number[field->number] || field->number == 13) &&
           (!is_type || (field->span.size >= 2 && field->span.size <= LONGEST_TYPE &&
                         (field->span.at[0] == 0x08 || field->span.at[0] == 0x10)));
}

// Whether a message is a Sample: it has a value, and no field that a sample does not
// have.
static bool is_sample(struct hp_span text) {
    bool has_value = false;
    struct hp_proto sample = hp_proto_over(text);
    for (struct hp_wire_field field; hp_proto_next(&sample, &field);) {
        bool is_label = field.number == 3;
        if (field.number > 3 || (is_label && field.type != HP_WIRE_BYTES)) {
            return false;
        }
        struct hp_proto rest = hp_field_numbers(&field);
        uint64_t number;
        while (!is_label && hp_field_next_number(&sample, &field, &rest, &number)) {
            has_value |= field.number == 2;
        }
    }
    return has_value && !sample.wrong;
}

// Whether the first field is a valid sample.
static bool begins_with_sample(struct hp_span text) {
    struct hp_proto profile = hp_proto_over(text);
    struct hp_wire_field first;
    return hp_proto_next(&profile, &first) && first.number == 2 &&
           first.type == HP_WIRE_BYTES && is_sample(first.span);
}

// Whether a file that begins with `text` is a pprof profile. Protobuf has no magic
// number. Every profile has a sample type; that field, and all fields before it, have to
// look like those of a profile. Datadog's libraries write all samples first: then the
// types may be beyond the window.
static bool is_pprof(struct hp_span text) {
    struct hp_proto profile = hp_proto_over(text);
    for (struct hp_wire_field field; hp_proto_next(&profile, &field);) {
        if (!is_likely(&field)) {
            return false;
        }
        if (field.number == 1) {
            return true;
        }
    }
    return begins_with_sample(text);
}

// --- values ----------------------------------------------------------------------------

// Store value `i` of a sample: in `counts` if its type is one of the metrics, else among
// the further values (dump->values).
static void take_value(struct pprof_reader *r, struct hp_proto *sample, size_t i,
                       uint64_t value, struct hp_counts *counts) {
    uint64_t *const of[HP_METRICS] = {[HP_INUSE_SPACE] = &counts->inuse.bytes,
                                      [HP_INUSE_OBJECTS] = &counts->inuse.objects,
                                      [HP_ALLOC_SPACE] = &counts->alloc.bytes,
                                      [HP_ALLOC_OBJECTS] = &counts->alloc.objects};
    if (i >= r->kinds.of.count) {
        hp_proto_fail(sample, HP_WORDS("sample-many-values",
                                       "a sample of more values than there are types"));
        return;
    }
    struct hp_pprof_kind kind = r->kinds.of.at[i];
    int64_t scaled;
    if (__builtin_mul_overflow((int64_t)value, (int64_t)1 << kind.shift, &scaled)) {
        hp_proto_fail(sample, HP_WORDS("sample-value-too-large",
                                       "a value of 2^63 bytes or more"));
    }
    r->dump->negative += scaled < 0;
    if (kind.metric == HP_METRICS) {
        size_t place = r->dump->values.count - r->dump->types.count + r->further.at[i];
        r->dump->values.at[place] = scaled;
        r->has_further |= scaled != 0;
        return;
    }
    *of[kind.metric] = (uint64_t)scaled;
}

// --- locations -------------------------------------------------------------------------

// Returns the number, + 1, of a location that r->numbers does not have: it is used for
// the first time, and then added to the dump, or its id is too high for that table.
// Returns 0 if there is no such location.
static __attribute__((noinline)) uint32_t find_location(struct pprof_reader *r,
                                                        uint64_t id) {
    struct hp_pprof_location *location = hp_pprof_location(&r->tables, id);
    if (!location) {
        return 0;
    }
    if (location->number == UINT32_MAX) {
        hp_pprof_location_add(&r->tables, location, r->dump);
    }
    if (id <= r->tables.locations.count) {
        *hp_vec_reach(&r->numbers, id) = location->number + 1;
    }
    return location->number + 1;
}

// Append the frames of a sample from its packed location ids. Most bytes of a profile are
// such ids: room is made once, and no function is called for a short id whose location
// was used before.
static __attribute__((noinline)) void take_packed_locations(struct pprof_reader *r,
                                                            struct hp_proto *ids) {
    const char *at = ids->at, *end = ids->end;
    if (at == end) {
        return; // before the first frame the vector is NULL
    }
    hp_vec_reserve(&r->dump->frames, (size_t)(end - at));
    uint32_t *frame = r->dump->frames.at + r->dump->frames.count;
    const uint32_t *numbers = r->numbers.at;
    size_t known = r->numbers.count;
    while (at < end) {
        uint64_t id;
        size_t size = hp_proto_number_size(at, end, &id);
        if (size == 0) {
            ids->at = at;
            id = hp_proto_long_number(ids);
            size = (size_t)(ids->at - at);
        }
        uint32_t number = id < known ? numbers[id] : 0;
        if (number == 0) {
            number = find_location(r, id);
            numbers = r->numbers.at;
            known = r->numbers.count;
        }
        if (number == 0) {
            hp_proto_fail(ids, HP_WORDS("sample-location-missing",
                                        "a location that is missing"));
            break;
        }
        *frame++ = number - 1;
        at += size;
    }
    r->dump->frames.count = (size_t)(frame - r->dump->frames.at);
}

// Append the frame of one location id.
static void take_location(struct pprof_reader *r, struct hp_proto *sample, uint64_t id) {
    uint32_t number = find_location(r, id);
    if (number == 0) {
        hp_proto_fail(sample, HP_WORDS("sample-lone-location-missing",
                                       "a location that is missing"));
        return;
    }
    hp_vec_push(&r->dump->frames, number - 1);
}

// Append the frames of a field of location ids, packed or single.
static void take_locations(struct pprof_reader *r, struct hp_proto *sample,
                           const struct hp_wire_field *field) {
    if (field->type == HP_WIRE_BYTES) {
        struct hp_proto ids = hp_proto_over(field->span);
        take_packed_locations(r, &ids);
        hp_proto_fail(sample, ids.wrong);
    } else {
        take_location(r, sample, hp_field_number(sample, field));
    }
}

// --- labels ----------------------------------------------------------------------------

// Returns the copy of a string in the dump, which is made at the first call for the
// string.
static hp_string keep(struct pprof_reader *r, uint64_t string) {
    hp_string *kept = hp_vec_reach(&r->texts, string);
    if (kept->n == 0) {
        *kept = hp_strtab_add(&r->dump->strings, hp_pprof_text(&r->tables, string));
    }
    return *kept;
}

// Read one label of a sample: keep it in r->tags if labels are wanted; the label "bytes"
// is also the size of the sample's objects, r->size.
static void take_label(struct pprof_reader *r, struct hp_proto *label) {
    enum {
        KEY = 1,
        TEXT,
        NUMBER,
        UNIT,
        FIELDS
    };

    uint64_t of[FIELDS] = {0};
    for (struct hp_wire_field field; hp_proto_next(label, &field);) {
        if (field.number < FIELDS) {
            of[field.number] = hp_field_number(label, &field);
        }
    }
    size_t strings = r->tables.strings.count;
    if (of[KEY] >= strings || of[TEXT] >= strings || of[UNIT] >= strings) {
        hp_proto_fail(label,
                      HP_WORDS("label-string-missing", "a string that is missing"));
    }
    if (label->wrong) {
        return;
    }
    if ((int64_t)of[NUMBER] > 0 &&
        hp_span_is(hp_pprof_text(&r->tables, of[KEY]), "bytes")) {
        r->size = of[NUMBER];
    }
    if (r->keeps_labels) {
        struct hp_tag tag = {.key = keep(r, of[KEY]),
                             .text = keep(r, of[TEXT]),
                             .unit = keep(r, of[UNIT]),
                             .is_number = of[TEXT] == 0,
                             .number = (int64_t)of[NUMBER]};
        hp_vec_push(&r->tags, tag);
    }
}

// --- samples ---------------------------------------------------------------------------

static bool is_zero(const struct hp_counts *counts) {
    return (counts->inuse.objects | counts->inuse.bytes | counts->alloc.objects |
            counts->alloc.bytes) == 0;
}

// Append a value of 0 for each further type (dump->types) to dump->values, for the sample
// that is read next.
static void begin_further(struct pprof_reader *r) {
    r->has_further = false;
    if (r->dump->types.count > 0) {
        (void)hp_vec_reach(&r->dump->values,
                           r->dump->values.count + r->dump->types.count - 1);
    }
}

// Add a stack to the dump, with the labels, object size and further values of its sample.
static void add_stack(struct pprof_reader *r, struct hp_dump_stack stack) {
    hp_string tags = hp_tags_add(&r->dump->tag_sets, r->tags.at, r->tags.count);
    if (tags.n) {
        hp_dump_next_extra(r->dump)->tags = tags;
    }
    if (r->size > 0) {
        hp_dump_next_extra(r->dump)->object_size = r->size;
    }
    if (r->has_further) {
        hp_dump_next_extra(r->dump)->values_end = r->dump->values.count;
    }
    hp_vec_push(&r->dump->stacks, stack);
}

// Read one sample. A sample whose values are all 0 is not added.
static void read_sample(struct pprof_reader *r, struct hp_proto *sample) {
    struct hp_dump_stack stack = {.first_frame = r->dump->frames.count};
    size_t values = 0;
    r->size = 0;
    r->tags.count = 0;
    begin_further(r);
    for (struct hp_wire_field field; hp_proto_next(sample, &field);) {
        struct hp_proto rest = hp_field_numbers(&field);
        uint64_t number;
        if (field.number == 1) {
            take_locations(r, sample, &field);
        }
        while (field.number == 2 &&
               hp_field_next_number(sample, &field, &rest, &number)) {
            take_value(r, sample, values++, number, &stack.counts);
        }
        if (field.number == 3) {
            struct hp_proto label = hp_proto_over(hp_field_bytes(sample, &field));
            take_label(r, &label);
            hp_proto_fail(sample, label.wrong);
        }
    }
    if (values != r->kinds.of.count) {
        hp_proto_fail(sample, HP_WORDS("sample-few-values",
                                       "a sample of fewer values than there are types"));
    }
    if (r->dump->frames.count - stack.first_frame > HP_DEPTH_LIMIT) {
        hp_proto_fail(sample, HP_WORDS("sample-stack-too-deep",
                                       "a stack of more than 65,536 frames"));
    }
    stack.depth = (uint32_t)(r->dump->frames.count - stack.first_frame);
    if (!is_zero(&stack.counts) || r->has_further) {
        add_stack(r, stack);
    }
    r->dump->values.count -= r->has_further ? 0 : r->dump->types.count;
}

// Read all samples into the dump; stop after the last, without parsing the rest of the
// profile.
static void read_samples(struct pprof_reader *r) {
    size_t left = r->tables.samples;
    for (struct hp_wire_field field; left > 0 && hp_proto_next(&r->profile, &field);) {
        if (field.number == 2) {
            struct hp_proto sample = hp_proto_over(hp_field_bytes(&r->profile, &field));
            read_sample(r, &sample);
            hp_proto_fail(&r->profile, sample.wrong);
            left--;
        }
    }
}

// --- the whole -------------------------------------------------------------------------

// Whether a text is short enough for a build id, of any kind. One that is no GNU build id
// matches no file, but still distinguishes one binary from another.
static bool is_build_id(struct hp_span text) {
    return text.size <= LONGEST_BUILD_ID;
}

// Whether the profile was written by hprof-agg and has addresses as in ELF headers.
// `offsets` gets the paths of the files that are exceptions: their addresses are file
// offsets.
static bool has_elf_addresses(const struct pprof_reader *r, struct hp_strtab *offsets) {
    const struct hp_pprof_tables *tables = &r->tables;
    size_t word = strlen(HP_PPROF_FILE_OFFSETS);
    bool has = false;
    hp_strtab_add(offsets, (struct hp_span){"", 0});
    for (size_t i = 0; i < tables->comments.count; i++) {
        struct hp_span text = hp_pprof_text(tables, tables->comments.at[i]);
        has |= hp_span_is(text, HP_PPROF_ELF_ADDRESSES);
        if (hp_span_starts(text, HP_PPROF_FILE_OFFSETS)) {
            hp_strtab_add(offsets, (struct hp_span){text.at + word, text.size - word});
        }
    }
    return has && r->dump->producer == HP_PRODUCER_PPROF_OURS;
}

// Add the mappings in the order of their ids: rows of locations are indices in that
// order.
static void add_mappings(struct pprof_reader *r) {
    struct hp_strtab offsets = {0};
    bool has_elf = has_elf_addresses(r, &offsets);
    size_t exceptions = offsets.strings.count;
    const struct hp_pprof_mapping *mapping;
    hp_vec_each (mapping, &r->tables.mappings) {
        struct hp_span build_id = hp_pprof_text(&r->tables, mapping->build_id);
        bool has_range = mapping->limit > mapping->start;
        struct hp_mapping row = {
            .start = mapping->start,
            .end = has_range ? mapping->limit : mapping->start,
            .offset = mapping->offset,
            .path = hp_pprof_text(&r->tables, mapping->file),
            .executable = has_range,
            .resolved = (unsigned char)mapping->resolved,
        };
        row.has_elf_addresses =
            has_elf && hp_strtab_add(&offsets, row.path).n >= exceptions;
        if (is_build_id(build_id)) {
            row.build_id = hp_strtab_add(&r->dump->strings, build_id);
        }
        hp_vec_push(&r->dump->mappings, row);
    }
    // A profile that this program merged may have mappings of many processes.
    if (r->dump->producer != HP_PRODUCER_PPROF_OURS) {
        hp_maps_identify(r->dump);
    }
    hp_strtab_done(&offsets);
}

// --- what there is beside the samples --------------------------------------------------

// Add the sample types that are none of our metrics to dump->types, in bytes if they are
// of space.  r->further gets, for each value of a sample, its index there.
static void add_types(struct pprof_reader *r) {
    const struct hp_pprof_tables *tables = &r->tables;
    for (size_t i = 0; i < tables->types.count; i++) {
        const struct hp_pprof_kind *kind = &r->kinds.of.at[i];
        hp_vec_push(&r->further, r->dump->types.count);
        if (kind->metric == HP_METRICS) {
            struct hp_dump_type type = {.type = keep(r, tables->types.at[i].type),
                                        .unit = keep(r, tables->types.at[i].unit),
                                        .is_space = kind->is_space};
            if (kind->is_space) {
                type.unit = hp_strtab_add(&r->dump->strings, hp_span_of("bytes"));
            }
            hp_vec_push(&r->dump->types, type);
        }
    }
}

// Whether a comment is one that we write anew into each profile of our own, and so must
// not be kept. Other comments of ours, such as those on filters, apply to the numbers
// wherever these go, and are kept.
static bool is_own_mark(const struct pprof_reader *r, struct hp_span comment) {
    bool is_ours = r->dump->producer == HP_PRODUCER_PPROF_OURS;
    return hp_process_keys_is_text(comment) ||
           (is_ours && (hp_span_starts(comment, "made by hprof-agg ") ||
                        hp_span_starts(comment, "hprof-agg warns: ") ||
                        hp_span_is(comment, HP_PPROF_ELF_ADDRESSES) ||
                        hp_span_starts(comment, HP_PPROF_FILE_OFFSETS) ||
                        hp_span_starts(comment, "inputs: ")));
}

// Whether each '(' of a pattern has a ')'.
static bool is_balanced(struct hp_span pattern) {
    int depth = 0;
    for (size_t i = 0; i < pattern.size && depth >= 0; i++) {
        i += pattern.at[i] == '\\';
        depth += i < pattern.size ? (pattern.at[i] == '(') - (pattern.at[i] == ')') : 0;
    }
    return depth == 0;
}

// Split a pattern that hprof-agg has joined, "(?:a)|(?:b)", so that merging it again with
// either part gives the same pattern. With `adds`, adds the parts to the annotations.
// Returns false if hprof-agg did not join the pattern.
static bool add_patterns(struct pprof_reader *r, enum hp_annotation_kind kind,
                         struct hp_span pattern, bool adds) {
    static const char between[] = ")|(?:";
    size_t start = 3, count = 0;
    bool is_made = r->dump->producer == HP_PRODUCER_PPROF_OURS && pattern.size > 4 &&
                   hp_span_starts(pattern, "(?:") && pattern.at[pattern.size - 1] == ')';
    for (size_t i = start; is_made && i < pattern.size; i++) {
        struct hp_span rest = hp_span_from(pattern, i);
        struct hp_span part = {pattern.at + start, i - start};
        if (rest.size > 1 && !hp_span_starts(rest, between)) {
            continue;
        }
        is_made = is_balanced(part);
        count++;
        if (adds && is_made) {
            hp_annotations_add(&r->dump->annotations, kind,
                               hp_strtab_add(&r->dump->strings, part), 0);
        }
        start = i + sizeof between - 1;
    }
    return is_made && count > 1;
}

// Add a pattern of frames to drop or keep to the annotations; if hprof-agg has joined it
// from several patterns, add each of these.
static void add_pattern(struct pprof_reader *r, enum hp_annotation_kind kind,
                        uint64_t string) {
    struct hp_span pattern = hp_pprof_text(&r->tables, string);
    if (add_patterns(r, kind, pattern, false)) {
        add_patterns(r, kind, pattern, true);
    } else {
        hp_annotations_add(&r->dump->annotations, kind, keep(r, string), 0);
    }
}

// Add type and unit of the sample period to the annotations. A period in bytes is
// dump->period; one in another unit is kept as an annotation.
static void add_period_type(struct pprof_reader *r) {
    const struct hp_pprof_type *of = &r->tables.period_type;
    struct hp_annotations *annotations = &r->dump->annotations;
    hp_string unit = keep(r, of->unit);
    unsigned shift;
    if (hp_pprof_is_bytes(hp_pprof_text(&r->tables, of->unit), &shift)) {
        unit = hp_strtab_add(&r->dump->strings, hp_span_of("bytes"));
    } else {
        annotations->period = r->tables.period;
    }
    hp_annotations_add(annotations, HP_ANNOTATION_PERIOD_TYPE, keep(r, of->type), 0);
    hp_annotations_add(annotations, HP_ANNOTATION_PERIOD_UNIT, unit, 0);
}

// Read hprof-agg's own comment "inputs: 500 used of 502" into dump->merged_used and
// merged_all; any other comment is ignored.
static void read_inputs(struct pprof_reader *r, struct hp_span comment) {
    struct hp_cursor c = hp_cursor_over(comment.at, comment.at + comment.size);
    bool is_valid = hp_cursor_accept_word(&c, "inputs: ");
    uint64_t used = hp_cursor_decimal(&c);
    is_valid &= hp_cursor_accept_word(&c, " used of ");
    uint64_t all = hp_cursor_decimal(&c);
    if (is_valid && hp_cursor_good(&c) && hp_cursor_at_end(&c) && used <= all &&
        all <= UINT32_MAX) {
        r->dump->merged_used = (uint32_t)used;
        r->dump->merged_all = (uint32_t)all;
    }
}

// Copy all that describes the profile as a whole (comments, patterns, types, times) to
// the dump's annotations.
static void annotate(struct pprof_reader *r) {
    const struct hp_pprof_tables *tables = &r->tables;
    struct hp_annotations *annotations = &r->dump->annotations;
    struct hp_span shown = hp_pprof_type_name(&r->kinds, tables, tables->default_type);
    add_pattern(r, HP_ANNOTATION_DROP_FRAMES, tables->drop_frames);
    add_pattern(r, HP_ANNOTATION_KEEP_FRAMES, tables->keep_frames);
    hp_annotations_add(annotations, HP_ANNOTATION_DOC_URL, keep(r, tables->doc_url), 0);
    hp_annotations_add(annotations, HP_ANNOTATION_DEFAULT_TYPE,
                       hp_strtab_add(&r->dump->strings, shown), 0);
    add_period_type(r);
    for (size_t i = 0; i < tables->comments.count; i++) {
        if (is_own_mark(r, hp_pprof_text(tables, tables->comments.at[i]))) {
            read_inputs(r, hp_pprof_text(tables, tables->comments.at[i]));
        } else {
            hp_annotations_add(annotations, HP_ANNOTATION_COMMENT,
                               keep(r, tables->comments.at[i]), (uint32_t)i);
        }
    }
    annotations->time = tables->time;
    annotations->duration = tables->duration;
}

// Returns the sample period in bytes; 0 if its unit is not one of bytes, or if it is 2^62
// bytes or more.
static uint64_t period_of(const struct hp_pprof_tables *tables) {
    unsigned shift;
    bool is_ours =
        hp_pprof_is_bytes(hp_pprof_text(tables, tables->period_type.unit), &shift) &&
        tables->period < (uint64_t)1 << (62 - shift);
    return is_ours ? tables->period << shift : 0;
}

// Read the comments that list the processes of a merged profile into dump->process_keys;
// a text that occurs twice is read once.
static void read_process_keys(struct pprof_reader *r) {
    HP_VEC(bool) seen = {0};
    for (size_t i = 0; i < r->tables.comments.count; i++) {
        uint64_t string = r->tables.comments.at[i];
        struct hp_span text = hp_pprof_text(&r->tables, string);
        bool *is_seen = hp_vec_reach(&seen, string);
        if (!*is_seen && hp_process_keys_is_text(text)) {
            r->dump->is_merged = true;
            if (!hp_process_keys_read(&r->dump->process_keys, text)) {
                hp_proto_fail(&r->profile,
                              HP_WORDS("pprof-processes", "its list of processes"));
            }
        }
        *is_seen = true;
    }
    hp_vec_done(&seen);
}

// Read a whole profile: tables first, then the samples.
static int read_profile(struct pprof_reader *r, struct hp_span text, struct hp_err *err) {
    r->profile = hp_proto_over(text);
    hp_pprof_tables_read(&r->tables, &r->profile);
    int ret = HP_OK;
    if (!r->profile.wrong) {
        r->dump->producer = hp_pprof_producer(&r->tables);
        ret = hp_pprof_kinds_find(&r->kinds, &r->tables, r->dump->producer, err);
    }
    if (ret == HP_OK && !r->profile.wrong) {
        r->dump->missing_metrics = ~r->kinds.found & ((1u << HP_METRICS) - 1);
        r->dump->period = period_of(&r->tables);
        r->dump->scaling = r->dump->period == 1 ? HP_SCALING_EXACT : HP_SCALING_SCALED;
        r->dump->has_rows = true;
        add_types(r);
        annotate(r);
        read_process_keys(r);
        add_mappings(r);
        hp_pprof_locations_settle(&r->tables);
    }
    if (ret == HP_OK && !r->profile.wrong) {
        r->profile = hp_proto_over(text);
        read_samples(r);
    }
    if (ret == HP_OK && r->profile.wrong) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-pprof",
                                  "damaged pprof profile: %s, in its %zu bytes"),
                       r->profile.wrong, text.size);
    }
    return ret;
}

// Read a pprof profile as a whole: a truncated or damaged one fails.
static int read_pprof(struct hp_scan *scan, struct hp_err *err) {
    struct hp_input_stream *stream = scan->stream;
    struct hp_dump *dump = scan->dump;
    struct pprof_reader r = {.dump = dump, .keeps_labels = scan->keeps_labels};
    int ret = hp_input_stream_read_on(stream, err);
    if (ret == HP_OK) {
        struct hp_span whole = {stream->at, stream->size};
        ret = read_profile(&r, whole, err);
        dump->content = dump->samples = hp_digest_of(whole);
        dump->bytes = stream->total;
    }
    hp_pprof_tables_done(&r.tables);
    hp_vec_done(&r.tags);
    hp_vec_done(&r.texts);
    hp_vec_done(&r.numbers);
    hp_vec_done(&r.kinds.of);
    hp_vec_done(&r.further);
    return ret;
}

const struct hp_input_format hp_pprof_format = {
    .name = "pprof",
    .title = "pprof",
    .is = is_pprof,
    .read = read_pprof,
};
