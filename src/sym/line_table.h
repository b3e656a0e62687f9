// Lines and files of units: by line programs that are run here, and by libdw where these are not
// known or sequences overlap.
#ifndef HP_SYM_LINE_TABLE_H
#define HP_SYM_LINE_TABLE_H

#include "sym/dwarf.h"
#include "sym/entry.h"
#include "sym/line_program.h"

// For tests: every unit by libdw.
extern bool hp_line_tables_by_libdw;

struct hp_known_file {
    hp_string path;
    bool is_known;
};

// Of a module.
struct hp_line_tables {
    struct hp_lookup *lookup;
    struct hp_line_reader reader;
    HP_VEC(struct hp_known_file) files; // of the unit, by number
};

// Once the queries are there, and the sections uncompressed.
void hp_line_tables_init(struct hp_line_tables *tables, struct hp_lookup *lookup,
                         const struct hp_image *image);
// What was read by whom is told in the look-up.
void hp_line_tables_done(struct hp_line_tables *tables);

// Of a unit.
struct hp_line_table {
    struct hp_line_tables *all;
    struct hp_entry unit;
    const char *folder;              // DW_AT_comp_dir, or NULL
    struct hp_line_program *program; // NULL: it has none, or libdw was asked
    bool is_from_libdw;
    Dwarf_Lines *lines;
    size_t line_count;
    Dwarf_Files *files;
};

// Until the next is loaded.
void hp_line_table_load(struct hp_line_tables *tables, struct hp_line_table *table,
                        struct hp_entry *unit);

// Might it have any row of an address that is asked for?
bool hp_line_table_has_rows(const struct hp_line_table *table);

// The row that covers the address of a query, which may have one already.
void hp_line_table_find(struct hp_line_table *table, struct hp_query *query);

// The name of a file by its number in the unit; "" if it has none.
hp_string hp_line_table_file(struct hp_line_table *table, uint64_t number);

#endif
