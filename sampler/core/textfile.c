#include "core/textfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void hps_textfile_init(struct hps_textfile *file, int fd) {
    file->fd = fd;
    file->error = 0;
    file->used = 0;
}

int hps_textfile_flush(struct hps_textfile *file) {
    for (size_t done = 0; done < file->used && !file->error;) {
        ssize_t n = write(file->fd, file->bytes + done, file->used - done);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            file->error = errno;
        }
    }
    file->used = 0;
    return file->error;
}

void hps_textfile_bytes(struct hps_textfile *file, const char *bytes, size_t length) {
    while (length > 0) {
        size_t room = sizeof file->bytes - file->used;
        size_t n = length < room ? length : room;
        memcpy(file->bytes + file->used, bytes, n);
        file->used += n;
        bytes += n;
        length -= n;
        if (file->used == sizeof file->bytes) {
            hps_textfile_flush(file);
        }
    }
}

void hps_textfile_text(struct hps_textfile *file, const char *text) {
    hps_textfile_bytes(file, text, strlen(text));
}

// Append a number in base 10 or 16.
static void put_number(struct hps_textfile *file, uint64_t number, unsigned base) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    hps_textfile_bytes(file, digits + at, sizeof digits - at);
}

void hps_textfile_decimal(struct hps_textfile *file, uint64_t number) {
    put_number(file, number, 10);
}

void hps_textfile_hex(struct hps_textfile *file, uint64_t number) {
    put_number(file, number, 16);
}

void hps_textfile_copy(struct hps_textfile *file, int from) {
    hps_textfile_flush(file);
    for (;;) {
        ssize_t n = read(from, file->bytes, sizeof file->bytes);
        if (n > 0) {
            file->used = (size_t)n;
            hps_textfile_flush(file);
        } else if (n == 0) {
            return;
        } else if (errno != EINTR) {
            file->error = file->error ? file->error : errno;
            return;
        }
    }
}
