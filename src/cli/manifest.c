#include "cli/manifest.h"

#include "cli/filelist.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/storage.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 64 * 1024, // bytes written at a time
};

// The lists of dumps to write.
struct lists {
    const struct hp_cli_settings *settings;
    const char *const *paths;
    size_t count;
    int digits;          // digits of the numbers in file names
    size_t *starts;      // first index in `order` of each list, and the end of the last
    size_t *order;       // indices of paths, list by list
    char *block;         // output of a list before it is written; BLOCK bytes
    char name[PATH_MAX]; // file name of a list, set by name_of()
};

// --- distribution of paths -------------------------------------------------------------

// Compare paths for qsort().
static int by_bytes(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

// Collect all paths in sorted order, so that the lists do not depend on the order of the
// arguments.
static int collect(const struct hp_cli_settings *settings, struct hp_cli_filelist *list,
                   struct hp_err *err) {
    int ret = HP_OK;
    for (size_t i = 0; i < settings->inputs.count; i++) {
        hp_cli_words_add(&list->paths, settings->inputs.items[i]);
    }
    for (size_t i = 0; ret == HP_OK && i < settings->files_from.count; i++) {
        ret = hp_cli_filelist_read(list, settings, settings->files_from.items[i], err);
    }
    if (ret == HP_OK) {
        qsort(list->paths.items, list->paths.count, sizeof *list->paths.items, by_bytes);
    }
    return ret;
}

// HP_E_USAGE if the path cannot be in a list: "-", or a path with a newline without
// --null.
static int check_path(const struct lists *lists, const char *path, struct hp_err *err) {
    if (strcmp(path, "-") == 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("manifest-stdin",
                                      "manifest: standard input has no name"));
    }
    if (!lists->settings->null_separated && strchr(path, '\n') != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("manifest-newline",
                                      "a path has a newline. Use --null for such lists"));
    }
    return HP_OK;
}

// Sort the indices of paths by list (counting sort).  Older dumps of a process are in no
// list.
static void sort_into_lists(struct lists *lists, const struct hp_manifest *manifest) {
    size_t shards = lists->settings->tasks, *next;
    lists->starts = hp_cli_resize(NULL, (shards + 1) * sizeof *lists->starts);
    lists->order = hp_cli_resize(NULL, (lists->count + 1) * sizeof *lists->order);
    next = hp_cli_resize(NULL, shards * sizeof *next);
    memset(lists->starts, 0, (shards + 1) * sizeof *lists->starts);
    for (size_t i = 0; i < lists->count; i++) {
        if (manifest->list[i] != HP_NO_LIST) {
            lists->starts[manifest->list[i] + 1]++;
        }
    }
    for (size_t i = 0; i < shards; i++) {
        next[i] = lists->starts[i];
        lists->starts[i + 1] += lists->starts[i];
    }
    for (size_t i = 0; i < lists->count; i++) {
        if (manifest->list[i] != HP_NO_LIST) {
            lists->order[next[manifest->list[i]]++] = i;
        }
    }
    free(next);
}

// --- files of the lists ----------------------------------------------------------------

// File name of a list; valid until the next call.
static const char *name_of(struct lists *lists, size_t list) {
    snprintf(lists->name, sizeof lists->name, "%s%0*zu", lists->settings->output,
             lists->digits, list);
    return lists->name;
}

static bool is_number(const char *text) {
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

// HP_E_USAGE if a file "PREFIX<number>" exists: it would be mistaken for a list of this
// manifest.  HP_E_OUTPUT if the folder cannot be read.
static int refuse_others(const struct lists *lists, struct hp_err *err) {
    const char *prefix = lists->settings->output, *slash = strrchr(prefix, '/');
    const char *name = slash != NULL ? slash + 1 : prefix;
    char folder[PATH_MAX] = ".";
    if (strlen(prefix) + 24 > sizeof folder) {
        errno = ENAMETOOLONG;
        return hp_cli_fail_errno(err, HP_E_OUTPUT, prefix,
                                 HP_MESSAGE("lists-not-written", "cannot write lists"));
    }
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - prefix + 1), prefix);
    }
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return hp_cli_fail_errno(err, HP_E_OUTPUT, folder,
                                 HP_MESSAGE("lists-folder", "cannot open the folder"));
    }
    int ret = HP_OK;
    for (struct dirent *entry; ret == HP_OK && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
            is_number(entry->d_name + strlen(name))) {
            ret = hp_cli_fail(err, HP_E_USAGE,
                              HP_MESSAGE("list-there-already",
                                         "%s%s exists. Remove it, or use another prefix"),
                              slash != NULL ? folder : "", entry->d_name);
        }
    }
    closedir(entries);
    return ret;
}

// Write the paths of one list through lists->block, each with a newline, or a NUL byte
// with --null.
static int write_paths(const struct lists *lists, size_t list, struct hp_cli_outfile *out,
                       struct hp_err *err) {
    size_t used = 0;
    int failed = 0;
    for (size_t i = lists->starts[list]; !failed && i < lists->starts[list + 1]; i++) {
        const char *path = lists->paths[lists->order[i]];
        size_t size = strlen(path);
        if (used + size + 1 > BLOCK) {
            failed = hp_cli_outfile_write(out, lists->block, used);
            used = 0;
        }
        if (size + 1 > BLOCK) {
            failed = failed || hp_cli_outfile_write(out, path, size);
            size = 0;
        }
        memcpy(lists->block + used, path, size);
        used += size;
        lists->block[used++] = lists->settings->null_separated ? '\0' : '\n';
    }
    failed = failed || hp_cli_outfile_write(out, lists->block, used);
    return failed ? hp_cli_outfile_failed(out, err) : HP_OK;
}

// Write one list to its file.
static int write_list(struct lists *lists, size_t list, struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    int ret = hp_cli_outfile_open(&out, name_of(lists, list), err);
    if (ret == HP_OK) {
        ret = write_paths(lists, list, &out, err);
    }
    if (ret == HP_OK) {
        ret = hp_cli_outfile_commit(&out, err);
    }
    hp_cli_outfile_discard(&out);
    return ret;
}

// Write all lists that are not empty.  On failure, remove those that were written.
static int write_lists(struct lists *lists, struct hp_err *err) {
    int ret = HP_OK;
    size_t list = 0;
    for (; ret == HP_OK && list < lists->settings->tasks; list++) {
        if (lists->starts[list] < lists->starts[list + 1]) {
            ret = write_list(lists, list, err);
        }
    }
    while (ret != HP_OK && list-- > 0) {
        if (lists->starts[list] < lists->starts[list + 1]) {
            unlink(name_of(lists, list)); // the failed list itself does not exist
        }
    }
    return ret;
}

// --- the command -----------------------------------------------------------------------

// Print a summary of the lists to standard error.
static void print_summary(const struct lists *lists, const struct hp_manifest *manifest) {
    size_t written = 0;
    for (size_t i = 0; i < lists->settings->tasks; i++) {
        written += lists->starts[i] < lists->starts[i + 1];
    }
    hp_cli_message(
        HP_MESSAGE(
            "manifest-lists",
            "%zu lists of %zu dumps; processes known by name: %zu, older dumps of these "
            "skipped: %zu"),
        written, lists->count - manifest->older, manifest->processes, manifest->older);
    if (manifest->unidentified > 0) {
        hp_cli_message(
            HP_MESSAGE("manifest-unknown-names",
                       "names without a process: %zu. All their dumps are listed"),
            manifest->unidentified);
    }
}

// Check the paths, distribute them and check that no list exists yet.
static int make(struct lists *lists, struct hp_manifest *manifest, struct hp_err *err) {
    const struct hp_cli_settings *settings = lists->settings;
    struct hp_manifest_options options = {settings->tasks, settings->read.snapshots};
    int ret = HP_OK;
    for (size_t i = 0; ret == HP_OK && i < lists->count; i++) {
        ret = check_path(lists, lists->paths[i], err);
    }
    if (ret == HP_OK) {
        ret = hp_manifest_make(manifest, lists->paths, lists->count, &options, err);
    }
    return ret == HP_OK ? refuse_others(lists, err) : ret;
}

int hp_cli_manifest_run(const struct hp_cli_settings *settings, struct hp_err *err) {
    struct hp_cli_filelist list = {0};
    struct hp_manifest manifest = {0};
    int ret = collect(settings, &list, err);
    struct lists lists = {.settings = settings,
                          .paths = list.paths.items,
                          .count = list.paths.count,
                          .digits = snprintf(NULL, 0, "%zu", settings->tasks - 1)};
    if (ret == HP_OK) {
        ret = make(&lists, &manifest, err);
    }
    if (ret == HP_OK) {
        lists.block = hp_cli_resize(NULL, BLOCK);
        sort_into_lists(&lists, &manifest);
        ret = write_lists(&lists, err);
    }
    if (ret == HP_OK && !settings->quiet) {
        print_summary(&lists, &manifest);
    }
    free(lists.block);
    free(lists.order);
    free(lists.starts);
    hp_manifest_done(&manifest);
    hp_cli_filelist_done(&list);
    return ret;
}
