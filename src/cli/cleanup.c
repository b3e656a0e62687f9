#include "cli/cleanup.h"

#include "cli/progressbar.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum {
    STACK_SIZE = 64 << 10, // bytes; saved vector registers need several KiB
};

// Path of the file to unlink, or NULL.
static _Atomic(const char *) pending;
// The process that installed the handlers.
static pid_t owner;

void hp_cli_cleanup_file(const char *path) {
    atomic_store(&pending, path);
}

void hp_cli_cleanup(void) {
    // A forked helper inherits the handlers, but must not unlink the file.
    if (getpid() != owner) {
        return;
    }
    const char *path = atomic_exchange(&pending, NULL);
    if (path != NULL) {
        unlink(path);
    }
    hp_cli_progress_clear();
}

// The signal handler: clean up, and raise the signal again.
static void die(int number) {
    int saved = errno;
    hp_cli_cleanup();
    errno = saved;
    // The default action is restored by SA_RESETHAND, so that the shell sees the process
    // die of the signal.
    raise(number);
}

// Handle a signal, unless it is ignored or handled already: nohup ignores SIGHUP, and
// sanitizers handle faults.
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
        SIGHUP,  SIGINT,  SIGQUIT, // from the terminal or the parent process
        SIGTERM, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1,   // from any process
        SIGUSR2, SIGXCPU, SIGPOLL,   SIGPWR,  SIGSTKFLT, //
        SIGSEGV, SIGBUS,  SIGFPE,    SIGILL,  SIGABRT,   // faults of this program
        SIGSYS,  SIGTRAP,
    };
    // A handler needs a stack of its own after an overflow of the ordinary stack.
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
    signal(SIGXFSZ, SIG_IGN); // write() fails with EFBIG instead
}
