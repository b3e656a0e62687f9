// The tables `rows` and `dumps`, one JSON object a line, sorted by the ids of the dumps
// and in a dump by those of the stacks:
//
//     {"dump":"8c5f...","stack":"51ad...","period":524288,"inuse_bytes":4096,...}
//     {"dump":"8c5f...","process":"09be...","path":"/srv/a.heap",...,"inuse_bytes":...}
//
// docs/reference/rows.md lists all columns.
#include "inputs/dump_name.h"
#include "model/stack_runs.h"
#include "rows/batch.h"

#include <stdlib.h>

// --- rows ------------------------------------------------------------------------------

// Read the rows of a dump from the file of the batch.
static int read_rows(const struct hp_batch *batch, const struct hp_batch_dump *dump,
                     struct hp_batch_row *rows, struct hp_err *err) {
    size_t got = 0, size = dump->rows * sizeof *rows;
    struct hp_stack_run run = {.offset = dump->offset, .size = size};
    struct hp_run_input in = {.run = &run, .fd = batch->file->fd};
    int ret = size > 0 ? hp_run_read(&in, rows, size, &got, err) : HP_OK;
    return ret == HP_OK && got < size
               ? hp_fail(err, HP_E_INTERNAL,
                         HP_MESSAGE("rows-file-short", "the file of rows is too short"))
               : ret;
}

// Write one line.
static void put_row(struct hp_json *json, const struct hp_batch *batch,
                    const struct hp_batch_dump *dump, uint64_t period,
                    const struct hp_batch_row *row) {
    hp_row_open(json);
    hp_row_id(json, "dump", dump->id);
    hp_row_id(json, "stack", hp_batch_shown_stack(batch, row->stack));
    hp_json_put_known(json, "period", period);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_row_numbers_put(json, i, &row->of[i]);
    }
    hp_row_close(json);
}

int hp_batch_put_rows(const struct hp_batch *batch, const struct hp_profile *profile,
                      struct hp_sink *out, struct hp_err *err) {
    struct hp_json json = {.out = out, .is_dense = true};
    HP_VEC(struct hp_batch_row) rows = {0};
    int ret = HP_OK;
    const struct hp_batch_dump *dump;
    hp_vec_each (dump, &batch->dumps) {
        rows.count = 0;
        hp_vec_reserve(&rows, dump->rows);
        ret = ret == HP_OK ? read_rows(batch, dump, rows.at, err) : ret;
        for (uint32_t i = 0; ret == HP_OK && i < dump->rows; i++) {
            put_row(&json, batch, dump, profile->inputs.records.at[dump->record].period,
                    &rows.at[i]);
        }
    }
    hp_vec_done(&rows);
    return ret;
}

// --- dumps -----------------------------------------------------------------------------

// Write the labels of an input as an object.
static void put_labels(struct hp_json *json, const struct hp_profile *profile,
                       const struct hp_input_record *input) {
    hp_json_open(json, "labels", '{');
    for (uint32_t i = 0; i < input->labels; i++) {
        const struct hp_label *label = &profile->inputs.labels.at[input->first_label + i];
        hp_json_key(json, hp_strtab_span(&profile->strings, label->key));
        hp_row_text(json, NULL, hp_strtab_span(&profile->strings, label->value));
    }
    hp_json_close(json);
}

// Write when the dump was made, in seconds since 1970: as its content says, or else its
// file.
static void put_time(struct hp_json *json, const struct hp_identity *identity) {
    uint64_t seconds = identity->nanoseconds / 1000000000;
    bool has_file_time = identity->time > 0;
    hp_json_put_known(json, "time",
                      seconds > 0     ? seconds
                      : has_file_time ? (uint64_t)identity->time
                                      : 0);
}

// Write what is known of a dump besides its numbers.
static void put_facts(struct hp_json *json, const struct hp_profile *profile,
                      const struct hp_batch_dump *dump) {
    const struct hp_input_record *input = &profile->inputs.records.at[dump->record];
    const char *archive = input->archive ? input->archive : "";
    hp_row_id(json, "dump", dump->id);
    hp_row_id(json, "process", dump->process);
    hp_row_text(json, "path", hp_span_of(input->public.name));
    hp_row_text(json, "archive", hp_span_of(archive));
    hp_row_text(json, "kind", hp_span_of(hp_producer_text(input->producer)));
    put_time(json, &input->identity);
    if (input->identity.has_number) {
        hp_json_put_count(json, "sequence", input->identity.number);
    } else {
        hp_json_put_null(json, "sequence");
    }
    hp_json_put_truth(json, "final", input->identity.kind == 'f');
    put_labels(json, profile, input);
    hp_json_put_known(json, "period", input->period);
}

// Write the totals of a dump, as its header corrects them.  Returns false if a number is
// too large.
static bool put_totals(struct hp_json *json, const struct hp_input_record *input,
                       const struct hp_batch_dump *dump) {
    bool fits = true;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        struct hp_values total = input->total;
        struct hp_error error = dump->errors[i];
        struct hp_row_numbers numbers;
        hp_input_add_gain(input, i, &total.of[hp_space_of(i)], &error);
        fits &= hp_row_numbers_set(&numbers, i, input, &total, &error);
        hp_row_numbers_put(json, i, &numbers);
    }
    return fits;
}

int hp_batch_put_dumps(const struct hp_batch *batch, const struct hp_profile *profile,
                       struct hp_sink *out, struct hp_err *err) {
    struct hp_json json = {.out = out, .is_dense = true};
    const struct hp_batch_dump *dump;
    hp_vec_each (dump, &batch->dumps) {
        const struct hp_input_record *input = &profile->inputs.records.at[dump->record];
        hp_row_open(&json);
        put_facts(&json, profile, dump);
        bool fits = put_totals(&json, input, dump);
        hp_row_close(&json);
        if (!fits) {
            hp_fail(err, HP_E_LIMIT,
                    HP_MESSAGE("dumps-number-too-large",
                               "its total has more than 63 bits, too many for SQL"));
            hp_err_locate(err, input->public.name, 0);
            return HP_E_LIMIT;
        }
    }
    return HP_OK;
}
