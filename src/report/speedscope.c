// speedscope's own format:
//
//     {"$schema": "https://www.speedscope.app/file-format-schema.json",
//      "name": "heap profile",
//      "shared": {"frames": [{"name": "main", "file": "main.c", "line": 10}, ...]},
//      "profiles": [{"type": "sampled", "name": "inuse-space", "unit": "bytes",
//                    "startValue": 0, "endValue": 640000,
//                    "samples": [[0, 1, 2], ...], "weights": [640000, ...]}, ...]}
//
// A sample is a list of numbers of frames from the root; samples are in the order of a
// tree, by names.  Each metric is one profile.  Weights must not be negative, so that a
// difference becomes two profiles: what grew and what shrank.
#include "report/format.h"
#include "report/json/json.h"
#include "report/notes.h"

// State of writing a speedscope file.
struct speedscope_writer {
    struct hp_sink *out;
    const struct hp_view *view;
    // For each node: number of its frame, from 1 on; 0: it is in no stack
    uint32_t *frame_of;
    // Number of profiles written so far.
    size_t profile_count;
};

// --- frames -------------------------------------------------------------------------------

// Number the nodes that occur in stacks: set w->frame_of.
static void number_frames(struct speedscope_writer *w) {
    const struct hp_naming *naming = &w->view->naming;
    size_t nodes = hp_node_count(naming);
    uint32_t count = 0;
    w->frame_of = hp_alloc(nodes * sizeof *w->frame_of);
    const struct hp_stack_key *stack;
    hp_vec_each (stack, &w->view->stacks.all) {
        for (uint32_t i = 0; i < stack->depth; i++) {
            w->frame_of[stack->at[i]] = 1;
        }
        if (stack->truncated) {
            w->frame_of[naming->truncated.n] = 1;
        }
    }
    for (size_t i = 0; i < nodes; i++) {
        w->frame_of[i] = w->frame_of[i] ? ++count : 0;
    }
}

// Write a frame: its name, and its file and line if these are known.
static void put_frame(const struct speedscope_writer *w, hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(w->view, node);
    hp_sink_text(w->out, "{\"name\": ");
    hp_json_string(w->out, hp_view_node(w->view, node));
    if (origin->file.n) {
        hp_sink_text(w->out, ", \"file\": ");
        hp_json_string(w->out, hp_view_string(w->view, origin->file));
    }
    if (origin->line) {
        hp_sink_print(w->out, ", \"line\": %u", (unsigned)origin->line);
    }
    hp_sink_text(w->out, "}");
}

static void put_frames(const struct speedscope_writer *w) {
    for (uint32_t i = 0; i < hp_node_count(&w->view->naming); i++) {
        if (w->frame_of[i]) {
            hp_sink_text(w->out, w->frame_of[i] > 1 ? ",\n  " : "\n  ");
            put_frame(w, (hp_node_id){i});
        }
    }
    hp_sink_text(w->out, "]},\n \"profiles\": [");
}

// --- profiles -----------------------------------------------------------------------------

// The numbers of the stacks with a weight above zero, in the order of a tree, so that
// speedscope's "time order" shows a tree.  The caller frees them.
static uint32_t *weighty_stacks(const struct speedscope_writer *w,
                                const hp_int128 *weights, size_t *count) {
    uint32_t *order = hp_alloc(w->view->stacks.all.count * sizeof *order);
    *count = 0;
    for (uint32_t i = 0; i < w->view->stacks.all.count; i++) {
        if (weights[i] > 0) {
            order[(*count)++] = i;
        }
    }
    return order;
}

// Write the numbers of the frames of one stack, from the root.
static void put_sample(const struct speedscope_writer *w,
                       const struct hp_stack_key *stack) {
    const char *between = "[";
    if (stack->truncated) {
        hp_sink_print(w->out, "[%u",
                      (unsigned)w->frame_of[w->view->naming.truncated.n] - 1);
        between = ",";
    }
    for (uint32_t i = stack->depth; i-- > 0;) {
        hp_sink_print(w->out, "%s%u", between, (unsigned)w->frame_of[stack->at[i]] - 1);
        between = ",";
    }
    hp_sink_text(w->out, "]");
}

// Write one profile: the stacks with a weight above zero, and their weights.
static void put_profile(struct speedscope_writer *w, const char *name,
                        enum hp_metric metric, const hp_int128 *weights) {
    size_t count;
    uint32_t *order = weighty_stacks(w, weights, &count);
    hp_int128 total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weights[order[i]];
    }
    hp_sink_print(w->out, "%s{\"type\": \"sampled\", \"name\": ",
                  w->profile_count++ > 0 ? ",\n  " : "\n  ");
    hp_json_string(w->out, hp_span_of(name));
    hp_sink_print(w->out, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": ",
                  hp_fraction(metric) == HP_SPACE_FRACTION ? "bytes" : "none");
    hp_sink_integer(w->out, total);
    hp_sink_text(w->out, ",\n   \"samples\": [");
    for (size_t i = 0; i < count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        put_sample(w, &w->view->stacks.all.at[order[i]]);
    }
    hp_sink_text(w->out, "],\n   \"weights\": [");
    for (size_t i = 0; i < count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        hp_sink_integer(w->out, weights[order[i]]);
    }
    hp_sink_text(w->out, "]}");
    free(order);
}

// Write a profile for each metric of the inputs.  The requested metric comes first,
// because the first profile is shown first.
static void put_metrics(struct speedscope_writer *w) {
    const struct hp_selection all = {HP_OF_ALL, 0};
    for (unsigned i = 0; i < HP_METRICS; i++) {
        enum hp_metric metric =
            (enum hp_metric)((w->view->options.metric + i) % HP_METRICS);
        if (hp_view_has_metric(w->view, metric)) {
            hp_int128 *weights = hp_stacks_whole(&w->view->stacks, all, metric);
            put_profile(w, hp_view_metric_name(w->view, metric), metric, weights);
            free(weights);
        }
    }
}

// Write the stacks that grew and those that shrank as two profiles.
static void put_difference(struct speedscope_writer *w) {
    const struct hp_stacks *stacks = &w->view->stacks;
    enum hp_metric metric = w->view->options.metric;
    hp_int128 *growth =
        hp_stacks_whole(stacks, (struct hp_selection){HP_OF_NEW, 0}, metric);
    hp_int128 *shrinkage =
        hp_stacks_whole(stacks, (struct hp_selection){HP_OF_BASE, 0}, metric);
    for (size_t i = 0; i < stacks->all.count; i++) {
        growth[i] -= shrinkage[i];
        shrinkage[i] = -growth[i];
    }
    put_profile(w, "grew", metric, growth);
    put_profile(w, "shrank", metric, shrinkage);
    free(growth);
    free(shrinkage);
}

// --- the rest -----------------------------------------------------------------------------

// Write everything before the frames.
static void put_head(const struct speedscope_writer *w) {
    hp_sink_print(
        w->out,
        "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
        " \"exporter\": \"hprof-agg@%s\", \"name\": \"heap profile\", "
        "\"activeProfileIndex\": 0,\n \"notes\": [",
        hp_version());
    hp_notes_json(w->out, w->view);
    hp_sink_text(w->out, "],\n \"shared\": {\"frames\": [");
}

static void write_speedscope(struct hp_sink *out, const struct hp_view *view) {
    struct speedscope_writer w = {.out = out, .view = view};
    number_frames(&w);
    put_head(&w);
    put_frames(&w);
    if (view->report->has_sides) {
        put_difference(&w);
    } else {
        put_metrics(&w);
    }
    hp_sink_text(out, "]}\n");
    free(w.frame_of);
}

const struct hp_format hp_format_speedscope = {
    .name = "speedscope",
    .files = "*.speedscope.json *.speedscope",
    .help = "for www.speedscope.app",
    .can = HP_READ_AS_DOUBLE | HP_CAN_ONLY_GROW | HP_HAS_ALL_METRICS | HP_HAS_SHORT_NAMES,
    .shape = HP_SHAPE_NAMES,
    .write = {[HP_REPORT_TOP] = write_speedscope,
              [HP_REPORT_STACKS] = write_speedscope,
              [HP_REPORT_DIFF] = write_speedscope,
              [HP_REPORT_MERGE] = write_speedscope},
};
