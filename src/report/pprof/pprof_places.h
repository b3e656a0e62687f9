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

// Write a message as a field of the profile, and empty the message.
void hp_pprof_put(struct hp_pprof_writer *writer, uint32_t field,
                  struct hp_protobuf *message);

// Locations and mappings by number.  A place is a frame of the view's stacks.
struct hp_pprof_places {
    const struct hp_view *view;
    uint32_t *location_of;        // for each place: its location id; 0: none
    HP_VEC(uint32_t) locations;   // the places that have a location, in order
    uint32_t *location_count;     // for each module: the number of its locations
    uint32_t *mapping_of;         // for each module: its mapping id; 0: none
    HP_VEC(hp_module_id) modules; // the modules that have a mapping; the program first
};

// Number the locations and mappings that stacks use; the array says for each stack
// whether it is written.
void hp_pprof_places_init(struct hp_pprof_places *places, const struct hp_view *view,
                          const bool *is_stack_used);
void hp_pprof_places_done(struct hp_pprof_places *places);

// Write fields 3, 4 and 5 of the profile.
void hp_pprof_put_places(struct hp_pprof_writer *writer,
                         const struct hp_pprof_places *places);

#endif
