// Text into a file descriptor without malloc() or stdio, as a signal handler may do it.
// After the first failed write nothing is written any more; hps_textfile_flush() tells.
#ifndef HPS_CORE_TEXTFILE_H
#define HPS_CORE_TEXTFILE_H

#include <stddef.h>
#include <stdint.h>

struct hps_textfile {
    int fd;
    int error; // errno of the first failure
    size_t used;
    char bytes[16384];
};

void hps_textfile_init(struct hps_textfile *file, int fd);
void hps_textfile_bytes(struct hps_textfile *file, const char *bytes, size_t length);
void hps_textfile_text(struct hps_textfile *file, const char *text);
void hps_textfile_decimal(struct hps_textfile *file, uint64_t number);
void hps_textfile_hex(struct hps_textfile *file, uint64_t number); // no 0x in front

// All that can be read from another descriptor.
void hps_textfile_copy(struct hps_textfile *file, int from);

// 0, or the errno of the first failure.
int hps_textfile_flush(struct hps_textfile *file);

#endif
