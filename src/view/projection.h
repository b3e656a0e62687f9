// The quantity that a report measures: one of the four metrics, or a sample type of pprof
// inputs instead.
//
// Reports only know the four metrics.  So a report of a sample type reads a projection: a
// profile of that type alone, which has its values as those in use, and no errors.
#ifndef HP_VIEW_PROJECTION_H
#define HP_VIEW_PROJECTION_H

#include "model/profile.h"

// Return the name of a metric, as "inuse-space".  hp_metric_find() looks a metric up by
// its name, also with "_" for "-" like pprof's; false: there is no such metric.
const char *hp_metric_name(enum hp_metric metric);
bool hp_metric_find(const char *name, enum hp_metric *metric);

// Return the sample type with this name, as "resident_space", or with its unit, as
// "resident_space/bytes".  NULL: no input has it, or several types have this name and
// differ in units.
const struct hp_sample_type *hp_projection_find(const struct hp_profile *profile,
                                                const char *name);

// Return the display name of a type: its name, with its unit if another type or a metric
// has the same name.  The caller frees it.
char *hp_sample_type_name(const struct hp_profile *profile,
                          const struct hp_sample_type *type);

// Put the names of all metrics and types that inputs have into `text` of `room` bytes, as
// "inuse-space, resident_space"; truncated if need be.
void hp_projection_names(const struct hp_profile *profile, char *text, size_t room);

// Make the projection of a profile to a sample type.  It borrows from the profile, must
// not be changed, and is freed with hp_projection_free().
struct hp_profile *hp_projection_new(const struct hp_profile *profile,
                                     const struct hp_sample_type *type);
void hp_projection_free(struct hp_profile *projection); // NULL is fine

#endif
