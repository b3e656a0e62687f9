// A location is an address within a file, and may have names. It is identified by its
// address, but by its names if
//
//     it has no address,
//     its address is in no file: in another process something else may be there,
//     another location has the same address and different names.
//
// A location without address, file and names is an [unknown] call, and all of these are
// one.
#include "input/pprof_locations.h"

// A location with address, file and names.
struct named_place {
    uint64_t address; // as in the profile
    uint32_t row;     // as in dump->rows
    struct hp_pprof_location *location;
};

struct named_places {
    HP_VEC(struct named_place) of; // sorted by row and address when they are compared
};

// Returns the row of the dump's map that a location is in, + 1; 0 for none. A mapping
// without a file does not count: pprof makes such mappings for addresses that are in
// none.
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

// Add bytes to a hash, with an end mark, so that "ab", "c" and "a", "bc" differ.
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

// Returns a hash of all names of a location as an address. It is the same in all
// profiles, and is in the half of the address space that no program has.
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

// Order places by row and address.
static int by_place(const void *left, const void *right) {
    const struct named_place *a = left, *b = right;
    int order = (a->row > b->row) - (a->row < b->row);
    return order ? order : (a->address > b->address) - (a->address < b->address);
}

// Returns the index after the last location at the place of location `i`. Sets *differ if
// their names differ.
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

// Identify locations by name where several are at one place with different names.
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

void hp_pprof_locations_settle(struct hp_pprof_tables *tables) {
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
static hp_string keep(const struct hp_pprof_tables *tables, struct hp_dump *dump,
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
                .function = keep(tables, dump, function->name),
                .linkage = keep(tables, dump, function->system_name),
                .file = keep(tables, dump, function->file),
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

void hp_pprof_location_add(const struct hp_pprof_tables *tables,
                           struct hp_pprof_location *location, struct hp_dump *dump) {
    location->number = (uint32_t)dump->addresses.count;
    hp_vec_push(&dump->addresses, address_of(tables, location));
    hp_vec_push(&dump->rows, location->is_by_names ? 0 : location->row);
    if (location->is_unknown) {
        embed_unknown(dump, location->number);
    } else if (location->lines > 0) {
        embed_functions(tables, location, dump);
    }
}
