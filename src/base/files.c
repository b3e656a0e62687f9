#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    // Opening a FIFO must not block, and a terminal must not become ours.
    FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
    // Flags for a folder that is only passed through.
    FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC,
    // Symbolic links that are followed in one path, as the kernel's own limit.
    MOST_LINKS = 40,
    // Attempts of a system call that can fail for a reason that has nothing to do with
    // the file.
    MOST_TRIES = 16,
};

// Call openat2().  A signal, or a rename on the way, can interrupt it: neither says
// anything about the file, so that it is tried again.
static int open_resolved(int folder, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = FLAGS | flags,
                           .resolve = resolve | RESOLVE_NO_MAGICLINKS};
    int fd = -1;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) {
            break;
        }
    }
    return fd;
}

// Whether errno says that openat2() cannot be used here: kernels before 5.6 lack it, and
// container filters that do not know it answer EPERM.
static bool lacks_openat2(void) {
    return errno == ENOSYS || errno == EPERM || errno == EINTR || errno == EAGAIN;
}

static void close_keeping_errno(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
}

// Store the description of the file system that a file is on.  Returns 0, or -1 with
// errno.  A signal can interrupt the call on a network file system; it is then tried
// again.
static int find_volume(int fd, struct statfs *volume) {
    int ret = -1;
    for (int tries = 0; tries < MOST_TRIES && ret != 0; tries++) {
        ret = fstatfs(fd, volume);
        if (ret != 0 && errno != EINTR) {
            break;
        }
    }
    return ret;
}

// Whether the file is regular, has content and is not in /proc or /sys, where reading can
// have side effects and no binary is.  False with errno.
static bool is_plain_file(int fd) {
    struct stat info;
    struct statfs volume;
    if (fstat(fd, &info) != 0) {
        return false;
    }
    bool is_plain = S_ISREG(info.st_mode) && info.st_size > 0;
    if (is_plain && find_volume(fd, &volume) != 0) {
        return false;
    }
    errno = EINVAL;
    return is_plain && volume.f_type != PROC_SUPER_MAGIC && volume.f_type != SYSFS_MAGIC;
}

// Return `fd` if it is a plain file; otherwise close it and return -1 with errno.
static int check(int fd) {
    if (fd >= 0 && !is_plain_file(fd)) {
        close_keeping_errno(fd);
        return -1;
    }
    return fd;
}

ssize_t hp_read_at(int fd, void *bytes, size_t size, uint64_t at) {
    size_t done = 0;
    ssize_t got = 1;
    while (done < size && got != 0) {
        got = pread(fd, (char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

// State of resolving a path below a root.  `done` contains no link, no "." and no "..";
// `left` is the rest that still has to be resolved.
struct path_walk {
    char done[PATH_MAX], left[PATH_MAX];
    // Number of links followed so far.
    int links;
};

static void drop_last(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
}

// Take the next component off `left`.  Returns its size; 0 at the end; SIZE_MAX if it is
// longer than a name may be.
static size_t next_component(struct path_walk *walk, char component[NAME_MAX + 1]) {
    const char *at = walk->left + strspn(walk->left, "/");
    size_t size = strcspn(at, "/");
    if (size > NAME_MAX) {
        return SIZE_MAX;
    }
    memcpy(component, at, size);
    component[size] = '\0';
    memmove(walk->left, at + size, strlen(at + size) + 1);
    return size;
}

// The last component of `done` is a link: put its target in front of `left`.  An absolute
// target starts again at the root.  Returns -1 with errno if there are too many links, or
// if the path becomes too long.
static int follow(struct path_walk *walk, const char *target, size_t size) {
    char rest[PATH_MAX];
    int needed = snprintf(rest, sizeof rest, "%.*s/%s", (int)size, target, walk->left);
    if (needed < 0 || (size_t)needed >= sizeof rest || ++walk->links > MOST_LINKS) {
        errno = ELOOP;
        return -1;
    }
    memcpy(walk->left, rest, (size_t)needed + 1);
    if (target[0] == '/') {
        walk->done[0] = '\0';
    } else {
        drop_last(walk->done);
    }
    return 0;
}

// Append one component of the path to `done`; if the result is a link, follow it.  ".."
// never leads above the root.  Returns 0, or -1 with errno.
static int enter(int root, struct path_walk *walk, const char *component) {
    size_t size = strlen(walk->done);
    if (strcmp(component, ".") == 0) {
        return 0;
    }
    if (strcmp(component, "..") == 0) {
        drop_last(walk->done);
        return 0;
    }
    if (size + strlen(component) + 2 > sizeof walk->done) {
        errno = ENAMETOOLONG;
        return -1;
    }
    walk->done[size] = '/';
    memcpy(walk->done + size + 1, component, strlen(component) + 1);
    char target[PATH_MAX];
    ssize_t got = readlinkat(root, walk->done + 1, target, sizeof target);
    if (got > 0) {
        return follow(walk, target, (size_t)got);
    }
    return errno == EINVAL ? 0 : -1;
}

// Open a path that contains no links, component by component, and fail if one of them has
// turned into a link meanwhile.  Returns the descriptor, or -1 with errno.
static int open_plainly(int root, const char *path) {
    int folder = fcntl(root, F_DUPFD_CLOEXEC, 3);
    while (folder >= 0) {
        char component[NAME_MAX + 1];
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        memcpy(component, path, size);
        component[size] = '\0';
        path += size;
        int flags = (*path ? FOLDER : FLAGS) | O_NOFOLLOW;
        int next = openat(folder, size ? component : ".", flags);
        close_keeping_errno(folder);
        if (next < 0 || !*path) {
            return next;
        }
        folder = next;
    }
    return -1;
}

// Resolve a path inside the folder `root` and open the file.  A path that ends in '/'
// names a folder and is refused.
static int walk_in(int root, const char *path) {
    struct path_walk walk = {.links = 0};
    size_t whole = strlen(path);
    if (whole >= sizeof walk.left || (whole > 0 && path[whole - 1] == '/')) {
        errno = whole >= sizeof walk.left ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    memcpy(walk.left, path, whole + 1);
    char component[NAME_MAX + 1];
    size_t size;
    while ((size = next_component(&walk, component)) > 0) {
        if (size == SIZE_MAX || enter(root, &walk, component) < 0) {
            return -1;
        }
    }
    return open_plainly(root, walk.done);
}

int hp_open_walk(const char *root, const char *path) {
    int folder = open(root, FOLDER);
    if (folder < 0) {
        return -1;
    }
    int fd = walk_in(folder, path);
    close_keeping_errno(folder);
    return check(fd);
}

int hp_open_file(const char *root, const char *path) {
    if (!root) {
        int fd = open_resolved(AT_FDCWD, path, 0, 0);
        return check(fd < 0 && lacks_openat2() ? open(path, FLAGS) : fd);
    }
    int folder = open(root, FOLDER);
    if (folder < 0) {
        return -1;
    }
    int fd = open_resolved(folder, path, 0, RESOLVE_IN_ROOT);
    close_keeping_errno(folder);
    return fd < 0 && lacks_openat2() ? hp_open_walk(root, path) : check(fd);
}

int hp_open_itself(const char *path) {
    int fd = open_resolved(AT_FDCWD, path, O_NOFOLLOW, 0);
    return check(fd < 0 && lacks_openat2() ? open(path, FLAGS | O_NOFOLLOW) : fd);
}

bool hp_path_of(int fd, char path[PATH_MAX]) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    return size > 0;
}

// --- inputs -------------------------------------------------------------------------------

// Whether the path is a descriptor of this process.  Its parent has opened that file, and
// reading may wait for bytes.
static bool is_own_descriptor(const char *path) {
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

// Whether a process may still write to a pipe. tee() consumes nothing and returns 0 if a
// pipe has neither bytes nor a writer.  True if it cannot be tested.
static bool has_writer(int fd) {
    int other[2];
    if (pipe2(other, O_CLOEXEC) != 0) {
        return true;
    }
    ssize_t got = tee(fd, other[1], 1, SPLICE_F_NONBLOCK);
    close(other[0]);
    close(other[1]);
    return got != 0;
}

// The reason why an input is refused, for a message; NULL: it may be read.  With `waits`,
// a FIFO without a writer is not refused.
static const char *objection(int fd, bool waits) {
    struct stat info;
    struct statfs volume;
    if (fstat(fd, &info) != 0) {
        return NULL; // reading it fails, too, and says why
    }
    bool is_device = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
    if (is_device && info.st_rdev != makedev(1, 3)) { // the device number of /dev/null
        return HP_WORDS("file-device", "this is a device, which may have no end");
    }
    if (S_ISREG(info.st_mode) && find_volume(fd, &volume) == 0 &&
        volume.f_type == PROC_SUPER_MAGIC) {
        return HP_WORDS("file-of-proc", "this is a file of /proc, which may have no end");
    }
    return S_ISFIFO(info.st_mode) && !waits && !has_writer(fd)
               ? HP_WORDS("fifo-no-writer",
                          "no process writes to this FIFO. Use --wait to wait for one")
               : NULL;
}

int hp_open_input(const char *path, bool waits, struct hp_err *err) {
    struct stat info;
    bool is_own = is_own_descriptor(path);
    // Opening may block only for our own descriptors and for a FIFO that is waited for.
    bool blocks = is_own || (waits && stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (blocks ? 0 : O_NONBLOCK));
    const char *why = fd >= 0 && !is_own ? objection(fd, waits) : NULL;
    if (fd < 0 && errno == ENXIO && stat(path, &info) == 0 && S_ISSOCK(info.st_mode)) {
        hp_fail(err, HP_E_IO, HP_MESSAGE("file-socket", "this is a socket, not a file"));
    } else if (fd < 0) {
        hp_fail_errno(err, HP_MESSAGE("file-not-opened", "cannot open"));
    } else if (why) {
        close(fd);
        fd = -1;
        hp_fail(err, HP_E_IO, "%s", hp_words(why));
    } else if (!blocks) {
        int flags = fcntl(fd, F_GETFL);
        fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    }
    return fd;
}
