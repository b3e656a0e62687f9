// The paths of the inputs: those on the command line, and those --files-from lists.
#ifndef HP_CLI_FILELIST_H
#define HP_CLI_FILELIST_H

#include "hprof-agg/hprof-agg.h"

// {0} is empty.
struct hp_cli_filelist {
    const char **paths; // each the caller's, or in `text`
    size_t count;
    char *text; // what was read
    size_t size;
};

void hp_cli_filelist_done(struct hp_cli_filelist *list);
void hp_cli_filelist_add(struct hp_cli_filelist *list, const char *path);

// Add the paths listed in the file at `path` ("-" is standard input).  Each ends in
// `end`; empty ones do not count.  Call it once on a list.
int hp_cli_filelist_read(struct hp_cli_filelist *list, const char *path, char end,
                         struct hp_err *err);

#endif
