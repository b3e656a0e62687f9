// A program that does what its arguments say, one after the other:
//   grow MIB_PER_SECOND MIB   allocate and keep memory
//   fork                      go on in a child, and wait for it
//   daemon                    go on in a daemon
//   close                     close all descriptors from 3 on
//   descriptors               print how many descriptors are open
//   unshare                   print the error of unshare(CLONE_NEWUSER), or 0
//   now REASON                ask for a set, print the result
//   start FOLDER              start to capture: only with -DVENDORED
//   sleep SECONDS             sleep
//   longest SECONDS           print the longest wait in malloc, in milliseconds
//   say                       print the process id
//   jit FOLDER                write a jitdump and map it, as its writers do
//   title                     overwrite the environment, as setproctitle() does
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef VENDORED
#    include "hprof_capture.h"
int mallctl(const char *, void *, size_t *, void *, size_t);

static int dump(const char *path, void *data) {
    return mallctl((const char *)data, NULL, NULL, &path, sizeof path);
}

static void start(const char *folder) {
    static struct hprof_capture_options options;
    options.folder = folder;
    options.dump = dump;
    options.data = (void *)"prof.dump";
    printf("start %d\n", hprof_capture_start(&options));
}
#else
int hprof_capture_now(const char *reason) __attribute__((weak));
#endif

#ifdef GPERFTOOLS
// As in gperftools, whose unwinder has a pipe, and closes it where it finds something else.
static int pipe_of_unwinder[2];

__attribute__((constructor)) static void open_pipe(void) {
    (void)!pipe(pipe_of_unwinder);
}

int IsHeapProfilerRunning(void) {
    return 1;
}

char *GetHeapProfile(void) {
    char byte = 1;
    if (write(pipe_of_unwinder[1], &byte, 1) != 1 ||
        read(pipe_of_unwinder[0], &byte, 1) != 1) {
        close(pipe_of_unwinder[0]);
        close(pipe_of_unwinder[1]);
    }
    return strdup(
        "heap profile: 1: 100 [1: 100] @ heapprofile\n"
        "1: 100 [1: 100] @ 0x401000\n\nMAPPED_LIBRARIES:\n");
}
#endif

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void leak(void) {
    for (int i = 0; i < 64; i++) {
        char *object = malloc(16384);
        if (!object) {
            printf("out of memory\n");
            exit(3);
        }
        memset(object, 1, 16384);
    }
}

static void grow(double rate, int mib) {
    double begun = now();
    for (int i = 0; i < mib; i++) {
        leak();
        while ((now() - begun) * rate < i) {
            usleep(200);
        }
    }
}

static void wait_longest(double seconds) {
    double longest = 0, end = now() + seconds;
    for (double begun = now(), after; begun < end; begun = after) {
        // Large enough to be sampled now and then, which needs the profiler's locks.
        void *volatile object = malloc(8192);
        free(object);
        after = now();
        longest = after - begun > longest ? after - begun : longest;
    }
    printf("longest %.0f\n", longest * 1e3);
}

static int descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count - 3; // ".", ".." and the directory
}

static void go_on_in_child(void) {
    pid_t child = fork();
    if (child != 0) {
        int status = 1;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    }
}

static void write_jitdump(const char *folder) {
    char path[512];
    snprintf(path, sizeof path, "%s/jit-%d.dump", folder, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    ssize_t size = write(fd, "jitted", 6);
    if (size != 6 ||
        mmap(NULL, 6, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
        printf("no jitdump\n");
    }
    close(fd);
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (strcmp(word, "grow") == 0) {
            grow(atof(words[i + 1]), atoi(words[i + 2]));
            i += 2;
        } else if (strcmp(word, "fork") == 0) {
            go_on_in_child();
        } else if (strcmp(word, "daemon") == 0) {
            if (daemon(1, 1) != 0) {
                return 4;
            }
        } else if (strcmp(word, "close") == 0) {
            for (int fd = 3; fd < 1024; fd++) {
                close(fd);
            }
        } else if (strcmp(word, "descriptors") == 0) {
            printf("descriptors %d\n", descriptors());
        } else if (strcmp(word, "unshare") == 0) {
            printf("unshare %d\n", unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
        } else if (strcmp(word, "now") == 0) {
            printf("now %d\n", hprof_capture_now(words[++i]));
        } else if (strcmp(word, "sleep") == 0) {
            double end = now() + atof(words[++i]);
            while (now() < end) {
                usleep(1000);
            }
        } else if (strcmp(word, "longest") == 0) {
            wait_longest(atof(words[++i]));
        } else if (strcmp(word, "jit") == 0) {
            write_jitdump(words[++i]);
        } else if (strcmp(word, "title") == 0) {
            for (char **variable = environ; *variable; variable++) {
                memset(*variable, 0, strlen(*variable));
            }
        } else if (strcmp(word, "say") == 0) {
            printf("pid %d\n", (int)getpid());
#ifdef VENDORED
        } else if (strcmp(word, "start") == 0) {
            start(words[++i]);
#endif
        } else {
            return 5;
        }
    }
    return 0;
}
