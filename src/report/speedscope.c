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
#include "report/notes.h"

// State of writing a speedscope file.
struct speedscope_writer {
    struct hp_json json;
    const struct hp_view *view;
    // For each node: number of its frame, from 1 on; 0: it is in no stack
    uint32_t *frame_of;
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
static void put_frame(struct speedscope_writer *w, hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(w->view, node);
    struct hp_json *json = &w->json;
    hp_json_row(json, 2);
    hp_json_put_string(json, "name", hp_view_node(w->view, node));
    if (origin->file.n) {
        hp_json_put_string(json, "file", hp_view_string(w->view, origin->file));
    }
    if (origin->line) {
        hp_json_put_count(json, "line", origin->line);
    }
    hp_json_close(json);
}

static void put_frames(struct speedscope_writer *w) {
    hp_json_line(&w->json, 1);
    hp_json_open(&w->json, "shared", '{');
    hp_json_open(&w->json, "frames", '[');
    for (uint32_t i = 0; i < hp_node_count(&w->view->naming); i++) {
        if (w->frame_of[i]) {
            put_frame(w, (hp_node_id){i});
        }
    }
    hp_json_close(&w->json);
    hp_json_close(&w->json);
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
static void put_sample(struct speedscope_writer *w, const struct hp_stack_key *stack) {
    hp_json_open(&w->json, NULL, '[');
    if (stack->truncated) {
        hp_json_put_count(&w->json, NULL, w->frame_of[w->view->naming.truncated.n] - 1);
    }
    for (uint32_t i = stack->depth; i-- > 0;) {
        hp_json_put_count(&w->json, NULL, w->frame_of[stack->at[i]] - 1);
    }
    hp_json_close(&w->json);
}

// Write the stacks of a profile, and their weights.
static void put_samples(struct speedscope_writer *w, const uint32_t *order, size_t count,
                        const hp_int128 *weights) {
    struct hp_json *json = &w->json;
    hp_json_line(json, 3);
    hp_json_open(json, "samples", '[');
    json->is_dense = true;
    for (size_t i = 0; i < count; i++) {
        put_sample(w, &w->view->stacks.all.at[order[i]]);
    }
    hp_json_close(json);
    json->is_dense = false;
    hp_json_line(json, 3);
    hp_json_open(json, "weights", '[');
    json->is_dense = true;
    for (size_t i = 0; i < count; i++) {
        hp_json_put_integer(json, NULL, weights[order[i]]);
    }
    hp_json_close(json);
    json->is_dense = false;
}

// Write one profile: the stacks with a weight above zero, and their weights.
static void put_profile(struct speedscope_writer *w, const char *name,
                        enum hp_metric metric, const hp_int128 *weights) {
    size_t count;
    uint32_t *order = weighty_stacks(w, weights, &count);
    bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
    struct hp_json *json = &w->json;
    hp_int128 total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weights[order[i]];
    }
    hp_json_row(json, 2);
    hp_json_put_word(json, "type", "sampled");
    hp_json_put_word(json, "name", name);
    hp_json_put_word(json, "unit", is_space ? "bytes" : "none");
    hp_json_put_count(json, "startValue", 0);
    hp_json_put_integer(json, "endValue", total);
    put_samples(w, order, count, weights);
    hp_json_close(json);
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
static void put_head(struct speedscope_writer *w) {
    struct hp_json *json = &w->json;
    hp_json_open(json, NULL, '{');
    hp_json_put_word(json, "$schema",
                     "https://www.speedscope.app/file-format-schema.json");
    hp_json_line(json, 1);
    hp_sink_print(hp_json_value(json, "exporter"), "\"hprof-agg@%s\"", hp_version());
    hp_json_put_word(json, "name", "heap profile");
    hp_json_put_count(json, "activeProfileIndex", 0);
    hp_json_line(json, 1);
    hp_notes_json(json, w->view);
}

static void write_speedscope(struct hp_sink *out, const struct hp_view *view) {
    struct speedscope_writer w = {.json = {.out = out}, .view = view};
    number_frames(&w);
    put_head(&w);
    put_frames(&w);
    hp_json_line(&w.json, 1);
    hp_json_open(&w.json, "profiles", '[');
    if (view->report->has_sides) {
        put_difference(&w);
    } else {
        put_metrics(&w);
    }
    hp_json_close(&w.json);
    hp_json_close(&w.json);
    hp_sink_text(out, "\n");
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
