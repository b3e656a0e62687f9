// The processed profile of the Firefox Profiler, version 60: newer readers upgrade it.
//
// Each series is a process, with a thread for each metric.  The samples of a thread have
// a stack, a time in milliseconds and a weight.  In a timeline the weight is what a stack
// has gained or lost since the previous dump: so the weights in a range of time add up to
// the change in that range, and all of them to the values of the last dump.  A counter
// shows the memory in use.  A single profile has its samples one millisecond apart,
// because samples at one time would be hard to select.
#include "report/firefox/firefox_tables.h"
#include "report/format.h"
#include "report/json/json.h"
#include "report/notes.h"
#include "view/rounding.h"

#include <math.h>
#include <string.h>

// State of writing.
struct firefox_writer {
    struct hp_sink *out;
    const struct hp_view *view;
    const struct hp_stacks *stacks;
    struct hp_firefox_tables tables;
    const struct hp_series_dump *dumps; // dumps of the present series; NULL: no timeline
    size_t dump_count;                  // dumps of the present series; at least 1
    size_t series;                      // number of the present series, from 0 on
    size_t threads;                     // threads written so far
};

// --- dump by dump -------------------------------------------------------------------------

// Goes through the dumps of a series: whole numbers of all stacks in one dump and in the
// one before.
struct dump_step {
    const struct firefox_writer *writer;
    enum hp_metric metric;
    size_t next; // the next dump; `now` is that before it
    struct hp_stack_sums sums;
    // Values of the present dump before rounding.
    hp_fixed *exact;
    hp_int128 *before, *now; // rounded values; both are zeros before the first dump
};

// A state before the first dump; step_done() frees it.
static struct dump_step step_new(const struct firefox_writer *w, enum hp_metric metric) {
    size_t count = w->stacks->all.count;
    struct dump_step step = {
        .writer = w,
        .metric = metric,
        .exact = hp_alloc(count * sizeof(hp_fixed)),
        .before = hp_alloc(count * sizeof(hp_int128)),
        .now = hp_alloc(count * sizeof(hp_int128)),
    };
    hp_stack_sums_init(&step.sums, w->stacks, false);
    return step;
}

// Go to the next dump; false after the last one.
static bool step_next(struct dump_step *step) {
    const struct firefox_writer *w = step->writer;
    if (step->next == w->dump_count) {
        return false;
    }
    hp_int128 *before = step->now;
    step->now = step->before;
    step->before = before;
    hp_stack_sums_clear(&step->sums);
    struct hp_selection selection = {HP_OF_ALL, 0};
    if (w->dumps) {
        selection =
            (struct hp_selection){HP_OF_INPUT, w->dumps[step->next].input->number};
    }
    hp_stack_sums_add(&step->sums, w->stacks, selection);
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        step->exact[i] = step->sums.values[i].of[step->metric];
    }
    hp_round_to_total(step->exact, w->stacks->all.count, step->metric, step->now);
    step->next++;
    return true;
}

static void step_done(struct dump_step *step) {
    hp_stack_sums_done(&step->sums);
    free(step->exact);
    free(step->before);
    free(step->now);
}

// --- columns of samples -------------------------------------------------------------------

// Sizes of one thread.
struct samples {
    size_t *counts;   // number of samples in each dump
    hp_int128 *gains; // growth of the sum in each dump
    size_t count;
};

// Write the column of stacks and count samples.  The weights need another pass over the
// dumps, so that no more than two dumps are in memory.
static void put_stacks(const struct firefox_writer *w, enum hp_metric metric,
                       struct samples *samples) {
    struct dump_step step = step_new(w, metric);
    hp_sink_text(w->out, "\"stack\": [");
    while (step_next(&step)) {
        for (size_t i = 0; i < w->stacks->all.count; i++) {
            if (step.now[i] != step.before[i]) {
                hp_sink_print(w->out, "%s%u", samples->count > 0 ? "," : "",
                              (unsigned)w->tables.stack_of[i]);
                samples->count++;
                samples->counts[step.next - 1]++;
                samples->gains[step.next - 1] += step.now[i] - step.before[i];
            }
        }
    }
    hp_sink_text(w->out, "],\n  ");
    step_done(&step);
}

// Write the column of weights, for the same samples as put_stacks().
static void put_weights(const struct firefox_writer *w, enum hp_metric metric) {
    struct dump_step step = step_new(w, metric);
    const char *between = "";
    hp_sink_text(w->out, "\"weight\": [");
    while (step_next(&step)) {
        for (size_t i = 0; i < w->stacks->all.count; i++) {
            if (step.now[i] != step.before[i]) {
                hp_sink_text(w->out, between);
                hp_sink_integer(w->out, step.now[i] - step.before[i]);
                between = ",";
            }
        }
    }
    hp_sink_text(w->out, "],\n  ");
    step_done(&step);
}

// The time of the first dump of all series.
static double start_of(const struct firefox_writer *w) {
    double start = w->view->series[0].time;
    for (size_t i = 1; i < w->view->series_count; i++) {
        start = fmin(start, w->view->series[i].time);
    }
    return start;
}

// Write the time of a dump in milliseconds since the first dump.
static void put_time(const struct firefox_writer *w, size_t dump) {
    const uint64_t per_ms = 1000000;
    uint64_t ns = (uint64_t)hp_nanoseconds(w->dumps[dump].time) -
                  (uint64_t)hp_nanoseconds(start_of(w));
    hp_sink_print(w->out, "%llu.%06llu", (unsigned long long)(ns / per_ms),
                  (unsigned long long)(ns % per_ms));
}

// Write the column of times, for the same samples as put_stacks().
static void put_times(const struct firefox_writer *w, const struct samples *samples) {
    hp_sink_text(w->out, "\"time\": [");
    for (size_t dump = 0, all = 0; dump < w->dump_count; dump++) {
        for (size_t i = 0; i < samples->counts[dump]; i++, all++) {
            hp_sink_text(w->out, all > 0 ? "," : "");
            if (w->dumps) {
                put_time(w, dump);
            } else {
                hp_sink_print(w->out, "%zu", all);
            }
        }
    }
    hp_sink_text(w->out, "],\n  ");
}

// --- threads and counters -----------------------------------------------------------------

static bool is_space(enum hp_metric metric) {
    return hp_fraction(metric) == HP_SPACE_FRACTION;
}

// Write the thread of a metric; sets `samples`.
static void put_thread(const struct firefox_writer *w, enum hp_metric metric,
                       size_t number, struct samples *samples) {
    memset(samples->counts, 0, w->dump_count * sizeof *samples->counts);
    memset(samples->gains, 0, w->dump_count * sizeof *samples->gains);
    samples->count = 0;
    hp_sink_text(w->out, w->threads + number > 0 ? ",\n {\"name\": " : "{\"name\": ");
    hp_json_string(w->out, hp_span_of(hp_view_metric_name(w->view, metric)));
    hp_sink_print(
        w->out,
        ", \"processType\": \"default\", \"pid\": \"%zu\", "
        "\"tid\": %zu, \"isMainThread\": %s,\n  "
        "\"processStartupTime\": 0, \"processShutdownTime\": null, "
        "\"registerTime\": 0, \"unregisterTime\": null, \"pausedRanges\": [],\n  "
        "\"markers\": {\"data\": [], \"name\": [], \"startTime\": [], "
        "\"endTime\": [], \"phase\": [], \"category\": [], \"length\": 0},\n  "
        "\"samples\": {",
        w->series + 1, w->threads + number + 1, number > 0 ? "false" : "true");
    put_stacks(w, metric, samples);
    put_times(w, samples);
    put_weights(w, metric);
    hp_sink_print(w->out, "\"weightType\": \"%s\", \"length\": %zu}}",
                  is_space(metric) ? "bytes" : "samples", samples->count);
}

// Write a counter with the growth of memory in use in each dump.
static void put_counter(const struct firefox_writer *w, const hp_int128 *gains,
                        size_t main_thread) {
    hp_sink_print(w->out,
                  "%s{\"name\": \"in use\", \"category\": \"Memory\", \"description\": "
                  "\"Memory in use\", \"pid\": \"%zu\", \"mainThreadIndex\": %zu,\n  "
                  "\"samples\": {\"time\": [",
                  w->series > 0 ? ",\n " : "", w->series + 1, main_thread);
    for (size_t i = 0; i < w->dump_count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        put_time(w, i);
    }
    hp_sink_text(w->out, "],\n  \"count\": [");
    for (size_t i = 0; i < w->dump_count; i++) {
        hp_sink_text(w->out, i > 0 ? "," : "");
        hp_sink_integer(w->out, gains[i]);
    }
    hp_sink_print(w->out, "], \"length\": %zu}}", w->dump_count);
}

// Write a thread for each metric.  The requested metric comes first, because the first
// thread is shown first.  Stores the growth of memory in use in `in_use`.
static void put_threads(struct firefox_writer *w, enum hp_metric first,
                        hp_int128 *in_use) {
    struct samples samples = {
        .counts = hp_alloc(w->dump_count * sizeof *samples.counts),
        .gains = hp_alloc(w->dump_count * sizeof *samples.gains),
    };
    size_t number = 0;
    for (unsigned i = 0; i < HP_METRICS; i++) {
        enum hp_metric metric = (enum hp_metric)((first + i) % HP_METRICS);
        if (hp_view_has_metric(w->view, metric)) {
            put_thread(w, metric, number++, &samples);
        }
        if (metric == HP_INUSE_SPACE) {
            memcpy(in_use, samples.gains, w->dump_count * sizeof *in_use);
        }
    }
    w->threads += number;
    free(samples.counts);
    free(samples.gains);
}

// Make the series that begins with dump `i` of the view the present one.  Returns the
// number of its dumps.
static size_t take_series(struct firefox_writer *w, size_t i) {
    w->dumps = w->view->series ? w->view->series + i : NULL;
    w->dump_count = w->dumps ? hp_series_length(w->dumps, w->view->series_count - i) : 1;
    w->series = w->dumps ? w->dumps->series : 0;
    return w->dump_count;
}

// Write the threads of all series, then their counters.
static void put_all_threads(struct firefox_writer *w) {
    size_t count = w->view->series ? w->view->series_count : 1, per_series = 0;
    hp_int128 *in_use = hp_alloc(count * sizeof *in_use);
    hp_sink_text(w->out, "\"threads\": [");
    for (size_t i = 0; i < count;) {
        size_t length = take_series(w, i);
        put_threads(w, w->view->options.metric, in_use + i);
        per_series = w->threads / (w->series + 1);
        i += length;
    }
    hp_sink_text(w->out, "],\n \"counters\": [");
    for (size_t i = 0; i < count && w->view->series;) {
        size_t length = take_series(w, i);
        put_counter(w, in_use + i, w->series * per_series);
        i += length;
    }
    hp_sink_text(w->out, "],\n ");
    free(in_use);
}

// --- the rest -----------------------------------------------------------------------------

// State while remarks become entries.
struct note_entries {
    struct hp_sink *out;
    size_t count;
};

// Write one remark as an entry of the profile's information panel.
static void put_note(void *data, const char *note) {
    struct note_entries *entries = data;
    hp_sink_print(entries->out,
                  "%s{\"label\": \"%zu\", \"format\": \"string\", \"value\": ",
                  entries->count > 0 ? ",\n   " : "", entries->count + 1);
    hp_json_string(entries->out, hp_span_of(note));
    hp_sink_text(entries->out, "}");
    entries->count++;
}

// Write everything before the threads.
static void put_meta(const struct firefox_writer *w) {
    uint64_t ms = 0;
    if (w->view->series && w->view->head.has_times && start_of(w) > 0) {
        ms = (uint64_t)hp_nanoseconds(start_of(w)) / 1000000;
    }
    hp_sink_print(w->out,
                  "{\"meta\": {\"interval\": 1, \"startTime\": %llu, \"processType\": 0, "
                  "\"product\": \"hprof-agg\", \"stackwalk\": 1,\n  \"version\": 32, "
                  "\"preprocessedProfileVersion\": 60, \"symbolicated\": true, "
                  "\"markerSchema\": [],\n  \"categories\": [{\"name\": \"Other\", "
                  "\"color\": \"grey\", \"subcategories\": [\"Other\"]}],\n  "
                  "\"importedFrom\": \"hprof-agg\", \"usesOnlyOneStackType\": true, "
                  "\"sourceCodeIsNotOnSearchfox\": true,\n  \"extra\": [{\"label\": "
                  "\"Numbers\", \"entries\": [",
                  (unsigned long long)ms);
    struct note_entries entries = {.out = w->out};
    hp_notes_report(w->view, put_note, &entries);
    hp_sink_text(w->out, "]}]},\n \"libs\": [], \"pages\": [],\n ");
}

static void write_firefox(struct hp_sink *out, const struct hp_view *view) {
    struct firefox_writer w = {.out = out, .view = view, .stacks = &view->stacks};
    hp_firefox_tables_init(&w.tables, view);
    put_meta(&w);
    put_all_threads(&w);
    hp_firefox_put_tables(out, &w.tables);
    hp_sink_text(out, "}\n");
    hp_firefox_tables_done(&w.tables);
}

const struct hp_format hp_format_firefox = {
    .name = "firefox",
    .files = "*.firefox.json",
    .help = "for profiler.firefox.com, by function and line, whatever --by says",
    .can = HP_READ_AS_DOUBLE | HP_CAN_NEGATIVE | HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ADDRESSES,
    .write = {[HP_REPORT_TOP] = write_firefox,
              [HP_REPORT_STACKS] = write_firefox,
              [HP_REPORT_MERGE] = write_firefox,
              [HP_REPORT_TIMELINE] = write_firefox},
};
