// Batches of dumps as tables: the public functions of tables.h.
#include "hprof-agg/tables.h"

#include "base/sha256.h"
#include "input/input_stream.h"
#include "lib/metadata.h"
#include "lib/redact.h"
#include "model/stack_runs.h"
#include "rows/batch.h"
#include "rows/packed_table.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct hp_batch *hp_batch_new(const char *folder) {
    struct hp_batch *batch = hp_alloc(sizeof *batch);
    pthread_mutex_init(&batch->lock, NULL);
    batch->file = hp_run_store_new(folder, 0);
    hp_profile_init(&batch->aside);
    return batch;
}

void hp_batch_free(struct hp_batch *batch) {
    if (!batch) {
        return;
    }
    pthread_mutex_destroy(&batch->lock);
    hp_run_store_free(batch->file);
    hp_vec_done(&batch->dumps);
    hp_profile_done(&batch->aside);
    explicit_bzero(batch->key, sizeof batch->key);
    free(batch);
}

// Set the key that ids of stacks are replaced by: a digest of the given one, or random.
static int set_key(struct hp_batch *batch, const struct hp_batch_options *options,
                   struct hp_err *err) {
    struct hp_sha256 sha;
    if (options->key == NULL &&
        getrandom(batch->key, sizeof batch->key, 0) != (ssize_t)sizeof batch->key) {
        return hp_fail_errno(err, HP_MESSAGE("batch-no-random-numbers",
                                             "cannot read random numbers"));
    }
    if (options->key != NULL) {
        hp_sha256_init(&sha);
        hp_sha256_add(&sha, options->key, options->key_size);
        hp_sha256_end(&sha, batch->key);
    }
    batch->has_key = true;
    return HP_OK;
}

int hp_batch_finish(struct hp_batch *batch, struct hp_profile *profile,
                    const struct hp_batch_options *options, struct hp_err *err) {
    int ret = HP_OK;
    if (options->label_from) {
        ret = hp_labels_set(profile, options->label_from, err);
    }
    if (ret == HP_OK && options->redacts) {
        ret = set_key(batch, options, err);
    }
    if (ret == HP_OK && options->redacts) {
        ret = hp_profile_redact(profile, batch->key, sizeof batch->key, err);
    }
    if (ret == HP_OK && options->redacts) {
        ret = hp_profile_redact(&batch->aside, batch->key, sizeof batch->key, err);
    }
    return ret;
}

void hp_batch_id(const struct hp_batch *batch, char id[HP_BATCH_ID_SIZE]) {
    struct hp_digester digester = {NULL};
    const struct hp_batch_dump *dump;
    hp_digester_start(&digester);
    hp_vec_each (dump, &batch->dumps) {
        char text[HP_BATCH_ID_SIZE];
        int size = snprintf(text, sizeof text, "%016" PRIx64, dump->id);
        hp_digester_add(&digester, (struct hp_span){text, (size_t)size});
    }
    snprintf(id, HP_BATCH_ID_SIZE, "%016" PRIx64, hp_digester_end(&digester).of[0]);
    hp_digester_done(&digester);
}

static int by_bytes(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

void hp_batch_id_of_names(const char *const *names, size_t count,
                          char id[HP_BATCH_ID_SIZE]) {
    struct hp_digester digester = {NULL};
    HP_VEC(const char *) sorted = {0};
    hp_vec_append(&sorted, names, count);
    hp_vec_sort(&sorted, by_bytes);
    hp_digester_start(&digester);
    for (size_t i = 0; i < count; i++) {
        hp_digester_add(&digester,
                        (struct hp_span){sorted.at[i], strlen(sorted.at[i]) + 1});
    }
    snprintf(id, HP_BATCH_ID_SIZE, "%016" PRIx64, hp_digester_end(&digester).of[0]);
    hp_digester_done(&digester);
    hp_vec_done(&sorted);
}

// Write a table, unpacked.
static int put(const struct hp_batch *batch, const struct hp_profile *profile,
               enum hp_table table, const struct hp_report_options *report,
               struct hp_sink *out, struct hp_err *err) {
    return table == HP_TABLE_ROWS ? hp_batch_put_rows(batch, profile, out, err)
           : table == HP_TABLE_DUMPS
               ? hp_batch_put_dumps(batch, profile, out, err)
               : hp_batch_put_stacks(batch, profile, report, out, err);
}

int hp_batch_write(const struct hp_batch *batch, const struct hp_profile *profile,
                   enum hp_table table, enum hp_packing packing,
                   const struct hp_report_options *report, hp_write_fn *write, void *data,
                   struct hp_err *err) {
    struct hp_sink out, plain;
    struct hp_err of_write = {0};
    locale_t ours = newlocale(LC_ALL_MASK, "C", NULL), theirs = uselocale(ours);
    hp_sink_init(&out, write, data);
    struct hp_packed_table *packed = hp_packed_table_new(&plain, &out, packing);
    int ret = put(batch, profile, table, report, &plain, err);
    hp_packed_table_finish(packed);
    int written = hp_sink_close(&out, ret == HP_OK ? err : &of_write);
    uselocale(theirs);
    freelocale(ours);
    return ret == HP_OK ? written : ret;
}

// --- tables that are replaced ----------------------------------------------------------

// The ids of the stacks of a profile, ascending.
struct stack_set {
    HP_VEC(uint64_t) ids;
};

static int by_number(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void collect(struct stack_set *set, const struct hp_profile *profile) {
    struct hp_stack_ids ids;
    hp_stack_ids_init(&ids, profile);
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        hp_vec_push(&set->ids, hp_stack_ids_get(&ids, i));
    }
    hp_stack_ids_done(&ids);
    hp_vec_sort(&set->ids, by_number);
}

// Read the id of the stack at the beginning of a line of the table.
static bool read_id(struct hp_span line, uint64_t *id) {
    static const char key[] = "{\"stack\":\"";

    enum {
        HEAD = sizeof key - 1,
        DIGITS = HP_BATCH_ID_SIZE - 1
    };

    char digits[HP_BATCH_ID_SIZE] = "";
    if (line.size <= HEAD + DIGITS || memcmp(line.at, key, HEAD) != 0) {
        return false;
    }
    memcpy(digits, line.at + HEAD, DIGITS);
    *id = strtoull(digits, NULL, 16);
    return strspn(digits, "0123456789abcdef") == DIGITS && line.at[HEAD + DIGITS] == '"';
}

// Whether all lines of the stream are about stacks of the set.  Reads no further than the
// first line that is not.
static int look_up(struct hp_input_stream *stream, const struct stack_set *set,
                   bool *covers, struct hp_err *err) {
    size_t done = 0;
    *covers = true;
    for (;;) {
        struct hp_span rest = {stream->at + done, stream->size - done};
        const char *end = rest.size > 0 ? memchr(rest.at, '\n', rest.size) : NULL;
        uint64_t id;
        if (!end && stream->at_end) {
            *covers &= rest.size == 0;
            return HP_OK;
        }
        if (!end) {
            if (hp_input_stream_slide(stream, done, err) != HP_OK) {
                return err->code;
            }
            done = 0;
            continue;
        }
        struct hp_span line = {rest.at, (size_t)(end - rest.at)};
        if (!read_id(line, &id) ||
            !bsearch(&id, set->ids.at, set->ids.count, sizeof id, by_number)) {
            *covers = false;
            return HP_OK;
        }
        done += line.size + 1;
    }
}

int hp_batch_covers(const struct hp_profile *profile, const char *path, bool *covers,
                    struct hp_err *err) {
    struct stack_set set = {{0}};
    struct hp_input_stream stream = {.at = NULL};
    *covers = false;
    int ret = hp_input_stream_open(&stream, path, 0, err);
    collect(&set, profile);
    ret = ret == HP_OK ? look_up(&stream, &set, covers, err) : ret;
    hp_input_stream_done(&stream);
    hp_vec_done(&set.ids);
    return ret;
}

const char *hp_table_name(enum hp_table table) {
    static const char *const names[HP_TABLES] = {"rows", "stacks", "dumps"};
    return names[table];
}

const char *hp_packing_ending(enum hp_packing packing) {
    return packing == HP_PACKING_ZSTD   ? ".ndjson.zst"
           : packing == HP_PACKING_GZIP ? ".ndjson.gz"
                                        : ".ndjson";
}
