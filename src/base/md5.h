// MD5 (RFC 1321), which DWARF 5 knows source files by.  It is no defence against anybody.
#ifndef HP_BASE_MD5_H
#define HP_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum {
    HP_MD5_SIZE = 16,
};

void hp_md5(const void *bytes, size_t size, uint8_t digest[HP_MD5_SIZE]);

#endif
