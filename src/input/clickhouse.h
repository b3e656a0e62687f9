// What ClickHouse's jemalloc adds to the heap_v2 format.  Only jemalloc.c uses it.
#ifndef HP_INPUT_CLICKHOUSE_H
#define HP_INPUT_CLICKHOUSE_H

#include "input/scan.h"

// A line on an object that lives, "  f: ...", to dump->listed.  False if it cannot be read.
bool hp_clickhouse_object(struct hp_scan *scan);

// dump->listed from `first` on, of which there are some, is of the stack that comes next; but
// nothing is if one of its lines could not be read.
void hp_clickhouse_end_list(struct hp_dump *dump, size_t first, bool is_sound);

// A line on slabs, "frag_util: ...".
void hp_clickhouse_slabs(struct hp_scan *scan);

#endif
