#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

static const struct hps_sim_command commands[] = {
    {"generate", "write dumps of a simulated program, and the truth", hps_sim_generate},
    {"evaluate", "compare samplers: bias and error of each on each workload",
     hps_sim_evaluate},
    {"fleet", "write the dumps of a fleet of any size as a tar archive, or their sums",
     hps_sim_fleet},
    {"gaps", "test the random gaps between samples", hps_sim_gaps},
    {"lifetimes", "write dumps of a process whose objects live for known times",
     hps_sim_lifetimes},
    {"replay", "write the dump of given sampled objects", hps_sim_replay},
    {"slabs", "write the dump and the statistics of a process whose slabs are known",
     hps_sim_slabs},
};

enum {
    COMMANDS = sizeof commands / sizeof *commands,
};

static void print_usage(FILE *to) {
    fputs("usage: hprof-sim COMMAND [OPTION...]\n\n", to);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\nhprof-sim COMMAND --help tells the options.\n", to);
}

int main(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return 0;
    }
    for (int i = 0; argc >= 2 && i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            int status = commands[i].run(argv + 2);
            return fflush(stdout) == 0 && !ferror(stdout)
                       ? status
                       : hps_sim_fail("cannot write to standard output");
        }
    }
    print_usage(stderr);
    return 2;
}
