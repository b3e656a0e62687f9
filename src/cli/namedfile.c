#include "cli/namedfile.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

// Add the file to an error and, if a system call failed, the noun: "cannot open the
// list".  Returns -1.
static int describe(const struct hp_cli_named_file *file, const char *verb,
                    struct hp_err *err) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    if (err->sys != 0) {
        snprintf(err->message, sizeof err->message,
                 hp_message_format(HP_MESSAGE("named-file-not-read", "cannot %s the %s"),
                                   room),
                 verb, file->what);
    }
    snprintf(err->where, sizeof err->where, "%s", file->path);
    return -1;
}

int hp_cli_named_file_open(const struct hp_cli_named_file *file, struct hp_err *err) {
    int fd = hp_open_input(file->path, file->waits, err);
    return fd >= 0 ? fd : describe(file, "open", err);
}

ssize_t hp_cli_named_file_read(const struct hp_cli_named_file *file, char *bytes,
                               size_t room, struct hp_err *err) {
    int fd = hp_cli_named_file_open(file, err);
    size_t size = 0;
    ssize_t got = fd >= 0 ? 1 : -1;
    while (got > 0 && size < room) {
        got = read(fd, bytes + size, room - size);
        size += got > 0 ? (size_t)got : 0;
        got = got < 0 && errno == EINTR ? 1 : got;
    }
    if (fd >= 0 && got < 0) {
        *err = (struct hp_err){.code = HP_E_IO, .sys = errno};
        describe(file, "read", err);
    }
    if (fd >= 0) {
        close(fd);
    }
    return got >= 0 ? (ssize_t)size : -1;
}
