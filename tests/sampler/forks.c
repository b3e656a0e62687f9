// Threads that fork while others allocate.  Each child allocates; a third of the children
// dump on request, and the children end in three ways.  The parent prints their exit
// statuses, as negative numbers those of children that died by a signal.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((weak)) int hprof_sampler_dump(const char *name);

enum {
    FORKERS = 4,
    FORKS = 12,
    OTHERS = 4,
    KEPT = 50
};

static volatile int going = 1;
static void *kept[KEPT], *child_kept[KEPT];

__attribute__((noinline)) static void parent_keeps(void) {
    for (int i = 0; i < KEPT; i++) {
        kept[i] = malloc(1000);
    }
}

__attribute__((noinline)) static void child_keeps(void) {
    for (int i = 0; i < KEPT; i++) {
        child_kept[i] = malloc(2000);
    }
}

static void *allocate(void *unused) {
    (void)unused;
    while (going) {
        void *p = malloc(100);
        p = realloc(p, 5000);
        free(p);
    }
    return NULL;
}

static void child(int n) {
    child_keeps();
    for (int i = 0; i < KEPT; i += 2) {
        free(kept[i]);
    }
    if (n % 3 == 0) {
        if (hprof_sampler_dump && hprof_sampler_dump(NULL) != 0) {
            _exit(99);
        }
        _exit(10); // without a final dump
    }
    if (n % 3 == 1) {
        execlp("true", "true", (char *)NULL);
        _exit(98);
    }
    exit(11);
}

static void *fork_often(void *statuses) {
    for (int n = 0; n < FORKS; n++) {
        pid_t pid = fork();
        if (pid == 0) {
            child(n);
        }
        int status;
        waitpid(pid, &status, 0);
        ((int *)statuses)[n] =
            WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return NULL;
}

int main(void) {
    static int statuses[FORKERS][FORKS];
    pthread_t forkers[FORKERS], others[OTHERS];
    parent_keeps();
    for (int i = 0; i < OTHERS; i++) {
        pthread_create(&others[i], NULL, allocate, NULL);
    }
    for (int i = 0; i < FORKERS; i++) {
        pthread_create(&forkers[i], NULL, fork_often, statuses[i]);
    }
    for (int i = 0; i < FORKERS; i++) {
        pthread_join(forkers[i], NULL);
    }
    going = 0;
    for (int i = 0; i < OTHERS; i++) {
        pthread_join(others[i], NULL);
    }
    for (int i = 0; i < FORKERS * FORKS; i++) {
        printf("%d ", statuses[i / FORKS][i % FORKS]);
    }
    puts("");
    return 0;
}
