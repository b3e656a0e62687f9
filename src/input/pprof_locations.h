// Convert the locations of a pprof profile to addresses and symbols of a dump. Only
// pprof_reader.c uses this.
#ifndef HP_INPUT_PPROF_LOCATIONS_H
#define HP_INPUT_PPROF_LOCATIONS_H

#include "input/pprof_tables.h"
#include "model/dump.h"

// Call first: decides which locations are identified by their names instead of their
// addresses.
void hp_pprof_locations_settle(struct hp_pprof_tables *tables);

// Call then for each location in use: adds its address and symbols to the dump.
// location->number becomes the index in dump->addresses.
void hp_pprof_location_add(const struct hp_pprof_tables *tables,
                           struct hp_pprof_location *location, struct hp_dump *dump);

#endif
