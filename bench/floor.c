// The least that reading files takes: open, fstat, read into a buffer that begins a page, look for newlines.
// wc(1) spends ten times as much on each file beside its bytes, so that it is no floor for small ones.
#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static alignas(4096) char buffer[256 << 10];

static size_t count_lines(const char *at, size_t size) {
    const char *end = at + size;
    size_t lines = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}

int main(int argc, char **argv) {
    size_t lines = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &status) < 0) {
            perror(argv[i]);
            return 1;
        }
        for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) {
            lines += count_lines(buffer, (size_t)got);
        }
        close(fd);
    }
    printf("%zu\n", lines);
    return 0;
}
