// Text into a file descriptor without malloc() or stdio, as a signal handler may do it.
// After the first failed write nothing is written any more; hp_textfile_flush() tells.
#ifndef HP_SAMPLER_TEXTFILE_H
#define HP_SAMPLER_TEXTFILE_H

#include <stddef.h>
#include <stdint.h>

struct hp_textfile {
    int fd;
    int error; // errno of the first failure
    size_t used;
    char bytes[16384];
};

void hp_textfile_init(struct hp_textfile *file, int fd);
void hp_textfile_bytes(struct hp_textfile *file, const char *bytes, size_t length);
void hp_textfile_text(struct hp_textfile *file, const char *text);
void hp_textfile_decimal(struct hp_textfile *file, uint64_t number);
void hp_textfile_hex(struct hp_textfile *file, uint64_t number); // no 0x in front

// All that can be read from another descriptor.
void hp_textfile_copy(struct hp_textfile *file, int from);

// 0, or the errno of the first failure.
int hp_textfile_flush(struct hp_textfile *file);

#endif
