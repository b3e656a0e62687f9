// What is measured: a metric, or a sample type of pprof inputs in the place of one.
//
// Reports know the four metrics.  So a report of a sample type is one of a profile of that type
// alone, which has its values in the place of those in use and knows nothing of their errors.
#ifndef HP_VIEW_PROJECTION_H
#define HP_VIEW_PROJECTION_H

#include "model/profile.h"

// "inuse-space"; by that, or with "_" as pprof has it.
const char *hp_metric_name(enum hp_metric metric);
bool hp_metric_find(const char *name, enum hp_metric *metric);

// The type of this name, "resident_space" or with its unit "resident_space/bytes", or NULL: then
// no input has it, or there are several and the name alone does not tell.
const struct hp_sample_type *hp_projection_find(const struct hp_profile *profile,
                                                const char *name);

// What a type is called: its name, or, if another has the same, with its unit; to be freed.
char *hp_sample_type_name(const struct hp_profile *profile,
                          const struct hp_sample_type *type);

// The names of all metrics and types that inputs have, as "inuse-space, resident_space".
void hp_projection_names(const struct hp_profile *profile, char *text, size_t room);

// It borrows from the profile, and is not to be changed.
struct hp_profile *hp_projection_new(const struct hp_profile *profile,
                                     const struct hp_sample_type *type);
void hp_projection_free(struct hp_profile *projection); // NULL is fine

#endif
