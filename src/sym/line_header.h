// What line number programs begin with: folders and files, and how opcodes are to be read.
#ifndef HP_SYM_LINE_HEADER_H
#define HP_SYM_LINE_HEADER_H

#include "base/span.h"
#include "base/vec.h"

struct hp_line_sections {
    struct hp_span line, line_str, str; // as they are when uncompressed
    bool is_big_endian;
};

struct hp_line_file {
    const char *name; // in its section
    uint64_t folder;  // its number; HP_NO_FOLDER: the name is all there is
    const unsigned char
        *md5; // in its section, of HP_MD5_SIZE bytes; NULL: it is not known
};

#define HP_NO_FOLDER UINT64_MAX

// {0} is empty.
struct hp_line_header {
    uint64_t offset;
    HP_VEC(const char *) folders; // [0] is NULL before DWARF 5: the unit's own
    HP_VEC(struct hp_line_file) files;
    const unsigned char *program, *end; // what is run
    const unsigned char *lengths;       // how many operands each opcode has
    unsigned opcode_base, address_size, instruction_size, line_range;
    int line_base;
};

// False, with header->offset UINT64_MAX, where it is of another version or form, or contradicts
// itself; header->end is behind the program as far as that is known.  `offset` is in the section,
// `address_size` that of the unit.
bool hp_line_header_read(struct hp_line_header *header,
                         const struct hp_line_sections *sections, uint64_t offset,
                         unsigned address_size);

#endif
