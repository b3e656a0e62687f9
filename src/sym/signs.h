// What speaks against a file beside its code: never enough to withhold names, as copies, images
// and archives change all of it.
#ifndef HP_SYM_SIGNS_H
#define HP_SYM_SIGNS_H

#include "model/profile.h"

// The file that a module's names come from.
struct hp_found_file {
    bool is_at_own_path; // where the inputs say, and no --symbol-dir or --path-map
    struct hp_file_id id;
    int64_t changed;  // its ctime, seconds since 1970
    int64_t modified; // its mtime
};

struct hp_signs {
    const struct hp_profile *profile;
    const struct hp_found_file *files; // of each module
    bool are_of_this_host;
    int64_t newest; // when the last input was written; INT64_MAX if that is not known
};

// What an open file is.
struct hp_found_file hp_found_file_of(int fd, bool is_at_own_path);

struct hp_signs hp_signs_of(const struct hp_profile *profile,
                            const struct hp_found_file *files);

// A sentence on what speaks against the file of a module, or NULL.
const char *hp_signs_find(const struct hp_signs *signs, hp_module_id module);

#endif
