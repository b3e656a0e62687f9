// What ClickHouse's jemalloc adds to the heap_v2 format.  Only jemalloc.c uses it.
#ifndef HP_INPUT_CLICKHOUSE_H
#define HP_INPUT_CLICKHOUSE_H

#include "input/scan.h"

// Read the list of objects, if there is one behind the counts of the stack that comes next:
// all of them, or none if one cannot be read.
void hp_clickhouse_listed(struct hp_scan *scan);

// A line on slabs, and whether the next is one.
bool hp_clickhouse_at_slabs(const struct hp_scan *scan);
void hp_clickhouse_slabs(struct hp_scan *scan);

#endif
