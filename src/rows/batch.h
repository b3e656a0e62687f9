// Rows for SQL: a batch of dumps as three tables, which database engines read.
//
// A row of the table `rows` is one stack in one dump, with its estimate and the error of
// that; a row of `dumps` is one dump with its totals; a row of `stacks` is one stack with
// its names.  Each table is a text of one JSON object a line, packed or not.
//
// This folder turns a profile into these tables, dump by dump.  It reads no files and
// decides nothing about inputs.
//
// Entry points: hp_batch_take() collects the rows of a dump while dumps are read, then
// hp_batch_settle() sorts them, and hp_batch_put_table() writes a table.
//
// Order to read the files in:
//   batch        which rows there are; they wait in a file without a name
//   numbers      the numbers of a row, and how a number is written
//   table        lines of `rows` and `dumps`
//   stack_table  lines of `stacks`
//   packing      zstd or gzip around a table
//
// Terms (see also model/profile.h):
//   batch    all dumps of one run of the command, and their rows
//   id       16 hexadecimal digits that mean the same in every batch.  That of a dump is
//            the first 64 bits of hp_dump_identity(), that of a stack is
//            hp_sharder_hash(), that of a batch a digest of those of its dumps
//   aside    the profile of dumps of which a newer one is used in the profile
//
// Invariants: the same dump gives the same lines in every batch, and the same dumps the
// same tables, in whatever order they were read.  Numbers of dumps, stacks and their
// errors are those of the estimate; nothing is computed a second time here.
#ifndef HP_ROWS_BATCH_H
#define HP_ROWS_BATCH_H

#include "base/sha256.h"
#include "model/dump_rows.h"
#include "partial/shards.h"
#include "rows/numbers.h"

#include <pthread.h>

// One stack in one dump, while it waits to be written.
struct hp_batch_row {
    uint64_t stack; // id of the stack
    struct hp_row_numbers of[HP_COLUMNS];
};

// One dump of a batch.
struct hp_batch_dump {
    uint64_t id, process; // ids of the dump and of its process
    uint32_t number;      // number of the input
    uint32_t record;      // index of its record in the profile, set by hp_batch_settle()
    uint32_t rows;        // number of its rows
    uint64_t offset;      // where its rows are in the file of the batch
    // Error of the sum of its stacks, whose values are in its record.
    struct hp_error errors[HP_COLUMNS];
};

// Finds the ids of stacks of a profile, and keeps them.  The profile may get more stacks
// meanwhile; call hp_stack_ids_forget() if its modules or stacks get other numbers.
struct hp_stack_ids {
    struct hp_sharder sharder;
    HP_VEC(uint64_t) of;   // id by number of the stack; 0: not known yet
    HP_VEC(uint32_t) path; // frames of a stack from the root on; scratch memory
};

void hp_stack_ids_init(struct hp_stack_ids *ids, const struct hp_profile *profile);
void hp_stack_ids_forget(struct hp_stack_ids *ids);
void hp_stack_ids_done(struct hp_stack_ids *ids);

// Return the id of a stack of the profile.
uint64_t hp_stack_ids_get(struct hp_stack_ids *ids, uint32_t stack);

struct hp_batch {
    pthread_mutex_t lock;      // protects the members below while dumps are read
    struct hp_run_store *file; // contains the rows of all dumps
    HP_VEC(struct hp_batch_dump) dumps;
    // Stacks of dumps that are not in the profile, because a newer dump of their process
    // is used there.
    struct hp_profile aside;
    uint8_t key[HP_SHA256_SIZE]; // replaces ids of stacks, if has_key is set
    bool has_key;
};

// Collect the rows of one dump.  `found` has its rows, and the sums of their errors are
// `errors`; `ids` is of the profile that the dump was added to.  Called by any thread.
// HP_E_LIMIT: a number has more than 63 bits.
HP_MUST_CHECK int hp_batch_take(struct hp_batch *batch,
                                const struct hp_input_record *record,
                                const struct hp_dump_rows *found,
                                struct hp_stack_ids *ids,
                                const struct hp_error errors[HP_COLUMNS],
                                struct hp_err *err);

// Forget all dumps, as they are read again.
void hp_batch_forget(struct hp_batch *batch);

// Drop the dumps whose inputs the profile does not use, and sort the others by id.  Warns
// of sample types, which have no column.
void hp_batch_settle(struct hp_batch *batch, struct hp_profile *profile);

// Return the id of a stack as tables show it.
uint64_t hp_batch_shown_stack(const struct hp_batch *batch, uint64_t stack);

// Write a table, unpacked.
HP_MUST_CHECK int hp_batch_put_rows(const struct hp_batch *batch,
                                    const struct hp_profile *profile, struct hp_sink *out,
                                    struct hp_err *err);
HP_MUST_CHECK int hp_batch_put_dumps(const struct hp_batch *batch,
                                     const struct hp_profile *profile,
                                     struct hp_sink *out, struct hp_err *err);
// `report` says whether names are short or full, and has the rules of groups.
HP_MUST_CHECK int hp_batch_put_stacks(const struct hp_batch *batch,
                                      const struct hp_profile *profile,
                                      const struct hp_report_options *report,
                                      struct hp_sink *out, struct hp_err *err);

#endif
