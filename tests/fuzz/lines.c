// Fuzz target of line programs.  The input is the .debug_line of a unit, for which an ELF
// file is made; its first byte chooses the version of DWARF.  Wherever libdw finds rows,
// our own reader must find the same: at the address of each row, before it and after it.
// Where sequences are skipped in which no address was asked for, the rows of the other
// sequences must be the same as those of the whole program.
#include "sym/dwarf.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    MOST_ASKED = 300,
    LEFT_OUT = 2, // highest addresses, which linkers give to code that they discarded
    SECTIONS = 6, // including the empty first one and the table of section names
};

static const char names[] =
    "\0.debug_abbrev\0.debug_info\0.debug_line\0.debug_line_str\0.names";
static const unsigned char abbreviations[] = {1,
                                              DW_TAG_compile_unit,
                                              DW_CHILDREN_no,
                                              DW_AT_stmt_list,
                                              DW_FORM_sec_offset,
                                              DW_AT_comp_dir,
                                              DW_FORM_string,
                                              0,
                                              0,
                                              0};
static const char line_strings[] = "/src\0a.c\0inc\0/usr/b.h";

// Units of DWARF 4 and 5 whose DW_AT_stmt_list is 0 and whose folder is /src.
static const unsigned char unit4[] = {17, 0, 0, 0, 4, 0,   0,   0,   0,   0, 8,
                                      1,  0, 0, 0, 0, '/', 's', 'r', 'c', 0};
static const unsigned char unit5[] = {18, 0, 0, 0, 5, 0, DW_UT_compile, 8,   0,   0,   0,
                                      0,  1, 0, 0, 0, 0, '/',           's', 'r', 'c', 0};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

struct content {
    const char *name;
    const void *at;
    size_t size;
};

// Make an ELF file without a name: a header, the contents of the sections, and their
// table.  Returns its descriptor.
static int make_file(const struct content *contents) {
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                   ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_ehsize = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = SECTIONS,
                       .e_shstrndx = SECTIONS - 1};
    Elf64_Shdr headers[SECTIONS] = {{.sh_type = SHT_NULL}};
    HP_VEC(char) file = {0};
    hp_vec_append(&file, (const char *)&head, sizeof head);
    for (size_t i = 1; i < SECTIONS; i++) {
        const struct content *content = &contents[i - 1];
        const char *name =
            memmem(names, sizeof names, content->name, strlen(content->name) + 1);
        headers[i] =
            (Elf64_Shdr){.sh_name = (Elf64_Word)(name - names),
                         .sh_type = i == SECTIONS - 1 ? SHT_STRTAB : SHT_PROGBITS,
                         .sh_offset = file.count,
                         .sh_size = content->size,
                         .sh_addralign = 1};
        hp_vec_append(&file, (const char *)content->at, content->size);
    }
    hp_vec_append(&file, "\0\0\0\0\0\0\0", (8 - file.count % 8) % 8);
    head.e_shoff = file.count;
    memcpy(file.at, &head, sizeof head);
    hp_vec_append(&file, (const char *)headers, sizeof headers);
    int fd = memfd_create("fuzz-lines", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, file.at, file.count) == (ssize_t)file.count);
    hp_vec_done(&file);
    return fd;
}

static int compare(const void *a, const void *b) {
    const struct hp_query *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

// Ask for the addresses of libdw's rows, and for the address before and after each.
// Returns false if libdw has no rows.
static bool ask(struct hp_lookup *lookup, Dwarf_Die *unit) {
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0 || count == 0) {
        return false;
    }
    for (size_t i = 0; i < count && i < MOST_ASKED; i++) {
        Dwarf_Addr address;
        require(dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) == 0);
        for (uint64_t beside = 0; beside < 3; beside++) {
            struct hp_query query = {.address = address + beside - 1};
            if (query.address <= UINT64_MAX - LEFT_OUT) {
                hp_vec_push(&lookup->queries, query);
            }
        }
    }
    hp_vec_sort(&lookup->queries, compare);
    return true;
}

// Find the rows of all queries.  Returns false if the limit of work was reached.
static bool find(struct hp_lookup *lookup, const struct hp_image *image, Dwarf_Die *unit,
                 bool by_libdw) {
    struct hp_line_tables tables;
    struct hp_line_table table;
    hp_line_tables_by_libdw = by_libdw;
    hp_line_tables_init(&tables, lookup, image);
    struct hp_entry entry = hp_entry_of_libdw(unit);
    hp_line_table_load(&tables, &table, &entry);
    struct hp_query *query;
    hp_vec_each (query, &lookup->queries) {
        hp_line_table_find(&table, query);
    }
    hp_line_tables_done(&tables);
    return !lookup->lacks_lines;
}

// Check that both readers found the same file and line for each query.
static void compare_rows(const struct hp_lookup *ours, const struct hp_lookup *theirs) {
    for (size_t i = 0; i < ours->queries.count; i++) {
        const struct hp_query *a = &ours->queries.at[i], *b = &theirs->queries.at[i];
        require(a->has_row == b->has_row && a->line == b->line);
        require(strcmp(hp_strtab_text(&ours->strings, a->file),
                       hp_strtab_text(&theirs->strings, b->file)) == 0);
    }
}

// Prepare to read the whole program, or only the sequences that begin at, or a little
// before, every seventh address that was asked for.
static void start(struct hp_line_tables *tables, struct hp_lookup *lookup,
                  const struct hp_image *image, bool is_whole) {
    hp_line_tables_init(tables, lookup, image);
    struct hp_line_reader *reader = &tables->reader;
    for (size_t i = 0; i < reader->asked.count && !is_whole; i += 7) {
        uint64_t address = reader->asked.at[i];
        hp_line_want(reader, address - (address < i ? address : i), address);
    }
}

// Check that skipping sequences does not change the rows of the others.
static void compare_parts(struct hp_lookup *lookup, const struct hp_image *image) {
    struct hp_line_tables whole, some;
    start(&whole, lookup, image, true);
    start(&some, lookup, image, false);
    struct hp_line_program *all = hp_line_program_at(&whole.reader, 0, 8);
    struct hp_line_program *part = hp_line_program_at(&some.reader, 0, 8);
    for (uint32_t i = 0; i < lookup->queries.count && !all->is_unknown; i++) {
        struct hp_line_row row = {0}, other = {0};
        enum hp_line_answer answer = hp_line_find(&whole.reader, all, i, &row);
        enum hp_line_answer found = hp_line_find(&some.reader, part, i, &other);
        bool is_over = whole.reader.is_over || some.reader.is_over;
        require(is_over || answer == HP_LINE_DOUBTED ||
                (answer == found && row.start == other.start && row.file == other.file &&
                 row.line == other.line));
    }
    hp_line_tables_done(&whole);
    hp_line_tables_done(&some);
}

static void lookup_done(struct hp_lookup *lookup) {
    hp_strtab_done(&lookup->strings);
    hp_strtab_done(&lookup->sources);
    hp_vec_done(&lookup->queries);
}

static void compare_readers(const struct hp_image *image, Dwarf_Die *unit) {
    struct hp_lookup ours = {0}, theirs = {0};
    if (ask(&ours, unit) && ask(&theirs, unit) && find(&ours, image, unit, false) &&
        find(&theirs, image, unit, true)) {
        compare_rows(&ours, &theirs);
        compare_parts(&ours, image);
    }
    lookup_done(&ours);
    lookup_done(&theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    if (size == 0) {
        return 0;
    }
    bool is_5 = bytes[0] % 2;
    struct content contents[SECTIONS - 1] = {
        {".debug_abbrev", abbreviations, sizeof abbreviations},
        {".debug_info", is_5 ? unit5 : unit4, is_5 ? sizeof unit5 : sizeof unit4},
        {".debug_line", bytes + 1, size - 1},
        {".debug_line_str", line_strings, sizeof line_strings},
        {".names", names, sizeof names}};
    require(
        hp_image_open(&image, make_file(contents), hp_span_of("module"), &diagnostic));
    Dwarf *dwarf = dwarf_begin_elf(image.elf, DWARF_C_READ, NULL);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    require(dwarf && dwarf_get_units(dwarf, NULL, &cu, NULL, NULL, &unit, NULL) == 0);
    compare_readers(&image, &unit);
    dwarf_end(dwarf);
    hp_image_done(&image);
    return 0;
}
