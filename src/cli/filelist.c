#include "cli/filelist.h"

#include "cli/message.h"
#include "cli/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (64 * 1024)

static const size_t size_max = (size_t)1 << 30;

void hp_cli_filelist_done(struct hp_cli_filelist *list) {
    for (size_t i = 0; i < list->text_count; i++) {
        free(list->texts[i]);
    }
    free(list->texts);
    free(list->paths.items);
    *list = (struct hp_cli_filelist){0};
}

// One byte is always left for a terminator.
static int read_all(int fd, const char *path, char **text, size_t *size,
                    struct hp_err *err) {
    size_t capacity = 0;
    for (;;) {
        if (capacity - *size <= BLOCK) {
            capacity = capacity * 2 + 2 * BLOCK;
            *text = hp_cli_resize(*text, capacity);
        }
        ssize_t got = read(fd, *text + *size, BLOCK);
        if (got == 0) {
            return HP_OK;
        }
        if (got < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        } else if (got < 0 && errno != EINTR) {
            return hp_cli_fail_errno(err, HP_E_IO, path, "cannot read the list");
        }
        *size += got > 0 ? (size_t)got : 0;
        if (*size > size_max) {
            return hp_cli_fail(err, HP_E_LIMIT, "the list is larger than %zu bytes",
                               size_max);
        }
    }
}

static int split(char *text, size_t size, char end, struct hp_cli_words *paths,
                 struct hp_err *err) {
    char *next, *last = text + size;
    uint64_t line = 1;
    size_t before = paths->count;
    for (char *path = text; path < last; path = next + 1, line++) {
        next = memchr(path, end, (size_t)(last - path));
        next = next != NULL ? next : last;
        *next = '\0';
        if (strlen(path) < (size_t)(next - path)) {
            hp_cli_fail(err, HP_E_FORMAT,
                        "a NUL byte in a path; --null reads such lists");
            err->line = line;
            return err->code;
        }
        if (next > path) {
            hp_cli_words_add(paths, path);
        }
    }
    return paths->count > before
               ? HP_OK
               : hp_cli_fail(err, HP_E_EMPTY, "the list names no input");
}

int hp_cli_filelist_read(struct hp_cli_filelist *list, const char *path, char end,
                         struct hp_err *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return hp_cli_fail_errno(err, HP_E_IO, path, "cannot open the list");
    }
    list->texts = hp_cli_grow(list->texts, list->text_count, sizeof *list->texts);
    char **text = &list->texts[list->text_count++];
    *text = NULL;
    size_t size = 0;
    int ret = read_all(fd, path, text, &size, err);
    if (ret == HP_OK) {
        ret = split(*text, size, end, &list->paths, err);
    }
    if (ret != HP_OK) {
        snprintf(err->where, sizeof err->where, "%s", path);
    }
    if (!is_stdin) {
        close(fd);
    }
    return ret;
}
