// hprof-sim, a program that tests samplers and produces dumps with a known truth.  A map
// of this folder:
//
// - sim.c chooses a command; each command is one file sim_*.c.  sim_options.c parses
//   options, sim_files.h writes files.
// - Streams: stream.h is a sequence of allocations and frees; workload.h has named
//   streams; sampling.h samples a stream and enters the result into a ledger; process.h
//   gives stacks their addresses.
// - Comparison of samplers (sim_evaluate.c): layout.h is a stream as arrays; plan.h says
//   what a method is; method.h has the table of them, which are in method_*.c and
//   optimal.h; evaluation.h measures their errors; evaluation_report.h prints them.
// - Theory: horvitz.h, binomial.h, goodness.h, twostack.h.
// - Other simulations: fleet.h and fleet_dump.h (sim_fleet.c), lives.h (sim_lifetimes.c),
//   slabs.h (sim_slabs.c).
//
// Invariants: all random numbers follow from the seed, so that the same command writes
// the same bytes.  Out of memory ends the program (resize.h).  Functions of commands
// return an exit status.
//
// Read sim.c, stream.h, sim_generate.c, plan.h, method.h and sim_evaluate.c in this order.
#ifndef HPS_SIM_SIM_H
#define HPS_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

// Kinds of options.
enum hps_sim_kind {
    HPS_SIM_FLAG,   // --NAME
    HPS_SIM_NUMBER, // --NAME=N
    HPS_SIM_TEXT,   // --NAME=TEXT
};

// An option of a command.
struct hps_sim_option {
    const char *name;
    enum hps_sim_kind kind;
    void *value; // destination: bool *, uint64_t * or const char **
    const char *summary;
};

// A command.
struct hps_sim_command {
    const char *name;
    const char *summary;
    // Runs the command; `arguments` ends with NULL.  Returns the exit status.
    int (*run)(char **arguments);
};

// Parse the options and remove them from `arguments`; the rest are operands.  A row
// without a name ends the options.  Ends the program after --help, and with status 2 if
// an option is wrong.
void hps_sim_parse(char **arguments, const char *usage,
                   const struct hps_sim_option *options);

// Print "hprof-sim: ..." to standard error; returns the exit status 1.
__attribute__((format(printf, 1, 2))) int hps_sim_fail(const char *format, ...);

// The commands.
int hps_sim_evaluate(char **arguments);
int hps_sim_fleet(char **arguments);
int hps_sim_gaps(char **arguments);
int hps_sim_generate(char **arguments);
int hps_sim_lifetimes(char **arguments);
int hps_sim_replay(char **arguments);
int hps_sim_slabs(char **arguments);

#endif
