#include "rows/batch.h"

#include "inputs/dump_name.h"
#include "model/stack_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// --- ids -------------------------------------------------------------------------------

void hp_stack_ids_init(struct hp_stack_ids *ids, const struct hp_profile *profile) {
    struct hp_shards all = {.count = 1, .present = 1};
    *ids = (struct hp_stack_ids){.of = {0}};
    hp_sharder_init(&ids->sharder, profile, all);
}

void hp_stack_ids_forget(struct hp_stack_ids *ids) {
    ids->sharder.modules.count = 0;
    ids->of.count = 0;
}

void hp_stack_ids_done(struct hp_stack_ids *ids) {
    hp_sharder_done(&ids->sharder);
    hp_vec_done(&ids->of);
    hp_vec_done(&ids->path);
}

// Compute the id of a stack.
static uint64_t id_of(struct hp_stack_ids *ids, const struct hp_stack *stack) {
    hp_sharder_add_modules(&ids->sharder);
    ids->path.count = 0;
    for (uint32_t i = stack->depth; i > 0; i--) {
        hp_vec_push(&ids->path, stack->frames[i - 1].n);
    }
    return hp_sharder_hash(&ids->sharder, ids->path.at, ids->path.count);
}

uint64_t hp_stack_ids_get(struct hp_stack_ids *ids, uint32_t stack) {
    uint64_t *id = hp_vec_reach(&ids->of, stack);
    if (*id == 0) {
        *id = id_of(ids, &ids->sharder.profile->stacks.at[stack]);
    }
    return *id;
}

// Return the first 64 bits of the identity of a dump.
static uint64_t dump_id(const struct hp_input_record *record,
                        const struct hp_dump_name *name) {
    struct hp_identity properties = {.pid = name->pid,
                                     .number = name->number,
                                     .has_number = name->has_number};
    return hp_dump_identity(record->content, &properties).of[0];
}

// Return the id of the process of a dump: by memory map and process id, or else by the
// part of the path before the number of the dump.  A dump of which neither is known is of
// a process of its own.
static uint64_t process_id(const struct hp_input_record *record,
                           const struct hp_dump_name *name, uint64_t dump) {
    struct hp_identity properties = {.map = record->identity.map, .pid = name->pid};
    if (hp_digest_is_known(properties.map)) {
        return hp_process_identity(&properties);
    }
    return name->kind ? hp_digest_of((struct hp_span){record->public.name,
                                                      (size_t)(name->series.at +
                                                               name->series.size -
                                                               record->public.name)})
                            .of[0]
                      : dump;
}

// --- collecting ------------------------------------------------------------------------

// A row of a dump with the id of its stack, while rows of one stack are added up.
struct named_row {
    uint64_t stack;
    const struct hp_dump_row *row;
};

static int by_stack(const void *left, const void *right) {
    const struct named_row *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

// Add up the rows from `rows` on that have one stack.  Returns their number.
static size_t add_up(const struct named_row *rows, size_t count,
                     struct hp_dump_row *sum) {
    size_t end = 1;
    *sum = *rows->row;
    while (end < count && rows[end].stack == rows->stack) {
        // The dump as a whole was summed without overflow.
        (void)hp_values_add(&sum->values, &rows[end].row->values);
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            (void)hp_error_add(&sum->errors[i], &rows[end].row->errors[i]);
        }
        end++;
    }
    return end;
}

// Append the dump to the batch, and its rows to the file of the batch.
static int store(struct hp_batch *batch, struct hp_batch_dump *dump,
                 const struct hp_batch_row *rows, struct hp_err *err) {
    struct hp_stack_run run = {.bytes = NULL};
    struct hp_run_output out;
    size_t size = dump->rows * sizeof *rows;
    int ret = hp_run_begin(&out, batch->file, &run, err);
    if (ret != HP_OK) {
        return ret;
    }
    int sys = size > 0 && hp_run_put(&out, rows, size) != 0 ? errno : 0;
    dump->offset = run.offset;
    hp_run_end(&out);
    if (sys != 0) {
        return hp_run_fail_write(batch->file, sys, err);
    }
    pthread_mutex_lock(&batch->lock);
    hp_vec_push(&batch->dumps, *dump);
    pthread_mutex_unlock(&batch->lock);
    return HP_OK;
}

static int fail_large(struct hp_err *err) {
    return hp_fail(err, HP_E_LIMIT,
                   HP_MESSAGE("rows-number-too-large",
                              "a number has more than 63 bits, too many for SQL"));
}

int hp_batch_take(struct hp_batch *batch, const struct hp_input_record *record,
                  const struct hp_dump_rows *found, struct hp_stack_ids *ids,
                  const struct hp_error errors[HP_COLUMNS], struct hp_err *err) {
    size_t count = found->all.count;
    struct named_row *named = hp_alloc((count + 1) * sizeof *named);
    struct hp_batch_row *rows = hp_alloc((count + 1) * sizeof *rows);
    struct hp_dump_name name = hp_dump_name_of(record->public.name);
    struct hp_batch_dump dump = {.number = record->number, .id = dump_id(record, &name)};
    dump.process = process_id(record, &name, dump.id);
    memcpy(dump.errors, errors, sizeof dump.errors);
    for (size_t i = 0; i < count; i++) {
        const struct hp_dump_row *row = &found->all.at[i];
        named[i] = (struct named_row){hp_stack_ids_get(ids, row->stack), row};
    }
    qsort(named, count, sizeof *named, by_stack);
    bool fits = true;
    for (size_t i = 0; i < count;) {
        struct hp_dump_row sum;
        struct hp_batch_row *row = &rows[dump.rows++];
        row->stack = named[i].stack;
        i += add_up(named + i, count - i, &sum);
        for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
            fits &=
                hp_row_numbers_set(&row->of[k], k, record, &sum.values, &sum.errors[k]);
        }
    }
    int ret = fits ? store(batch, &dump, rows, err) : fail_large(err);
    free(rows);
    free(named);
    return ret;
}

void hp_batch_forget(struct hp_batch *batch) {
    batch->dumps.count = 0;
    batch->file->size = 0;
    hp_profile_forget_stacks(&batch->aside);
}

// --- the dumps of a batch --------------------------------------------------------------

static int by_id(const void *left, const void *right) {
    const struct hp_batch_dump *a = left, *b = right;
    int order = (a->id > b->id) - (a->id < b->id);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

// Whether the rows of an input are written: it was used, or another dump of its process.
static bool has_rows(const struct hp_input_record *input) {
    return hp_input_is_used(input) || input->public.status == HP_INPUT_OTHER_MOMENT;
}

// Warn of each sample type of the dumps that is no metric.
static void warn_of_types(struct hp_profile *profile) {
    for (size_t i = 0; i < profile->types.of.count; i++) {
        hp_profile_warn(profile,
                        HP_MESSAGE("rows-without-type",
                                   "rows have no column for the sample type %s"),
                        hp_profile_text(profile, profile->types.of.at[i].type));
    }
}

void hp_batch_settle(struct hp_batch *batch, struct hp_profile *profile) {
    size_t kept = 0, numbers = 0;
    const struct hp_input_record *records = profile->inputs.records.at;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        numbers = records[i].number >= numbers ? records[i].number + (size_t)1 : numbers;
    }
    uint32_t *record_of = hp_alloc((numbers + 1) * sizeof *record_of);
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        record_of[records[i].number] = has_rows(&records[i]) ? (uint32_t)i + 1 : 0;
    }
    hp_vec_sort(&batch->dumps, by_id);
    for (size_t i = 0; i < batch->dumps.count; i++) {
        struct hp_batch_dump dump = batch->dumps.at[i];
        bool is_used = dump.number < numbers && record_of[dump.number] > 0;
        bool is_new = kept == 0 || batch->dumps.at[kept - 1].id != dump.id;
        if (is_used && is_new) {
            dump.record = record_of[dump.number] - 1;
            batch->dumps.at[kept++] = dump;
        }
    }
    batch->dumps.count = kept;
    free(record_of);
    warn_of_types(profile);
}

uint64_t hp_batch_shown_stack(const struct hp_batch *batch, uint64_t stack) {
    if (!batch->has_key) {
        return stack;
    }
    struct hp_sha256 sha;
    uint8_t digest[HP_SHA256_SIZE];
    hp_sha256_init(&sha);
    hp_sha256_add(&sha, batch->key, sizeof batch->key);
    for (int i = 0; i < 8; i++) {
        hp_sha256_add(&sha, (uint8_t[]){(uint8_t)(stack >> 8 * i)}, 1);
    }
    hp_sha256_end(&sha, digest);
    stack = 0;
    for (int i = 0; i < 8; i++) {
        stack = stack << 8 | digest[i];
    }
    return stack;
}
