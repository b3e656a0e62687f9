// Lines and files of units: by line programs that are run here, or by libdw if these are
// of an unknown form or sequences overlap.
#ifndef HP_SYM_LINE_TABLE_H
#define HP_SYM_LINE_TABLE_H

#include "sym/dwarf.h"
#include "sym/entry.h"
#include "sym/line_program.h"

// Set by tests: read every unit by libdw.
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
    HP_VEC(struct hp_known_file) files; // of the current unit, by file number
};

// Begin; the queries must be in the look-up, and the sections must be uncompressed.
void hp_line_tables_init(struct hp_line_tables *tables, struct hp_lookup *lookup,
                         const struct hp_image *image);
// End, and record in the look-up how many programs there were and how many libdw read.
void hp_line_tables_done(struct hp_line_tables *tables);

// The line table of a unit.
struct hp_line_table {
    struct hp_line_tables *all;
    struct hp_entry unit;
    const char *folder;              // DW_AT_comp_dir, or NULL
    struct hp_line_program *program; // NULL: the unit has none
    bool is_from_libdw;              // libdw was asked
    Dwarf_Lines *lines;              // rows of libdw; NULL: not loaded
    size_t line_count;
    Dwarf_Files *files; // files of libdw, or NULL
};

// Load the table of a unit.  It is valid until the next one is loaded.
void hp_line_table_load(struct hp_line_tables *tables, struct hp_line_table *table,
                        struct hp_entry *unit);

// Whether the table may have a row of any address that is asked for.
bool hp_line_table_has_rows(const struct hp_line_table *table);

// Find the row that covers the address of a query, unless the query has one already.
void hp_line_table_find(struct hp_line_table *table, struct hp_query *query);

// The path of a file by its number in the unit; "" if it has none.
hp_string hp_line_table_file(struct hp_line_table *table, uint64_t number);

#endif
