// The JSON of a row:
//
// {"workload": "mix", "method": "geometric", "unbiased": true, "streams": 20000,
//  "interval": 4096, "walks": 50.9, "flagged": false,
//  "total": {"bytes": {...}, "objects": {...}},
//  "stacks": [{"name": "of_16", "bytes": {...}, "objects": {...}}, ...]}
//
// Each {...} is {"truth": 64000, "bias": 0.1, "bias_se": 0.2, "rmse": 25, "rmse_se": 0.3,
// "theory": 25.1, "flagged": false}.  Numbers are in percent, except for the truth; null
// if there is no formula.
#include "sim/evaluation_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Name number `n` of names separated by spaces; not terminated, so that *length is set.
static const char *name_of(const char *names, uint32_t n, int *length) {
    for (; n > 0; n--) {
        names += strcspn(names, " ") + 1;
    }
    *length = (int)strcspn(names, " ");
    return names;
}

// --- text ---------------------------------------------------------------------------

void hps_evaluation_print_head(const struct hps_workload *workload,
                               const struct hps_layout *layout) {
    printf("%s: %s\n", workload->name, workload->summary);
    printf("%" PRIu32 " objects, %.1f stack walks each\n", layout->count, layout->walks);
    printf("  %-15s %7s %8s %6s   %8s %7s %8s   %-8s %9s %7s\n", "method", "walks",
           "bias %", "SE", "RMSE %", "SE", "theory", "worst", "bias %", "SE");
}

// The mark of a flagged error.
static const char *mark(const struct hps_errors *errors) {
    return hps_errors_flagged(errors) ? " !" : "";
}

void hps_evaluation_print_row(const struct hps_evaluation *evaluation) {
    const struct hps_errors *total = &evaluation->total.bytes;
    printf("  %-15s %7.1f %+8.2f %6.2f%-2s %8.2f %7.2f", evaluation->method->name,
           (double)evaluation->walks / (double)evaluation->streams, total->mean,
           hps_errors_bias_se(total), mark(total), hps_errors_rmse(total),
           hps_errors_rmse_se(total));
    if (isnan(total->theory)) {
        printf(" %8s", "");
    } else {
        printf(" %8.2f", total->theory);
    }
    const struct hps_score *worst = hps_evaluation_worst(evaluation);
    int length;
    const char *name = name_of(evaluation->workload->stacks,
                               (uint32_t)(worst - evaluation->stacks), &length);
    printf("   %-8.*s %+9.2f %7.2f%s\n", length, name, worst->bytes.mean,
           hps_errors_bias_se(&worst->bytes), mark(&worst->bytes));
}

// --- JSON ---------------------------------------------------------------------------

// Print a member; a number that is not finite is null.
static void print_number(const char *name, double value) {
    if (isfinite(value)) {
        printf(", \"%s\": %.17g", name, value);
    } else {
        printf(", \"%s\": null", name);
    }
}

static void print_errors(const char *name, uint64_t truth,
                         const struct hps_errors *errors) {
    printf("\"%s\": {\"truth\": %" PRIu64, name, truth);
    print_number("bias", errors->mean);
    print_number("bias_se", hps_errors_bias_se(errors));
    print_number("rmse", hps_errors_rmse(errors));
    print_number("rmse_se", hps_errors_rmse_se(errors));
    print_number("theory", errors->theory);
    printf(", \"flagged\": %s}", hps_errors_flagged(errors) ? "true" : "false");
}

static void print_score(const struct hps_score *score) {
    print_errors("bytes", score->truth.live_bytes, &score->bytes);
    fputs(", ", stdout);
    print_errors("objects", score->truth.live_objects, &score->objects);
    fputs("}", stdout);
}

void hps_evaluation_print_json(const struct hps_evaluation *evaluation) {
    printf("{\"workload\": \"%s\", \"method\": \"%s\", \"unbiased\": %s",
           evaluation->workload->name, evaluation->method->name,
           evaluation->method->unbiased ? "true" : "false");
    printf(", \"streams\": %" PRIu64 ", \"interval\": %" PRIu64, evaluation->streams,
           evaluation->interval);
    print_number("walks", (double)evaluation->walks / (double)evaluation->streams);
    printf(", \"flagged\": %s,\n \"total\": {",
           hps_evaluation_flagged(evaluation) ? "true" : "false");
    print_score(&evaluation->total);
    printf(",\n \"stacks\": [");
    const char *separator = "";
    for (uint32_t i = 0; i < evaluation->stack_count; i++) {
        if (evaluation->stacks[i].truth.live_objects > 0) {
            int length;
            const char *name = name_of(evaluation->workload->stacks, i, &length);
            printf("%s{\"name\": \"%.*s\", ", separator, length, name);
            print_score(&evaluation->stacks[i]);
            separator = ",\n  ";
        }
    }
    fputs("]}", stdout);
}
