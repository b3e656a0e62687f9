// hprof-agg: read sampled native heap profiles of any number of processes, undo the
// sampling of each stack, add them up, name the frames, and write a report.
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
// Nothing here prints, exits or keeps global state; one profile with its views is for one
// thread at a time.  When memory runs out the process ends: see hp_on_out_of_memory().
// Texts may come from whoever made an input: see hp_escape() before showing them.
//
// There is no ABI promise before 1.0: what is linked with a shared library of one version is
// for that version.
#ifndef HPROF_AGG_H
#define HPROF_AGG_H

#include "hprof-agg/formats.h"
#include "hprof-agg/profile.h"
#include "hprof-agg/rows.h"

#endif
