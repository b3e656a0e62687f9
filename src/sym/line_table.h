// The line table of a unit: which line of which file an address is from.
#ifndef HP_SYM_LINE_TABLE_H
#define HP_SYM_LINE_TABLE_H

#include "base/strtab.h"

#include <elfutils/libdw.h>

// {0} is a unit without lines.
struct hp_line_table {
    Dwarf_Lines *lines;
    size_t count;
    Dwarf_Files *files;
    const char *folder; // what a relative name is relative to; NULL if unknown
};

void hp_line_table_read(struct hp_line_table *table, Dwarf_Die *unit);

// False if no row covers `address`.
bool hp_line_table_find(const struct hp_line_table *table, uint64_t address,
                        struct hp_strtab *strings, hp_string *file, uint32_t *line);

// The name of a file by its number in the unit; "" if it has none.
hp_string hp_line_table_file(const struct hp_line_table *table, uint32_t number,
                             struct hp_strtab *strings);

#endif
