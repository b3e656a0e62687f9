// The command `lifetimes`: write dumps of one process whose objects have known lifetimes,
// lifetimes.10001.I.iI.heap, and truth.json:
//
//     {"period": 4096, "stacks": [
//       {"name": "exponential",
//        "frames": [{"module": "/srv/simulated/server", "offset": 4104}, ...],
//        "allocated": 8192000, "alive": 409600,
//        "live": [409600, ...], "gaps": [910222, ...], "ages": [81920, ...]}, ...]}
//
// Numbers are bytes.  `allocated`: between the first dump and the last; `alive`: the part
// of these that is live at the last dump.  `live`: at each dump; `gaps`: allocated
// between two dumps.  `ages`: live at the last dump, by age: less than a unit, 1 to 2
// units, 2 to 4, and so on.  With --ages the dumps list their sampled objects like
// ClickHouse's; a unit is a second.
#include "core/sampler.h"
#include "sim/lives.h"
#include "sim/resize.h"
#include "sim/sim.h"
#include "sim/sim_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DUMPS = 100,
    AGES = 11, // ranges of ages; the last has no end
    MOST_PERIOD = 1 << 30,
};

// The truth of one stack, in bytes; see above.
struct stack_truth {
    uint64_t allocated, alive;
    uint64_t live[MOST_DUMPS], gaps[MOST_DUMPS], ages[AGES];
};

// Options and state of the command.
struct lifetimes_run {
    const char *folder;
    uint64_t dumps, period, samples, seed;
    bool ages;
    struct hps_heapfile_options options;
    struct stack_truth truths[HPS_LIVES_STACKS];
    struct hps_life *sampled; // sampled objects
    size_t count, room;
    double now; // time of the dump that is written
    struct hps_process process;
};

// --- objects ---------------------------------------------------------------------------

// Index of the range of an age.
static int range_of(double age) {
    int range = age < 1 ? 0 : 1 + ilogb(age);
    return range < AGES ? range : AGES - 1;
}

// Add an object to the truth of its stack.
static void add(const struct hps_lives *lives, const struct hps_life *life,
                struct stack_truth *truth) {
    bool is_alive = life->died > HPS_LIVES_WINDOW;
    for (uint32_t i = 0; i < lives->dumps; i++) {
        double at = hps_lives_time(lives, i);
        truth->live[i] += life->born <= at && at < life->died ? life->size : 0;
        if (i > 0 && life->born > hps_lives_time(lives, i - 1) && life->born <= at) {
            truth->gaps[i - 1] += life->size;
            truth->allocated += life->size;
            truth->alive += is_alive ? life->size : 0;
        }
    }
    if (is_alive) {
        truth->ages[range_of(HPS_LIVES_WINDOW - life->born)] += life->size;
    }
}

// Append a sampled object.
static void keep(struct lifetimes_run *run, const struct hps_life *life) {
    if (run->count == run->room) {
        run->room = run->room ? 2 * run->room : 1024;
        run->sampled = hps_resize(run->sampled, run->room * sizeof *run->sampled);
    }
    run->sampled[run->count++] = *life;
}

// Generate the objects of a stack, and sample them.  Stacks can be generated one after
// the other, since the sampler has no memory: the order between stacks has no effect.
static void generate_objects(struct lifetimes_run *run, uint32_t stack) {
    struct hps_lives lives;
    struct hps_sampler sampler;
    struct hps_random random;
    struct hps_life life;
    hps_random_init_nth(&random, run->seed, 2 * stack);
    hps_lives_init(&lives, stack, (uint32_t)run->dumps, run->period, (double)run->samples,
                   &random);
    hps_random_init_nth(&random, run->seed, 2 * stack + 1);
    hps_sampler_init(&sampler, run->period, &random);
    while (hps_lives_next(&lives, &life)) {
        add(&lives, &life, &run->truths[stack]);
        if (hps_sampler_takes(&sampler, life.size)) {
            keep(run, &life);
        }
    }
}

// --- dumps -----------------------------------------------------------------------------

// Whether the object belongs to the stack of the ledger.
static bool is_of_stack(const struct lifetimes_run *run,
                        const struct hps_ledger_stack *stack,
                        const struct hps_life *life) {
    uintptr_t frames[HPS_SAMPLING_DEPTH];
    struct hps_sampling_frames of = hps_process_frames(&run->process);
    uint32_t depth = of.of(of.context, life->stack, frames);
    return depth == stack->depth &&
           memcmp(frames, stack->frames, depth * sizeof *frames) == 0;
}

// Write "  f: AGE REQUESTED USABLE CLASS ARENA THREAD" for each sampled object of the
// stack that is live.
static void list(struct hps_textfile *file, const struct hps_ledger_stack *stack,
                 const void *listed) {
    const struct lifetimes_run *run = listed;
    for (size_t i = 0; i < run->count; i++) {
        const struct hps_life *life = &run->sampled[i];
        if (life->born <= run->now && run->now < life->died &&
            is_of_stack(run, stack, life)) {
            hps_textfile_text(file, "  f: ");
            hps_textfile_decimal(file, (uint64_t)((run->now - life->born) * 1e9));
            hps_textfile_text(file, " ");
            hps_textfile_decimal(file, life->size);
            hps_textfile_text(file, " ");
            hps_textfile_decimal(file, life->size);
            hps_textfile_text(file, " 0 0 0\n");
        }
    }
}

// Enter the sampled objects that were allocated before the dump into the ledger.
static int enter(const struct lifetimes_run *run, struct hps_ledger *ledger) {
    uintptr_t frames[HPS_SAMPLING_DEPTH];
    struct hps_sampling_frames of = hps_process_frames(&run->process);
    struct hps_ledger_thread *thread = hps_ledger_new_thread(ledger, "");
    for (size_t i = 0; thread && i < run->count; i++) {
        const struct hps_life *life = &run->sampled[i];
        if (life->born > run->now) {
            continue;
        }
        uint32_t depth = of.of(of.context, life->stack, frames);
        struct hps_ledger_line *line = hps_ledger_line(ledger, thread, frames, depth);
        if (!line) {
            return hps_sim_fail("out of memory");
        }
        hps_ledger_add(ledger, line, life->size);
        if (life->died <= run->now) {
            hps_ledger_remove(ledger, line, life->size);
        }
    }
    return thread ? 0 : hps_sim_fail("out of memory");
}

// Write dump number `number`.  Returns the exit status.
static int write_dump(struct lifetimes_run *run, unsigned number) {
    struct hps_ledger ledger;
    char name[64];
    snprintf(name, sizeof name, "lifetimes.10001.%u.i%u.heap", number, number);
    run->now = (double)HPS_LIVES_WINDOW * number / (double)(run->dumps - 1);
    hps_ledger_init(&ledger, run->period);
    int status = enter(run, &ledger);
    if (status == 0) {
        status =
            hps_sim_write_dump(run->folder, name, &ledger, &run->process, run->options);
    }
    hps_ledger_done(&ledger);
    return status;
}

// --- truth -----------------------------------------------------------------------------

// Write a member with an array of numbers.
static void write_list(FILE *to, const char *name, const uint64_t *values,
                       uint64_t count) {
    fprintf(to, ", \"%s\": [", name);
    for (uint64_t i = 0; i < count; i++) {
        fprintf(to, "%s%llu", i ? ", " : "", (unsigned long long)values[i]);
    }
    fputs("]", to);
}

// Write truth.json.  Returns the exit status.
static int write_truth(const struct lifetimes_run *run) {
    FILE *to = hps_sim_open(run->folder, "truth.json");
    if (!to) {
        return 1;
    }
    fprintf(to, "{\"period\": %llu, \"stacks\": [", (unsigned long long)run->period);
    for (uint32_t i = 0; i < HPS_LIVES_STACKS; i++) {
        const struct stack_truth *truth = &run->truths[i];
        fprintf(to, "%s\n  {\"name\": \"%s\", ", i ? "," : "", hps_lives_names[i]);
        hps_sim_write_frames(to, i);
        fprintf(to, ",\n   \"allocated\": %llu, \"alive\": %llu",
                (unsigned long long)truth->allocated, (unsigned long long)truth->alive);
        write_list(to, "live", truth->live, run->dumps);
        write_list(to, "gaps", truth->gaps, run->dumps - 1);
        write_list(to, "ages", truth->ages, AGES);
        fputs("}", to);
    }
    fputs("\n]}\n", to);
    return hps_sim_close(to, run->folder, "truth.json");
}

// --- the command -----------------------------------------------------------------------

// Generate the objects, and write all files.  Returns the exit status.
static int simulate(struct lifetimes_run *run) {
    struct hps_random random;
    int status = hps_sim_make_folder(run->folder);
    hps_random_init_nth(&random, run->seed, 2 * HPS_LIVES_STACKS);
    hps_process_init(&run->process, &random);
    for (uint32_t i = 0; i < HPS_LIVES_STACKS && status == 0; i++) {
        generate_objects(run, i);
    }
    status = status ? status : write_truth(run);
    for (unsigned i = 0; i < run->dumps && status == 0; i++) {
        status = write_dump(run, i);
    }
    free(run->sampled);
    return status;
}

int hps_sim_lifetimes(char **arguments) {
    static struct lifetimes_run run = {
        .dumps = 10, .period = 4096, .samples = 20, .seed = 1};
    bool raw = false;
    const struct hps_sim_option options[] = {
        {"dumps", HPS_SIM_NUMBER, &run.dumps, "how many, 2 to 100 (10)"},
        {"samples", HPS_SIM_NUMBER, &run.samples, "of each stack in a unit of time (20)"},
        {"period", HPS_SIM_NUMBER, &run.period, "mean bytes between samples (4096)"},
        {"seed", HPS_SIM_NUMBER, &run.seed, "of all random numbers (1)"},
        {"raw", HPS_SIM_FLAG, &raw, "as with prof_unbias:false"},
        {"ages", HPS_SIM_FLAG, &run.ages, "list sampled objects, as ClickHouse's do"},
        {0},
    };
    hps_sim_parse(arguments, "lifetimes [OPTION...] FOLDER", options);
    run.folder = arguments[0];
    run.options = (struct hps_heapfile_options){
        .unbias = !raw, .accum = true, .list = run.ages ? list : NULL, .listed = &run};
    if (!run.folder || arguments[1] || run.dumps < 2 || run.dumps > MOST_DUMPS ||
        run.samples == 0 || run.period == 0 || run.period > MOST_PERIOD) {
        hps_sim_fail(
            "lifetimes needs a folder, 2 to 100 dumps, samples and a period up to 1G");
        return 2;
    }
    return simulate(&run);
}
