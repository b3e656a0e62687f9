// The paths of the inputs: those on the command line, and those --files-from lists.
#ifndef HP_CLI_FILELIST_H
#define HP_CLI_FILELIST_H

#include "cli/settings.h"

// {0} is empty.
struct hp_cli_filelist {
    struct hp_cli_words paths; // each the caller's, or in one of the texts
    size_t base_count;         // the caller's: so many of them are the base of a diff
    char **texts;              // what was read
    size_t text_count;
    const char *bare_folder; // one without dumps in it, or NULL
};

void hp_cli_filelist_done(struct hp_cli_filelist *list);

// Add the paths listed in the file at `path` ("-" is standard input).  Each ends in a newline, or
// with --null in a NUL byte; empty ones are skipped.
int hp_cli_filelist_read(struct hp_cli_filelist *list,
                         const struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err);

// Add an input: a path, or of a folder the files *.heap* and *.pb.gz in it, in the order of their
// names; folders in it are passed over.  A folder with none is itself an input that cannot be read.
void hp_cli_filelist_add(struct hp_cli_filelist *list, const char *path);

// HP_E_EMPTY: there is nothing but such a folder.
int hp_cli_filelist_check(const struct hp_cli_filelist *list, struct hp_err *err);

#endif
