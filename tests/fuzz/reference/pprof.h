// What a pprof profile is to the slow reader: its messages, as lists of fields.
#ifndef TESTS_FUZZ_REFERENCE_PPROF_H
#define TESTS_FUZZ_REFERENCE_PPROF_H

#include "reference.h"

struct wire_field {
    uint64_t number, type, value;
    struct hp_span bytes;
};

struct fields {
    HP_VEC(struct wire_field) of; // up to what is wrong
    const char *wrong;
};

struct profile {
    struct hp_dump *dump;
    const char *wrong; // the first
    struct hp_span whole;
    struct fields top;
    HP_VEC(struct hp_span) strings;
    HP_VEC(struct fields) types, mappings, locations, functions, lines;
    struct fields period_type;
    uint64_t period, time, duration, default_type, drop_frames, keep_frames, doc_url;
    HP_VEC(uint64_t) comments;
    HP_VEC(uint32_t)
    location_numbers; // of each location: its address, UINT32_MAX for none
    HP_VEC(uint64_t *)
    columns;                 // where the values of a sample go; NULL: among the further
    HP_VEC(uint64_t) units;  // what each is to be multiplied by
    HP_VEC(int64_t) further; // of the sample at hand
    struct hp_counts counts; // of the sample at hand
    HP_VEC(struct hp_tag) tags; // the same
    bool keeps_labels;
};

// Keep the first; NULL is nothing wrong.
void reference_fail(struct profile *p, const char *wrong);

// --- the wire ---

// The next field of *rest, which is stepped over; false if it is none.
bool reference_field(struct hp_span *rest, struct wire_field *field, const char **wrong);
bool reference_varint(struct hp_span *rest, uint64_t *value, const char **wrong);
struct fields reference_fields_of(struct hp_span bytes);

// The last of that number; 0 if there is none; and the string that it is the number of.
uint64_t reference_number(const struct fields *message, uint64_t number);
struct hp_span reference_string(const struct profile *p, const struct fields *message,
                                uint64_t number);

// --- tables ---

// Those whose bit is set are to be numbers.
void reference_check_numbers(struct profile *p, const struct fields *message,
                             unsigned wanted);

// All of the profile but its samples, and whether all that is referred to is there.
void reference_read_tables(struct profile *p);

// Bytes in a unit, 0 if it is none: "byte", "MB", "Kilobytes".
uint64_t reference_bytes_in(struct hp_span unit);

// Where the values of samples go; an error code if nowhere.
int reference_find_columns(struct profile *p, struct hp_err *err);

// What it says beside its samples.
void reference_annotate(struct profile *p);

// What it says of its processes.
void reference_read_processes(struct profile *p);

// Who wrote it.
enum hp_producer reference_producer(const struct profile *p);

// Its place in the table, SIZE_MAX if it has none.
size_t reference_find(const struct fields *table, size_t count, uint64_t id);

#endif
