// Line number programs: which line of which file an address was made from.  Rows are not
// stored but held, as they come, against the addresses that are asked for.
#ifndef HP_SYM_LINE_PROGRAM_H
#define HP_SYM_LINE_PROGRAM_H

#include "base/hash.h"
#include "sym/line_header.h"

// A program that was met.
struct hp_line_program {
    uint64_t offset;
    bool
        is_unknown; // not read here: of another version or form, or it contradicts itself
    bool is_over;   // not read to its end: it is more work than the section is worth
    bool is_partial;            // sequences were passed over
    bool was_doubted;           // the caller's: another reader was asked
    uint64_t size, header_size; // in the section
    unsigned address_size;      // of the unit that it was met by
    size_t first, count;        // of its rows, by address
    // Another reader may extend rows that have no end to addresses here, which have no row.
    uint64_t loose_from, loose_to;
};

// A row that covers an address that is asked for.
struct hp_line_row {
    uint64_t start;
    uint32_t asked; // number of the address
    uint32_t file, line;
    bool is_doubted; // another sequence lies or ends between its start and the address
};

// Of a range of a unit's addresses from where to the last that is asked for.
struct hp_line_wanted {
    uint64_t low, last;
};

// {0} is empty.
struct hp_line_reader {
    struct hp_line_sections sections;
    HP_VEC(uint64_t) asked; // addresses, ascending
    // Sequences that begin elsewhere are passed over, and read once an address has no row, unless it
    // is sure that they do not have it either; ascending.  Empty: none are passed over.
    HP_VEC(struct hp_line_wanted) wanted;
    bool is_sure;
    HP_VEC(struct hp_line_program) programs;
    struct hp_index index; // of programs
    HP_VEC(struct hp_line_row) rows;
    struct hp_line_header header; // the last that was read
    uint64_t work, limit;         // bytes and rows
    bool is_over;                 // that would have been more: no more programs are read
};

// Once the sections and all addresses are there.
void hp_line_reader_start(struct hp_line_reader *reader);
void hp_line_reader_done(struct hp_line_reader *reader);

// The program at `offset`, which is run when it is asked for first; until the next is asked for.
// `address_size` is the unit's.
struct hp_line_program *hp_line_program_at(struct hp_line_reader *reader, uint64_t offset,
                                           unsigned address_size);

// May as much work be done, by another reader too?  If so, that is counted here; if not, no more is
// from now on.
bool hp_line_spend(struct hp_line_reader *reader, uint64_t work);

enum hp_line_answer {
    HP_LINE_NONE,
    HP_LINE_FOUND,
    HP_LINE_DOUBTED, // sequences overlap there, or the program contradicts itself
};

// Among those from which sequences are read: an address and the range around it that begins at `low`,
// in ascending order.
void hp_line_want(struct hp_line_reader *reader, uint64_t low, uint64_t address);

// The row of an address by its number.  A program of which sequences were passed over is run whole
// where there is none.
enum hp_line_answer hp_line_find(struct hp_line_reader *reader,
                                 struct hp_line_program *program, uint32_t asked,
                                 struct hp_line_row *row);

// Have the header of a program in reader->header.  False if there is none that is known.
bool hp_line_read_header(struct hp_line_reader *reader,
                         const struct hp_line_program *program);

#endif
