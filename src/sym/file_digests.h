// The MD5 of source files, as compilers found them, which libdw has no way to ask for.
#ifndef HP_SYM_FILE_DIGESTS_H
#define HP_SYM_FILE_DIGESTS_H

#include "base/span.h"
#include "base/vec.h"

// Where a unit's line number program begins in .debug_line.
struct hp_line_program {
    struct hp_span section;
    uint64_t offset;
    bool is_big_endian;
};

// {0} is empty.
struct hp_file_digests {
    HP_VEC(const unsigned char *)
    of; // each file of the program by its number, in its section
};

// None where the header is of another version, tells none, or is damaged.  How many bytes of the
// section were looked at.
size_t hp_file_digests_read(struct hp_file_digests *digests,
                            const struct hp_line_program *program);

// Of HP_MD5_SIZE bytes; NULL: it is not known.
const unsigned char *hp_file_digest(const struct hp_file_digests *digests, size_t file);

#endif
