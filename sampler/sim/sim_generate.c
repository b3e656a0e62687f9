// The command `generate`: write one dump for each process of a fleet that runs a
// workload, and truth.json:
//
//     {"workload": "pair", "period": 4096, "processes": 3, "stacks": [
//       {"name": "A",
//        "frames": [{"module": "/srv/simulated/server", "offset": 4104}, ...],
//        "live_objects": 8000, "live_bytes": 64000,
//        "ever_objects": 8000, "ever_bytes": 64000}, ...]}
//
// Frames are leaf first.  The numbers are those of one process; all processes have the
// same.  Sizes are rounded up to jemalloc's classes, since its dumps contain only these.
// --samples also writes samples.json, with the sizes of sampled objects in use, for each
// dump and stack:
//
//     {"pair.10001.0.f.heap": [[8, 8, 8], [64000]], ...}
#include "core/usize.h"
#include "sim/resize.h"
#include "sim/sim.h"
#include "sim/sim_files.h"
#include "sim/workload.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PID = 10001,
};

// The options, and the stream of each process.
struct generation {
    const struct hps_workload *workload;
    const char *directory;
    uint64_t processes, period, seed, threads;
    struct hps_heapfile_options options;
    struct hps_stream stream;
    FILE *samples; // samples.json, or NULL
};

// --- truth --------------------------------------------------------------------------

// Name number `stack` of names separated by spaces; not terminated, so that *length is
// set.
static const char *name_of(const char *names, uint32_t stack, int *length) {
    while (stack > 0) {
        names += strcspn(names, " ") + 1;
        stack--;
    }
    *length = (int)strcspn(names, " ");
    return names;
}

// Write the content of truth.json.
static void write_truths(FILE *to, const struct generation *run) {
    struct hps_truth *truths = hps_stream_truth(&run->stream);
    fprintf(to, "{\"workload\": \"%s\", \"period\": %llu, \"processes\": %llu, ",
            run->workload->name, (unsigned long long)run->period,
            (unsigned long long)run->processes);
    fputs("\"stacks\": [\n", to);
    for (uint32_t i = 0; i < run->stream.stacks; i++) {
        int length;
        const char *name = name_of(run->workload->stacks, i, &length);
        fprintf(to, "%s  {\"name\": \"%.*s\", ", i ? ",\n" : "", length, name);
        hps_sim_write_frames(to, i);
        fprintf(to,
                ",\n   \"live_objects\": %llu, \"live_bytes\": %llu,"
                " \"ever_objects\": %llu, \"ever_bytes\": %llu}",
                (unsigned long long)truths[i].live_objects,
                (unsigned long long)truths[i].live_bytes,
                (unsigned long long)truths[i].ever_objects,
                (unsigned long long)truths[i].ever_bytes);
    }
    fputs("\n]}\n", to);
    free(truths);
}

// Write truth.json.  Returns the exit status.
static int write_truth(const struct generation *run) {
    FILE *to = hps_sim_open(run->directory, "truth.json");
    if (!to) {
        return 1;
    }
    write_truths(to, run);
    return hps_sim_close(to, run->directory, "truth.json");
}

// --- samples ------------------------------------------------------------------------

// Write the sizes of the sampled live objects of a stack.
static void write_sizes(FILE *to, const struct hps_sampling *sampling, uint32_t stack) {
    bool first = true;
    for (size_t i = 0; i < sampling->count; i++) {
        const struct hps_sampled *sampled = &sampling->sampled[i];
        if (sampled->stack == stack && sampled->live) {
            fprintf(to, "%s%llu", first ? "" : ", ", (unsigned long long)sampled->size);
            first = false;
        }
    }
}

// Write the samples of the last draw, for dump number `number`.
static void write_samples(const struct generation *run,
                          const struct hps_sampling *sampling, uint64_t number,
                          const char *dump) {
    fprintf(run->samples, "%s \"%s\": [", number > 0 ? ",\n" : "{", dump);
    for (uint32_t i = 0; i < run->stream.stacks; i++) {
        fputs(i > 0 ? ", [" : "[", run->samples);
        write_sizes(run->samples, sampling, i);
        fputs("]", run->samples);
    }
    fputs("]", run->samples);
}

// --- dumps --------------------------------------------------------------------------

// Sample one process, and write its dump.  Returns the exit status.
static int generate_process(const struct generation *run, struct hps_sampling *sampling,
                            uint64_t number) {
    struct hps_random random;
    struct hps_process process;
    struct hps_ledger ledger;
    char name[64];
    hps_random_init_nth(&random, run->seed, number);
    hps_process_init(&process, &random);
    hps_ledger_init(&ledger, run->period);
    hps_sampling_draw(sampling, run->period, &random);
    hps_sampling_enter(sampling, hps_process_frames(&process), &ledger);
    snprintf(name, sizeof name, "%s.%llu.0.f.heap", run->workload->name,
             (unsigned long long)(FIRST_PID + number));
    int status =
        hps_sim_write_dump(run->directory, name, &ledger, &process, run->options);
    if (run->samples) {
        write_samples(run, sampling, number, name);
    }
    hps_ledger_done(&ledger);
    return status;
}

// Write the dumps of all processes.
static int generate_processes(const struct generation *run) {
    struct hps_sampling sampling;
    hps_sampling_init(&sampling, &run->stream);
    int status = 0;
    for (uint64_t i = 0; i < run->processes && status == 0; i++) {
        status = generate_process(run, &sampling, i);
    }
    hps_sampling_done(&sampling);
    return status;
}

// The same, with samples.json.
static int generate_with_samples(struct generation *run) {
    run->samples = hps_sim_open(run->directory, "samples.json");
    if (!run->samples) {
        return 1;
    }
    int status = generate_processes(run);
    fputs(run->processes > 0 ? "}\n" : "{}\n", run->samples);
    int last = hps_sim_close(run->samples, run->directory, "samples.json");
    return status ? status : last;
}

// Write all files.  Returns the exit status.
static int generate(struct generation *run, bool samples) {
    int status = hps_sim_make_folder(run->directory);
    status = status ? status : write_truth(run);
    if (status != 0) {
        return status;
    }
    return samples ? generate_with_samples(run) : generate_processes(run);
}

// --- the stream ---------------------------------------------------------------------

// Make the stream of the workload; round up sizes, and distribute objects over the
// threads.
static void make_stream(struct generation *run) {
    run->workload->make(&run->stream);
    for (size_t i = 0; i < run->stream.count; i++) {
        struct hps_event *event = &run->stream.events[i];
        event->size = event->size > 0 ? hps_usize(event->size) : 0;
        event->thread = event->object % (uint32_t)run->threads;
    }
    run->stream.threads = (uint32_t)run->threads;
}

int hps_sim_generate(char **arguments) {
    struct generation run = {.processes = 1, .seed = 1, .threads = 1};
    const char *name = NULL;
    bool raw = false, samples = false;
    const struct hps_sim_option options[] = {
        {"workload", HPS_SIM_TEXT, &name, "what the processes do (required)"},
        {"processes", HPS_SIM_NUMBER, &run.processes, "how many dumps (1)"},
        {"period", HPS_SIM_NUMBER, &run.period,
         "mean bytes between samples (the workload's)"},
        {"threads", HPS_SIM_NUMBER, &run.threads, "that share in the work (1)"},
        {"seed", HPS_SIM_NUMBER, &run.seed, "of all random numbers (1)"},
        {"raw", HPS_SIM_FLAG, &raw, "as with prof_unbias:false"},
        {"accum", HPS_SIM_FLAG, &run.options.accum, "as with prof_accum:true"},
        {"samples", HPS_SIM_FLAG, &samples, "write samples.json, what was sampled"},
        {0},
    };
    hps_sim_parse(arguments, "generate --workload=NAME [OPTION...] DIRECTORY", options);
    run.directory = arguments[0];
    run.workload = name ? hps_workload_find(name) : NULL;
    run.options.unbias = !raw;
    if (!run.directory || arguments[1] || !run.workload || run.threads == 0 ||
        run.threads > UINT16_MAX) {
        hps_sim_fail(
            name && !run.workload
                ? "no workload '%s'; hprof-sim evaluate --workload=? names them"
                : "generate needs a workload, a directory and 1 to 65535 threads",
            name);
        return 2;
    }
    run.period = run.period ? run.period : run.workload->period;
    make_stream(&run);
    int status = generate(&run, samples);
    hps_stream_done(&run.stream);
    return status;
}
