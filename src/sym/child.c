#include "sym/child.h"

#include "sym/sandbox.h"
#include "sym/starved.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Undo signal handlers and masks that the child inherited.
static void reset_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        // Fails for SIGKILL and the like, which have no handler.
        sigaction(i, &action, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Close all inherited files except `sock` and 0 to 2: messages of a sanitizer or of the C
// library go where the parent's do.
static void close_others(int sock) {
    if (sock > 3) {
        syscall(SYS_close_range, 3U, (unsigned)sock - 1, 0U);
    }
    syscall(SYS_close_range, (unsigned)sock + 1, ~0U, 0U);
}

// End the process; called when an allocation of ours fails.  The exit status is enough:
// the parent knows which file was being read.
_Noreturn static void end_without_memory(size_t wanted, const char *input) {
    (void)wanted, (void)input;
    _exit(HP_CHILD_NO_MEMORY);
}

// End the process; called when an allocation of a library fails.  Otherwise it could not
// be known what is missing from what the library reads after that.
static void end_starved(void) {
    _exit(HP_CHILD_NO_MEMORY);
}

// End the process; called when a library calls exit().  The exit handlers of the program
// must not run in the child.
static void on_exit_of_library(void) {
    _exit(1);
}

// The process that starts the child.
struct parent_process {
    pid_t pid;
    bool is_main_thread;
};

// Set up everything that the sandbox would refuse later.
static void prepare(int sock, const struct parent_process *parent) {
    struct rlimit none = {0, 0};
    reset_signals();
    atexit(on_exit_of_library);
    hp_on_out_of_memory(end_without_memory);
    if (parent->is_main_thread) { // else the child would be killed when that thread ends
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    }
    if (getppid() != parent->pid) {
        _exit(1); // the parent died before prctl() could take effect
    }
    setrlimit(RLIMIT_CORE, &none);
    close_others(sock);
#ifdef M_ARENA_MAX
    // The number of arenas depends on the number of CPUs, which is read from a file.
    mallopt(M_ARENA_MAX, 1);
#endif
}

// Run the child after fork(): enter the sandbox, call `serve`, and end.
_Noreturn static void be_child(int sock, const struct parent_process *parent,
                               void (*serve)(int sock), enum hp_sandbox sandbox) {
    hp_starved_watch(end_starved);
    prepare(sock, parent);
    if (!hp_sandbox_enter(sandbox)) {
        _exit(HP_CHILD_NO_SANDBOX);
    }
    serve(sock);
    _exit(0);
}

// --- the parent's side -----------------------------------------------------------------

// Bytes of this process that count towards RLIMIT_DATA; 0 if unknown.
static uint64_t data_size(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1) {
        pages = 0;
    }
    if (file) {
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Whether this process has a limit of that kind, which is stored in `limit`.
static bool is_limited(enum __rlimit_resource resource, struct rlimit *limit) {
    return getrlimit(resource, limit) == 0 && limit->rlim_cur != RLIM_INFINITY;
}

int hp_child_start(struct hp_child *child, void (*serve)(int sock),
                   enum hp_sandbox sandbox, struct hp_err *err) {
    int pair[2];
    struct rlimit limit;
    struct parent_process parent = {getpid(), gettid() == getpid()};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        return hp_fail_errno(err, HP_MESSAGE("child-no-socket",
                                             "no socket for the symbolizer"));
    }
    uint64_t data = is_limited(RLIMIT_DATA, &limit) ? data_size() : 0;
    pid_t pid = fork();
    if (pid == 0) {
        be_child(pair[1], &parent, serve, sandbox);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return hp_fail_errno(err, HP_MESSAGE("child-no-process",
                                             "no process for the symbolizer"));
    }
    *child = (struct hp_child){pid, pair[0], data};
    return HP_OK;
}

// Wait for the child as wait4() does; fills end->status and end->cpu.  Returns its pid, 0
// if it still runs (WNOHANG), or -1.
static pid_t reap(pid_t pid, struct hp_child_end *end, int flags) {
    struct rusage used = {0};
    pid_t got;
    do {
        got = wait4(pid, &end->status, flags, &used);
    } while (got < 0 && errno == EINTR);
    end->cpu = ((int64_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
               ((int64_t)used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
    return got;
}

struct hp_child_end hp_child_stop(struct hp_child *child, bool heard) {
    enum {
        TRIES = 30 // about a quarter of a second
    };

    struct hp_child_end end = {.status = -1};
    if (child->pid <= 0) {
        return end;
    }
    close(child->sock);
    pid_t got = heard ? reap(child->pid, &end, WNOHANG) : 0;
    for (int i = 0; heard && i < TRIES && got == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = i < 10 ? 200000 : 10000000}, NULL);
        got = reap(child->pid, &end, WNOHANG);
    }
    if (got == 0) {
        kill(child->pid, SIGKILL);
        reap(child->pid, &end, 0);
        end.is_our_kill = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
    }
    end.status = got < 0 ? -1 : end.status;
    *child = (struct hp_child){0};
    return end;
}

clockid_t hp_child_clock(const struct hp_child *child) {
    clockid_t clock = 0;
    return clock_getcpuclockid(child->pid, &clock) == 0 ? clock
                                                        : CLOCK_PROCESS_CPUTIME_ID;
}

int64_t hp_child_cpu(const struct hp_child *child) {
    struct timespec time = {0, 0};
    clock_gettime(hp_child_clock(child), &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Set a resource limit of the child from outside, not above its hard limit.  The child
// cannot do it itself: its sandbox refuses that.
static void limit(const struct hp_child *child, enum __rlimit_resource resource,
                  uint64_t to) {
    struct rlimit limit;
    if (prlimit(child->pid, resource, NULL, &limit) == 0) {
        limit.rlim_cur = to < limit.rlim_max ? (rlim_t)to : limit.rlim_max;
        prlimit(child->pid, resource, &limit, NULL);
    }
}

void hp_child_limit_cpu(const struct hp_child *child, int64_t until) {
    limit(child, RLIMIT_CPU, (uint64_t)(until / 1000000000) + 1);
}

void hp_child_limit_memory(const struct hp_child *child, uint64_t files) {
    struct rlimit ours;
    if (hp_sandbox_is_instrumented()) {
        return;
    }
    if (is_limited(RLIMIT_DATA, &ours)) {
        uint64_t now = data_size();
        uint64_t grown = now > child->data ? now - child->data : 0;
        uint64_t left = ours.rlim_cur > grown ? ours.rlim_cur - grown : 0;
        limit(child, RLIMIT_DATA, left + files);
    }
    if (is_limited(RLIMIT_AS, &ours)) {
        limit(child, RLIMIT_AS, ours.rlim_cur + files);
    }
}
