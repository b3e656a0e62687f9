// hprof-agg: read sampled native heap profiles of any number of processes, undo the
// sampling of each stack, merge them, symbolize the frames, and write a report.
//
//     struct hp_err err;
//     struct hp_profile *profile = hp_profile_new();
//     if (hp_profile_read(profile, paths, count, NULL, &err) == HP_OK) {
//         hp_profile_symbolize(profile, NULL);
//         struct hp_view *view = hp_view_new(profile, NULL, &err);
//         if (view) {
//             hp_view_write(view, write_to_stdout, NULL, &err);
//         }
//         hp_view_free(view);
//     }
//     hp_profile_free(profile);
//
// Every option struct means "the defaults" when zeroed, and may be NULL; `err` may not.
// Nothing here prints, exits or keeps global state, except the handler of
// hp_on_out_of_memory() and the choice of hp_show_message_codes().  A profile and its
// views may be used by one thread at a time.
// When memory runs out the process ends: see hp_on_out_of_memory().  Texts may come from
// the author of an input, who is not trusted: see hp_escape() before showing them.
//
// There is no ABI promise before 1.0: a program that is linked with the shared library of
// one version needs that version.
//
// Where to read on: profile.h (read inputs, symbolize, filter, options of reports),
// rows.h (the rows and stacks of a report as values), formats.h (the output formats),
// tables.h (dumps as tables for database engines).
#ifndef HPROF_AGG_H
#define HPROF_AGG_H

#include "hprof-agg/formats.h"
#include "hprof-agg/profile.h"
#include "hprof-agg/rows.h"
#include "hprof-agg/tables.h"

#endif
