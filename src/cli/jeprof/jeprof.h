// A second command line of the program, compatible with jeprof: it takes jeprof's options
// and writes jeprof's reports.  A map of this folder:
//
// - jeprof.c: entry point hp_jeprof_run(); separates the program from the dumps among the
//   operands, reads and symbolizes the dumps, and starts a report or the shell.
// - jeprof_options.h: parses the options into struct hp_jeprof_options.
// - jeprof_stacks.h: struct hp_jeprof_stacks, the stacks of all dumps; removes the frames
//   that jeprof skips and marks those that match patterns.
// - jeprof_reports.h: writes the reports, in jeprof_reports.c and (graphs) jeprof_dot.c.
// - jeprof_output.c: writes one report to a file.  jeprof_shell.c: the interactive shell.
//
// Frames are numbered by hp_jeprof_stacks.places, rows by .rows, stacks by .keys; numbers
// never change.  Options from HP_JEPROF_EXACT on are not jeprof's own.  With
// --exact-jeprof the numbers, and oddities of the output, are jeprof's; else sampling is
// undone as hprof-agg does.
//
// Read jeprof.c, jeprof_stacks.h, jeprof_reports.h in this order.
#ifndef HP_CLI_JEPROF_H
#define HP_CLI_JEPROF_H

#include "cli/jeprof/jeprof_reports.h"

#include <stddef.h>

// Whether argv[0] is "jeprof" or "hprof-jeprof", which selects this command line.
bool hp_jeprof_is_meant(const char *program);

// Run the command line `words`, which are argv without the program's name.  Returns the
// exit status: 0 or, as jeprof does, 1.
int hp_jeprof_run(int count, char *const *words);

// All data of a run; the inputs are read once for all commands of the shell.
struct hp_jeprof_session {
    struct hp_jeprof_options *options;
    struct hp_profile *profile, *base; // NULL without --base
    struct hp_jeprof_stacks stacks;
    const char *program; // path of the program that was profiled, as given; or NULL
    char *title;         // name of the program or of the first dump, safe for a terminal
};

// Write one report to the file `path`, or to standard output if that is NULL.
int hp_jeprof_report(struct hp_jeprof_session *session, const char *path,
                     enum hp_jeprof_option mode, struct hp_err *err);

// Write a report of the library, as hprof-agg does, to standard output: of functions that
// match `pattern`, without stacks that match `ignore`, which may be NULL.
int hp_jeprof_library_report(const struct hp_jeprof_session *session, const char *pattern,
                             const char *ignore, enum hp_report_kind kind,
                             struct hp_err *err);

// Run commands from standard input until it ends or the command is quit.
void hp_jeprof_shell(struct hp_jeprof_session *session);

#endif
