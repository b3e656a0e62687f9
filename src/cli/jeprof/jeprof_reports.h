// jeprof's reports of stacks that were reduced.
#ifndef HP_CLI_JEPROF_REPORTS_H
#define HP_CLI_JEPROF_REPORTS_H

#include "cli/jeprof/jeprof_stacks.h"

#include <stdio.h>

// "Total: 16.2 MB", or of a thread, if it is not NULL, "Total (t3): 16.2 MB".
void hp_jeprof_write_total(FILE *out, const struct hp_jeprof_stacks *stacks,
                           const char *thread);

// The table, `limit` rows of it at most, or all: 0.
void hp_jeprof_write_text(FILE *out, const struct hp_jeprof_stacks *stacks, size_t limit);

void hp_jeprof_write_collapsed(FILE *out, const struct hp_jeprof_stacks *stacks);
void hp_jeprof_write_callgrind(FILE *out, const struct hp_jeprof_stacks *stacks);

// False, and nothing written, if there is no node to print.  `program` is safe for a terminal.
bool hp_jeprof_write_dot(FILE *out, const struct hp_jeprof_stacks *stacks,
                         const char *program);

// The same as a picture, "svg", "pdf" or "ps".  HP_E_EMPTY, and nothing written, if there is no node.
int hp_jeprof_draw(FILE *out, const struct hp_jeprof_stacks *stacks, const char *program,
                   const char *format, struct hp_err *err);

// For these and for the shell: of what is shown, in the options' metric.
double hp_jeprof_shown(const struct hp_jeprof_stacks *stacks);
const char *hp_jeprof_units(const struct hp_jeprof_options *options);

// A number, a share: as jeprof prints them.
struct hp_jeprof_number {
    char text[48];
};

struct hp_jeprof_number hp_jeprof_number(const struct hp_jeprof_options *options,
                                         double value);
struct hp_jeprof_number hp_jeprof_share(double value, double total);

// Of each row what is allocated in it and what in it and its callees, and the rows of a stack,
// leaf first, each once; rows that nothing counts in are not in `order`.
struct hp_jeprof_sums {
    const struct hp_jeprof_stacks *stacks;
    double *flat, *cum;
    size_t *order, count; // rows, the largest first
};

void hp_jeprof_sums_init(struct hp_jeprof_sums *sums,
                         const struct hp_jeprof_stacks *stacks, bool by_cum,
                         bool by_size);
void hp_jeprof_sums_done(struct hp_jeprof_sums *sums);

#endif
