// Buffered text for a file descriptor, without malloc() or stdio, so that signal handlers
// can use it.  After the first failed write nothing more is written; hps_textfile_flush()
// returns the error.
#ifndef HPS_CORE_TEXTFILE_H
#define HPS_CORE_TEXTFILE_H

#include <stddef.h>
#include <stdint.h>

// A buffer; it does not own `fd`.
struct hps_textfile {
    int fd;
    int error;   // errno of the first failure, or 0
    size_t used; // bytes in the buffer
    char bytes[16384];
};

// Initialise the buffer; append bytes, a string, or a number without leading zeros.
void hps_textfile_init(struct hps_textfile *file, int fd);
void hps_textfile_bytes(struct hps_textfile *file, const char *bytes, size_t length);
void hps_textfile_text(struct hps_textfile *file, const char *text);
void hps_textfile_decimal(struct hps_textfile *file, uint64_t number);
void hps_textfile_hex(struct hps_textfile *file, uint64_t number); // without 0x

// Append all bytes that can be read from descriptor `from`.
void hps_textfile_copy(struct hps_textfile *file, int from);

// Write the buffer.  Returns 0, or the errno of the first failure since
// hps_textfile_init().
int hps_textfile_flush(struct hps_textfile *file);

#endif
