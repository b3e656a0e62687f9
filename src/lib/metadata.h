// What is known of dumps beside what is in them: when they were made, and labels.
#ifndef HP_LIB_METADATA_H
#define HP_LIB_METADATA_H

#include "model/profile.h"

// Of the inputs that are used: the times of the files if `from` is "mtime", else those in
// their paths.  `from` is then a PCRE2 pattern whose first group is a time, in seconds since
// 1970 or as in ISO 8601 (2026-01-31T12:30:00Z, in UTC; - : and Z may be missing, T may be a
// space or _).
HP_MUST_CHECK int hp_times_set(struct hp_profile *profile, const char *from,
                               struct hp_err *err);

// Those that the inputs themselves hold, if all that are used do.
void hp_times_take_held(struct hp_profile *profile);

// The groups of a PCRE2 pattern that have names label the inputs whose path it matches.
HP_MUST_CHECK int hp_labels_set(struct hp_profile *profile, const char *pattern,
                                struct hp_err *err);

// What names, folders and times of the inputs say of their processes.
void hp_inputs_identify(struct hp_profile *profile);

// A hash of the folder of an input, by device and inode; in an archive by the archive, and the path in it.
uint64_t hp_input_folder(const struct hp_input_record *input);

// How many different sets of labels samples have, or inputs, whose processes are known by now.
size_t hp_label_sets_count(const struct hp_profile *profile);

// Note the labels of all of them, so that what is told apart by labels is.
void hp_labels_identify(struct hp_profile *profile);

// Find the processes of those that are used, with their labels.
void hp_processes_identify(struct hp_profile *profile);

#endif
