// Write jeprof's reports from stacks that hp_jeprof_stacks_reduce() has prepared.
#ifndef HP_CLI_JEPROF_REPORTS_H
#define HP_CLI_JEPROF_REPORTS_H

#include "cli/jeprof/jeprof_stacks.h"

#include <stdio.h>

// Write "Total: 16.2 MB", or "Total (t3): 16.2 MB" if `thread` is not NULL; nothing if
// the total is 0.
void hp_jeprof_write_total(FILE *out, const struct hp_jeprof_stacks *stacks,
                           const char *thread);

// Write the table of rows (functions, lines, files or addresses) with flat and cum
// values, at most `limit` of them; 0: all.
void hp_jeprof_write_text(FILE *out, const struct hp_jeprof_stacks *stacks, size_t limit);

// Write one line for each distinct stack, with its value, for flame graphs; or all calls
// with their values, for KCachegrind.
void hp_jeprof_write_collapsed(FILE *out, const struct hp_jeprof_stacks *stacks);
void hp_jeprof_write_callgrind(FILE *out, const struct hp_jeprof_stacks *stacks);

// Write the graph of calls for Graphviz.  Returns false, and writes nothing, if no node
// is large enough.  `program` has to be safe for a terminal.
bool hp_jeprof_write_dot(FILE *out, const struct hp_jeprof_stacks *stacks,
                         const char *program);

// Draw the graph of calls as "svg", "pdf" or "ps".  Returns HP_E_EMPTY, and writes
// nothing, if no node is large enough.
int hp_jeprof_draw(FILE *out, const struct hp_jeprof_stacks *stacks, const char *program,
                   const char *format, struct hp_err *err);

// The sum of the values of the stacks that --focus and --ignore show; and the unit of
// printed values in the metric of the options: "MB", "B" or "objects".
double hp_jeprof_shown(const struct hp_jeprof_stacks *stacks);
const char *hp_jeprof_units(const struct hp_jeprof_options *options);

// A value of the metric, or its percentage of a total, formatted as jeprof prints it.
struct hp_jeprof_number {
    char text[48];
};

struct hp_jeprof_number hp_jeprof_number(const struct hp_jeprof_options *options,
                                         double value);
struct hp_jeprof_number hp_jeprof_share(double value, double total);

// Sums of shown stacks by row (function, line, file or address), in the metric of the
// options: `flat` is the sum of stacks with the row at the leaf, `cum` of those with the
// row anywhere.  A row that occurs several times in one stack is added to `cum` once.
// Rows without any shown stack are not in `order`.
struct hp_jeprof_sums {
    const struct hp_jeprof_stacks *stacks;
    double *flat, *cum;
    // Numbers of the `count` rows, sorted by flat or by cum as hp_jeprof_sums_init() was
    // asked, the largest first.
    size_t *order, count;
};

// Compute the sums, and sort rows by `cum` or by `flat`; `by_size` ignores the sign.  The
// stacks are borrowed.
void hp_jeprof_sums_init(struct hp_jeprof_sums *sums,
                         const struct hp_jeprof_stacks *stacks, bool by_cum,
                         bool by_size);
void hp_jeprof_sums_done(struct hp_jeprof_sums *sums);

#endif
