// speedscope's own format:
//
//     {"$schema": "https://www.speedscope.app/file-format-schema.json", "name": "heap profile",
//      "shared": {"frames": [{"name": "main", "file": "main.c", "line": 10}, ...]},
//      "profiles": [{"type": "sampled", "name": "inuse-space", "unit": "bytes",
//                    "startValue": 0, "endValue": 640000,
//                    "samples": [[0, 1, 2], ...], "weights": [640000, ...]}, ...]}
//
// A sample is numbers of frames from the root; the largest comes first.  There is a profile for
// each metric.  Weights must not be negative, so that a difference is two: what grew and what
// shrank.
#include "model/metrics.h"
#include "report/json/jsonhead.h"
#include "report/json/jsontext.h"
#include "report/notes.h"
#include "report/report.h"
#include "view/origins.h"
#include "view/shares.h"
#include "view/traces.h"

#include "base/units.h"

struct writer {
    struct hp_sink *out;
    const struct hp_profile *profile;
    const struct hp_report_options *options;
    struct hp_traces traces;
    uint32_t *frame_of; // of each node: its number and one; 0: in no trace
    size_t profile_count;
};

// --- frames -------------------------------------------------------------------------------

static void number_frames(struct writer *w) {
    size_t nodes = w->traces.naming.names.strings.count;
    uint32_t count = 0;
    w->frame_of = hp_alloc(nodes * sizeof *w->frame_of);
    const struct hp_trace *trace;
    hp_vec_each (trace, &w->traces.traces) {
        for (uint32_t i = 0; i < trace->depth; i++) {
            w->frame_of[trace->nodes[i].n] = 1;
        }
        if (trace->truncated) {
            w->frame_of[w->traces.naming.truncated.n] = 1;
        }
    }
    for (size_t i = 0; i < nodes; i++) {
        w->frame_of[i] = w->frame_of[i] ? ++count : 0;
    }
}

static void put_frames(const struct writer *w) {
    const struct hp_naming *naming = &w->traces.naming;
    struct hp_origin *origins = hp_origins_new(naming);
    for (uint32_t i = 0; i < naming->names.strings.count; i++) {
        if (!w->frame_of[i]) {
            continue;
        }
        hp_sink_text(w->out, w->frame_of[i] > 1 ? ",\n  " : "\n  ");
        hp_sink_text(w->out, "{\"name\": ");
        hp_json_string(w->out, hp_node_name(naming, (hp_node_id){i}));
        if (origins[i].file.n) {
            hp_sink_text(w->out, ", \"file\": ");
            hp_json_string(w->out, hp_strtab_span(&w->profile->strings, origins[i].file));
        }
        if (origins[i].line) {
            hp_sink_print(w->out, ", \"line\": %u", (unsigned)origins[i].line);
        }
        hp_sink_text(w->out, "}");
    }
    hp_sink_text(w->out, "]},\n \"profiles\": [");
    free(origins);
}

// --- profiles -----------------------------------------------------------------------------

static int by_weight(const void *left, const void *right, void *context) {
    const hp_int128 *weights = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (weights[a] != weights[b]) {
        return weights[a] > weights[b] ? -1 : 1;
    }
    return (a > b) - (a < b);
}

// The traces with a weight, the largest first.
static uint32_t *sort_traces(const struct writer *w, hp_int128 *weights, size_t *count) {
    uint32_t *order = hp_alloc(w->traces.traces.count * sizeof *order);
    *count = 0;
    for (uint32_t i = 0; i < w->traces.traces.count; i++) {
        if (weights[i] > 0) {
            order[(*count)++] = i;
        }
    }
    qsort_r(order, *count, sizeof *order, by_weight, weights);
    return order;
}

static void put_sample(const struct writer *w, const struct hp_trace *trace) {
    const char *between = "[";
    if (trace->truncated) {
        hp_sink_print(w->out, "[%u",
                      (unsigned)w->frame_of[w->traces.naming.truncated.n] - 1);
        between = ",";
    }
    for (uint32_t i = trace->depth; i-- > 0;) {
        hp_sink_print(w->out, "%s%u", between,
                      (unsigned)w->frame_of[trace->nodes[i].n] - 1);
        between = ",";
    }
    hp_sink_text(w->out, "]");
}

static void put_integer(const struct writer *w, hp_int128 number) {
    char text[HP_NUMBER_SIZE];
    hp_format_integer(text, number);
    hp_sink_text(w->out, text);
}

static void put_profile(struct writer *w, const char *name, enum hp_metric metric,
                        hp_int128 *weights) {
    size_t count;
    uint32_t *order = sort_traces(w, weights, &count);
    hp_int128 total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weights[order[i]];
    }
    hp_sink_print(w->out,
                  "%s{\"type\": \"sampled\", \"name\": \"%s\", \"unit\": \"%s\", "
                  "\"startValue\": 0, \"endValue\": ",
                  w->profile_count++ > 0 ? ",\n  " : "\n  ", name,
                  hp_fraction(metric) == HP_SPACE_FRACTION ? "bytes" : "none");
    put_integer(w, total);
    hp_sink_text(w->out, ",\n   \"samples\": [");
    for (size_t i = 0; i < count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        put_sample(w, &w->traces.traces.at[order[i]]);
    }
    hp_sink_text(w->out, "],\n   \"weights\": [");
    for (size_t i = 0; i < count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        put_integer(w, weights[order[i]]);
    }
    hp_sink_text(w->out, "]}");
    free(order);
}

static struct hp_share_groups groups_of(const struct writer *w) {
    return (struct hp_share_groups){w->profile, w->traces.trace_of,
                                    w->traces.traces.count};
}

// The metric that was asked for comes first: it is shown first.
static void put_metrics(struct writer *w) {
    struct hp_share_groups groups = groups_of(w);
    for (unsigned i = 0; i < HP_METRICS; i++) {
        enum hp_metric metric = (enum hp_metric)((w->options->metric + i) % HP_METRICS);
        if (hp_profile_has_metric(w->profile, metric)) {
            hp_int128 *weights = hp_shares(&groups, metric);
            put_profile(w, hp_json_metric(metric), metric, weights);
            free(weights);
        }
    }
}

static void put_difference(struct writer *w) {
    struct hp_share_groups groups = groups_of(w);
    enum hp_metric metric = w->options->metric;
    struct hp_sides sides;
    hp_sides_init(&sides, w->profile);
    hp_int128 *growth = hp_shares_of_side(&groups, &sides, HP_SIDE_NEW, metric);
    hp_int128 *shrinkage = hp_shares_of_side(&groups, &sides, HP_SIDE_BASE, metric);
    for (size_t i = 0; i < groups.count; i++) {
        growth[i] -= shrinkage[i];
        shrinkage[i] = -growth[i];
    }
    put_profile(w, "grew", metric, growth);
    put_profile(w, "shrank", metric, shrinkage);
    free(growth);
    free(shrinkage);
    hp_sides_done(&sides);
}

// --- the rest -----------------------------------------------------------------------------

static void put_head(const struct writer *w) {
    hp_sink_print(
        w->out,
        "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
        " \"exporter\": \"hprof-agg@%s\", \"name\": \"heap profile\", "
        "\"activeProfileIndex\": 0,\n \"notes\": [",
        hp_version());
    hp_notes_json(w->out, w->profile, w->options->kind);
    hp_sink_text(w->out, "],\n \"shared\": {\"frames\": [");
}

static void write_speedscope(struct hp_sink *out, const struct hp_profile *profile,
                             const struct hp_report_options *options) {
    struct writer w = {.out = out, .profile = profile, .options = options};
    hp_traces_init(&w.traces, profile, options);
    number_frames(&w);
    put_head(&w);
    put_frames(&w);
    if (options->kind == HP_REPORT_DIFF) {
        put_difference(&w);
    } else {
        put_metrics(&w);
    }
    hp_sink_text(out, "]}\n");
    free(w.frame_of);
    hp_traces_done(&w.traces);
}

const struct hp_format_writer hp_speedscope_writer = {
    .name = "speedscope",
    .files = "*.speedscope.json *.speedscope",
    .help = "for www.speedscope.app",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_DIFF |
             1 << HP_REPORT_MERGE,
    .unsigned_kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .write = write_speedscope,
};
