// Preloaded: each write of the thread hprof-capture to a disk takes a third of a second.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void *bytes, size_t size) {
    char name[16] = "", link[64], path[512];
    prctl(PR_GET_NAME, name);
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    if (strcmp(name, "hprof-capture") == 0 && !strstr(path, "memfd:")) {
        usleep(300000);
    }
    return syscall(SYS_write, fd, bytes, size);
}
