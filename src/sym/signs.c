// Rows of a memory map contain device and inode of their file.  On another host these
// differ, or are equal, only by chance.  So they are used only if some file of the inputs
// is exactly the one that is here, usually a C library.  On some file systems stat(2)
// returns another device than the map; no sign is reported there.
#include "sym/signs.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct hp_found_file hp_found_file_of(int fd, bool is_at_own_path) {
    struct hp_found_file file = {.is_at_own_path = is_at_own_path};
    struct stat info;
    if (fstat(fd, &info) == 0) {
        file.id.device = (uint64_t)major(info.st_dev) << 32 | minor(info.st_dev);
        file.id.inode = info.st_ino;
        file.changed = info.st_ctime;
        file.modified = info.st_mtime;
    }
    return file;
}

// Whether all inputs contain the same device and inode for the module.
static bool has_one_file(const struct hp_module *module) {
    return module->lowest_file.inode != 0 &&
           hp_file_id_compare(module->lowest_file, module->highest_file) == 0;
}

// Whether the file that was found is the one in the memory maps of the inputs.
static bool is_same_file(const struct hp_module *module,
                         const struct hp_found_file *file) {
    return file->is_at_own_path && has_one_file(module) &&
           hp_file_id_compare(module->lowest_file, file->id) == 0;
}

// When an input was written, in seconds since 1970; INT64_MAX if unknown.
static int64_t time_of(const struct hp_input_record *input) {
    struct stat info;
    if (input->archive || (input->is_group && input->identity.time > 0)) {
        return (int64_t)input->identity.time;
    }
    bool is_file =
        strcmp(input->public.name, "-") != 0 && stat(input->public.name, &info) == 0;
    return is_file ? info.st_mtime : INT64_MAX;
}

// When the newest used input was written; 0 if there is none.
static int64_t find_newest(const struct hp_profile *profile) {
    int64_t newest = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        int64_t written = hp_input_is_used(input) ? time_of(input) : 0;
        newest = written > newest ? written : newest;
    }
    return newest;
}

struct hp_signs hp_signs_of(const struct hp_profile *profile,
                            const struct hp_found_file *files) {
    struct hp_signs signs = {.profile = profile, .files = files};
    for (size_t i = 0; i < profile->modules.count; i++) {
        signs.are_of_this_host |= is_same_file(&profile->modules.at[i], &files[i]);
    }
    signs.newest = signs.are_of_this_host ? find_newest(profile) : INT64_MAX;
    return signs;
}

const char *hp_signs_find(const struct hp_signs *signs, hp_module_id id) {
    const struct hp_module *module = &signs->profile->modules.at[id.n];
    const struct hp_found_file *file = &signs->files[id.n];
    if (module->deleted) {
        return hp_words(
            HP_WORDS("file-replaced-fits",
                     "the file was replaced or deleted; the one there now fits"));
    }
    if (!signs->are_of_this_host || !file->is_at_own_path) {
        return NULL;
    }
    return has_one_file(module) && !is_same_file(module, file)
               ? hp_words(HP_WORDS(
                     "file-other-inode",
                     "the file is not the one of the memory map, by its inode or device"))
           : file->changed > signs->newest
               ? hp_words(HP_WORDS("file-changed-later",
                                   "the file was changed after the newest input"))
               : NULL;
}
