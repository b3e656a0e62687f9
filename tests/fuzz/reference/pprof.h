// A pprof profile as the slow reader sees it: messages that are lists of fields.
#ifndef TESTS_FUZZ_REFERENCE_PPROF_H
#define TESTS_FUZZ_REFERENCE_PPROF_H

#include "reference.h"

// A field of a message: `value` if it is a number, else `bytes`.
struct wire_field {
    uint64_t number, type, value;
    struct hp_span bytes;
};

struct fields {
    HP_VEC(struct wire_field) of; // the fields before the first error
    const char *wrong;            // the error; NULL: none
};

struct profile {
    struct hp_dump *dump;
    const char *wrong; // the first error; NULL: none
    struct hp_span whole;
    struct fields top;
    HP_VEC(struct hp_span) strings;
    HP_VEC(struct fields) types, mappings, locations, functions, lines;
    struct fields period_type;
    uint64_t period, time, duration, default_type, drop_frames, keep_frames, doc_url;
    HP_VEC(uint64_t) comments;
    HP_VEC(uint32_t)
    location_numbers; // number of each location's address; UINT32_MAX: not used yet
    HP_VEC(uint64_t *)
    columns;                    // target of each value of a sample; NULL: a further value
    HP_VEC(uint64_t) units;     // factor of each value
    HP_VEC(int64_t) further;    // further values of the current sample
    struct hp_counts counts;    // counts of the current sample
    HP_VEC(struct hp_tag) tags; // labels of the current sample
    bool keeps_labels;
};

// Record an error, unless there is one already; NULL is none.
void reference_fail(struct profile *p, const char *wrong);

// --- the wire format ---

// Read the next field or number of *rest and remove it from there.  Returns false and
// sets
// *wrong if there is no valid one.
bool reference_field(struct hp_span *rest, struct wire_field *field, const char **wrong);
bool reference_varint(struct hp_span *rest, uint64_t *value, const char **wrong);
struct fields reference_fields_of(struct hp_span bytes);

// The value of the last field with this number, 0 if there is none; and the string of the
// string table to which this value refers.
uint64_t reference_number(const struct fields *message, uint64_t number);
struct hp_span reference_string(const struct profile *p, const struct fields *message,
                                uint64_t number);

// --- tables ---

// Record an error unless all fields whose number is a set bit of `wanted` are numbers.
void reference_check_numbers(struct profile *p, const struct fields *message,
                             unsigned wanted);

// Read everything but the samples, and check that all references have a target.
void reference_read_tables(struct profile *p);

// The number of bytes in a unit such as "byte", "MB" or "Kilobytes"; 0 for any other
// unit.
uint64_t reference_bytes_in(struct hp_span unit);

// Find the metric of each sample type.  Returns an error code if there is no type of
// bytes, or if the types are invalid.
int reference_find_columns(struct profile *p, struct hp_err *err);

// Keep comments, patterns, times and other parts of the profile that are not samples.
void reference_annotate(struct profile *p);

// Read the comments that describe the processes of the profile.
void reference_read_processes(struct profile *p);

// The program or library that wrote the profile.
enum hp_producer reference_producer(const struct profile *p);

// The index of the entry with this id in a table; SIZE_MAX if there is none.
size_t reference_find(const struct fields *table, size_t count, uint64_t id);

#endif
