// The JSON that mallctl("experimental.prof_recent.alloc_dump") of jemalloc 5.3 writes
// (its src/prof_recent.c), with times in nanoseconds:
//
//     {"sample_interval": 524288, "recent_alloc_max": 1000, "recent_alloc": [
//       {"size": 90, "usize": 96, "released": true,
//        "alloc_thread_uid": 0, "alloc_time": 1757990590790,
//        "alloc_trace": ["0x7ff5138a2630", ...],
//        "dalloc_thread_uid": 0, "dalloc_time": 1758026590791,
//        "dalloc_trace": [...]}, ...]}
//
// The oldest allocation makes room for a new one, freed or not: the list has all
// allocations that were sampled since its first. A record without dalloc_time was not
// freed, or, if it is released, the time is unknown.
#include "input/prof_recent.h"

#include "input/json_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void hp_recent_file_done(struct hp_recent_file *file) {
    hp_recent_done(&file->recent);
    hp_vec_done(&file->traces);
    hp_vec_done(&file->addresses);
}

#ifdef HP_WITH_JANSSON
#    include <jansson.h>

enum {
    DEEPEST = 1024, // frames of a stack at most
    HEXADECIMAL = 16,
};

// Largest size of an object, and largest sample period, in bytes.
static const int64_t largest_size = (int64_t)1 << 56;

// State of reading a prof_recent file. Remembers its first failure: after it all numbers
// read as 0.
struct recent_reader {
    struct hp_recent_file *file; // destination
    struct hp_err *err;          // gets the first failure
    size_t record;               // number of the current record, from 1 on
    int ret;                     // HP_OK, or the code of the failure
};

// Record a failure about a member of the current record, unless there was one before.
static void fail(struct recent_reader *r, const char *name, const char *what) {
    if (r->ret == HP_OK) {
        r->ret =
            hp_fail(r->err, HP_E_FORMAT,
                    HP_MESSAGE("recent-member", "prof_recent's JSON: record %zu: %s %s"),
                    r->record, name, hp_words(what));
    }
}

// Read the number `name` of a record. Returns 0 if it is missing or after a failure.
static uint64_t number_of(struct recent_reader *r, const json_t *in, const char *name,
                          bool is_required) {
    const json_t *value = json_object_get(in, name);
    if (!value && !is_required) {
        return 0;
    }
    if (!json_is_integer(value)) {
        fail(r, name,
             value ? HP_WORDS("recent-not-whole", "is not a whole number")
                   : HP_WORDS("recent-number-missing", "is missing"));
    } else if (json_integer_value(value) < 0) {
        fail(r, name, HP_WORDS("recent-below-zero", "is below zero"));
    }
    return r->ret == HP_OK ? (uint64_t)json_integer_value(value) : 0;
}

// Read an address, a text like "0x7ff5138a2630".
static uint64_t address_of(struct recent_reader *r, const json_t *value,
                           const char *name) {
    const char *text = json_string_value(value);
    char *end = NULL;
    errno = 0;
    uint64_t address = text && strncmp(text, "0x", 2) == 0 && text[2] != '\0' &&
                               strchr("+- \t", text[2]) == NULL
                           ? strtoull(text + 2, &end, HEXADECIMAL)
                           : 0;
    if (!end || *end != '\0' || errno != 0) {
        fail(r, name,
             HP_WORDS("recent-no-address", "has something that is not an address"));
    }
    return address;
}

// Read a stack, and return its index in file->traces.
static uint32_t read_trace(struct recent_reader *r, const json_t *in, const char *name) {
    const json_t *list = json_object_get(in, name);
    struct hp_recent_file *file = r->file;
    struct hp_recent_trace trace = {file->addresses.count, 0};
    if (!json_is_array(list)) {
        fail(r, name,
             list ? HP_WORDS("recent-no-list", "is not a list")
                  : HP_WORDS("recent-list-missing", "is missing"));
    } else if (json_array_size(list) > DEEPEST) {
        fail(r, name, HP_WORDS("recent-many-frames", "has more than 1024 frames"));
    }
    for (size_t i = 0; r->ret == HP_OK && i < json_array_size(list); i++) {
        hp_vec_push(&file->addresses, address_of(r, json_array_get(list, i), name));
        trace.depth++;
    }
    hp_vec_push(&file->traces, trace);
    return (uint32_t)(file->traces.count - 1);
}

// Read a record, check that it is consistent, and append it to recent.records.
static void read_record(struct recent_reader *r, const json_t *in) {
    struct hp_recent_record record = {
        .size = number_of(r, in, "usize", true),
        .born = number_of(r, in, "alloc_time", true),
        .is_released = json_is_true(json_object_get(in, "released")),
        .has_died = json_object_get(in, "dalloc_time") != NULL,
    };
    record.died = number_of(r, in, "dalloc_time", false);
    record.is_by_others =
        record.has_died && number_of(r, in, "alloc_thread_uid", false) !=
                               number_of(r, in, "dalloc_thread_uid", false);
    if (r->ret == HP_OK && (record.size == 0 || record.size > (uint64_t)largest_size)) {
        fail(r, "usize", HP_WORDS("recent-no-size", "is not the size of an object"));
    }
    if (record.has_died && !record.is_released) {
        fail(r, "dalloc_time",
             HP_WORDS("recent-not-released", "exists, and the object is not released"));
    }
    record.alloc = read_trace(r, in, "alloc_trace");
    record.free = record.has_died ? read_trace(r, in, "dalloc_trace") : record.alloc;
    hp_vec_push(&r->file->recent.records, record);
}

// Read the sample period and all records. JSON of another kind is refused by its name.
static int read_root(struct hp_recent_file *file, const json_t *root,
                     struct hp_err *err) {
    struct recent_reader r = {file, err, 0, HP_OK};
    const json_t *list = json_object_get(root, "recent_alloc");
    const json_t *period = json_object_get(root, "sample_interval");
    if (!json_is_array(list) || !json_is_integer(period)) {
        return hp_fail(
            err, HP_E_UNSUPPORTED,
            HP_MESSAGE(
                "recent-other-json",
                "this is %s. Use what jemalloc's experimental.prof_recent.alloc_dump "
                "writes"),
            json_object_get(root, "jemalloc")       ? "malloc_stats_print's JSON"
            : json_object_get(root, "stack_traces") ? "jemalloc's prof_log"
                                                    : "JSON of something else");
    }
    if (json_integer_value(period) < 1 || json_integer_value(period) > largest_size) {
        return hp_fail(
            err, HP_E_FORMAT,
            HP_MESSAGE("recent-interval",
                       "prof_recent's JSON: sample_interval is not a number of bytes"));
    }
    file->recent.period = (uint64_t)json_integer_value(period);
    for (size_t i = 0; r.ret == HP_OK && i < json_array_size(list); i++) {
        r.record = i + 1;
        read_record(&r, json_array_get(list, i));
    }
    return r.ret;
}

static int by_value(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Set recent->latest, the time of the last event, and recent->tick, the smallest
// difference between two times of events, which is an upper bound of the clock's
// resolution.
static void find_tick(struct hp_recent *recent) {
    HP_VEC(uint64_t) times = {0};
    const struct hp_recent_record *record;
    hp_vec_each (record, &recent->records) {
        hp_vec_push(&times, record->born);
        hp_vec_push(&times, record->has_died ? record->died : record->born);
    }
    hp_vec_sort(&times, by_value);
    for (size_t i = 0; i < times.count; i++) {
        uint64_t gap = i > 0 ? times.at[i] - times.at[i - 1] : 0;
        recent->tick =
            gap > 0 && (recent->tick == 0 || gap < recent->tick) ? gap : recent->tick;
        recent->latest = times.at[i];
    }
    hp_vec_done(&times);
}

int hp_prof_recent_read_bytes(struct hp_recent_file *file, struct hp_span text,
                              struct hp_err *err) {
    json_t *root = hp_json_reader_load(text, "prof_recent's JSON", err);
    if (!root) {
        return err->code;
    }
    int ret = read_root(file, root, err);
    json_decref(root);
    find_tick(&file->recent);
    return ret == HP_OK && file->recent.records.count == 0
               ? hp_fail(
                     err, HP_E_EMPTY,
                     HP_MESSAGE(
                         "recent-empty",
                         "prof_recent's JSON: no allocations. Set prof_recent_alloc_max "
                         "before them"))
               : ret;
}

#else

int hp_prof_recent_read_bytes(struct hp_recent_file *file, struct hp_span text,
                              struct hp_err *err) {
    (void)file, (void)text;
    return hp_fail(
        err, HP_E_UNSUPPORTED,
        HP_MESSAGE("recent-without-jansson",
                   "this build cannot read prof_recent of jemalloc: it lacks jansson"));
}
#endif

int hp_prof_recent_read(struct hp_recent_file *file, const char *path,
                        const struct hp_read_options *options, struct hp_err *err) {
    struct hp_input_stream stream;
    int ret = hp_json_reader_open(&stream, path, options, err);
    if (ret == HP_OK) {
        ret = hp_prof_recent_read_bytes(file, (struct hp_span){stream.at, stream.size},
                                        err);
    }
    if (ret != HP_OK) {
        hp_err_locate(err, path, err->line);
    }
    hp_input_stream_done(&stream);
    return ret;
}
