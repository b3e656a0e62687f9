// Compression of a table, as it is written.
#ifndef HP_ROWS_PACKED_TABLE_H
#define HP_ROWS_PACKED_TABLE_H

#include "base/sink.h"
#include "hprof-agg/tables.h"

struct hp_packed_table;

// Begin a table: what is written to `plain` reaches `out` compressed, or unchanged.  Call
// hp_packed_table_finish() also after a failure.
struct hp_packed_table *hp_packed_table_new(struct hp_sink *plain, struct hp_sink *out,
                                            enum hp_packing packing);

// Close `plain`, end the compression and free the table.  An error of `plain` becomes
// that of `out`, which stays open.
void hp_packed_table_finish(struct hp_packed_table *table);

#endif
