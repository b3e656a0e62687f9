// Warnings and other sentences for the reader of a report.  They are appended to the
// profile.
#ifndef HP_LIB_WARNINGS_H
#define HP_LIB_WARNINGS_H

#include "model/profile.h"

// Least share of the bytes for which a screen shows a warning about missing names.
#define HP_MUCH_NAMELESS 0.05

// Warn about inputs; call it when all inputs have been read.
void hp_warn_of_inputs(struct hp_profile *profile);
// Warn if the times of the files are likely those of a copy, and not of the dumps, and
// return whether they are; call it after hp_times_set().
bool hp_warn_of_times(struct hp_profile *profile);
// Warn about binaries and libraries; call it after symbolizing with `options`, which may
// be NULL.
void hp_warn_of_modules(struct hp_profile *profile,
                        const struct hp_symbol_options *options);

// Return the metric whose shares the warnings of a profile have: the bytes in use or
// allocated that were asked for, or the other ones if there are none of these.
enum hp_metric hp_warnings_metric(const struct hp_profile *profile);
// Return the name of the sum of a metric: "memory", "memory allocated".
const char *hp_warnings_whole(enum hp_metric metric);

// Append sentences to profile->sentences.moments: which dumps are used where a process
// has several, for each side of a comparison; missing shards; dumps that were made at
// exit.
void hp_describe_moments(struct hp_profile *profile);

#endif
