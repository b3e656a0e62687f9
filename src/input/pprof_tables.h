// The tables of a pprof profile: everything that its samples refer to. Only
// pprof_reader.c uses this. Texts are indices into the table of strings; use
// hp_pprof_text() to get them.
#ifndef HP_INPUT_PPROF_TABLES_H
#define HP_INPUT_PPROF_TABLES_H

#include "base/vec.h"
#include "input/protobuf_reader.h"

// A sample type, such as "inuse_space" in "bytes".
struct hp_pprof_type {
    uint64_t type, unit; // indices of strings
};

// A binary or library, or a part of one, mapped at [start, limit).
struct hp_pprof_mapping {
    uint64_t id, start, limit, offset, file, build_id; // the last two are strings
    // Set of enum hp_resolved: the kinds of names that the writer has looked up.
    unsigned resolved;
};

// A function; several lines may refer to it.
struct hp_pprof_function {
    uint64_t id, name, system_name, file; // the last three are strings
    uint64_t start_line; // the function's first line in its file; 0: unknown
};

// One function of a location; a location with inlined functions has several lines.
struct hp_pprof_line {
    uint64_t function, line, column; // an id, or 0; line and column numbers
};

// A frame: an address within a mapping, and the lines that the writer found for it. The
// members from `number` on are not read from the file but belong to pprof_reader.c.
struct hp_pprof_location {
    uint64_t id, mapping, address; // mapping: an id, or 0
    size_t first_line;             // index in tables->lines; innermost function first
    uint32_t lines;                // number of lines
    uint32_t number;  // index in dump->addresses; UINT32_MAX: not added to the dump yet
    uint32_t row;     // row in dump->mappings, + 1; 0: in no mapping
    bool is_by_names; // identified by its names, not by its address
    bool is_unknown;  // no address, no mapping, no names
};

// All tables; strings point into the text of the profile. {0} is empty.
struct hp_pprof_tables {
    HP_VEC(struct hp_span) strings;             // parts of the profile's text
    HP_VEC(struct hp_pprof_type) types;         // types of a sample's values
    HP_VEC(struct hp_pprof_mapping) mappings;   // sorted by id
    HP_VEC(struct hp_pprof_function) functions; // sorted by id
    HP_VEC(struct hp_pprof_location) locations; // sorted by id
    HP_VEC(struct hp_pprof_line) lines;         // of all locations, one after the other
    size_t samples;                             // number of samples
    struct hp_pprof_type period_type;           // type and unit of `period`
    uint64_t period;                            // distance between samples, in its unit
    uint64_t default_type, drop_frames, keep_frames, doc_url; // indices of strings
    HP_VEC(uint64_t) comments;                                // indices of strings
    uint64_t time, duration; // nanoseconds; time is since 1970
};

// Read everything except the samples, sort the tables, and check that whatever they refer
// to exists. On failure profile->wrong names the fault.
void hp_pprof_tables_read(struct hp_pprof_tables *tables, struct hp_proto *profile);
// Free the tables.
void hp_pprof_tables_done(struct hp_pprof_tables *tables);

// Find a location, mapping or function by its id; NULL if the table has none with this
// id.
struct hp_pprof_location *hp_pprof_location(const struct hp_pprof_tables *tables,
                                            uint64_t id);
const struct hp_pprof_mapping *hp_pprof_mapping(const struct hp_pprof_tables *tables,
                                                uint64_t id);
const struct hp_pprof_function *hp_pprof_function(const struct hp_pprof_tables *tables,
                                                  uint64_t id);

// The text of the string with the index `string`. The index is not checked here:
// hp_pprof_tables_read() has checked all references between tables.
static inline struct hp_span hp_pprof_text(const struct hp_pprof_tables *tables,
                                           uint64_t string) {
    return tables->strings.at[string];
}

#endif
