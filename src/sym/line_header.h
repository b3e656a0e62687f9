// Headers of line number programs: folders and files, and the parameters of opcodes.
#ifndef HP_SYM_LINE_HEADER_H
#define HP_SYM_LINE_HEADER_H

#include "base/span.h"
#include "base/vec.h"

// The sections that line number programs refer to.
struct hp_line_sections {
    struct hp_span line, line_str, str; // uncompressed
    bool is_big_endian;
};

// A source file of a program.
struct hp_line_file {
    const char *name; // points into a section
    // Index in hp_line_header.folders; HP_NO_FOLDER: the name is complete.
    uint64_t folder;
    // Points to HP_MD5_SIZE bytes in a section; NULL: unknown.
    const unsigned char *md5;
};

#define HP_NO_FOLDER UINT64_MAX

// A header that was read; {0} is empty.  Its memory is reused for the next header and
// freed by the owner.
struct hp_line_header {
    uint64_t offset;              // in .debug_line; UINT64_MAX: no header is read
    HP_VEC(const char *) folders; // [0] is NULL before DWARF 5: the folder of the unit
    HP_VEC(struct hp_line_file) files;
    // First byte of the opcodes, and the byte after the last.
    const unsigned char *program, *end;
    const unsigned char *lengths; // number of operands of each opcode, from opcode 1 on
    // See "The Line Number Program Header" in DWARF.
    unsigned opcode_base, address_size, instruction_size, line_range;
    int line_base;
};

// Read the header at `offset` of .debug_line.  `address_size` is that of the unit.
// Returns false, with header->offset UINT64_MAX, if its version or form is unknown or it
// contradicts itself; header->end is the end of the program as far as that is known.
bool hp_line_header_read(struct hp_line_header *header,
                         const struct hp_line_sections *sections, uint64_t offset,
                         unsigned address_size);

#endif
