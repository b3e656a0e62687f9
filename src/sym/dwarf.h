// The DWARF part of symbolizing: functions, inlined calls and lines for addresses of one
// file, mostly read here, and by libdw where a form is not known here.
#ifndef HP_SYM_DWARF_H
#define HP_SYM_DWARF_H

#include "model/profile.h"
#include "sym/entry.h"
#include "sym/image.h"
#include "sym/line_program.h"
#include "sym/protocol.h"
#include "sym/symtab.h"

#include <elfutils/libdw.h>

// An address that is asked for, and what is known about it.
struct hp_query {
    uint64_t address; // address in the debug file
    uint32_t index;   // index of the address in the request
    // Range in lookup->lines; empty until a function at the address is found.
    uint32_t first_line, lines;
    // Index of the first unit that was not asked about the address yet; HP_NO_UNIT: all
    // were asked.
    uint32_t next_unit;
    // Position in a function without a name, see struct hp_answer.starts.
    uint32_t past_start;
    // A row of a line table was found, with `file` and `line`.
    bool has_row;
    hp_string file; // file of the row, kept for queries without a function
    uint32_t line;
};

// The addresses asked for in one file, and everything that is found about them.  The
// caller fills the queries, symbols and requester, and frees the members.
struct hp_lookup {
    struct hp_strtab strings; // all names and paths
    // `function` is "" if `linkage` still has to be demangled.
    HP_VEC(struct hp_line) lines;
    HP_VEC(struct hp_query) queries; // sorted by address
    struct hp_strtab sources; // digests of the lines' files: struct hp_source_digest
    struct hp_symtab symtab;  // symbols by addresses in the debug file
    struct hp_file_requester *requester;
    bool over_budget;   // some unit was not read to its end: its budget ran out
    bool missing_split; // some split unit was not found
    bool has_package;   // a .dwp was found, and `missing_split` is about a unit in it
    // Reason for a .dwo or .dwp that was not read; text "" if there is none.
    struct hp_sym_diagnostic flaw;
    // Some line program was not read, because the limit of work was reached.
    bool lacks_lines;
    // Number of DWARF units and of line programs that were read, and how many of these
    // libdw had to read.
    struct hp_debug_parts units, line_programs;
};

// Fill lookup->queries and ->lines as far as DWARF describes the addresses.  Returns
// false if there is no readable DWARF.  `alt` is the shared debug information (dwz), or
// NULL.
bool hp_dwarf_look_up(struct hp_lookup *lookup, const struct hp_image *image, Dwarf *alt);

// --- line table ------------------------------------------------------------------------
//
// Lines and files of units: by line programs that are run here, or by libdw if these are
// of an unknown form or sequences overlap.

// Set by tests: read every line table by libdw.
extern bool hp_line_tables_by_libdw;

// A file name of the current unit.
struct hp_known_file {
    hp_string path;
    // `path` was read.
    bool is_known;
};

// The line tables of a module.
struct hp_line_tables {
    struct hp_lookup *lookup;
    struct hp_line_reader reader;
    HP_VEC(struct hp_known_file) files; // files of the current unit, by file number
};

// The line table of a unit.
struct hp_line_table {
    struct hp_line_tables *all;
    struct hp_entry unit;
    const char *folder;              // DW_AT_comp_dir, or NULL
    struct hp_line_program *program; // its line program; NULL: it has none
    bool is_from_libdw; // rows and files are those of libdw, not of `program`
    Dwarf_Lines *lines; // rows that libdw read; NULL: none
    size_t line_count;
    Dwarf_Files *files; // files that libdw read, or NULL
};

// Begin to read the line tables of an image.  lookup->queries must be complete, and the
// sections must be uncompressed.
void hp_line_tables_init(struct hp_line_tables *tables, struct hp_lookup *lookup,
                         const struct hp_image *image);
// Free the line tables, and add to the look-up how many line programs there were and how
// many of them libdw read.
void hp_line_tables_done(struct hp_line_tables *tables);

// Load the table of a unit.  It is valid until the next table is loaded.
void hp_line_table_load(struct hp_line_tables *tables, struct hp_line_table *table,
                        struct hp_entry *unit);

// Whether the table may have a row for any address that is asked for.
bool hp_line_table_has_rows(const struct hp_line_table *table);

// Find the row that covers the address of a query and store it in the query, unless that
// has a row already.
void hp_line_table_find(struct hp_line_table *table, struct hp_query *query);

// The path of a file by its number in the unit; "" if it has none.
hp_string hp_line_table_file(struct hp_line_table *table, uint64_t number);

#endif
