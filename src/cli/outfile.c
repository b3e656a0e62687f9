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
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRIES = 16,
    MODE_DEFAULT = 0666,
    MODE_KEPT = 0777
};

static bool stdout_was_closed;

void hp_cli_outfile_guard_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            stdout_was_closed = stdout_was_closed || fd == STDOUT_FILENO;
            // The lowest free number is `fd`.
            (void)!open("/dev/null", O_RDWR);
        }
    }
    signal(SIGPIPE, SIG_IGN);
}

static int fail(struct hp_cli_outfile *out, const char *message, struct hp_err *err) {
    out->sys = out->sys != 0 ? out->sys : errno;
    errno = out->sys;
    bool is_known = out->is_standard && errno == EPIPE; // to whoever closed the pipe
    return hp_cli_fail_errno(err, HP_E_OUTPUT, out->path, is_known ? "" : message);
}

int hp_cli_outfile_failed(struct hp_cli_outfile *out, struct hp_err *err) {
    return fail(out, "cannot write", err);
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// /dev/stdout and its like: to replace the link would be a surprise.
static bool is_link_to(const char *path, int fd) {
    struct stat link, file, open_file;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(path, &file) == 0 &&
           fstat(fd, &open_file) == 0 && same_file(&file, &open_file);
}

static int open_standard(struct hp_cli_outfile *out, int fd, struct hp_err *err) {
    if (fd == STDOUT_FILENO && stdout_was_closed) {
        errno = EBADF;
        return fail(out, "cannot write", err);
    }
    out->is_standard = true;
    out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return out->fd >= 0 ? HP_OK : fail(out, "cannot write", err);
}

static int open_direct(struct hp_cli_outfile *out, struct hp_err *err) {
    struct stat status;
    out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (out->fd < 0 || fstat(out->fd, &status) != 0) {
        return fail(out, "cannot open for writing", err);
    }
    if (S_ISREG(status.st_mode)) {
        errno = EEXIST; // it was none a moment ago
        return fail(out, "cannot open for writing", err);
    }
    return HP_OK;
}

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

static int open_temporary(struct hp_cli_outfile *out, const struct stat *target,
                          struct hp_err *err) {
    mode_t mode = target != NULL ? target->st_mode & MODE_KEPT : MODE_DEFAULT;
    for (int i = 0; i < TRIES; i++) {
        if (name_temporary(out) != 0) {
            break;
        }
        // Known to the signal handler before it exists.
        hp_cli_cleanup_file(out->temporary);
        out->fd = open(out->temporary,
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (out->fd >= 0 && (target == NULL || fchmod(out->fd, mode) == 0)) {
            return HP_OK;
        }
        if (errno != EEXIST) {
            break;
        }
        hp_cli_cleanup_file(NULL); // it is someone else's
    }
    fail(out, "cannot create a file beside it", err);
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

// 0 to try again, -1 to give up; errno says why.
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

static int close_file(struct hp_cli_outfile *out) {
    int fd = out->fd;
    out->fd = -1;
    return close(fd);
}

static int sync_file(int fd) {
    int ret;
    do {
        ret = fsync(fd);
    } while (ret != 0 && errno == EINTR);
    return ret;
}

int hp_cli_outfile_commit(struct hp_cli_outfile *out, struct hp_err *err) {
    bool failed = out->temporary[0] != '\0' && sync_file(out->fd) != 0;
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
                return hp_cli_fail(err, HP_E_USAGE, "%s%s would replace the %s %s",
                                   option, path, read[k].what, name);
            }
        }
    }
    return HP_OK;
}
