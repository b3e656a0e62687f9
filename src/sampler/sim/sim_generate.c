// One dump for each process of a fleet that runs a workload, and truth.json:
//
//     {"workload": "pair", "period": 4096, "processes": 3, "stacks": [
//       {"name": "A", "frames": [{"module": "/srv/simulated/server", "offset": 4104}, ...],
//        "live_objects": 8000, "live_bytes": 64000,
//        "ever_objects": 8000, "ever_bytes": 64000}, ...]}
//
// Frames are leaf first; the numbers are those of one process, and the same in all.  Sizes
// are rounded up to jemalloc's classes, as its dumps only know these.  With --samples also
// samples.json, the sizes of the objects in use that were sampled, of each dump and stack:
//
//     {"pair.10001.0.f.heap": [[8, 8, 8], [64000]], ...}
#include "sampler/core/heapfile.h"
#include "sampler/core/usize.h"
#include "sampler/sim/process.h"
#include "sampler/sim/resize.h"
#include "sampler/sim/sim.h"
#include "sampler/sim/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_PID = 10001,
};

struct generation {
    const struct hps_workload *workload;
    const char *directory;
    uint64_t processes, period, seed, threads;
    struct hps_heapfile_options options;
    struct hps_stream stream;
    FILE *samples; // or NULL
};

// --- truth --------------------------------------------------------------------------

static void write_frames(FILE *to, uint32_t stack) {
    fputs("\"frames\": [", to);
    for (uint32_t i = 0; i < HPS_PROCESS_DEPTH; i++) {
        struct hps_process_frame frame = hps_process_frame(stack, i);
        fprintf(to, "%s{\"module\": \"%s\", \"offset\": %llu}", i ? ", " : "",
                frame.module, (unsigned long long)frame.offset);
    }
    fputs("]", to);
}

// The `stack`-th of the names separated by spaces.
static const char *name_of(const char *names, uint32_t stack, int *length) {
    while (stack > 0) {
        names += strcspn(names, " ") + 1;
        stack--;
    }
    *length = (int)strcspn(names, " ");
    return names;
}

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
        write_frames(to, i);
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

// NULL after telling why not.
static FILE *open_file(const struct generation *run, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        hps_sim_fail("cannot write %s: %s", path, strerror(errno));
    }
    return file;
}

static int close_file(const struct generation *run, FILE *file, const char *name) {
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    return failed ? hps_sim_fail("cannot write %s/%s", run->directory, name) : 0;
}

static int write_truth(const struct generation *run) {
    FILE *to = open_file(run, "truth.json");
    if (!to) {
        return 1;
    }
    write_truths(to, run);
    return close_file(run, to, "truth.json");
}

// --- samples ------------------------------------------------------------------------

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

// Of the last draw.
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

static int write_dump(const struct generation *run, const struct hps_ledger *ledger,
                      const struct hps_process *process, const char *path) {
    static struct hps_textfile file;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return hps_sim_fail("cannot write %s: %s", path, strerror(errno));
    }
    hps_textfile_init(&file, fd);
    int error = hps_heapfile_write(&file, ledger, run->options);
    hps_heapfile_begin_map(&file);
    hps_process_write_map(process, &file);
    int last = hps_textfile_flush(&file);
    error = error ? error : last;
    if (close(fd) != 0 && !error) {
        error = errno;
    }
    return error ? hps_sim_fail("cannot write %s: %s", path, strerror(error)) : 0;
}

static int generate_process(const struct generation *run, struct hps_sampling *sampling,
                            uint64_t number) {
    struct hps_random random;
    struct hps_process process;
    struct hps_ledger ledger;
    char name[64], path[4096];
    hps_random_init_nth(&random, run->seed, number);
    hps_process_init(&process, &random);
    hps_ledger_init(&ledger, run->period);
    hps_sampling_draw(sampling, run->period, &random);
    hps_sampling_enter(sampling, hps_process_frames(&process), &ledger);
    snprintf(name, sizeof name, "%s.%llu.0.f.heap", run->workload->name,
             (unsigned long long)(FIRST_PID + number));
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    int status = write_dump(run, &ledger, &process, path);
    if (run->samples) {
        write_samples(run, sampling, number, name);
    }
    hps_ledger_done(&ledger);
    return status;
}

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

static int generate_with_samples(struct generation *run) {
    run->samples = open_file(run, "samples.json");
    if (!run->samples) {
        return 1;
    }
    int status = generate_processes(run);
    fputs(run->processes > 0 ? "}\n" : "{}\n", run->samples);
    int last = close_file(run, run->samples, "samples.json");
    return status ? status : last;
}

static int generate(struct generation *run, bool samples) {
    if (mkdir(run->directory, 0777) != 0 && errno != EEXIST) {
        return hps_sim_fail("cannot make %s: %s", run->directory, strerror(errno));
    }
    int status = write_truth(run);
    if (status != 0) {
        return status;
    }
    return samples ? generate_with_samples(run) : generate_processes(run);
}

// --- the stream ---------------------------------------------------------------------

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
