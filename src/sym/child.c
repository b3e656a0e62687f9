#include "sym/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void reset_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        sigaction(i, &action, NULL); // some cannot be set, and need not be
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Messages of a sanitizer or of the C library go where ours do.
static void close_others(int sock) {
    if (sock > 3) {
        syscall(SYS_close_range, 3U, (unsigned)sock - 1, 0U);
    }
    syscall(SYS_close_range, (unsigned)sock + 1, ~0U, 0U);
}

// Everything that takes rights away from the child: the place for Landlock and seccomp.
static void confine(int sock) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    close_others(sock);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Its parent tells, who knows about what.
_Noreturn static void end_without_memory(size_t wanted, const char *input) {
    (void)wanted, (void)input;
    _exit(HP_CHILD_NO_MEMORY);
}

_Noreturn static void be_child(int sock, pid_t parent, void (*serve)(int sock)) {
    reset_signals();
    hp_on_out_of_memory(end_without_memory);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) {
        _exit(1); // it died before we could ask to be told
    }
    confine(sock);
    serve(sock);
    _exit(0);
}

int hp_child_start(struct hp_child *child, void (*serve)(int sock), struct hp_err *err) {
    int pair[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        return hp_fail_errno(err, "no socket for the symbolizer");
    }
    pid_t pid = fork();
    if (pid == 0) {
        be_child(pair[1], parent, serve);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return hp_fail_errno(err, "no process for the symbolizer");
    }
    struct timeval silence = {.tv_sec = HP_CHILD_SILENCE};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
    *child = (struct hp_child){pid, pair[0]};
    return HP_OK;
}

static pid_t reap(pid_t pid, int *status, int flags) {
    pid_t got;
    do {
        got = waitpid(pid, status, flags);
    } while (got < 0 && errno == EINTR);
    return got;
}

int hp_child_stop(struct hp_child *child) {
    enum {
        TRIES = 100
    }; // about a second

    if (child->pid <= 0) {
        return -1;
    }
    close(child->sock);
    int status = -1;
    pid_t got = reap(child->pid, &status, WNOHANG);
    for (int i = 0; i < TRIES && got == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = i < 10 ? 200000 : 10000000}, NULL);
        got = reap(child->pid, &status, WNOHANG);
    }
    if (got == 0) {
        kill(child->pid, SIGKILL);
        reap(child->pid, &status, 0);
    }
    *child = (struct hp_child){0};
    return status;
}
