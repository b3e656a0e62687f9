// The messages of profile.proto of google/pprof:
//
//     Profile   1 sample_type  2 sample  3 mapping  4 location  5 function
//               6 string_table  7 drop_frames  8 keep_frames  9 time_nanos
//               10 duration_nanos  11 period_type  12 period  13 comment
//               14 default_sample_type  15 doc_url
//     ValueType 1 type  2 unit
//     Mapping   1 id  2 memory_start  3 memory_limit  4 file_offset  5 filename
//               6 build_id  7 has_functions  8 has_filenames  9 has_line_numbers
//               10 has_inline_frames
//     Location  1 id  2 mapping_id  3 address  4 line
//     Line      1 function_id  2 line  3 column
//     Function  1 id  2 name  3 system_name  4 filename  5 start_line
//
// Texts are indices of strings; an id is any number except 0. The tables come in any
// order, so that references are checked after all have been read.
#include "input/pprof_tables.h"

#include "input/maps.h"

#include <string.h>

enum {
    MOST_NUMBERS = 11, // numbers of a message, by field number
    // Limit of the bytes of all names, each counted as often as it is used, in times the
    // bytes of the profile; and the bytes that are allowed for a profile of any size.
    BOMB_RATIO = 100,
    SMALLEST_BOMB = 64 << 20,
};

// Read the numeric fields of a message into `of`, by field number. `which` is the set of
// 1 << number of the fields to read.
static void read_numbers(struct hp_proto *message, unsigned which,
                         uint64_t of[MOST_NUMBERS]) {
    memset(of, 0, MOST_NUMBERS * sizeof *of);
    for (struct hp_wire_field field; hp_proto_next(message, &field);) {
        if (field.number < MOST_NUMBERS && which & 1u << field.number) {
            of[field.number] = hp_field_number(message, &field);
        }
    }
}

// Record a failure in `message` if the id is 0: each entry of a table must have an id.
static void need_id(struct hp_proto *message, uint64_t id) {
    if (id == 0) {
        hp_proto_fail(message, HP_WORDS("entry-without-id", "an entry without an id"));
    }
}

static struct hp_pprof_type read_type(struct hp_proto *message) {
    uint64_t of[MOST_NUMBERS];
    read_numbers(message, 1u << 1 | 1u << 2, of);
    return (struct hp_pprof_type){of[1], of[2]};
}

// Read a Mapping message.
static void read_mapping(struct hp_pprof_tables *tables, struct hp_proto *message) {
    uint64_t of[MOST_NUMBERS];
    read_numbers(message, 0x7fe, of);
    need_id(message, of[1]);
    struct hp_pprof_mapping mapping = {of[1], of[2], of[3], of[4], of[5], of[6], 0};
    for (unsigned i = 0; i < 4; i++) {
        mapping.resolved |= (unsigned)(of[7 + i] != 0) << i;
    }
    hp_vec_push(&tables->mappings, mapping);
}

// Read a Function message. Without a name, its system name is used.
static void read_function(struct hp_pprof_tables *tables, struct hp_proto *message) {
    uint64_t of[MOST_NUMBERS];
    read_numbers(message, 0x3e, of);
    need_id(message, of[1]);
    uint64_t name = of[2] ? of[2] : of[3];
    struct hp_pprof_function function = {of[1], name, of[3], of[4], of[5]};
    hp_vec_push(&tables->functions, function);
}

static void read_line(struct hp_pprof_tables *tables, struct hp_proto *message) {
    uint64_t of[MOST_NUMBERS];
    read_numbers(message, 1u << 1 | 1u << 2 | 1u << 3, of);
    hp_vec_push(&tables->lines, ((struct hp_pprof_line){of[1], of[2], of[3]}));
}

// Read a Location message and its lines.
static void read_location(struct hp_pprof_tables *tables, struct hp_proto *message) {
    struct hp_pprof_location location = {.first_line = tables->lines.count,
                                         .number = UINT32_MAX};
    for (struct hp_wire_field field; hp_proto_next(message, &field);) {
        if (field.number == 1) {
            location.id = hp_field_number(message, &field);
        } else if (field.number == 2) {
            location.mapping = hp_field_number(message, &field);
        } else if (field.number == 3) {
            location.address = hp_field_number(message, &field);
        } else if (field.number == 4) {
            struct hp_proto line = hp_proto_over(hp_field_bytes(message, &field));
            read_line(tables, &line);
            hp_proto_fail(message, line.wrong);
            location.lines++;
        }
    }
    need_id(message, location.id);
    hp_vec_push(&tables->locations, location);
}

// Read time_nanos. A second one shows that two profiles were concatenated, which would be
// read as one.
static void read_time(struct hp_pprof_tables *tables, struct hp_proto *profile,
                      const struct hp_wire_field *field) {
    uint64_t time = hp_field_number(profile, field);
    if (time != 0 && tables->time != 0) {
        hp_proto_fail(profile,
                      HP_WORDS("two-profiles", "two profiles, one after the other"));
    }
    tables->time = time != 0 ? time : tables->time;
}

// Read one field of the profile that is a message or a string.
static void read_field(struct hp_pprof_tables *tables, struct hp_proto *profile,
                       const struct hp_wire_field *field) {
    struct hp_proto message = hp_proto_over(field->span);
    switch (field->number) {
    case 1:
        hp_vec_push(&tables->types, read_type(&message));
        break;
    case 2:
        tables->samples++;
        break;
    case 3:
        read_mapping(tables, &message);
        break;
    case 4:
        read_location(tables, &message);
        break;
    case 5:
        read_function(tables, &message);
        break;
    case 6:
        hp_vec_push(&tables->strings, field->span);
        break;
    default: // 11
        tables->period_type = read_type(&message);
    }
    hp_proto_fail(profile, message.wrong);
}

// --- ids -------------------------------------------------------------------------------

// Order entries by id, which is their first member.
static int by_id(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// Returns the number of entries at the front of a table whose ids rise.
static size_t count_rising(const char *table, size_t count, size_t size) {
    size_t i = 1;
    while (i < count && by_id(table + (i - 1) * size, table + i * size) < 0) {
        i++;
    }
    return i;
}

// Sort a table of `count` entries of `size` bytes by id, unless it is sorted already, as
// most are. Two entries with one id are a failure, which `profile` records.
static void sort(struct hp_proto *profile, void *table, size_t count, size_t size) {
    if (count_rising(table, count, size) < count) {
        qsort(table, count, size, by_id);
        if (count_rising(table, count, size) < count) {
            hp_proto_fail(profile, HP_WORDS("entry-id-twice", "two entries with one id"));
        }
    }
}

// Returns the entry with the id `id` in a sorted table, or NULL.
static void *find(void *table, size_t count, size_t size, uint64_t id) {
    char *at = table;
    if (id > 0 && id <= count && *(const uint64_t *)(at + (id - 1) * size) == id) {
        return at + (id - 1) * size; // most writers number entries from 1
    }
    return count > 0 ? bsearch(&id, table, count, size, by_id) : NULL;
}

struct hp_pprof_location *hp_pprof_location(const struct hp_pprof_tables *tables,
                                            uint64_t id) {
    return find(tables->locations.at, tables->locations.count,
                sizeof *tables->locations.at, id);
}

const struct hp_pprof_mapping *hp_pprof_mapping(const struct hp_pprof_tables *tables,
                                                uint64_t id) {
    return find(tables->mappings.at, tables->mappings.count, sizeof *tables->mappings.at,
                id);
}

const struct hp_pprof_function *hp_pprof_function(const struct hp_pprof_tables *tables,
                                                  uint64_t id) {
    return find(tables->functions.at, tables->functions.count,
                sizeof *tables->functions.at, id);
}

// --- what refers to what ---------------------------------------------------------------

// Record a failure in `profile` if `string` is not the index of a string.
static void need_string(const struct hp_pprof_tables *tables, struct hp_proto *profile,
                        uint64_t string) {
    if (string >= tables->strings.count) {
        hp_proto_fail(profile, HP_WORDS("string-missing", "a string that is missing"));
    }
}

// Check all references to strings, and that string 0 is "", as the format requires.
static void check_strings(const struct hp_pprof_tables *tables,
                          struct hp_proto *profile) {
    if (tables->strings.count == 0 || tables->strings.at[0].size > 0) {
        hp_proto_fail(profile, HP_WORDS("first-string-not-empty",
                                        "the first string is not empty"));
    }
    need_string(tables, profile, tables->period_type.type);
    need_string(tables, profile, tables->period_type.unit);
    need_string(tables, profile, tables->default_type);
    need_string(tables, profile, tables->drop_frames);
    need_string(tables, profile, tables->keep_frames);
    need_string(tables, profile, tables->doc_url);
    for (size_t i = 0; i < tables->comments.count; i++) {
        need_string(tables, profile, tables->comments.at[i]);
    }
    for (size_t i = 0; i < tables->types.count; i++) {
        need_string(tables, profile, tables->types.at[i].type);
        need_string(tables, profile, tables->types.at[i].unit);
    }
    for (size_t i = 0; i < tables->mappings.count; i++) {
        need_string(tables, profile, tables->mappings.at[i].file);
        need_string(tables, profile, tables->mappings.at[i].build_id);
    }
    for (size_t i = 0; i < tables->functions.count; i++) {
        need_string(tables, profile, tables->functions.at[i].name);
        need_string(tables, profile, tables->functions.at[i].system_name);
        need_string(tables, profile, tables->functions.at[i].file);
    }
}

// Check all references to mappings and functions.
static void check_ids(const struct hp_pprof_tables *tables, struct hp_proto *profile) {
    for (size_t i = 0; i < tables->locations.count; i++) {
        uint64_t mapping = tables->locations.at[i].mapping;
        if (mapping > 0 && !hp_pprof_mapping(tables, mapping)) {
            hp_proto_fail(profile,
                          HP_WORDS("mapping-missing", "a mapping that is missing"));
        }
    }
    for (size_t i = 0; i < tables->lines.count; i++) {
        uint64_t function = tables->lines.at[i].function;
        if (function > 0 && !hp_pprof_function(tables, function)) {
            hp_proto_fail(profile,
                          HP_WORDS("function-missing", "a function that is missing"));
        }
    }
}

static uint64_t size_of(const struct hp_pprof_tables *tables, uint64_t string) {
    return hp_pprof_text(tables, string).size;
}

// Record a failure in `profile` if all names together have too many bytes, or a path is
// too long. One long name that many locations have would be copied as often, so that a
// small file could exhaust memory. `size` is the size of the profile.
static void check_names(const struct hp_pprof_tables *tables, struct hp_proto *profile,
                        size_t size) {
    uint64_t bytes = 0, most = (uint64_t)size * BOMB_RATIO;
    for (size_t i = 0; i < tables->mappings.count; i++) {
        if (!hp_maps_is_path(hp_pprof_text(tables, tables->mappings.at[i].file))) {
            hp_proto_fail(profile, HP_WORDS("path-too-long", "a path that is too long"));
        }
        bytes += size_of(tables, tables->mappings.at[i].file) +
                 size_of(tables, tables->mappings.at[i].build_id);
    }
    for (size_t i = 0; i < tables->lines.count; i++) {
        const struct hp_pprof_function *function =
            hp_pprof_function(tables, tables->lines.at[i].function);
        if (function) {
            bytes += size_of(tables, function->name) + size_of(tables, function->file) +
                     size_of(tables, function->system_name);
        }
    }
    if (bytes > (most > SMALLEST_BOMB ? most : SMALLEST_BOMB)) {
        hp_proto_fail(profile, HP_WORDS("names-too-long",
                                        "names of more than 100 times the file"));
    }
}

// Read a field with comments (indices of strings), packed or single.
static void read_comments(struct hp_pprof_tables *tables, struct hp_proto *profile,
                          const struct hp_wire_field *field) {
    struct hp_proto rest = hp_field_numbers(field);
    uint64_t number;
    while (hp_field_next_number(profile, field, &rest, &number)) {
        hp_vec_push(&tables->comments, number);
    }
}

// Returns the member of `tables` for the numeric field `field` of a Profile; NULL for
// other fields.
static uint64_t *number_of(struct hp_pprof_tables *tables, uint32_t field) {
    switch (field) {
    case 7:
        return &tables->drop_frames;
    case 8:
        return &tables->keep_frames;
    case 10:
        return &tables->duration;
    case 12:
        return &tables->period;
    case 14:
        return &tables->default_type;
    case 15:
        return &tables->doc_url;
    default:
        return NULL;
    }
}

void hp_pprof_tables_read(struct hp_pprof_tables *tables, struct hp_proto *profile) {
    size_t size = (size_t)(profile->end - profile->at);
    for (struct hp_wire_field field; hp_proto_next(profile, &field);) {
        uint64_t *number = number_of(tables, field.number);
        if (field.number <= 6 || field.number == 11) {
            hp_field_bytes(profile, &field);
            read_field(tables, profile, &field);
        } else if (field.number == 9) {
            read_time(tables, profile, &field);
        } else if (field.number == 13) {
            read_comments(tables, profile, &field);
        } else if (number) {
            *number = hp_field_number(profile, &field);
        }
    }
    sort(profile, tables->mappings.at, tables->mappings.count,
         sizeof *tables->mappings.at);
    sort(profile, tables->functions.at, tables->functions.count,
         sizeof *tables->functions.at);
    sort(profile, tables->locations.at, tables->locations.count,
         sizeof *tables->locations.at);
    check_strings(tables, profile);
    check_ids(tables, profile);
    if (!profile->wrong) {
        check_names(tables, profile, size);
    }
}

void hp_pprof_tables_done(struct hp_pprof_tables *tables) {
    hp_vec_done(&tables->strings);
    hp_vec_done(&tables->types);
    hp_vec_done(&tables->mappings);
    hp_vec_done(&tables->functions);
    hp_vec_done(&tables->locations);
    hp_vec_done(&tables->lines);
    hp_vec_done(&tables->comments);
    *tables = (struct hp_pprof_tables){0};
}
