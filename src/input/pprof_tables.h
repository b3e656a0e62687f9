// The tables of a pprof profile, all that its samples refer to.  Only pprof_reader.c uses it.
#ifndef HP_INPUT_PPROF_TABLES_H
#define HP_INPUT_PPROF_TABLES_H

#include "base/vec.h"
#include "input/protobuf_reader.h"

struct hp_pprof_type {
    uint64_t type, unit; // strings
};

struct hp_pprof_mapping {
    uint64_t id, start, limit, offset, file, build_id; // the last two are strings
    unsigned resolved;                                 // enum hp_resolved
};

struct hp_pprof_function {
    uint64_t id, name, system_name, file; // the last three are strings
    uint64_t start_line;
};

struct hp_pprof_line {
    uint64_t function, line, column; // an id, or 0; numbers
};

struct hp_pprof_location {
    uint64_t id, mapping, address; // mapping: an id, or 0
    size_t first_line;             // in tables->lines, innermost first
    uint32_t lines;
    uint32_t number;  // for the caller's use: UINT32_MAX
    uint32_t row;     // the same: 0
    bool is_by_names; // the same: false
    bool is_unknown;  // the same
};

// {0} is empty.
struct hp_pprof_tables {
    HP_VEC(struct hp_span) strings;
    HP_VEC(struct hp_pprof_type) types;         // of a sample's values
    HP_VEC(struct hp_pprof_mapping) mappings;   // by id, as are
    HP_VEC(struct hp_pprof_function) functions; // these
    HP_VEC(struct hp_pprof_location) locations; // and these
    HP_VEC(struct hp_pprof_line) lines;
    size_t samples; // how many there are
    struct hp_pprof_type period_type;
    uint64_t period;
    uint64_t default_type, drop_frames, keep_frames, doc_url; // strings, as are
    HP_VEC(uint64_t) comments;                                // these
    uint64_t time, duration;                                  // nanoseconds
};

// Read everything but the samples.  On failure profile->wrong says what is wrong.
void hp_pprof_tables_read(struct hp_pprof_tables *tables, struct hp_proto *profile);
void hp_pprof_tables_done(struct hp_pprof_tables *tables);

// By id; NULL if there is none.
struct hp_pprof_location *hp_pprof_location(const struct hp_pprof_tables *tables,
                                            uint64_t id);
const struct hp_pprof_mapping *hp_pprof_mapping(const struct hp_pprof_tables *tables,
                                                uint64_t id);
const struct hp_pprof_function *hp_pprof_function(const struct hp_pprof_tables *tables,
                                                  uint64_t id);

// All strings that are referred to are there.
static inline struct hp_span hp_pprof_text(const struct hp_pprof_tables *tables,
                                           uint64_t string) {
    return tables->strings.at[string];
}

#endif
