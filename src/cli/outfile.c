#include "cli/outfile.h"

#include "cli/cleanup.h"
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRIES = 16,          // random names tried
    MODE_DEFAULT = 0666, // permissions of a new file, before umask
    MODE_KEPT = 0777,    // permissions that a replaced file keeps; no set-user-ID
    PLACE_SIZE = 32,     // bytes of "/proc/self/fd/N"
    PIECE = 1 << 30,     // largest number of bytes copied at a time
};

// Descriptor 1 was closed at the start, and is /dev/null now.
static bool stdout_was_closed;

void hp_cli_outfile_guard_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            stdout_was_closed = stdout_was_closed || fd == STDOUT_FILENO;
            // open() returns the lowest free number, which is `fd`.
            (void)!open("/dev/null", O_RDWR);
        }
    }
    signal(SIGPIPE, SIG_IGN);
}

// Fill `err` with out->sys, the errno of the first failure of the output; it is set to
// the current errno if there was none before.  Returns HP_E_OUTPUT.
static int fail(struct hp_cli_outfile *out, const char *message, struct hp_err *err) {
    out->sys = out->sys != 0 ? out->sys : errno;
    errno = out->sys;
    bool is_known = out->is_standard && errno == EPIPE; // closed by the reader on purpose
    return hp_cli_fail_errno(err, HP_E_OUTPUT, out->path, is_known ? "" : message);
}

int hp_cli_outfile_failed(struct hp_cli_outfile *out, struct hp_err *err) {
    return fail(out, HP_MESSAGE("output-not-written", "cannot write"), err);
}

// Whether two results of stat() are the same file.
static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether `path` is a symbolic link to the open file `fd`, as /dev/stdout is.  Such a
// link must not be replaced by the output.
static bool is_link_to(const char *path, int fd) {
    struct stat link, file, open_file;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(path, &file) == 0 &&
           fstat(fd, &open_file) == 0 && same_file(&file, &open_file);
}

// Use a duplicate of standard output or standard error as the output.
static int open_standard(struct hp_cli_outfile *out, int fd, struct hp_err *err) {
    if (fd == STDOUT_FILENO && stdout_was_closed) {
        errno = EBADF;
        return fail(out, HP_MESSAGE("output-closed", "cannot write"), err);
    }
    out->is_standard = true;
    out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return out->fd >= 0 ? HP_OK
                        : fail(out, HP_MESSAGE("output-not-copied", "cannot write"), err);
}

// Open an existing file that is not a regular file.
static int open_direct(struct hp_cli_outfile *out, struct hp_err *err) {
    struct stat status;
    out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (out->fd < 0 || fstat(out->fd, &status) != 0) {
        return fail(out, HP_MESSAGE("output-not-opened", "cannot open for writing"), err);
    }
    if (S_ISREG(status.st_mode)) {
        errno = EEXIST; // a regular file has replaced it since
        return fail(out, HP_MESSAGE("output-replaced", "cannot open for writing"), err);
    }
    return HP_OK;
}

// --- the unfinished file ---------------------------------------------------------------

// Set `temporary` to a random name in the folder of the output.  Returns -1 with errno on
// failure.
static int name_temporary(struct hp_cli_outfile *out) {
    uint64_t number;
    const char *slash = strrchr(out->path, '/');
    int directory = slash != NULL ? (int)(slash - out->path) + 1 : 0;
    if (strlen(out->path) + 40 > sizeof out->temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return -1;
    }
    snprintf(out->temporary, sizeof out->temporary, "%.*s.hprof-agg-%016" PRIx64,
             directory, out->path, number);
    return 0;
}

// Call `make` with new random names until no file of that name exists.  The signal
// handler is given each name before the file is made.  Returns the last result of `make`:
// -1 with errno on failure.
static int make_named(struct hp_cli_outfile *out,
                      int make(const struct hp_cli_outfile *out)) {
    int made = -1;
    for (int i = 0; made < 0 && i < TRIES; i++) {
        if (name_temporary(out) != 0) {
            break;
        }
        hp_cli_cleanup_file(out->temporary);
        made = make(out);
        if (made < 0) {
            // The file belongs to another process, or does not exist.
            hp_cli_cleanup_file(NULL);
        }
        if (made < 0 && errno != EEXIST) {
            break;
        }
    }
    return made;
}

// Create the unfinished file under the name out->temporary.  Returns a descriptor, or -1
// with errno.
static int create(const struct hp_cli_outfile *out) {
    return open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                out->mode);
}

// The path in /proc that leads to an open file.
static const char *place_of(int fd, char place[PLACE_SIZE]) {
    snprintf(place, PLACE_SIZE, "/proc/self/fd/%d", fd);
    return place;
}

// Give the open file, which has no name, the name out->temporary.  Returns 0, or -1 with
// errno.
static int link_to_name(const struct hp_cli_outfile *out) {
    char place[PLACE_SIZE];
    return linkat(AT_FDCWD, place_of(out->fd, place), AT_FDCWD, out->temporary,
                  AT_SYMLINK_FOLLOW);
}

// Open an unfinished file without a name.  It disappears with the process, however that
// ends.  Returns -1 if the file system has no such files, or if /proc is not mounted.
static int create_nameless(struct hp_cli_outfile *out) {
    char folder[PATH_MAX], place[PLACE_SIZE];
    if (name_temporary(out) != 0) {
        return -1;
    }
    int fd = open(hp_cli_outfile_folder(out, folder), O_RDWR | O_TMPFILE | O_CLOEXEC,
                  out->mode);
    if (fd >= 0 && access(place_of(fd, place), F_OK) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// Give the unfinished file the permissions of the file that it replaces, if there is one;
// for a new file, open() has applied the umask already.  Returns 0, or -1 with errno.
static int keep_mode(const struct hp_cli_outfile *out) {
    return out->keeps_mode ? fchmod(out->fd, out->mode) : 0;
}

// Open an unfinished file next to the output.  `target` is the file to replace, or NULL.
static int open_temporary(struct hp_cli_outfile *out, const struct stat *target,
                          struct hp_err *err) {
    out->keeps_mode = target != NULL;
    out->mode = target != NULL ? target->st_mode & MODE_KEPT : MODE_DEFAULT;
    out->fd = create_nameless(out);
    out->is_nameless = out->fd >= 0;
    out->fd = out->is_nameless ? out->fd : make_named(out, create);
    if (out->fd >= 0 && keep_mode(out) == 0) {
        return HP_OK;
    }
    fail(out, HP_MESSAGE("output-not-created", "cannot create a file in its directory"),
         err);
    hp_cli_outfile_discard(out);
    return err->code;
}

int hp_cli_outfile_open(struct hp_cli_outfile *out, const char *path,
                        struct hp_err *err) {
    bool standard = path == NULL || strcmp(path, "-") == 0;
    *out = (struct hp_cli_outfile){.path = standard ? "standard output" : path, .fd = -1};
    if (standard || is_link_to(path, STDOUT_FILENO)) {
        return open_standard(out, STDOUT_FILENO, err);
    }
    if (is_link_to(path, STDERR_FILENO)) {
        return open_standard(out, STDERR_FILENO, err);
    }
    struct stat target;
    if (stat(path, &target) == 0 && !S_ISREG(target.st_mode)) {
        return open_direct(out, err);
    }
    bool exists = lstat(path, &target) == 0 && S_ISREG(target.st_mode);
    return open_temporary(out, exists ? &target : NULL, err);
}

// Handle errno after a failed write; if `fd` is not ready, wait until it is.  Returns 0
// if the write may be repeated, -1 with errno if not.
static int recover(int fd) {
    if (errno == EINTR) {
        return 0;
    }
    if (errno == EAGAIN) {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        return poll(&ready, 1, -1) >= 0 || errno == EINTR ? 0 : -1;
    }
    return -1;
}

int hp_cli_outfile_write(void *data, const void *bytes, size_t size) {
    struct hp_cli_outfile *out = data;
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(out->fd, next, size);
        if (written < 0 && recover(out->fd) != 0) {
            out->sys = errno;
            return -1;
        }
        if (written > 0) {
            next += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

// Close the output once; returns what close() does.
static int close_file(struct hp_cli_outfile *out) {
    int fd = out->fd;
    out->fd = -1;
    return close(fd);
}

// fsync() that survives signals.
static int sync_file(int fd) {
    int ret;
    do {
        ret = fsync(fd);
    } while (ret != 0 && errno == EINTR);
    return ret;
}

// Copy the nameless file to a new one with a name, which becomes out->fd: for systems
// that do not allow links to a nameless file.  Returns 0, or -1 with errno.
static int copy_to_name(struct hp_cli_outfile *out) {
    int from = out->fd;
    off_t at = 0;
    ssize_t got = -1;
    out->fd = make_named(out, create);
    if (out->fd >= 0 && keep_mode(out) == 0) {
        do {
            got = sendfile(out->fd, from, &at, PIECE);
        } while (got > 0 || (got < 0 && errno == EINTR));
    }
    int saved = errno;
    close(from);
    errno = saved;
    return got == 0 ? sync_file(out->fd) : -1;
}

// Sync the complete file, and give it the name out->temporary if it is nameless.  Returns
// 0, or -1 with errno.
static int finish_temporary(struct hp_cli_outfile *out) {
    if (sync_file(out->fd) != 0) {
        return -1;
    }
    return !out->is_nameless || make_named(out, link_to_name) == 0 ? 0
                                                                   : copy_to_name(out);
}

int hp_cli_outfile_commit(struct hp_cli_outfile *out, struct hp_err *err) {
    bool failed = out->temporary[0] != '\0' && finish_temporary(out) != 0;
    failed = failed || close_file(out) != 0;
    if (!failed && out->temporary[0] != '\0') {
        failed = rename(out->temporary, out->path) != 0;
    }
    if (failed) {
        hp_cli_outfile_failed(out, err);
        hp_cli_outfile_discard(out);
        return err->code;
    }
    hp_cli_cleanup_file(NULL);
    return HP_OK;
}

void hp_cli_outfile_discard(struct hp_cli_outfile *out) {
    if (out->fd >= 0) {
        close_file(out);
    }
    hp_cli_cleanup();
}

const char *hp_cli_outfile_folder(const struct hp_cli_outfile *out,
                                  char folder[PATH_MAX]) {
    const char *slash = strrchr(out->temporary, '/');
    int size = slash != NULL ? (int)(slash - out->temporary) + 1 : 0;
    if (out->temporary[0] == '\0') {
        return NULL;
    }
    snprintf(folder, PATH_MAX, "%.*s", size > 0 ? size : 1,
             size > 0 ? out->temporary : ".");
    return folder;
}

// Whether the file `name` ("-" is standard input) is the same file as `target`.
static bool is_read_from(const char *name, const struct stat *target) {
    struct stat file;
    bool is_stdin = strcmp(name, "-") == 0;
    int found = is_stdin ? fstat(STDIN_FILENO, &file) : stat(name, &file);
    return found == 0 && same_file(target, &file);
}

int hp_cli_outfile_refuse(const char *option, const char *path,
                          const struct hp_cli_read_files *read, size_t count,
                          struct hp_err *err) {
    struct stat target;
    bool exists = stat(path, &target) == 0 && S_ISREG(target.st_mode);
    for (size_t k = 0; exists && k < count; k++) {
        for (size_t i = 0; i < read[k].files->count; i++) {
            const char *name = read[k].files->items[i];
            if (is_read_from(name, &target)) {
                return hp_cli_fail(err, HP_E_USAGE,
                                   HP_MESSAGE("output-is-input",
                                              "%s%s would replace the %s %s"),
                                   option, path, read[k].what, name);
            }
        }
    }
    return HP_OK;
}
