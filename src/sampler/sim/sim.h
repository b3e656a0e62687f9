// The commands of hprof-sim, a program that puts samplers to the test.
#ifndef HPS_SIM_SIM_H
#define HPS_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

enum hps_sim_kind {
    HPS_SIM_FLAG,   // --NAME
    HPS_SIM_NUMBER, // --NAME=N
    HPS_SIM_TEXT,   // --NAME=TEXT
};

struct hps_sim_option {
    const char *name;
    enum hps_sim_kind kind;
    void *value; // bool *, uint64_t * or const char **
    const char *summary;
};

struct hps_sim_command {
    const char *name;
    const char *summary;
    // `arguments` ends with NULL.  The exit status.
    int (*run)(char **arguments);
};

// Take the options out of `arguments`; options end with a row without a name.  Ends the
// program after --help, and with status 2 when something is wrong.  What is left are operands.
void hps_sim_parse(char **arguments, const char *usage,
                   const struct hps_sim_option *options);

// "hprof-sim: ..." on standard error; the exit status 1.
__attribute__((format(printf, 1, 2))) int hps_sim_fail(const char *format, ...);

int hps_sim_evaluate(char **arguments);
int hps_sim_fleet(char **arguments);
int hps_sim_gaps(char **arguments);
int hps_sim_generate(char **arguments);
int hps_sim_lifetimes(char **arguments);
int hps_sim_replay(char **arguments);
int hps_sim_slabs(char **arguments);

#endif
