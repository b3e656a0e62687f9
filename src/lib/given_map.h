// A memory map for dumps that have none: the file of --maps.  All these dumps must be of
// one process.
#ifndef HP_LIB_GIVEN_MAP_H
#define HP_LIB_GIVEN_MAP_H

#include "hprof-agg/hprof-agg.h"
#include "input/reader.h"
#include "model/dump.h"

// The memory map that the user gave with --maps.  {0}: none is given.  The paths of its
// rows point into the text that `reader` owns.
struct hp_given_map {
    struct hp_reader reader; // owns the text of the file
    struct hp_dump dump;     // owns the rows
};

// Read the map from options->maps, if this is not NULL: a text like /proc/PID/maps, or
// another dump.  HP_E_FORMAT if the file contains no map, or a damaged one.
HP_MUST_CHECK int hp_given_map_read(struct hp_given_map *given,
                                    const struct hp_read_options *options,
                                    struct hp_err *err);

// If the dump has no map of its own, give it this one.  Returns whether it did.  The dump
// borrows paths from `given`, which must outlive it.
bool hp_given_map_lend(const struct hp_given_map *given, struct hp_dump *dump);

// Free the map.
void hp_given_map_done(struct hp_given_map *given);

#endif
