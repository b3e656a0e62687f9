#include "sym/line_table.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

void hp_line_table_read(struct hp_line_table *table, Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    size_t files;
    *table = (struct hp_line_table){0};
    if (dwarf_getsrclines(unit, &table->lines, &table->count) != 0) {
        table->count = 0;
    }
    if (dwarf_getsrcfiles(unit, &table->files, &files) != 0) {
        table->files = NULL;
    }
    const char *folder =
        dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
    table->folder = folder && *folder ? folder : NULL;
}

// libdw joins the folder of the compilation in some cases only.
static hp_string add_path(const struct hp_line_table *table, const char *path,
                          struct hp_strtab *strings) {
    char whole[PATH_MAX];
    struct hp_span name = hp_span_of(path);
    if (path[0] != '/' && table->folder && !hp_span_starts(name, table->folder)) {
        int size = snprintf(whole, sizeof whole, "%s/%s", table->folder, path);
        if (size > 0 && (size_t)size < sizeof whole) {
            name = (struct hp_span){whole, (size_t)size};
        }
    }
    return hp_strtab_add(strings, name);
}

// The last row that starts at or before `address`.
static Dwarf_Line *row_at(const struct hp_line_table *table, uint64_t address) {
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Dwarf_Addr start = 0;
        dwarf_lineaddr(dwarf_onesrcline(table->lines, middle), &start);
        if (start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? dwarf_onesrcline(table->lines, low - 1) : NULL;
}

bool hp_line_table_find(const struct hp_line_table *table, uint64_t address,
                        struct hp_strtab *strings, hp_string *file, uint32_t *line) {
    Dwarf_Line *row = row_at(table, address);
    bool end = true;
    int number = 0;
    if (!row || dwarf_lineendsequence(row, &end) != 0 || end) {
        return false;
    }
    const char *path = dwarf_linesrc(row, NULL, NULL);
    dwarf_lineno(row, &number);
    *file = path ? add_path(table, path, strings) : (hp_string){0};
    *line = number > 0 ? (uint32_t)number : 0;
    return true;
}

hp_string hp_line_table_file(const struct hp_line_table *table, uint32_t number,
                             struct hp_strtab *strings) {
    const char *path =
        table->files ? dwarf_filesrc(table->files, number, NULL, NULL) : NULL;
    return path ? add_path(table, path, strings) : (hp_string){0};
}
