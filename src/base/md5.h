// MD5 (RFC 1321), by which DWARF 5 identifies source files.  It protects against no
// attacker.
#ifndef HP_BASE_MD5_H
#define HP_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum {
    HP_MD5_SIZE = 16,
};

// Store the MD5 digest of `size` bytes.
void hp_md5(const void *bytes, size_t size, uint8_t digest[HP_MD5_SIZE]);

#endif
