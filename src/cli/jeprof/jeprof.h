// The program as people know it under another name: jeprof's options, jeprof's reports.
#ifndef HP_CLI_JEPROF_H
#define HP_CLI_JEPROF_H

#include "cli/jeprof/jeprof_reports.h"

#include <stddef.h>

// Whether a program that is called so is meant: "jeprof", "hprof-jeprof".
bool hp_jeprof_is_meant(const char *program);

// The exit status: 0 or, as jeprof's, 1.
int hp_jeprof_run(int count, char *const *words);

// What was read, once for all commands.
struct hp_jeprof_session {
    struct hp_jeprof_options *options;
    struct hp_profile *profile, *base; // base: or NULL
    struct hp_jeprof_stacks stacks;
    const char *program; // or NULL
    char *title;         // the program or the first dump, safe for a terminal
};

// One report to a file, or to standard output: NULL.
int hp_jeprof_report(struct hp_jeprof_session *session, const char *path,
                     enum hp_jeprof_option mode, struct hp_err *err);

// A report of the library's own: of the functions that match, without the stacks that `ignore`
// matches, which may be NULL.
int hp_jeprof_report_of(const struct hp_jeprof_session *session, const char *pattern,
                        const char *ignore, enum hp_report_kind kind, struct hp_err *err);

// Commands from standard input until it ends or says quit; the first may have been read.
void hp_jeprof_shell(struct hp_jeprof_session *session);

#endif
