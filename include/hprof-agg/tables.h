// Dumps as tables of rows, which database engines read: see hprof-agg-rows in the manual.
//
// Make a batch with hp_batch_new(), name it in hp_read_options.batch, and plan a single
// report: HP_REPORT_MERGE as a partial (hpa(5)).  After hp_profile_read(), write that
// partial; then call hp_batch_finish() once, and hp_batch_write() for each table.
#ifndef HPROF_AGG_TABLES_H
#define HPROF_AGG_TABLES_H

#include "hprof-agg/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tables of a batch.
enum hp_table {
    HP_TABLE_ROWS,   // one row for each stack in each dump
    HP_TABLE_STACKS, // one row for each stack
    HP_TABLE_DUMPS,  // one row for each dump
    HP_TABLES,
};

// How a table is packed.
enum hp_packing {
    HP_PACKING_ZSTD,
    HP_PACKING_GZIP,
    HP_PACKING_NONE,
};

// The dumps of one read, and their rows.
struct hp_batch;

// Create an empty batch.  Rows wait in a file without a name in `folder`.  Free it with
// hp_batch_free().
HP_API struct hp_batch *hp_batch_new(const char *folder);
HP_API void hp_batch_free(struct hp_batch *batch); // NULL is fine

// How to finish a batch.
struct hp_batch_options {
    const char *label_from; // as in hp_read_options; the partial gets no labels
    // Replace names, as hp_profile_redact() does, and the ids of stacks.
    bool redacts;
    const void *key; // key_size bytes; NULL: a random key
    size_t key_size;
};

// Label, redact and sort the dumps of a profile that was read into the batch.  The
// profile can make no partial afterwards if it is redacted.
HP_API int hp_batch_finish(struct hp_batch *batch, struct hp_profile *profile,
                           const struct hp_batch_options *options, struct hp_err *err);

enum {
    HP_BATCH_ID_SIZE = 17, // bytes of an id in hexadecimal, with the NUL
};

// Set the id of a batch that was read: the same dumps have the same one.
HP_API void hp_batch_id(const struct hp_batch *batch, char id[HP_BATCH_ID_SIZE]);

// Write a table: one JSON object a line.  The same dumps give the same bytes.  `report`
// says how functions are named and which groups stacks have: its other members, and the
// `fold` of its frames, have no effect.  HP_E_LIMIT: a number is too large.  HP_E_USAGE:
// a rule of groups is wrong.
HP_API int hp_batch_write(const struct hp_batch *batch, const struct hp_profile *profile,
                          enum hp_table table, enum hp_packing packing,
                          const struct hp_report_options *report, hp_write_fn *write,
                          void *data, struct hp_err *err);

// Set `covers` if a file, packed or not, is a table of stacks and the profile has all of
// these stacks, so that a new table of the profile replaces it.  An error means that the
// file cannot be read, or is something else.
HP_API int hp_batch_covers(const struct hp_profile *profile, const char *path,
                           bool *covers, struct hp_err *err);

// Set an id that the same names have, in whatever order: for what is made of the files
// with these names.
HP_API void hp_batch_id_of_names(const char *const *names, size_t count,
                                 char id[HP_BATCH_ID_SIZE]);

// Return the name of a table, "rows", and the end of the name of a file with this
// packing, ".ndjson.zst".
HP_API const char *hp_table_name(enum hp_table table);
HP_API const char *hp_packing_ending(enum hp_packing packing);

#ifdef __cplusplus
}
#endif

#endif
