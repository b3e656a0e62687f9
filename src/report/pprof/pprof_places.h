// Mappings, locations and functions of a pprof profile; pprof.c puts it together.
#ifndef HP_REPORT_PPROF_PPROF_PLACES_H
#define HP_REPORT_PPROF_PPROF_PLACES_H

#include "base/sink.h"
#include "report/pprof/protobuf.h"
#include "view/view.h"

// The message Profile, field by field.
struct hp_pprof_writer {
    struct hp_sink *out;
    struct hp_strtab strings; // its string table
    struct hp_protobuf field; // room for one
};

// The number of a string, made safe for a terminal.
uint64_t hp_pprof_text(struct hp_pprof_writer *writer, struct hp_span text);

// Write a field, and empty the message.
void hp_pprof_put(struct hp_pprof_writer *writer, uint32_t field,
                  struct hp_protobuf *message);

struct hp_pprof_places {
    const struct hp_view *view;
    uint32_t *location_of;        // of each place: its id, or 0
    HP_VEC(uint32_t) locations;   // the places that have one, in order
    uint32_t *location_count;     // of each module
    uint32_t *mapping_of;         // of each module: its id, or 0
    HP_VEC(hp_module_id) modules; // those that have one, the program first
};

// Of the stacks that have something.
void hp_pprof_places_init(struct hp_pprof_places *places, const struct hp_view *view,
                          const bool *has_something);
void hp_pprof_places_done(struct hp_pprof_places *places);

// Fields 3, 4 and 5.
void hp_pprof_put_places(struct hp_pprof_writer *writer,
                         const struct hp_pprof_places *places);

#endif
