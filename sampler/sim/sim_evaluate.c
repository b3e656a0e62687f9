#include "sim/evaluation.h"
#include "sim/evaluation_report.h"
#include "sim/layout.h"
#include "sim/method.h"
#include "sim/sim.h"
#include "sim/twostack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    METHODS_AT_MOST = 64, // size of tables of methods
    SLOWER = 10,          // slow methods get one stream for this many of the others
};

// The options.
struct request {
    uint64_t streams, seed, machines;
    const char *workload, *method, *samples;
    bool json;
};

// Results of each method in the rows so far.
struct method_tally {
    uint64_t rows;
    bool evaluated[METHODS_AT_MOST], flagged[METHODS_AT_MOST];
};

// --- two stacks on many machines ----------------------------------------------------

// Print how undoing the sampling of the two stacks works on many machines.  Returns the
// exit status.
static int add_up_machines(const struct request *request) {
    struct hps_twostack twostack = {0};
    struct hps_twostack_samples given = {0};
    struct hps_random random;
    char rest;
    if (request->samples && sscanf(request->samples, "%" SCNu64 ",%" SCNu64 "%c",
                                   &given.objects[0], &given.objects[1], &rest) != 2) {
        hps_sim_fail("--samples takes two numbers, such as 8,1");
        return 2;
    }
    hps_random_init(&random, request->seed);
    for (uint64_t i = 0; i < request->machines; i++) {
        hps_twostack_add(&twostack,
                         request->samples ? given : hps_twostack_draw(&random));
    }
    hps_twostack_print(&twostack);
    return 0;
}

// --- methods on workloads -----------------------------------------------------------

// Evaluate a method on a workload, print the row and add it to the tally.
static void evaluate_method(const struct request *request, struct method_tally *tally,
                            const struct hps_workload *workload,
                            const struct hps_plan *plan) {
    // Each row has its own random numbers, so that it does not depend on other rows.
    uint64_t method = (uint64_t)(plan->method - hps_methods);
    uint64_t row = (uint64_t)(workload - hps_workloads) * METHODS_AT_MOST + method;
    struct hps_random random;
    hps_random_init_nth(&random, request->seed, row);
    struct hps_evaluation evaluation;
    hps_evaluation_init(&evaluation, workload, plan);
    uint64_t streams = request->streams / (plan->method->slow ? SLOWER : 1);
    hps_evaluation_run(&evaluation, plan, streams > 0 ? streams : 1, &random);
    if (request->json) {
        fputs(tally->rows > 0 ? ",\n" : "", stdout);
        hps_evaluation_print_json(&evaluation);
    } else {
        hps_evaluation_print_row(&evaluation);
    }
    tally->rows++;
    tally->evaluated[method] = true;
    tally->flagged[method] |= hps_evaluation_flagged(&evaluation);
    hps_evaluation_done(&evaluation);
}

// Evaluate all methods that are requested on one workload.
static void evaluate_workload(const struct request *request, struct method_tally *tally,
                              const struct hps_workload *workload) {
    struct hps_stream stream = {0};
    workload->make(&stream);
    struct hps_layout layout;
    hps_layout_init(&layout, &stream, workload->period);
    layout.interval = workload->interval;
    if (!request->json) {
        fputs(tally->rows > 0 ? "\n" : "", stdout);
        hps_evaluation_print_head(workload, &layout);
    }
    for (const struct hps_method *method = hps_methods; method->name; method++) {
        if (!request->method || strcmp(request->method, method->name) == 0) {
            struct hps_plan plan;
            hps_plan_init(&plan, method, &layout);
            evaluate_method(request, tally, workload, &plan);
            hps_plan_done(&plan);
        }
    }
    hps_layout_done(&layout);
    hps_stream_done(&stream);
}

// Print the methods that contradict theory: those flagged although it says they are
// unbiased or, if `unbiased` is false, those never flagged although it says they are
// biased.  Returns their number.
static int print_methods(FILE *to, const struct method_tally *tally, bool unbiased) {
    int count = 0;
    for (size_t i = 0; hps_methods[i].name; i++) {
        if (tally->evaluated[i] && hps_methods[i].unbiased == unbiased &&
            tally->flagged[i] == unbiased) {
            fprintf(to, " %s", hps_methods[i].name);
            count++;
        }
    }
    fputs(count > 0 ? "\n" : " none\n", to);
    return count;
}

// Print the summary; with --json it is printed to standard error.  Returns the exit
// status.
static int close_table(const struct request *request, const struct method_tally *tally) {
    FILE *to = request->json ? stderr : stdout;
    fputs(request->json ? "]}\n" : "\n! is a bias of more than 6 standard errors\n",
          stdout);
    fputs("without bias by theory, but flagged:", to);
    int wrong = print_methods(to, tally, true);
    fputs("with bias by theory, but flagged nowhere:", to);
    print_methods(to, tally, false);
    return wrong > 0;
}

// Whether the workload was requested, or is in the default table.
static bool is_wanted(const struct request *request,
                      const struct hps_workload *workload) {
    return request->workload ? strcmp(request->workload, workload->name) == 0
                             : !workload->apart;
}

// Evaluate all workloads that are requested.  Returns the exit status.
static int evaluate_all(const struct request *request) {
    struct method_tally tally = {0};
    if (request->json) {
        printf("{\"streams\": %" PRIu64 ", \"seed\": %" PRIu64 ", \"rows\": [\n",
               request->streams, request->seed);
    }
    for (const struct hps_workload *workload = hps_workloads; workload->name;
         workload++) {
        if (is_wanted(request, workload)) {
            evaluate_workload(request, &tally, workload);
        }
    }
    return close_table(request, &tally);
}

// --- the command --------------------------------------------------------------------

// Check the options.  Returns 0 if they are valid, else the exit status.
static int check(const struct request *request, char **operands) {
    if (*operands || request->streams == 0) {
        hps_sim_fail(*operands ? "evaluate takes no operands" : "no streams, no results");
        return 2;
    }
    if (request->workload && !hps_workload_find(request->workload)) {
        fprintf(stderr, "hprof-sim: no workload '%s'; there are:\n", request->workload);
        for (const struct hps_workload *one = hps_workloads; one->name; one++) {
            fprintf(stderr, "  %-16s %s\n", one->name, one->summary);
        }
        return 2;
    }
    if (request->method && !hps_method_find(request->method)) {
        fprintf(stderr, "hprof-sim: no method '%s'; there are:\n", request->method);
        for (const struct hps_method *one = hps_methods; one->name; one++) {
            fprintf(stderr, "  %-16s %s\n", one->name, one->summary);
        }
        return 2;
    }
    return 0;
}

int hps_sim_evaluate(char **arguments) {
    struct request request = {.streams = 20000, .seed = 1};
    const struct hps_sim_option options[] = {
        {"streams", HPS_SIM_NUMBER, &request.streams,
         "so often each is run (20000), a slow method a tenth of that"},
        {"seed", HPS_SIM_NUMBER, &request.seed, "of the random numbers (1)"},
        {"workload", HPS_SIM_TEXT, &request.workload, "this one only; ? tells which"},
        {"method", HPS_SIM_TEXT, &request.method, "this one only; ? tells which"},
        {"json", HPS_SIM_FLAG, &request.json, "all numbers, of every stack"},
        {"machines", HPS_SIM_NUMBER, &request.machines,
         "instead, add up dumps of two-stack on so many machines"},
        {"samples", HPS_SIM_TEXT, &request.samples,
         "the same with A,B samples on each, such as 8,1"},
        {0},
    };
    hps_sim_parse(arguments, "evaluate [OPTION...]", options);
    int status = check(&request, arguments);
    if (status != 0) {
        return status;
    }
    if (request.samples && request.machines == 0) {
        request.machines = 1;
    }
    return request.machines > 0 ? add_up_machines(&request) : evaluate_all(&request);
}
