#include "cli/filelist.h"

#include "cli/message.h"
#include "cli/namedfile.h"
#include "cli/storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Bytes read at a time.
#define BLOCK (64 * 1024)

// Largest list, in bytes.
static const size_t size_max = (size_t)1 << 30;

void hp_cli_filelist_done(struct hp_cli_filelist *list) {
    for (size_t i = 0; i < list->text_count; i++) {
        free(list->texts[i]);
    }
    free(list->texts);
    free(list->paths.items);
    *list = (struct hp_cli_filelist){0};
}

// Append an owned text, NULL at first; returns its address in list->texts, where the
// caller stores it.
static char **add_text(struct hp_cli_filelist *list) {
    list->texts = hp_cli_grow(list->texts, list->text_count, sizeof *list->texts);
    list->texts[list->text_count] = NULL;
    return &list->texts[list->text_count++];
}

// --- lists -----------------------------------------------------------------------------

// Progress of reading a list.  It serves to refuse a path of PATH_MAX bytes or more,
// which the kernel would not open.
struct list {
    const char *path;
    char end;      // the byte after each path
    uint64_t line; // line at `begin`, for messages
    size_t begin;  // offset of the path that is not complete yet
};

// Check the lengths of the paths that end in text[from, size), or are still incomplete.
// HP_E_FORMAT if one is PATH_MAX bytes or more.
static int check_lengths(struct list *list, const char *text, size_t from, size_t size,
                         struct hp_err *err) {
    for (const char *end = text + from; end != NULL;) {
        end = memchr(end, list->end, (size_t)(text + size - end));
        size_t at = end != NULL ? (size_t)(end - text) : size;
        if (at - list->begin >= PATH_MAX) {
            hp_cli_fail(err, HP_E_FORMAT,
                        HP_MESSAGE("path-over-limit",
                                   "a path of %d bytes or more is too long"),
                        PATH_MAX);
            err->line = list->line;
            return err->code;
        }
        if (end != NULL) {
            list->begin = at + 1;
            list->line++;
            end++;
        }
    }
    return HP_OK;
}

// Read the whole list into *text, with room for one more byte.  HP_E_IO, HP_E_FORMAT for
// a path that is too long, HP_E_LIMIT for a list that is too long.
static int read_all(int fd, struct list *list, char **text, size_t *size,
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
            return hp_cli_fail_errno(err, HP_E_IO, list->path,
                                     HP_MESSAGE("list-not-read", "cannot read the list"));
        }
        size_t from = *size;
        *size += got > 0 ? (size_t)got : 0;
        if (check_lengths(list, *text, from, *size, err) != HP_OK) {
            return err->code;
        }
        if (*size > size_max) {
            return hp_cli_fail(err, HP_E_LIMIT,
                               HP_MESSAGE("list-too-large",
                                          "the list is larger than %zu bytes"),
                               size_max);
        }
    }
}

// Whether `fd` is a device that may never end.  Terminals, where a user types a list, and
// /dev/null are not.
static bool is_endless(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) && !isatty(fd) &&
           info.st_rdev != makedev(1, 3); // of /dev/null
}

// Cut the text into paths at the byte `end`, in place, and append those that are not
// empty to `paths`.  HP_E_FORMAT for a NUL byte inside a path; HP_E_EMPTY if there is no
// path.
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
                        HP_MESSAGE("list-nul",
                                   "a path has a NUL byte. Use --null for such lists"));
            err->line = line;
            return err->code;
        }
        if (next > path) {
            hp_cli_words_add(paths, path);
        }
    }
    return paths->count > before
               ? HP_OK
               : hp_cli_fail(err, HP_E_EMPTY,
                             HP_MESSAGE("list-empty", "the list has no paths"));
}

int hp_cli_filelist_read(struct hp_cli_filelist *list,
                         const struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err) {
    const struct hp_cli_named_file file = {path, "list", settings->read.wait};
    char end = settings->null_separated ? '\0' : '\n';
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : hp_cli_named_file_open(&file, err);
    if (fd < 0) {
        return err->code;
    }
    char **text = add_text(list);
    size_t size = 0;
    struct list lines = {.path = path, .end = end, .line = 1};
    int ret = is_endless(fd)
                  ? hp_cli_fail(err, HP_E_IO,
                                HP_MESSAGE("list-device",
                                           "this is a device, which may have no end"))
                  : read_all(fd, &lines, text, &size, err);
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

// --- folders ---------------------------------------------------------------------------

// Whether a file in the folder is a regular file with the name of a dump.
static bool is_dump(int folder, const char *name) {
    struct stat info;
    bool is_named_so = fnmatch("*.heap*", name, FNM_PERIOD) == 0 ||
                       fnmatch("*.pb.gz", name, FNM_PERIOD) == 0;
    return is_named_so && fstatat(folder, name, &info, 0) == 0 && S_ISREG(info.st_mode);
}

// Compare paths for qsort().
static int by_name(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

// Append the path of a file in a folder.
static char *add_path(struct hp_cli_filelist *list, const char *path, const char *name) {
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    size_t size = strlen(path) + strlen(name) + 2;
    char **text = add_text(list);
    *text = hp_cli_resize(NULL, size);
    snprintf(*text, size, "%s%s%s", path, slash, name);
    return *text;
}

static bool has_end(const char *name, const char *end) {
    size_t length = strlen(name), size = strlen(end);
    return length > size && strcmp(name + length - size, end) == 0;
}

// Whether a file of a set is an input: a dump, and for an account also what explains it.
static bool is_of_set(const struct hp_cli_filelist *list, int set, const char *name) {
    struct stat info;
    bool is_named_so = has_end(name, ".heap") ||
                       (list->with_statistics &&
                        (has_end(name, ".smaps") ||
                         (has_end(name, ".json") && strcmp(name, "facts.json") != 0)));
    return is_named_so && name[0] != '.' &&
           fstatat(set, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

// Whether an open folder is a set of the capture.
static bool is_set(int folder) {
    struct stat info;
    return fstatat(folder, "facts.json", &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

// Append the inputs in a folder inside `path`, if it is a set.  Sets that are not
// complete have names that begin with a dot.
static void add_set(struct hp_cli_filelist *list, int parent, const char *path,
                    const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = name[0] != '.' ? openat(parent, name, flags) : -1;
    DIR *set = fd >= 0 ? fdopendir(fd) : NULL;
    if (set != NULL && is_set(fd)) {
        const char *folder = add_path(list, path, name);
        for (const struct dirent *entry; (entry = readdir(set)) != NULL;) {
            if (is_of_set(list, fd, entry->d_name)) {
                hp_cli_words_add(&list->paths, add_path(list, folder, entry->d_name));
            }
        }
    }
    if (set != NULL) {
        closedir(set);
    } else if (fd >= 0) {
        close(fd);
    }
}

// Append the dumps in a folder, and those of the sets in it, sorted by path.
static void add_dumps(struct hp_cli_filelist *list, DIR *folder, const char *path) {
    size_t first = list->paths.count;
    int fd = dirfd(folder);
    bool is_of_capture = is_set(fd);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (is_dump(fd, entry->d_name) ||
            (is_of_capture && is_of_set(list, fd, entry->d_name))) {
            hp_cli_words_add(&list->paths, add_path(list, path, entry->d_name));
        } else if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) {
            add_set(list, fd, path, entry->d_name);
        }
    }
    if (list->paths.count > first) {
        qsort(list->paths.items + first, list->paths.count - first,
              sizeof *list->paths.items, by_name);
    }
}

void hp_cli_filelist_add(struct hp_cli_filelist *list, const char *path) {
    struct stat info;
    size_t before = list->paths.count;
    bool is_folder = *path != '\0' && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    DIR *folder = is_folder ? opendir(path) : NULL;
    if (folder != NULL) {
        add_dumps(list, folder, path);
        closedir(folder);
    }
    if (list->paths.count == before) {
        hp_cli_words_add(&list->paths, path);
        list->bare_folder = folder != NULL ? path : list->bare_folder;
    }
}

int hp_cli_filelist_check(const struct hp_cli_filelist *list, struct hp_err *err) {
    if (list->bare_folder == NULL || list->paths.count > 1) {
        return HP_OK;
    }
    hp_cli_fail(
        err, HP_E_EMPTY,
        HP_MESSAGE("folder-without-dumps",
                   "no file in this folder is called *.heap* or *.pb.gz: name the dumps "
                   "themselves"));
    snprintf(err->where, sizeof err->where, "%s", list->bare_folder);
    return HP_E_EMPTY;
}
