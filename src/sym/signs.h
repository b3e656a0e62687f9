// Signs other than code that a file is not the one that ran.  They never suffice to
// withhold names, because copying, images and archives change all of these properties.
#ifndef HP_SYM_SIGNS_H
#define HP_SYM_SIGNS_H

#include "model/profile.h"

// The identity of the file that a module's names come from.
struct hp_found_file {
    bool is_at_own_path; // found where the inputs say, not by --symbol-dir or --path-map
    struct hp_file_id id;
    int64_t changed;  // its ctime, in seconds since 1970
    int64_t modified; // its mtime, in seconds since 1970
};

// The data from which signs that the file of a module is not the one that ran are
// derived.
struct hp_signs {
    const struct hp_profile *profile;
    const struct hp_found_file *files; // the file of each module
    bool are_of_this_host;             // the inputs were made on this host
    // When the newest input was written, in seconds since 1970; INT64_MAX if unknown.
    int64_t newest;
};

// The identity of an open file; zeros if it cannot be read.
struct hp_found_file hp_found_file_of(int fd, bool is_at_own_path);

// Collect the data that signs are derived from; `profile` and `files` must outlive the
// result.
struct hp_signs hp_signs_of(const struct hp_profile *profile,
                            const struct hp_found_file *files);

// A sentence about a sign against the file of a module, or NULL.  The text is static.
const char *hp_signs_find(const struct hp_signs *signs, hp_module_id module);

#endif
