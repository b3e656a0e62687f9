#include "input/source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_file(int fd, void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, (char *)buffer + done, size - done);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno == EAGAIN) { // somebody made it non-blocking
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        } else if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

ssize_t hp_source_read(struct hp_source *source, void *buffer, size_t size) {
    if (source->fd >= 0) {
        return read_file(source->fd, buffer, size);
    }
    size = size < source->memory.size ? size : source->memory.size;
    if (size > 0) { // the bytes of none may be NULL
        memcpy(buffer, source->memory.at, size);
        source->memory = hp_span_from(source->memory, size);
    }
    return (ssize_t)size;
}
