#include "sym/line_table.h"

#include "base/md5.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool hp_line_tables_by_libdw;

void hp_line_tables_init(struct hp_line_tables *tables, struct hp_lookup *lookup,
                         const struct hp_image *image) {
    struct hp_line_reader *reader = &tables->reader;
    *tables = (struct hp_line_tables){.lookup = lookup};
    Elf *elf = hp_image_debug(image);
    reader->sections = (struct hp_line_sections){hp_elf_section(elf, ".debug_line"),
                                                 hp_elf_section(elf, ".debug_line_str"),
                                                 hp_elf_section(elf, ".debug_str"),
                                                 image->is_big_endian};
    const struct hp_query *query;
    hp_vec_each (query, &lookup->queries) {
        hp_vec_push(&reader->asked, query->address);
    }
    hp_line_reader_start(reader);
}

void hp_line_tables_done(struct hp_line_tables *tables) {
    const struct hp_line_program *program;
    struct hp_lookup *lookup = tables->lookup;
    hp_vec_each (program, &tables->reader.programs) {
        lookup->line_programs.all++;
        lookup->line_programs.foreign += program->is_unknown || program->was_doubted;
    }
    lookup->lacks_lines |= tables->reader.is_over;
    hp_line_reader_done(&tables->reader);
    hp_vec_done(&tables->files);
}

// --- by libdw --------------------------------------------------------------------------

// Whether every string in a section ends.
static bool ends_with_nul(struct hp_span section) {
    return section.size == 0 || section.at[section.size - 1] == '\0';
}

// Whether libdw can read the sections safely: version 0.188 searches for the end of a
// directory's name beyond the end of its section.
static bool have_strings_ends(const struct hp_line_sections *sections) {
    return ends_with_nul(sections->line_str) && ends_with_nul(sections->str);
}

// Have libdw read the table of a unit, if the limit of work allows it.
static void load_by_libdw(struct hp_line_table *table) {
    size_t files;
    table->is_from_libdw = true;
    if (!have_strings_ends(&table->all->reader.sections)) {
        return;
    }
    if (table->program) {
        table->program->was_doubted = true;
        table->program->is_over |=
            !hp_line_spend(&table->all->reader, table->program->size);
    }
    if (table->program && table->program->is_over) {
        return;
    }
    Dwarf_Die *unit = hp_entry_for_libdw(&table->unit);
    if (!unit || dwarf_getsrclines(unit, &table->lines, &table->line_count) != 0) {
        table->line_count = 0;
    }
    if (!unit || dwarf_getsrcfiles(unit, &table->files, &files) != 0) {
        table->files = NULL;
    }
}

// The last row of libdw that starts at or before `address`.
static Dwarf_Line *row_at(const struct hp_line_table *table, uint64_t address) {
    size_t low = 0, high = table->line_count;
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

// Find the row of a query in the table that libdw read.
static void find_by_libdw(struct hp_line_table *table, struct hp_query *query) {
    Dwarf_Line *row = row_at(table, query->address);
    bool end = true;
    int number = 0;
    size_t file;
    Dwarf_Files *files;
    if (!row || dwarf_lineendsequence(row, &end) != 0 || end) {
        return;
    }
    dwarf_lineno(row, &number);
    query->has_row = true;
    if (dwarf_line_file(row, &files, &file) == 0) {
        query->file = hp_line_table_file(table, file);
    }
    query->line = number > 0 ? (uint32_t)number : 0;
}

// --- either ----------------------------------------------------------------------------

void hp_line_table_load(struct hp_line_tables *tables, struct hp_line_table *table,
                        struct hp_entry *unit) {
    struct hp_die_forms forms;
    uint64_t offset;
    *table = (struct hp_line_table){.all = tables, .unit = *unit};
    tables->files.count = 0;
    table->folder = hp_entry_whole_string(unit, DW_AT_comp_dir);
    hp_entry_forms(unit, &forms);
    if (hp_entry_offset(unit, DW_AT_stmt_list, &offset)) {
        table->program = hp_line_program_at(&tables->reader, offset, forms.address_size);
        if (table->program->is_unknown || hp_line_tables_by_libdw) {
            load_by_libdw(table);
        }
    }
}

bool hp_line_table_has_rows(const struct hp_line_table *table) {
    return table->is_from_libdw
               ? table->line_count > 0
               : table->program &&
                     (table->program->count > 0 || table->program->is_partial ||
                      table->program->loose_from < UINT64_MAX);
}

void hp_line_table_find(struct hp_line_table *table, struct hp_query *query) {
    struct hp_line_row row;
    enum hp_line_answer answer = HP_LINE_NONE;
    if (query->has_row) {
        return;
    }
    if (!table->is_from_libdw && table->program) {
        uint32_t asked = (uint32_t)(query - table->all->lookup->queries.at);
        answer = hp_line_find(&table->all->reader, table->program, asked, &row);
        if (answer == HP_LINE_DOUBTED) {
            load_by_libdw(table);
        }
    }
    if (answer == HP_LINE_FOUND) {
        query->has_row = true;
        query->file = hp_line_table_file(table, row.file);
        query->line = row.line;
    } else if (table->is_from_libdw) {
        find_by_libdw(table, query);
    }
}

// --- files -----------------------------------------------------------------------------

// Store a path.  A relative path gets the folder of the compilation in front, which libdw
// does only in some cases.
static hp_string add_path(const struct hp_line_table *table, const char *path) {
    char whole[PATH_MAX];
    const char *folder = table->folder && *table->folder ? table->folder : NULL;
    struct hp_span name = hp_span_of(path);
    if (path[0] != '/' && folder && !hp_span_starts(name, folder)) {
        int size = snprintf(whole, sizeof whole, "%s/%s", folder, path);
        if (size > 0 && (size_t)size < sizeof whole) {
            name = (struct hp_span){whole, (size_t)size};
        }
    }
    return hp_strtab_add(&table->all->lookup->strings, name);
}

// Store the digest of a file, if it has one.
static void add_digest(const struct hp_line_table *table, hp_string file,
                       const unsigned char *md5) {
    struct hp_source_digest source = {.file = file};
    if (md5 && file.n) {
        memcpy(source.md5, md5, sizeof source.md5);
        hp_strtab_add(&table->all->lookup->sources,
                      (struct hp_span){(const char *)&source, sizeof source});
    }
}

// The path of a file in the header that was read last.
static hp_string read_file(const struct hp_line_table *table,
                           const struct hp_line_file *file) {
    const struct hp_line_header *header = &table->all->reader.header;
    bool is_whole = file->name[0] == '/' || file->folder == HP_NO_FOLDER;
    const char *folder = is_whole ? NULL : header->folders.at[file->folder];
    // Before DWARF 5 folder 0 is that of the unit.
    folder = is_whole || folder ? folder : table->folder;
    if (!folder) {
        return add_path(table, file->name);
    }
    char *joined = hp_printed("%s/%s", folder, file->name);
    hp_string path = add_path(table, joined);
    free(joined);
    return path;
}

// The path of a file by libdw.
static hp_string read_file_of_libdw(const struct hp_line_table *table, uint64_t number) {
    const char *path =
        table->files ? dwarf_filesrc(table->files, (size_t)number, NULL, NULL) : NULL;
    return path ? add_path(table, path) : (hp_string){0};
}

hp_string hp_line_table_file(struct hp_line_table *table, uint64_t number) {
    struct hp_line_tables *all = table->all;
    const struct hp_line_header *header = &all->reader.header;
    bool is_read = table->program && hp_line_read_header(&all->reader, table->program);
    if (is_read && number < all->files.count && all->files.at[number].is_known) {
        return all->files.at[number].path;
    }
    bool is_there = is_read && number < header->files.count;
    hp_string path = {0};
    if (table->files) {
        path = read_file_of_libdw(table, number);
    } else if (is_there) {
        path = read_file(table, &header->files.at[number]);
    }
    if (is_there) {
        add_digest(table, path, header->files.at[number].md5);
        *hp_vec_reach(&all->files, number) = (struct hp_known_file){path, true};
    }
    return path;
}
