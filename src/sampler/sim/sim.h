// The commands of hprof-sim, a program that puts samplers to the test.
#ifndef HP_SAMPLER_SIM_H
#define HP_SAMPLER_SIM_H

#include <stdbool.h>
#include <stdint.h>

enum hp_sim_kind {
    HP_SIM_FLAG,   // --NAME
    HP_SIM_NUMBER, // --NAME=N
    HP_SIM_TEXT,   // --NAME=TEXT
};

struct hp_sim_option {
    const char *name;
    enum hp_sim_kind kind;
    void *value; // bool *, uint64_t * or const char **
    const char *summary;
};

struct hp_sim_command {
    const char *name;
    const char *summary;
    // `arguments` ends with NULL.  The exit status.
    int (*run)(char **arguments);
};

// Take the options out of `arguments`; options end with a row without a name.  Ends the
// program after --help, and with status 2 when something is wrong.  What is left are operands.
void hp_sim_parse(char **arguments, const char *usage,
                  const struct hp_sim_option *options);

// "hprof-sim: ..." on standard error; the exit status 1.
__attribute__((format(printf, 1, 2))) int hp_sim_fail(const char *format, ...);

int hp_sim_evaluate(char **arguments);
int hp_sim_gaps(char **arguments);
int hp_sim_generate(char **arguments);
int hp_sim_replay(char **arguments);

#endif
