// A memory map for dumps that have none: that of --maps, of which all of them are of one process.
#ifndef HP_LIB_GIVEN_MAP_H
#define HP_LIB_GIVEN_MAP_H

#include "hprof-agg/hprof-agg.h"
#include "input/reader.h"
#include "model/dump.h"

// {0}: none is given.  Paths are in what the reader has read.
struct hp_given_map {
    struct hp_reader reader;
    struct hp_dump dump;
};

// Read options->maps, if there is one: a text as /proc/PID/maps has it, or another dump.
HP_MUST_CHECK int hp_given_map_read(struct hp_given_map *given,
                                    const struct hp_read_options *options,
                                    struct hp_err *err);

// Whether the dump needs the map, and has it now for as long as `given` lives.
bool hp_given_map_lend(const struct hp_given_map *given, struct hp_dump *dump);

void hp_given_map_done(struct hp_given_map *given);

#endif
