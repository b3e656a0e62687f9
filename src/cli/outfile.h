// Where a report goes: standard output, or a file that is replaced only when all is well.
#ifndef HP_CLI_OUTFILE_H
#define HP_CLI_OUTFILE_H

#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

#include <limits.h>
#include <sys/types.h>

struct hp_cli_outfile {
    const char *path;         // for messages
    int fd;                   // -1 when closed
    bool is_standard;         // one of the streams that were open at the start
    int sys;                  // errno of the first failure, or 0
    char temporary[PATH_MAX]; // to be renamed to `path`, or ""
    bool is_nameless;         // it gets that name when it is whole
    mode_t mode;
    bool keeps_mode; // of the file that is replaced
};

// Once, before any file is opened: put /dev/null where 0, 1 or 2 is closed, and let writing
// into a pipe that nobody reads fail as any other writing does.
void hp_cli_outfile_guard_standard(void);

// NULL and "-" are standard output.  A regular file is written beside `path`, without a name where the
// file system allows that, else under one that cannot be predicted; a symbolic link is replaced, not
// followed.  Any other kind of file is written directly.  `path` must outlive `out`.
int hp_cli_outfile_open(struct hp_cli_outfile *out, const char *path, struct hp_err *err);

// A hp_write_fn; `data` is the struct hp_cli_outfile.
int hp_cli_outfile_write(void *data, const void *bytes, size_t size);

// Describe the failure that hp_cli_outfile_write() met; without a message when nobody reads
// standard output any more, as in "| head".
int hp_cli_outfile_failed(struct hp_cli_outfile *out, struct hp_err *err);

// All is written: make it last.  Or: leave no trace.  Both close.
int hp_cli_outfile_commit(struct hp_cli_outfile *out, struct hp_err *err);
void hp_cli_outfile_discard(struct hp_cli_outfile *out);

// The folder of the file that is written, in `folder`; NULL if it is none that is replaced.
const char *hp_cli_outfile_folder(const struct hp_cli_outfile *out,
                                  char folder[PATH_MAX]);

// Files that are read, and what a message calls one of them.  "-" is standard input.
struct hp_cli_read_files {
    const char *what;
    const struct hp_cli_words *files;
};

// HP_E_USAGE if `path` leads to one of these files, by whatever name: its content would be gone.
// The message begins with `option`, "--output=" or "", and the path.
int hp_cli_outfile_refuse(const char *option, const char *path,
                          const struct hp_cli_read_files *read, size_t count,
                          struct hp_err *err);

#endif
