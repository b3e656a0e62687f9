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

enum {
    DEPTH_MAX = 64, // levels of folders below one that is named
};

// A folder that is being read.
struct folder {
    DIR *entries;
    const char *path;
    int depth; // levels below the folder that the user named
};

static void add_folder(struct hp_cli_filelist *list, const struct folder *folder);

// Whether an entry of a folder is a regular file with the name of a dump.
static bool is_dump(int folder, const char *name) {
    struct stat info;
    bool is_named_so = fnmatch("*.heap*", name, FNM_PERIOD) == 0 ||
                       fnmatch("*.pb.gz", name, FNM_PERIOD) == 0;
    return is_named_so && fstatat(folder, name, &info, 0) == 0 && S_ISREG(info.st_mode);
}

// Whether an entry of a folder is a folder, and no link to one.
static bool is_folder(int folder, const char *name) {
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(info.st_mode);
}

// Compare paths for qsort().
static int by_name(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

// Returns the path of an entry, which belongs to the list.
static const char *path_of(struct hp_cli_filelist *list, const struct folder *folder,
                           const char *name) {
    const char *slash = folder->path[strlen(folder->path) - 1] == '/' ? "" : "/";
    size_t size = strlen(folder->path) + strlen(name) + 2;
    char **text = add_text(list);
    char *path = *text = hp_cli_resize(NULL, size);
    snprintf(path, size, "%s%s%s", folder->path, slash, name);
    return path;
}

// Append the dumps in a folder below another.  One that cannot be opened is appended
// itself, as an input that cannot be read: it may have dumps.
static void add_below(struct hp_cli_filelist *list, const struct folder *above,
                      const char *name) {
    struct folder folder = {.path = path_of(list, above, name),
                            .depth = above->depth + 1};
    int fd = folder.depth > DEPTH_MAX
                 ? -1
                 : openat(dirfd(above->entries), name,
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    folder.entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder.entries != NULL) {
        add_folder(list, &folder);
        closedir(folder.entries);
    } else {
        hp_cli_words_add(&list->paths, folder.path);
    }
}

// Whether an open folder is a set of the capture.
static bool is_set(int folder) {
    struct stat info;
    return fstatat(folder, "facts.json", &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

static bool has_end(const char *name, const char *end) {
    size_t length = strlen(name), size = strlen(end);
    return length > size && strcmp(name + length - size, end) == 0;
}

// Whether a file of a set explains the memory of its process, for an account.
static bool is_statistic(int set, const char *name) {
    struct stat info;
    bool is_named_so = has_end(name, ".smaps") ||
                       (has_end(name, ".json") && strcmp(name, "facts.json") != 0);
    return is_named_so && name[0] != '.' &&
           fstatat(set, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

// Append the dumps in a folder and in those below it, and the statistics in sets if they
// are wanted.  Hidden folders are skipped, and so are links to folders: sets that are not
// complete are hidden.
static void add_folder(struct hp_cli_filelist *list, const struct folder *folder) {
    int fd = dirfd(folder->entries);
    bool has_statistics = list->with_statistics && is_set(fd);
    for (const struct dirent *entry; (entry = readdir(folder->entries)) != NULL;) {
        const char *name = entry->d_name;
        if (is_dump(fd, name) || (has_statistics && is_statistic(fd, name))) {
            hp_cli_words_add(&list->paths, path_of(list, folder, name));
        } else if (name[0] != '.' && is_folder(fd, name)) {
            add_below(list, folder, name);
        }
    }
}

void hp_cli_filelist_add(struct hp_cli_filelist *list, const char *path) {
    struct stat info;
    size_t before = list->paths.count;
    bool is_named = *path != '\0' && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    struct folder folder = {.entries = is_named ? opendir(path) : NULL, .path = path};
    bool is_open = folder.entries != NULL;
    if (is_open) {
        add_folder(list, &folder);
        closedir(folder.entries);
    }
    if (list->paths.count == before) {
        hp_cli_words_add(&list->paths, path);
        list->bare_folder = is_open ? path : list->bare_folder;
    } else {
        qsort(list->paths.items + before, list->paths.count - before,
              sizeof *list->paths.items, by_name);
    }
}

int hp_cli_filelist_check(const struct hp_cli_filelist *list, struct hp_err *err) {
    if (list->bare_folder == NULL || list->paths.count > 1) {
        return HP_OK;
    }
    hp_cli_fail(
        err, HP_E_EMPTY,
        HP_MESSAGE(
            "folder-without-dumps",
            "no file in or below this folder is called *.heap* or *.pb.gz. Name the "
            "dumps"));
    snprintf(err->where, sizeof err->where, "%s", list->bare_folder);
    return HP_E_EMPTY;
}
