// Collect the paths of the inputs: from the command line, from lists (--files-from) and
// from folders.
#ifndef HP_CLI_FILELIST_H
#define HP_CLI_FILELIST_H

#include "cli/settings.h"

// A list of paths.  {0} is empty.
struct hp_cli_filelist {
    struct hp_cli_words paths; // each belongs to the caller or is in one of `texts`
    // number of first paths that are the base of a diff; set by the caller
    size_t base_count;
    char **texts; // owned memory with the paths of lists and folders
    size_t text_count;
    bool with_statistics;    // add the statistics in sets, too; set by the caller
    const char *bare_folder; // a folder among the inputs that has no dumps, or NULL
};

// Free the list; paths of the caller stay.
void hp_cli_filelist_done(struct hp_cli_filelist *list);

// Add the paths listed in the file at `path` ("-" is standard input).  Each ends in a
// newline, or in a NUL byte with --null; empty paths are skipped.  HP_E_EMPTY if the list
// names no input.
int hp_cli_filelist_read(struct hp_cli_filelist *list,
                         const struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err);

// Add an input.  A file is added by its path; a folder adds the files *.heap* and
// *.pb.gz in it and below it, sorted by path.  Hidden folders, and links to folders, are
// skipped.  A folder without such files is added as an input, which then cannot be read.
void hp_cli_filelist_add(struct hp_cli_filelist *list, const char *path);

// Returns HP_E_EMPTY if the only input is a folder without dumps, else HP_OK.
int hp_cli_filelist_check(const struct hp_cli_filelist *list, struct hp_err *err);

#endif
