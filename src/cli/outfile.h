// The output of a report: standard output, or a file that is replaced only after complete
// success.
#ifndef HP_CLI_OUTFILE_H
#define HP_CLI_OUTFILE_H

#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

#include <limits.h>
#include <sys/types.h>

// An output that is open.  Set .fd to -1 before it is opened, so that
// hp_cli_outfile_discard() is safe.
struct hp_cli_outfile {
    const char *path; // path for messages; belongs to the caller
    int fd;           // -1: not open
    bool is_standard; // it is standard output or standard error
    int sys;          // errno of the first failure, or 0
    // Name of the unfinished file, which is renamed to `path`; "": the output is written
    // directly.
    char temporary[PATH_MAX];
    // The unfinished file has no name yet; it gets `temporary` at the end.
    bool is_nameless;
    mode_t mode;     // permissions of the new file
    bool keeps_mode; // `mode` is that of the replaced file and has to be kept
};

// Prepare the standard streams; call it once, before any file is opened.  Opens /dev/null
// for those of descriptors 0, 1 and 2 that are closed, and ignores SIGPIPE, so that
// writing to a pipe without a reader is an ordinary error of write().
void hp_cli_outfile_guard_standard(void);

// Open the output; NULL and "-" are standard output.  A regular file is written next to
// `path`: without a name if the file system allows that, else under a name that cannot be
// predicted.  A symbolic link is replaced, not followed.  Any other kind of file is
// written directly.  `path` must outlive `out`.
int hp_cli_outfile_open(struct hp_cli_outfile *out, const char *path, struct hp_err *err);

// Write all bytes; a hp_write_fn whose `data` is the struct hp_cli_outfile.  Returns 0,
// or -1 with errno in `sys`.
int hp_cli_outfile_write(void *data, const void *bytes, size_t size);

// Fill `err` with the failure of hp_cli_outfile_write() and return HP_E_OUTPUT.  The
// message stays empty if the reader of standard output has closed the pipe, as head(1)
// does.
int hp_cli_outfile_failed(struct hp_cli_outfile *out, struct hp_err *err);

// Finish the output: sync the file, close it and give it its final name.  On failure the
// unfinished file is removed.
int hp_cli_outfile_commit(struct hp_cli_outfile *out, struct hp_err *err);
// Close the output and remove the unfinished file.  Does nothing after
// hp_cli_outfile_commit().
void hp_cli_outfile_discard(struct hp_cli_outfile *out);

// Write the path of the folder of the unfinished file to `folder` and return it; NULL if
// the output is written directly.
const char *hp_cli_outfile_folder(const struct hp_cli_outfile *out,
                                  char folder[PATH_MAX]);

// A group of files that are read, and the noun for one of them in messages.  "-" is
// standard input.
struct hp_cli_read_files {
    const char *what;
    const struct hp_cli_words *files;
};

// Returns HP_E_USAGE if `path` is the same file as one of the files read, under any name,
// because its content would be lost.  The message begins with `option` ("--output=" or
// "") and the path.
int hp_cli_outfile_refuse(const char *option, const char *path,
                          const struct hp_cli_read_files *read, size_t count,
                          struct hp_err *err);

#endif
