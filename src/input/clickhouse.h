// What ClickHouse's jemalloc adds to the heap_v2 format.  Only jemalloc.c uses it.
#ifndef HP_INPUT_CLICKHOUSE_H
#define HP_INPUT_CLICKHOUSE_H

#include "input/scan.h"

// A line on an object that lives, to dump->listed, and whether the next is one.  False if it
// cannot be read.
bool hp_clickhouse_at_object(const struct hp_scan *scan);
bool hp_clickhouse_object(struct hp_scan *scan);

// The objects from `first` on are of the stack that comes next; but none are if one of them
// could not be read.
void hp_clickhouse_end_list(struct hp_dump *dump, size_t first, bool is_sound);

// A line on slabs, and whether the next is one.
bool hp_clickhouse_at_slabs(const struct hp_scan *scan);
void hp_clickhouse_slabs(struct hp_scan *scan);

#endif
