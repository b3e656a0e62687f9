// What the locations of a pprof profile become in a dump.  Only pprof_reader.c uses it.
#ifndef HP_INPUT_PPROF_LOCATIONS_H
#define HP_INPUT_PPROF_LOCATIONS_H

#include "input/pprof_tables.h"
#include "model/dump.h"

// First find out which of them are known by their names.
void hp_pprof_locations_settle(struct hp_pprof_tables *tables);

// Then add those that are needed to a dump: location->number is its address there.
void hp_pprof_location_add(const struct hp_pprof_tables *tables,
                           struct hp_pprof_location *location, struct hp_dump *dump);

#endif
