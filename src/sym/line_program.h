// Line number programs: they map addresses to lines of files.  Rows are not stored; each
// is compared with the addresses that are asked for when it is produced.
#ifndef HP_SYM_LINE_PROGRAM_H
#define HP_SYM_LINE_PROGRAM_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"

// --- line header -----------------------------------------------------------------------
//
// Headers of line number programs: folders and files, and the parameters of opcodes.

// The sections that line number programs refer to.
struct hp_line_sections {
    struct hp_span line, line_str, str; // their content, uncompressed
    bool is_big_endian;
};

// A source file of a program.
struct hp_line_file {
    const char *name; // its name, which points into a section
    // Index in hp_line_header.folders; HP_NO_FOLDER: the name is complete.
    uint64_t folder;
    // Points to HP_MD5_SIZE bytes in a section; NULL: unknown.
    const unsigned char *md5;
};

#define HP_NO_FOLDER UINT64_MAX

// A header that was read; {0} is empty.  Its memory is reused for the next header and
// freed by the owner.
struct hp_line_header {
    uint64_t offset;              // offset in .debug_line; UINT64_MAX: no header was read
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

// --- line program ----------------------------------------------------------------------

// A line number program that some unit refers to.
struct hp_line_program {
    // Offset of its header in .debug_line.
    uint64_t offset;
    // Not read here: its version or form is unknown, or it contradicts itself.
    bool is_unknown;
    bool is_over;               // not run to its end: the limit of work was reached
    bool is_partial;            // sequences were skipped
    bool was_doubted;           // set by the caller: libdw was asked
    uint64_t size, header_size; // bytes of the program in the section, and of its header
    unsigned address_size;      // address size of the unit that refers to it
    size_t first, count;        // its rows: range in hp_line_reader.rows, by address
    // Addresses [loose_from, loose_to) that have no row here.  libdw may extend rows
    // without an end to them.
    uint64_t loose_from, loose_to;
};

// A row that covers an address that is asked for.
struct hp_line_row {
    // First address that the row covers.
    uint64_t start;
    uint32_t asked; // index of the address in hp_line_reader.asked
    uint32_t file, line;
    bool is_doubted; // another sequence covers the address or ends after `start`
};

// A range of a unit's addresses, from its start to the last address that is asked for.
struct hp_line_wanted {
    uint64_t low, last; // first address of the range, and the last that is asked for
};

// Reads all programs of a file for a fixed set of addresses; {0} is empty.
struct hp_line_reader {
    struct hp_line_sections sections;
    HP_VEC(uint64_t) asked; // addresses to find rows for, ascending
    // Ranges in which sequences are read, ascending; sequences that begin elsewhere are
    // skipped.  They are read after all if an address has no row, unless `is_sure` says
    // that they cannot have it.  Empty: no sequence is skipped.
    HP_VEC(struct hp_line_wanted) wanted;
    bool is_sure;
    HP_VEC(struct hp_line_program) programs; // in the order of the requests
    struct hp_index index;                   // finds programs by offset
    HP_VEC(struct hp_line_row) rows;         // rows of all programs, grouped by program
    struct hp_line_header header;            // the header that was read last
    uint64_t work, limit;                    // work done and allowed, in bytes and rows
    bool is_over; // the limit was reached: no more programs are read
};

// Set the limit of work from `sections` and `asked`, which must be complete.  Call before
// any program is read.
void hp_line_reader_start(struct hp_line_reader *reader);
// Free the memory of a reader.
void hp_line_reader_done(struct hp_line_reader *reader);

// The program at `offset`, which is run when it is first asked for.  `address_size` is
// that of the unit.  The result is valid until the next call.
struct hp_line_program *hp_line_program_at(struct hp_line_reader *reader, uint64_t offset,
                                           unsigned address_size);

// Count work that is done here or by libdw, in bytes and rows.  Returns false if the work
// exceeds the limit: then it is not counted and no more work is allowed.
bool hp_line_spend(struct hp_line_reader *reader, uint64_t work);

// Result of looking for the row of an address in a program.
enum hp_line_answer {
    HP_LINE_NONE,
    HP_LINE_FOUND,
    // Sequences overlap there, or the program contradicts itself: ask libdw.
    HP_LINE_DOUBTED,
};

// Add an address, and the range of the unit from `low` on that contains it, to
// reader->wanted.  Call in ascending order.
void hp_line_want(struct hp_line_reader *reader, uint64_t low, uint64_t address);

// Find the row of the address reader->asked[asked] and, for HP_LINE_FOUND, store it in
// `row`.  A program that was run only in part is run whole if the address has no row.
enum hp_line_answer hp_line_find(struct hp_line_reader *reader,
                                 struct hp_line_program *program, uint32_t asked,
                                 struct hp_line_row *row);

// Read the header of a program into reader->header.  Returns false if it is unknown or
// the limit of work is reached.
bool hp_line_read_header(struct hp_line_reader *reader,
                         const struct hp_line_program *program);

#endif
