// A preloaded library that lets the first system calls of a process fail, as FAIL_CALLS
// says:
//
//     FAIL_CALLS="fsync=4*1 pread=4*3"    one fsync and three preads end with errno 4 (EINTR)
//
// "tmpfile" is an open() of a file without a name, "thread" the start of a thread.  A forked process continues the
// numbers of its parent.  The program has to be built like this library, for offsets of
// 64 bits.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

enum call {
    PREAD,
    PWRITE,
    FSTATFS,
    FSYNC,
    LINKAT,
    TMPFILE,
    THREAD,
    CALLS,
};

static bool fails(enum call call) {
    static const char *const names[CALLS] = {"pread=",  "pwrite=",  "fstatfs=", "fsync=",
                                             "linkat=", "tmpfile=", "thread="};
    static atomic_long calls[CALLS];
    const char *text = getenv("FAIL_CALLS");
    const char *found = text ? strstr(text, names[call]) : NULL;
    if (!found) {
        return false;
    }
    char *end;
    long error = strtol(found + strlen(names[call]), &end, 10);
    long most = *end == '*' ? strtol(end + 1, NULL, 10) : 1;
    bool is_failure = atomic_fetch_add(&calls[call], 1) < most;
    errno = is_failure ? (int)error : errno;
    return is_failure;
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
    return fails(PREAD) ? -1 : syscall(SYS_pread64, fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return fails(PWRITE) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
}

int fstatfs(int fd, struct statfs *volume) {
    return fails(FSTATFS) ? -1 : (int)syscall(SYS_fstatfs, fd, volume);
}

int fsync(int fd) {
    return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    return fails(LINKAT) ? -1 : (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    bool is_failure = (flags & O_TMPFILE) == O_TMPFILE && fails(TMPFILE);
    return is_failure ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *data) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return fails(THREAD) ? errno : create(thread, attributes, start, data);
}
