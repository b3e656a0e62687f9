#include "cli/cleanup.h"

#include "cli/progressbar.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum {
    STACK_SIZE = 64 << 10, // bytes; the vector registers that are saved take some
};

static _Atomic(const char *) pending;
static pid_t owner;

void hp_cli_cleanup_file(const char *path) {
    atomic_store(&pending, path);
}

void hp_cli_cleanup(void) {
    // A forked helper inherits the handlers, but not the duty.
    if (getpid() != owner) {
        return;
    }
    const char *path = atomic_exchange(&pending, NULL);
    if (path != NULL) {
        unlink(path);
    }
    hp_cli_progress_clear();
}

static void die(int number) {
    int saved = errno;
    hp_cli_cleanup();
    errno = saved;
    // The default action is in place again: the shell sees the death it expects.
    raise(number);
}

// Only what would end the process: nohup ignores SIGHUP, and sanitizers handle faults.
static void handle(int number) {
    struct sigaction action = {.sa_handler = die,
                               .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    struct sigaction before;
    sigfillset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
        sigaction(number, &action, NULL);
    }
}

void hp_cli_cleanup_on_signals(void) {
    static const int numbers[] = {
        SIGHUP,  SIGINT,  SIGQUIT,                       // by who started it
        SIGTERM, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1,   // by whoever may
        SIGUSR2, SIGXCPU, SIGPOLL,   SIGPWR,  SIGSTKFLT, //
        SIGSEGV, SIGBUS,  SIGFPE,    SIGILL,  SIGABRT,   // faults of our own
        SIGSYS,  SIGTRAP,
    };
    // Where the stack has come to its end, a handler needs another.
    static char stack[STACK_SIZE];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    owner = getpid();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        handle(numbers[i]);
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        handle(number);
    }
    signal(SIGXFSZ, SIG_IGN); // the write fails, and says why
}
