// The memory map at the end of a dump: /proc/PID/maps of Linux, the maps that jemalloc
// writes on macOS and FreeBSD, and the short form of Google's servers.
#ifndef HP_INPUT_MAPS_H
#define HP_INPUT_MAPS_H

#include "base/cursor.h"
#include "model/dump.h"

// Whether a path, and its last component, are no longer than a kernel allows. The limit
// bounds memory: the path is part of the name of each frame that has no better one.
bool hp_maps_is_path(struct hp_span path);

// Whether a text begins with a map row of any of these systems.
bool hp_maps_is(struct hp_span head);

// Read rows to the end of the text into dump->mappings, then sort them and drop overlaps
// (the row of lower start wins; for equal starts, the earlier row), and identify the
// process. Lines that are no rows of a map are skipped and counted as malformed. A second
// dump in the text is a failure, which *c records. *line is the line number at c->at.
void hp_maps_read(struct hp_cursor *c, struct hp_dump *dump, uint64_t *line);

// Set dump->map, which identifies the process, dump->map_start and map_end, and
// dump->program_path, all derived from dump->mappings.
void hp_maps_identify(struct hp_dump *dump);

#endif
