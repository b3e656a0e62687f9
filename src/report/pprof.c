// google/pprof's profile.proto, compressed with gzip.
//
// Profile { sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
//           string_table = 6, time_nanos = 9, period_type = 11, period = 12, comment = 13,
//           default_sample_type = 14 }
// ValueType { type = 1, unit = 2 }
// Sample { location_id = 1, leaf first, value = 2, one for each sample_type, label = 3 }
// Label { key = 1, num = 3, num_unit = 4 }
//
// Every string is a number in the string table, whose first is "".  There is no duration: some
// readers take what has one for the allocations of that time.  The fields are in the order of
// their numbers, and what repeats is in that of modules and offsets.
#include "report/gzip.h"
#include "report/notes.h"
#include "report/pprof_places.h"
#include "report/report.h"
#include "view/apportion.h"
#include "view/series.h"

#include <errno.h>
#include <math.h>

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

// The order that readers know from Go.
static const struct sample_type {
    enum hp_metric metric;
    const char *type, *unit;
} sample_types[HP_METRICS] = {
    {HP_ALLOC_OBJECTS, "alloc_objects", "count"},
    {HP_ALLOC_SPACE, "alloc_space", "bytes"},
    {HP_INUSE_OBJECTS, "inuse_objects", "count"},
    {HP_INUSE_SPACE, "inuse_space", "bytes"},
};

enum {
    FIRST_INUSE = 2, // of sample_types
};

struct writer {
    struct hp_pprof_writer base;
    const struct hp_profile *profile;
    struct hp_paths paths;
    struct hp_pprof_places places;
    size_t first_type; // of sample_types
    struct hp_protobuf sample;
    HP_VEC(uint64_t) ids;     // of its locations
    struct hp_protobuf label; // of the samples, if not empty
};

static uint64_t text(struct writer *w, const char *string) {
    return hp_pprof_text(&w->base, hp_span_of(string));
}

static void put_type(struct writer *w, uint32_t field, const char *type,
                     const char *unit) {
    struct hp_protobuf message = {0};
    hp_protobuf_number(&message, 1, text(w, type));
    hp_protobuf_number(&message, 2, text(w, unit));
    hp_pprof_put(&w->base, field, &message);
    hp_protobuf_done(&message);
}

static void put_sample_types(struct writer *w) {
    for (size_t i = w->first_type; i < HP_METRICS; i++) {
        put_type(w, PROFILE_SAMPLE_TYPE, sample_types[i].type, sample_types[i].unit);
    }
}

// --- samples ------------------------------------------------------------------------------

// Of each path one whole number for each sample type; to be freed.
static uint64_t *round_values(const struct writer *w, const struct hp_values *values) {
    size_t count = w->paths.paths.count;
    uint64_t *rounded = hp_alloc(count * HP_METRICS * sizeof *rounded);
    hp_fixed *exact = hp_alloc(count * sizeof *exact);
    hp_int128 *whole = hp_alloc(count * sizeof *whole);
    for (size_t type = w->first_type; type < HP_METRICS; type++) {
        enum hp_metric metric = sample_types[type].metric;
        for (size_t i = 0; i < count; i++) {
            exact[i] = values[i].of[metric];
        }
        hp_apportion(exact, count, metric, whole);
        for (size_t i = 0; i < count; i++) {
            rounded[i * HP_METRICS + type] = (uint64_t)whole[i];
            if (whole[i] > INT64_MAX) { // no honest number could be written
                w->base.out->error = EOVERFLOW;
            }
        }
    }
    free(exact);
    free(whole);
    return rounded;
}

static void put_sample(struct writer *w, const struct hp_path *path,
                       const uint64_t *values) {
    w->ids.count = 0;
    hp_vec_reserve(&w->ids, path->depth);
    for (uint32_t i = 0; i < path->depth; i++) {
        w->ids.at[i] = w->places.location_of[path->places[i]];
    }
    hp_protobuf_numbers(&w->sample, 1, w->ids.at, path->depth);
    hp_protobuf_numbers(&w->sample, 2, values + w->first_type,
                        HP_METRICS - w->first_type);
    if (w->label.bytes.count > 0) {
        hp_protobuf_message(&w->sample, 3, &w->label);
    }
    hp_pprof_put(&w->base, PROFILE_SAMPLE, &w->sample);
}

static bool has_value(const uint64_t values[HP_METRICS]) {
    return (values[0] | values[1] | values[2] | values[3]) != 0;
}

static void put_samples(struct writer *w, const struct hp_values *values) {
    uint64_t *rounded = round_values(w, values);
    for (size_t i = 0; i < w->paths.paths.count; i++) {
        const uint64_t *of_path = rounded + i * HP_METRICS;
        if (has_value(of_path)) {
            put_sample(w, &w->paths.paths.at[i], of_path);
        }
    }
    free(rounded);
}

// Dump by dump, with its time; without times they are one second apart.
static void put_timeline(struct writer *w) {
    size_t count;
    struct hp_series_dump *dumps = hp_series_new(w->profile, &count);
    struct hp_values *values = hp_alloc(w->paths.paths.count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        hp_paths_values_of(&w->paths, dumps[i].input->number, values);
        hp_protobuf_number(&w->label, 1, text(w, "timestamp"));
        hp_protobuf_number(&w->label, 3, (uint64_t)hp_nanoseconds(dumps[i].time));
        hp_protobuf_number(&w->label, 4, text(w, "nanoseconds"));
        put_samples(w, values);
        hp_protobuf_clear(&w->label);
    }
    free(values);
    free(dumps);
}

// --- the rest -----------------------------------------------------------------------------

static bool is_used(const struct hp_input_record *input) {
    return input->public.status <= HP_INPUT_KEPT_DAMAGED;
}

// As pprof itself merges: the first of the times.
static uint64_t find_time(const struct hp_profile *profile) {
    double first = INFINITY;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        first = is_used(input) ? fmin(first, input->time) : first;
    }
    return profile->has_times && first < INFINITY ? (uint64_t)hp_nanoseconds(first) : 0;
}

// And the largest of the periods.
static uint64_t find_period(const struct hp_profile *profile) {
    uint64_t period = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        period = is_used(input) && input->period > period ? input->period : period;
    }
    return period;
}

struct comments {
    struct writer *writer;
    HP_VEC(uint64_t) texts;
};

static void add_comment(void *data, const char *note) {
    struct comments *comments = data;
    hp_vec_push(&comments->texts, text(comments->writer, note));
}

static void put_comments(struct writer *w, enum hp_report_kind kind) {
    struct comments comments = {.writer = w};
    hp_notes_tell(w->profile, kind, add_comment, &comments);
    hp_protobuf_numbers(&w->base.field, PROFILE_COMMENT, comments.texts.at,
                        comments.texts.count);
    hp_vec_done(&comments.texts);
}

static const char *default_type(enum hp_metric metric) {
    size_t i = 0;
    while (sample_types[i].metric != metric) {
        i++;
    }
    return sample_types[i].type;
}

// The fields behind the string table are made first: their strings have to be in it.
static void put_tail(struct writer *w, const struct hp_report_options *options) {
    struct hp_protobuf *field = &w->base.field, type = {0};
    hp_protobuf_number(field, PROFILE_TIME, find_time(w->profile));
    hp_protobuf_number(&type, 1, text(w, "space"));
    hp_protobuf_number(&type, 2, text(w, "bytes"));
    hp_protobuf_message(field, PROFILE_PERIOD_TYPE, &type);
    hp_protobuf_number(field, PROFILE_PERIOD, find_period(w->profile));
    put_comments(w, options->kind);
    hp_protobuf_number(field, PROFILE_DEFAULT_SAMPLE_TYPE,
                       text(w, default_type(options->metric)));
    struct hp_protobuf tail = *field;
    *field = (struct hp_protobuf){0};
    const struct hp_span *string;
    hp_vec_each (string, &w->base.strings.strings) {
        hp_protobuf_text(field, PROFILE_STRING, *string);
        hp_sink_put(w->base.out, field->bytes.at, field->bytes.count);
        hp_protobuf_clear(field);
    }
    hp_sink_put(w->base.out, tail.bytes.at, tail.bytes.count);
    hp_protobuf_done(&tail);
    hp_protobuf_done(&type);
}

static void write_profile(struct writer *w, const struct hp_report_options *options) {
    struct hp_values *values = hp_paths_values(&w->paths);
    hp_pprof_places_init(&w->places, &w->paths, values);
    put_sample_types(w);
    if (options->kind == HP_REPORT_TIMELINE) {
        put_timeline(w);
    } else {
        put_samples(w, values);
    }
    hp_pprof_put_places(&w->base, &w->places);
    put_tail(w, options);
    hp_pprof_places_done(&w->places);
    free(values);
}

static void write_pprof(struct hp_sink *out, const struct hp_profile *profile,
                        const struct hp_report_options *options) {
    struct hp_gzip *gzip = hp_gzip_new(out);
    struct hp_sink plain;
    hp_sink_init(&plain, hp_gzip_write, gzip);
    struct writer w = {
        .base.out = &plain,
        .profile = profile,
        .first_type = profile->has_alloc ? 0 : FIRST_INUSE,
    };
    hp_paths_init(&w.paths, profile, options);
    write_profile(&w, options);
    hp_paths_done(&w.paths);
    hp_strtab_done(&w.base.strings);
    hp_protobuf_done(&w.base.field);
    hp_protobuf_done(&w.sample);
    hp_protobuf_done(&w.label);
    hp_vec_done(&w.ids);
    hp_gzip_finish(gzip, &plain);
}

const struct hp_format_writer hp_pprof_writer = {
    .name = "pprof",
    .suffix = ".pb.gz",
    .help = "pprof's profile.proto with all addresses and lines, whatever --by says",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE |
             1 << HP_REPORT_TIMELINE,
    .write = write_pprof,
};
