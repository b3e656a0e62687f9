// The files of a batch are named by its id, so that the same dumps give the same files,
// and tasks write into one folder without knowing of each other.  Readers join all tables
// with `dumps`, which is written last: what an interrupted task leaves is not read.
#include "cli/rowfiles.h"

#include "cli/diagnostics.h"
#include "cli/filelist.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/progressbar.h"
#include "cli/storage.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char partials[] = "partials";

// Fail with errno and the path that it is about.
static int fail_folder(const char *path, struct hp_err *err) {
    return hp_cli_fail_errno(err, HP_E_OUTPUT, path,
                             HP_MESSAGE("rows-folder", "cannot use the directory"));
}

// Make a folder unless it exists.
static int make_folder(const char *path, struct hp_err *err) {
    struct stat status;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            return HP_OK;
        }
        errno = ENOTDIR;
    }
    return fail_folder(path, err);
}

// Put the path of a file below the folder of the command into `path`; "" as `name`: that
// of its folder.
static int set_path(const struct hp_cli_settings *settings, char path[PATH_MAX],
                    const char *folder, const char *name, struct hp_err *err) {
    int size = snprintf(path, PATH_MAX, "%s/%s%s%s", settings->output, folder,
                        *name != '\0' ? "/" : "", name);
    if (size < PATH_MAX) {
        return HP_OK;
    }
    errno = ENAMETOOLONG;
    return fail_folder(settings->output, err);
}

// Make the folders of the tables, before any input is read.
static int make_folders(const struct hp_cli_settings *settings, struct hp_err *err) {
    char path[PATH_MAX];
    int ret = make_folder(settings->output, err);
    for (enum hp_table i = 0; i <= HP_TABLES && ret == HP_OK; i++) {
        ret = set_path(settings, path, i < HP_TABLES ? hp_table_name(i) : partials, "",
                       err);
        ret = ret == HP_OK ? make_folder(path, err) : ret;
    }
    return ret;
}

// --- files -----------------------------------------------------------------------------

// A batch, its profile, and how it is written.
struct batch {
    const struct hp_cli_settings *settings;
    struct hp_batch *rows;
    struct hp_profile *profile;
    struct hp_report_options partial; // the report that writes the aggregate file
    struct hp_report_options names;   // how stacks are named and grouped
    char id[HP_BATCH_ID_SIZE];
};

// How stacks are named and grouped.
static struct hp_report_options names_of(const struct hp_cli_settings *settings) {
    struct hp_report_options names = {.kind = HP_REPORT_STACKS,
                                      .frames = settings->report.frames};
    names.frames.rules = settings->rules;
    names.frames.rule_count = settings->rule_count;
    names.groups =
        (struct hp_group_rules){settings->group_rules, settings->group_rule_count};
    return names;
}

// Write a table of the batch into its file.
static int write_table(const struct batch *batch, enum hp_table table,
                       struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    char path[PATH_MAX], name[NAME_MAX];
    enum hp_packing packing = batch->settings->packing;
    snprintf(name, sizeof name, "%s%s", batch->id, hp_packing_ending(packing));
    int ret = set_path(batch->settings, path, hp_table_name(table), name, err);
    ret = ret == HP_OK ? hp_cli_outfile_open(&out, path, err) : ret;
    ret = ret == HP_OK ? hp_batch_write(batch->rows, batch->profile, table, packing,
                                        &batch->names, hp_cli_outfile_write, &out, err)
                       : ret;
    ret = out.sys != 0 ? hp_cli_outfile_failed(&out, err) : ret;
    ret = ret == HP_OK ? hp_cli_outfile_commit(&out, err) : ret;
    hp_cli_outfile_discard(&out);
    return ret;
}

// Write the aggregate file of the batch.
static int write_partial(const struct batch *batch, struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    char path[PATH_MAX], name[NAME_MAX];
    snprintf(name, sizeof name, "%s.hpa", batch->id);
    struct hp_view *view = hp_view_new(batch->profile, &batch->partial, err);
    int ret =
        view ? set_path(batch->settings, path, partials, name, err) : (int)err->code;
    ret = ret == HP_OK ? hp_cli_outfile_open(&out, path, err) : ret;
    ret = ret == HP_OK ? hp_view_write(view, hp_cli_outfile_write, &out, err) : ret;
    ret = out.sys != 0 ? hp_cli_outfile_failed(&out, err) : ret;
    ret = ret == HP_OK ? hp_cli_outfile_commit(&out, err) : ret;
    hp_cli_outfile_discard(&out);
    hp_view_free(view);
    return ret;
}

// Write all files of the batch.  The aggregate file has no labels, and of redacted dumps
// there is none, as nobody could add names to it.
static int write_batch(struct batch *batch, struct hp_err *err) {
    const struct hp_cli_settings *settings = batch->settings;
    struct hp_batch_options options = {
        .label_from = settings->read.label_from,
        .redacts = settings->redacts,
        .key = settings->redact_key_size > 0 ? settings->redact_key : NULL,
        .key_size = settings->redact_key_size,
    };
    hp_batch_id(batch->rows, batch->id);
    int ret = settings->redacts ? HP_OK : write_partial(batch, err);
    ret =
        ret == HP_OK ? hp_batch_finish(batch->rows, batch->profile, &options, err) : ret;
    ret = ret == HP_OK ? write_table(batch, HP_TABLE_ROWS, err) : ret;
    ret = ret == HP_OK ? write_table(batch, HP_TABLE_STACKS, err) : ret;
    return ret == HP_OK ? write_table(batch, HP_TABLE_DUMPS, err) : ret;
}

// --- reading ---------------------------------------------------------------------------

// Read the dumps and write their batch.
static int run(const struct hp_cli_settings *settings, struct hp_cli_filelist *list,
               struct hp_cli_outcome *outcome, struct hp_err *err) {
    struct batch batch = {
        .settings = settings,
        .rows = hp_batch_new(settings->output),
        .profile = hp_profile_new(),
        .partial = {.kind = HP_REPORT_MERGE, .format = "hpa"},
        .names = names_of(settings),
    };
    struct hp_read_options options = settings->read;
    options.label_from = NULL;
    options.tars = settings->archives.items;
    options.tar_count = settings->archives.count;
    options.perf_maps = settings->perf_maps.items;
    options.perf_map_count = settings->perf_maps.count;
    options.planned = &batch.partial;
    options.planned_count = 1;
    options.progress = hp_cli_progress;
    options.batch = batch.rows;
    int ret = hp_profile_read(batch.profile, list->paths.items, list->paths.count,
                              &options, err);
    hp_cli_progress_clear();
    outcome->skipped =
        hp_cli_input_diagnostics(batch.profile, settings, ret == HP_OK ? NULL : err);
    if (ret == HP_OK) {
        hp_cli_job_warn(settings, batch.profile);
        ret = write_batch(&batch, err);
    }
    hp_profile_free(batch.profile);
    hp_batch_free(batch.rows);
    return ret;
}

// --- names -----------------------------------------------------------------------------

// Aggregate files of a folder whose stacks get names.
struct naming {
    const struct hp_cli_settings *settings;
    struct hp_cli_words names; // names of the files, owned; sorted
};

static int by_name(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

// Return a copy of a text.
static char *copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(hp_cli_resize(NULL, size), text, size);
}

// Whether a name has the ending, perhaps with that of a compressed file after it.
static bool has_ending(const char *name, const char *ending) {
    const char *at = strstr(name, ending), *rest = at != NULL ? at + strlen(ending) : "";
    return at != NULL && *name != '.' &&
           (*rest == '\0' || strcmp(rest, ".gz") == 0 || strcmp(rest, ".zst") == 0);
}

// List the files of a folder whose names have the given ending, but no hidden ones.
static int list_files(const char *path, const char *ending, struct hp_cli_words *names,
                      struct hp_err *err) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return fail_folder(path, err);
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (has_ending(entry->d_name, ending)) {
            hp_cli_words_add(names, copy(entry->d_name));
        }
    }
    closedir(folder);
    qsort(names->items, names->count, sizeof *names->items, by_name);
    return HP_OK;
}

// Free a list of owned names.
static void free_names(struct hp_cli_words *names) {
    for (size_t i = 0; i < names->count; i++) {
        free((char *)(uintptr_t)names->items[i]);
    }
    free(names->items);
    *names = (struct hp_cli_words){0};
}

// Remove tables of stacks that the new one replaces.  What cannot be read stays.
static int remove_covered(const struct batch *batch, struct hp_err *err) {
    struct hp_cli_words names = {0};
    char folder[PATH_MAX], path[PATH_MAX];
    int ret = set_path(batch->settings, folder, hp_table_name(HP_TABLE_STACKS), "", err);
    ret = ret == HP_OK ? list_files(folder, ".ndjson", &names, err) : ret;
    for (size_t i = 0; ret == HP_OK && i < names.count; i++) {
        struct hp_err ignored = {0};
        bool covers = false,
             is_new = strncmp(names.items[i], batch->id, HP_BATCH_ID_SIZE - 1) == 0;
        ret = set_path(batch->settings, path, hp_table_name(HP_TABLE_STACKS),
                       names.items[i], err);
        if (ret == HP_OK && !is_new &&
            hp_batch_covers(batch->profile, path, &covers, &ignored) == HP_OK && covers) {
            unlink(path);
        }
    }
    free_names(&names);
    return ret;
}

// Read `count` aggregate files, name their stacks, and replace tables of stacks.
static int name_files(const struct naming *naming, size_t first, size_t count,
                      struct hp_err *err) {
    const struct hp_cli_settings *settings = naming->settings;
    struct hp_report_options report = {.kind = HP_REPORT_STACKS, .no_error = true};
    struct hp_symbol_options symbols = hp_cli_job_symbols(settings);
    struct hp_read_options options = settings->read;
    struct batch batch = {
        .settings = settings,
        .rows = hp_batch_new(settings->output),
        .profile = hp_profile_new(),
        .names = names_of(settings),
    };
    struct hp_cli_words paths = {0};
    int ret = HP_OK;
    for (size_t i = first; ret == HP_OK && i < first + count; i++) {
        char path[PATH_MAX];
        ret = set_path(settings, path, partials, naming->names.items[i], err);
        hp_cli_words_add(&paths, copy(path));
    }
    options.planned = &report;
    options.planned_count = 1;
    options.progress = hp_cli_progress;
    options.symbols = &symbols;
    ret = ret == HP_OK
              ? hp_profile_read(batch.profile, paths.items, paths.count, &options, err)
              : ret;
    if (ret == HP_OK) {
        hp_profile_symbolize(batch.profile, &symbols);
        hp_cli_progress_clear();
        hp_cli_job_warn(settings, batch.profile);
        hp_batch_id_of_names(naming->names.items + first, count, batch.id);
        ret = write_table(&batch, HP_TABLE_STACKS, err);
    }
    ret = ret == HP_OK ? remove_covered(&batch, err) : ret;
    free_names(&paths);
    hp_profile_free(batch.profile);
    hp_batch_free(batch.rows);
    return ret;
}

// Name the stacks of all aggregate files together, or, if some have dumps in common, of
// each file separately.
static int add_names(const struct hp_cli_settings *settings, struct hp_err *err) {
    struct naming naming = {.settings = settings};
    char folder[PATH_MAX];
    int ret = set_path(settings, folder, partials, "", err);
    ret = ret == HP_OK ? list_files(folder, ".hpa", &naming.names, err) : ret;
    if (ret == HP_OK && naming.names.count == 0) {
        ret = hp_cli_fail(err, HP_E_EMPTY,
                          HP_MESSAGE("rows-names-nothing",
                                     "%s has no aggregate files to take stacks from"),
                          folder);
    }
    ret = ret == HP_OK ? name_files(&naming, 0, naming.names.count, err) : ret;
    if (ret == HP_E_DUPLICATE) {
        *err = (struct hp_err){0};
        ret = HP_OK;
        for (size_t i = 0; ret == HP_OK && i < naming.names.count; i++) {
            ret = name_files(&naming, i, 1, err);
        }
    }
    free_names(&naming.names);
    return ret;
}

int hp_cli_rows_run(const struct hp_cli_settings *settings,
                    struct hp_cli_outcome *outcome, struct hp_err *err) {
    struct hp_cli_filelist list = {0};
    int ret = hp_cli_job_check_sandbox(settings, err);
    if (ret == HP_OK && settings->adds_names) {
        hp_cli_job_start_progress(settings);
        return add_names(settings, err);
    }
    ret = ret == HP_OK ? hp_cli_job_collect(settings, &list, err) : ret;
    ret = ret == HP_OK ? make_folders(settings, err) : ret;
    if (ret == HP_OK) {
        hp_cli_job_start_progress(settings);
        ret = run(settings, &list, outcome, err);
    }
    hp_cli_filelist_done(&list);
    return ret;
}
