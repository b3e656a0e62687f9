#include "preload/complain.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void hps_complain(const char *what, const char *which, const char *why) {
    const char *const parts[] = {"hprof-sampler: ", what,
                                 which ? " '" : "", which ? which : "",
                                 which ? "'" : "",  why ? ": " : "",
                                 why ? why : "",    "\n"};

    enum {
        COUNT = sizeof parts / sizeof parts[0]
    };
    struct iovec pieces[COUNT];
    for (int i = 0; i < COUNT; i++) {
        // writev() does not write to the texts, so that const may be dropped.
        memcpy(&pieces[i].iov_base, &parts[i], sizeof parts[i]);
        pieces[i].iov_len = strlen(parts[i]);
    }
    int error = errno;
    while (writev(STDERR_FILENO, pieces, COUNT) < 0 && errno == EINTR) {
    }
    errno = error;
}
