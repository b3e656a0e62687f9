// usage: peak REPORT COMMAND...
// Writes to REPORT: CPU seconds, and the most memory in KiB, of a command and of what it waits for.  The kernel's
// peak of a process begins at that of the one that started it, which here is next to nothing.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv) {
    struct rusage used;
    int status;
    pid_t child = argc > 2 ? fork() : -1;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("peak");
        return 127;
    }
    FILE *report = fopen(argv[1], "w");
    if (!report) {
        perror(argv[1]);
        return 127;
    }
    fprintf(report, "%.6f %ld\n", seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
            used.ru_maxrss);
    fclose(report);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
