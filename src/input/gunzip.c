// Members follow one another without anything between them (RFC 1952, section 2.2).
#include "input/gunzip.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct hp_gunzip {
    z_stream stream;
    int fd;
    uint64_t consumed;
    bool file_ended;
    bool ended; // the last member
    unsigned char in[HP_GUNZIP_HEAD];
};

ssize_t hp_read_fully(int fd, void *buffer, size_t size) {
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

bool hp_is_gzip(const char *head, size_t size) {
    return size >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

struct hp_gunzip *hp_gunzip_new(int fd, const char *head, size_t size) {
    struct hp_gunzip *gunzip = hp_alloc(sizeof *gunzip);
    gunzip->fd = fd;
    gunzip->consumed = size;
    gunzip->file_ended = size < sizeof gunzip->in;
    memcpy(gunzip->in, head, size);
    gunzip->stream.next_in = gunzip->in;
    gunzip->stream.avail_in = (uInt)size;
    if (inflateInit2(&gunzip->stream, 15 + 16) != Z_OK) {
        hp_out_of_memory(sizeof gunzip->stream);
    }
    return gunzip;
}

void hp_gunzip_free(struct hp_gunzip *gunzip) {
    if (gunzip) {
        inflateEnd(&gunzip->stream);
        free(gunzip);
    }
}

uint64_t hp_gunzip_consumed(const struct hp_gunzip *gunzip) {
    return gunzip->consumed;
}

static int refill(struct hp_gunzip *gunzip, struct hp_err *err) {
    if (gunzip->stream.avail_in > 0 || gunzip->file_ended) {
        return HP_OK;
    }
    ssize_t got = hp_read_fully(gunzip->fd, gunzip->in, sizeof gunzip->in);
    if (got < 0) {
        return hp_fail_errno(err, "cannot read");
    }
    gunzip->stream.next_in = gunzip->in;
    gunzip->stream.avail_in = (uInt)got;
    gunzip->consumed += (uint64_t)got;
    gunzip->file_ended = (size_t)got < sizeof gunzip->in;
    return HP_OK;
}

// Behind the end of a member: another one, or the end, perhaps with zeros that fill up a
// block of a tape or of a disk.
static int next_member(struct hp_gunzip *gunzip, struct hp_err *err) {
    z_stream *stream = &gunzip->stream;
    int ret = refill(gunzip, err);
    while (ret == HP_OK && stream->avail_in > 0 && *stream->next_in == 0) {
        stream->next_in++;
        stream->avail_in--;
        ret = refill(gunzip, err);
    }
    gunzip->ended = stream->avail_in == 0;
    inflateReset(stream);
    return ret;
}

// Up to 1 GiB, which zlib can count.
static int read_some(struct hp_gunzip *gunzip, char *out, size_t room, size_t *got,
                     struct hp_err *err) {
    size_t offered = room < (1u << 30) ? room : 1u << 30;
    gunzip->stream.next_out = (unsigned char *)out;
    gunzip->stream.avail_out = (uInt)offered;
    int ret = HP_OK;
    while (ret == HP_OK && gunzip->stream.avail_out > 0 && !gunzip->ended) {
        ret = refill(gunzip, err);
        if (ret != HP_OK) {
            break;
        }
        int status = inflate(&gunzip->stream, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            ret = next_member(gunzip, err);
        } else if (status != Z_OK) {
            const char *why = gunzip->stream.msg;
            ret = hp_fail(err, HP_E_FORMAT, "damaged gzip data: %s",
                          why ? why : "it ends too early");
        }
    }
    *got = offered - gunzip->stream.avail_out;
    return ret;
}

int hp_gunzip_read(struct hp_gunzip *gunzip, char *out, size_t room, size_t *got,
                   struct hp_err *err) {
    int ret = HP_OK;
    *got = 0;
    while (ret == HP_OK && *got < room && !gunzip->ended) {
        size_t more = 0;
        ret = read_some(gunzip, out + *got, room - *got, &more, err);
        *got += more;
    }
    return ret;
}
