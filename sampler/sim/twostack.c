// The sampling is undone by a division by p = 1 - e^(-x/R).  The three methods differ in
// x: the mean size of a stack's samples on a machine, the sum of a stack's samples over
// all machines, or the mean size of all samples.
#include "sim/twostack.h"

#include "sim/binomial.h"
#include "sim/horvitz.h"

#include <math.h>
#include <stdio.h>

// The parameters of the example; sizes and numbers of objects are by stack.
static const uint64_t period = 1 << 20;
static const uint64_t sizes[HPS_TWOSTACK_STACKS] = {8, 8 << 20};
static const uint64_t counts[HPS_TWOSTACK_STACKS] = {1000000, 1};

// The probability p for x bytes.
static double probability(double bytes) {
    return -expm1(-bytes / (double)period);
}

struct hps_twostack_samples hps_twostack_draw(struct hps_random *random) {
    struct hps_twostack_samples samples;
    for (int i = 0; i < HPS_TWOSTACK_STACKS; i++) {
        samples.objects[i] =
            hps_binomial(random, counts[i], hps_inclusion(sizes[i], period));
    }
    return samples;
}

void hps_twostack_add(struct hps_twostack *twostack,
                      struct hps_twostack_samples samples) {
    twostack->machines++;
    for (int i = 0; i < HPS_TWOSTACK_STACKS; i++) {
        double objects = (double)samples.objects[i], size = (double)sizes[i];
        twostack->raw.objects[i] += objects;
        twostack->raw.bytes[i] += objects * size;
        twostack->before.objects[i] += objects / probability(size);
        twostack->before.bytes[i] += objects * size / probability(size);
    }
}

// Undo the sampling of one stack's sums.
static void divide(struct hps_twostack_sums *sums, int stack, double p) {
    sums->bytes[stack] /= p;
    sums->objects[stack] /= p;
}

struct hps_twostack_sums hps_twostack_by_bytes(const struct hps_twostack *twostack) {
    struct hps_twostack_sums sums = twostack->raw;
    for (int i = 0; i < HPS_TWOSTACK_STACKS; i++) {
        if (sums.bytes[i] > 0) {
            divide(&sums, i, probability(sums.bytes[i]));
        }
    }
    return sums;
}

struct hps_twostack_sums hps_twostack_by_mean(const struct hps_twostack *twostack) {
    struct hps_twostack_sums sums = twostack->raw;
    double bytes = sums.bytes[0] + sums.bytes[1];
    double objects = sums.objects[0] + sums.objects[1];
    for (int i = 0; i < HPS_TWOSTACK_STACKS && objects > 0; i++) {
        divide(&sums, i, probability(bytes / objects));
    }
    return sums;
}

// Print one row of the table.
static void print_row(const char *name, const struct hps_twostack_sums *sums) {
    printf("%-32s %#12.4g %#12.4g %#12.4g %#12.4g\n", name, sums->bytes[0],
           sums->bytes[1], sums->objects[0], sums->objects[1]);
}

void hps_twostack_print(const struct hps_twostack *twostack) {
    double machines = (double)twostack->machines;
    struct hps_twostack_sums truth, by_bytes, by_mean;
    for (int i = 0; i < HPS_TWOSTACK_STACKS; i++) {
        truth.objects[i] = machines * (double)counts[i];
        truth.bytes[i] = truth.objects[i] * (double)sizes[i];
    }
    by_bytes = hps_twostack_by_bytes(twostack);
    by_mean = hps_twostack_by_mean(twostack);
    printf("%-32s %12s %12s %12s %12s\n", "", "A bytes", "B bytes", "A objects",
           "B objects");
    print_row("truth", &truth);
    print_row("sampled", &twostack->raw);
    print_row("undone on each machine, summed", &twostack->before);
    print_row("summed, p from a stack's bytes", &by_bytes);
    print_row("summed, p from one mean size", &by_mean);
}
