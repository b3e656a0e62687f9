// Facts about dumps that are not part of their content: when they were made, and labels.
#ifndef HP_LIB_METADATA_H
#define HP_LIB_METADATA_H

#include "model/profile.h"

// Set the times of all inputs that are used.  `from` is "mtime" (times of the files), or
// a PCRE2 pattern whose first group is a time in the path: in seconds since 1970, or as
// in ISO 8601 (2026-01-31T12:30:00Z, in UTC; - : and Z may be missing, T may be a space
// or _).  HP_E_USAGE if an input has no such time.
HP_MUST_CHECK int hp_times_set(struct hp_profile *profile, const char *from,
                               struct hp_err *err);

// Whether all used inputs contain the times at which they were made.
bool hp_times_are_held(const struct hp_profile *profile);

// Use the times that the inputs themselves contain, but only if all used inputs contain
// one.
void hp_times_take_held(struct hp_profile *profile);

// Label the inputs by a PCRE2 pattern, except those with labels from a partial: each
// named group becomes a label of the inputs whose path matches.  HP_E_USAGE if the
// pattern is wrong or has no named group.
HP_MUST_CHECK int hp_labels_set(struct hp_profile *profile, const char *pattern,
                                struct hp_err *err);

// Fill in the identities of all inputs, except groups, from their names, folders and file
// times.
void hp_inputs_identify(struct hp_profile *profile);

// Return a hash of the folder of an input, by device and inode; for a member of an
// archive a hash of the archive and the path in it.
uint64_t hp_input_folder(const struct hp_input_record *input);

// Return the number of different label sets of samples, or of used inputs, whichever is
// larger.  hp_labels_identify() must have been called.
size_t hp_label_sets_count(const struct hp_profile *profile);

// Fail with HP_E_LIMIT: a partial would have `sets` sets of labels, more than it can
// store. Names the label with most values.
HP_MUST_CHECK int hp_labels_refuse(const struct hp_profile *profile, size_t sets,
                                   struct hp_err *err);

// Before inputs are read, fail like hp_labels_refuse() if their paths alone give more sets
// of labels than a partial can store. `is_used` says, for each path, whether its dump
// will probably be used; NULL: all are. Labels of the paths are not kept.
HP_MUST_CHECK int hp_labels_foresee(const struct hp_profile *profile,
                                    const char *const *paths, size_t count,
                                    const bool *is_used, const char *from,
                                    struct hp_err *err);

// Put a hash of the labels into the identity of each input, so that inputs with different
// labels are separate processes.
void hp_labels_identify(struct hp_profile *profile);

// Group the used inputs into processes; labels are taken into account.
void hp_processes_identify(struct hp_profile *profile);

#endif
