#include "cli/cleanup.h"

#include "cli/progressbar.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

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

void hp_cli_cleanup_on_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    owner = getpid();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_handler = die, .sa_flags = (int)SA_RESETHAND};
        struct sigaction before;
        sigfillset(&action.sa_mask);
        // nohup ignores SIGHUP: leave it so.
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}
