// The memory map at the end of a dump: /proc/PID/maps of Linux, what jemalloc writes on macOS
// and FreeBSD, and the short form of Google's servers.
#ifndef HP_INPUT_MAPS_H
#define HP_INPUT_MAPS_H

#include "base/cursor.h"
#include "model/dump.h"

// No longer, as a whole and in its last part, than a kernel allows: that is part of the name
// of each frame without a better one.
bool hp_maps_is_path(struct hp_span path);

// Whether a text begins with a row, of any system.
bool hp_maps_is(struct hp_span head);

// Read rows to the end of the text into dump->mappings, sorted and without overlaps (the
// first row wins).  Lines that are no row are passed over.  *line is the number of that at
// c->at.
void hp_maps_read(struct hp_cursor *c, struct hp_dump *dump, uint64_t *line);

// Set dump->map and program_path by the rows of the map.
void hp_maps_identify(struct hp_dump *dump);

#endif
