// The part of a pprof profile that describes code: mappings, locations and functions.
//
// Map of src/report/pprof:
//
//   pprof.c           the format: samples, their division by sizes of objects, comments,
//                     and the order of the whole message
//   pprof_columns.h   the values of a sample: sample types, errors, rounding
//   pprof_places.h    this file: mappings, locations, functions
//   protobuf.h        building a message;  gzip.h: compressing what is written
//
// The message Profile is written field by field while it is made, so that it is never in
// memory as a whole; only its string table is, and is written near the end.  Read pprof.c
// first: it begins with the message as profile.proto defines it.
#ifndef HP_REPORT_PPROF_PPROF_PLACES_H
#define HP_REPORT_PPROF_PPROF_PLACES_H

#include "base/sink.h"
#include "report/pprof/protobuf.h"
#include "view/view.h"

// State of writing the message Profile.
struct hp_pprof_writer {
    struct hp_sink *out;
    struct hp_strtab strings; // the string table of the profile
    struct hp_protobuf field; // the field that is being built
};

// Find or add a string and return its number.  A string that is not valid UTF-8 is
// escaped first.
uint64_t hp_pprof_text(struct hp_pprof_writer *writer, struct hp_span text);

// Write a message to the output, as field number `field` of the message Profile; then
// empty it.
void hp_pprof_put(struct hp_pprof_writer *writer, uint32_t field,
                  struct hp_protobuf *message);

// Ids of the locations and mappings that are written, from 1 on.  A place is an element
// of the view's stacks (view/stacks.h); each place becomes a location, and each module
// with locations a mapping.
struct hp_pprof_places {
    const struct hp_view *view;
    uint32_t *location_of;        // for each place: its location id; 0: none
    HP_VEC(uint32_t) locations;   // the place of location 1, 2, ...
    uint32_t *location_count;     // for each module: the number of its locations
    uint32_t *mapping_of;         // for each module: its mapping id; 0: none
    HP_VEC(hp_module_id) modules; // the module of mapping 1, 2, ...; the program first
};

// Assign ids to the locations and mappings of the stacks that are written.
// is_stack_used[i]: whether stack i of the view is written.
void hp_pprof_places_init(struct hp_pprof_places *places, const struct hp_view *view,
                          const bool *is_stack_used);
void hp_pprof_places_done(struct hp_pprof_places *places);

// Write the mappings, locations and functions: fields 3, 4 and 5 of the message Profile.
void hp_pprof_put_places(struct hp_pprof_writer *writer,
                         const struct hp_pprof_places *places);

#endif
