// google/pprof's profile.proto, compressed with gzip.
//
// Profile { sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
//           string_table = 6, time_nanos = 9, period_type = 11, period = 12, comment = 13,
//           default_sample_type = 14 }
// ValueType { type = 1, unit = 2 }
// Sample { location_id = 1, leaf first, value = 2, one for each sample_type, label = 3 }
// Label { key = 1, str = 2, num = 3, num_unit = 4 }
//
// Every string is a number in the string table, whose first is "".  There is no duration: some
// readers take what has one for the allocations of that time.  The fields are in the order of
// their numbers, and what repeats is in that of modules and offsets.
#include "report/notes.h"
#include "report/pprof/gzip.h"
#include "report/pprof/pprof_columns.h"
#include "report/pprof/pprof_places.h"
#include "report/report.h"
#include "view/difference.h"
#include "view/groups.h"
#include "view/path_sums.h"
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

enum {
    PYROSCOPE_SAMPLES = 16000,
    PYROSCOPE_DEPTH = 1000,
};

struct writer {
    struct hp_pprof_writer base;
    const struct hp_profile *profile;
    const struct hp_report_options *options;
    struct hp_paths paths;
    struct hp_pprof_places places;
    struct hp_pprof_columns columns;
    struct hp_path_sums sums; // of the samples that are to be written
    struct hp_protobuf sample;
    HP_VEC(uint64_t) ids;     // of its locations
    struct hp_protobuf tag;   // one of a sample's own labels
    struct hp_protobuf label; // of all samples, if not empty
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
    for (size_t i = 0; i < w->columns.count; i++) {
        put_type(w, PROFILE_SAMPLE_TYPE, w->columns.of[i].type, w->columns.of[i].unit);
    }
}

// --- samples ------------------------------------------------------------------------------

static void put_tags(struct writer *w, hp_string set) {
    const struct hp_profile *profile = w->profile;
    for (size_t i = 0; i < hp_tags_count(&profile->tag_sets, set); i++) {
        struct hp_tag tag = hp_tags_at(&profile->tag_sets, set, i);
        const hp_string texts[] = {tag.key, tag.text, tag.unit};
        uint64_t of[3];
        for (int k = 0; k < 3; k++) {
            of[k] = hp_pprof_text(&w->base, hp_strtab_span(&profile->strings, texts[k]));
        }
        hp_protobuf_number(&w->tag, 1, of[0]);
        hp_protobuf_number(&w->tag, 2, of[1]);
        hp_protobuf_number(&w->tag, 3, (uint64_t)tag.number);
        hp_protobuf_number(&w->tag, 4, of[2]);
        hp_protobuf_message(&w->sample, 3, &w->tag);
        hp_protobuf_clear(&w->tag);
    }
}

static void put_sample(struct writer *w, const struct hp_path *path,
                       const int64_t *values) {
    w->ids.count = 0;
    hp_vec_reserve(&w->ids, path->depth);
    for (uint32_t i = 0; i < path->depth; i++) {
        w->ids.at[i] = w->places.location_of[path->places[i]];
    }
    hp_protobuf_numbers(&w->sample, 1, w->ids.at, path->depth);
    hp_protobuf_numbers(&w->sample, 2, (const uint64_t *)values, w->columns.count);
    put_tags(w, path->tags);
    if (w->label.bytes.count > 0) {
        hp_protobuf_message(&w->sample, 3, &w->label);
    }
    hp_pprof_put(&w->base, PROFILE_SAMPLE, &w->sample);
}

static bool has_value(const int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0) {
            return true;
        }
    }
    return false;
}

// Those of w->sums, which is then empty.
static void put_samples(struct writer *w, int sign) {
    size_t paths = w->paths.paths.count, columns = w->columns.count;
    bool too_big = false;
    int64_t *rounded =
        hp_pprof_round(&w->columns, paths, w->sums.values, w->sums.errors, &too_big);
    if (too_big) {
        w->base.out->error = EOVERFLOW;
    }
    for (size_t i = 0; i < paths * columns; i++) {
        rounded[i] *= sign;
    }
    for (size_t i = 0; i < paths; i++) {
        if (has_value(rounded + i * columns, columns)) {
            put_sample(w, &w->paths.paths.at[i], rounded + i * columns);
        }
    }
    free(rounded);
    hp_path_sums_clear(&w->sums);
}

// What all samples have that follow.
static void set_label(struct writer *w, const char *key, struct hp_span value) {
    hp_protobuf_clear(&w->label);
    hp_protobuf_number(&w->label, 1, text(w, key));
    hp_protobuf_number(&w->label, 2, hp_pprof_text(&w->base, value));
}

// Dump by dump, with its time; without times they are one second apart.
static void put_timeline(struct writer *w) {
    size_t count;
    struct hp_series_dump *dumps = hp_series_new(w->profile, &count);
    for (size_t i = 0; i < count; i++) {
        hp_path_sums_add_input(&w->sums, dumps[i].input->number);
        hp_protobuf_clear(&w->label);
        hp_protobuf_number(&w->label, 1, text(w, "timestamp"));
        hp_protobuf_number(&w->label, 3, (uint64_t)hp_nanoseconds(dumps[i].time));
        hp_protobuf_number(&w->label, 4, text(w, "nanoseconds"));
        put_samples(w, 1);
    }
    free(dumps);
}

// Of a difference, the mean of the dumps of one side.
static void put_side(struct writer *w, const size_t *inputs, size_t count, int sign) {
    for (size_t i = 0; i < count; i++) {
        hp_path_sums_add_input(&w->sums, w->profile->inputs.at[inputs[i]].number);
    }
    hp_path_sums_average(&w->sums, count);
    put_samples(w, sign);
}

// As pprof itself does with -diff_base, so that its percentages are those of the base.
static void put_difference(struct writer *w) {
    struct hp_sides sides;
    hp_sides_init(&sides, w->profile);
    put_side(w, sides.new.at, sides.new.count, 1);
    set_label(w, "pprof::base", hp_span_of("true"));
    put_side(w, sides.base.at, sides.base.count, -1);
    hp_sides_done(&sides);
}

// Input by input, or label by label.
static void put_groups(struct writer *w) {
    const struct hp_report_options *options = w->options;
    size_t count;
    struct hp_group_member *members = hp_group_members(w->profile, options, &count);
    for (size_t i = 0; i < count; i++) {
        hp_path_sums_add_input(&w->sums, members[i].number);
        if (i + 1 == count || hp_span_compare(members[i].name, members[i + 1].name)) {
            set_label(w, options->by == HP_BY_INPUT ? "input" : options->label,
                      members[i].name);
            put_samples(w, 1);
        }
    }
    free(members);
}

static bool labels_inputs(const struct writer *w) {
    enum hp_granularity by = w->options->by;
    return by == HP_BY_INPUT || (by == HP_BY_LABEL && w->profile->labels.count > 0);
}

static void put_all_samples(struct writer *w) {
    if (w->options->kind == HP_REPORT_TIMELINE) {
        put_timeline(w);
    } else if (w->options->kind == HP_REPORT_DIFF) {
        put_difference(w);
    } else if (labels_inputs(w)) {
        put_groups(w);
    } else {
        hp_path_sums_add_all(&w->sums);
        put_samples(w, 1);
    }
}

// --- the rest -----------------------------------------------------------------------------

// As pprof itself merges: the first of the times.
static uint64_t find_time(const struct hp_profile *profile) {
    double first = INFINITY;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        first = hp_input_is_used(input) ? fmin(first, input->time) : first;
    }
    return profile->has_times && first < INFINITY ? (uint64_t)hp_nanoseconds(first) : 0;
}

// And the largest of the periods.
static uint64_t find_period(const struct hp_profile *profile) {
    uint64_t period = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        period =
            hp_input_is_used(input) && input->period > period ? input->period : period;
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

// The fields behind the string table are made first: their strings have to be in it.
static void put_tail(struct writer *w) {
    struct hp_protobuf *field = &w->base.field, type = {0};
    hp_protobuf_number(field, PROFILE_TIME, find_time(w->profile));
    hp_protobuf_number(&type, 1, text(w, "space"));
    hp_protobuf_number(&type, 2, text(w, "bytes"));
    hp_protobuf_message(field, PROFILE_PERIOD_TYPE, &type);
    hp_protobuf_number(field, PROFILE_PERIOD, find_period(w->profile));
    put_comments(w, w->options->kind);
    hp_protobuf_number(field, PROFILE_DEFAULT_SAMPLE_TYPE,
                       text(w, hp_pprof_column_type(&w->columns, w->options->metric)));
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

static void write_profile(struct writer *w) {
    hp_path_sums_add_all(&w->sums);
    hp_pprof_places_init(&w->places, &w->paths, w->sums.values);
    hp_path_sums_clear(&w->sums);
    put_sample_types(w);
    put_all_samples(w);
    hp_pprof_put_places(&w->base, &w->places);
    put_tail(w);
    hp_pprof_places_done(&w->places);
}

// Pyroscope takes no more by default.
static struct hp_report_options limited(const struct hp_report_options *options) {
    struct hp_report_options limited = *options;
    bool has_limits = options->flavor == HP_FLAVOR_PYROSCOPE;
    if (has_limits && options->max_samples == 0) {
        limited.max_samples = PYROSCOPE_SAMPLES;
    }
    if (has_limits && options->max_depth == 0) {
        limited.max_depth = PYROSCOPE_DEPTH;
    }
    return limited;
}

static void write_pprof(struct hp_sink *out, const struct hp_profile *profile,
                        const struct hp_report_options *asked) {
    struct hp_report_options with_limits = limited(asked), *options = &with_limits;
    struct hp_gzip *gzip = hp_gzip_new(out);
    struct hp_sink plain;
    hp_sink_init(&plain, hp_gzip_write, gzip);
    struct writer w = {.base.out = &plain, .profile = profile, .options = options};
    hp_paths_init(&w.paths, profile, options);
    hp_path_sums_init(&w.sums, &w.paths, hp_pprof_has_errors(options));
    hp_pprof_columns_init(&w.columns, profile, options);
    write_profile(&w);
    hp_path_sums_done(&w.sums);
    hp_paths_done(&w.paths);
    hp_strtab_done(&w.base.strings);
    hp_protobuf_done(&w.base.field);
    hp_protobuf_done(&w.sample);
    hp_protobuf_done(&w.tag);
    hp_protobuf_done(&w.label);
    hp_vec_done(&w.ids);
    hp_gzip_finish(gzip, &plain);
}

const struct hp_format_writer hp_pprof_writer = {
    .name = "pprof",
    .files = "*.pb.gz *.pb *.pprof *.prof",
    .help = "pprof's profile.proto with all addresses and lines, whatever --by says",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE |
             1 << HP_REPORT_TIMELINE | 1 << HP_REPORT_DIFF,
    .write = write_pprof,
};
