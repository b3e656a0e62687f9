// Queries go in rounds.  In each round a query goes to the first unit that claims its
// address and was not asked yet.  Queries for one unit go together and in order, so that
// a unit is walked once per round.  A query that finds no function goes to the next unit
// in the next round.
#include "sym/dwarf.h"

#include "base/md5.h"
#include "base/strtab.h"
#include "sym/names.h"
#include "sym/scopes.h"
#include "sym/split.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

// --- line table ------------------------------------------------------------------------

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

// Return the last row of the line table that libdw read which starts at or before
// `address`.
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

// --- read here or by libdw -------------------------------------------------------------

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

// Store a path in the look-up.  A relative path gets the folder of the compilation in
// front, which libdw does only in some cases.
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

// --- dwarf -----------------------------------------------------------------------------

// --- queries ---------------------------------------------------------------------------

enum {
    MOST_ROUNDS = 16, // rounds, and so units, that one query can go through
    // Bytes of .debug_info after which the Dwarf is opened anew: libdw frees nothing of a
    // unit before dwarf_end().
    RENEW_AFTER = 64 << 20,
};

// The state of one call of hp_dwarf_look_up().
struct session {
    struct hp_lookup *lookup;
    const struct hp_image *image;
    Dwarf *dwarf, *alt; // of the image; shared debug information, or NULL
    struct hp_debug_info info;
    struct hp_units units;
    struct hp_names names;
    struct hp_scopes scopes;
    uint64_t walked; // bytes of .debug_info walked since the last renewal
    uint64_t held;   // bytes read since hp_image_rest() was last called
    struct hp_line_tables tables;
    struct hp_split split;
};

// A query that goes to a unit in the current round.
struct turn {
    uint32_t unit, query; // indexes in units.units and lookup->queries
    uint64_t low; // start of the unit's range that contains the address of the query
};

// Open the Dwarf anew if enough was walked since the last time; names and split units
// that depend on it are dropped.  False if it cannot be opened.
static bool renew(struct session *session) {
    if (session->dwarf && session->walked < RENEW_AFTER) {
        return true;
    }
    session->walked = 0;
    hp_names_clear(&session->names);
    hp_split_clear(&session->split);
    dwarf_end(session->dwarf);
    session->dwarf = dwarf_begin_elf(hp_image_debug(session->image), DWARF_C_READ, NULL);
    if (session->dwarf && session->alt) {
        dwarf_setalt(session->dwarf, session->alt);
    }
    hp_debug_info_ask(&session->info, session->dwarf);
    return session->dwarf != NULL;
}

// Count `size` bytes of .debug_info, and about as many of other sections, as mapped into
// memory, and drop these pages if they are many.
static void rest(struct session *session, uint64_t size) {
    session->held += 2 * size;
    if (session->held >= HP_REST_AFTER) {
        hp_image_rest(session->image);
        session->held = 0;
    }
}

// Find the first entry of a unit; may open the Dwarf anew.  False if it cannot be read.
static bool open_unit(struct session *session, const struct hp_listed_unit *unit,
                      struct hp_entry *entry) {
    Dwarf_Die die;
    hp_file_request_tick(session->lookup->requester);
    if (!renew(session)) {
        return false;
    }
    hp_debug_info_trim(&session->info);
    *entry = (struct hp_entry){.unit = hp_dwarf_unit_at(&session->info, unit->die)};
    if (entry->unit) {
        entry->at = entry->unit->entry;
        return true;
    }
    bool is_there = dwarf_offdie(session->dwarf, unit->die, &die) != NULL;
    *entry = is_there ? hp_entry_of_libdw(&die) : *entry;
    return is_there;
}

// The number in an attribute, if it fits 31 bits; 0 if it is missing or larger.
static uint32_t number_of(struct hp_entry *entry, unsigned name) {
    uint64_t value = 0;
    hp_entry_number(entry, name, &value);
    return value <= INT32_MAX ? (uint32_t)value : 0;
}

// Set the names of all scopes, and the call sites of inlined ones.
static void name_scopes(struct session *session) {
    struct hp_scopes *scopes = &session->scopes;
    for (size_t i = 1; i < scopes->scopes.count; i++) {
        struct hp_scope *scope = &scopes->scopes.at[i];
        scope->name =
            hp_names_of(&session->names, &scope->entry, scope->inlined, scope->first);
        if (scope->inlined) {
            scope->file = number_of(&scope->entry, DW_AT_call_file);
            scope->line = number_of(&scope->entry, DW_AT_call_line);
        }
    }
    hp_names_qualify(&session->names);
}

// Append the chain of calls of a query, from the innermost scope outwards.  A call was
// made at the line where the next inner scope says it was inlined.
static void add_chain(struct session *session, struct hp_line_table *table,
                      struct hp_query *query, uint32_t scope) {
    struct hp_lookup *lookup = session->lookup;
    hp_string file = query->file;
    uint32_t line = query->line;
    query->first_line = (uint32_t)lookup->lines.count;
    while (scope && query->lines < HP_CHAIN_LIMIT) {
        const struct hp_scope *at = &session->scopes.scopes.at[scope];
        const struct hp_name *name = &session->names.names.at[at->name];
        struct hp_line entry = {name->function, name->linkage, file, line,
                                name->start_line};
        hp_vec_push(&lookup->lines, entry);
        query->lines++;
        scope = at->parent;
        if (at->inlined) {
            file = hp_line_table_file(table, at->file);
            line = at->line;
        }
    }
}

// Find the scopes of the queries of these turns in their unit, or in the split unit that
// it refers to.  False if the budget ran out.
static bool load_scopes(struct session *session, const struct turn *turns, size_t count,
                        struct hp_entry *entry) {
    struct hp_lookup *lookup = session->lookup;
    struct hp_scopes *scopes = &session->scopes;
    const struct hp_listed_unit *unit = &session->units.units.at[turns->unit];
    scopes->places.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct hp_scope_place place = {lookup->queries.at[turns[i].query].address, 0};
        hp_vec_push(&scopes->places, place);
    }
    struct hp_entry content;
    uint64_t split = hp_split_find(&session->split, entry, &content);
    session->walked += split;
    // A sound walk visits each DIE, of at least a byte, at most twice; the rest is for
    // ranges and nesting.
    scopes->cursor.budget = 4 * (split ? split : unit->size) + (1 << 20) + 4096 * count;
    bool is_whole = hp_scopes_walk(scopes, &content, entry);
    lookup->units.all++;
    lookup->units.foreign += scopes->cursor.by_libdw;
    return is_whole;
}

// Answer the queries of these turns, which are ordered by address and all for one unit.
static void ask_unit(struct session *session, const struct turn *turns, size_t count) {
    struct hp_lookup *lookup = session->lookup;
    const struct hp_listed_unit *unit = &session->units.units.at[turns->unit];
    struct hp_entry entry;
    struct hp_line_table table;
    if (!open_unit(session, unit, &entry)) {
        return;
    }
    session->walked += unit->size;
    rest(session, unit->size);
    if (!load_scopes(session, turns, count, &entry)) {
        lookup->over_budget = true;
        return;
    }
    name_scopes(session);
    session->tables.reader.wanted.count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = lookup->queries.at[turns[i].query].address;
        hp_line_want(&session->tables.reader, turns[i].low, address);
    }
    hp_line_table_load(&session->tables, &table, &entry);
    for (size_t i = 0; i < count; i++) {
        struct hp_query *query = &lookup->queries.at[turns[i].query];
        hp_line_table_find(&table, query);
        add_chain(session, &table, query, session->scopes.places.at[i].scope);
    }
}

// Order turns by unit, then by address.
static int compare(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    if (x->unit != y->unit) {
        return x->unit < y->unit ? -1 : 1;
    }
    return x->query < y->query ? -1 : x->query > y->query;
}

// Send each query without a function to its next unit.  False if no query has a unit
// left.
static bool ask_round(struct session *session) {
    struct hp_lookup *lookup = session->lookup;
    HP_VEC(struct turn) turns = {0};
    for (uint32_t i = 0; i < lookup->queries.count; i++) {
        struct hp_query *query = &lookup->queries.at[i];
        const struct hp_unit_range *range = NULL;
        if (query->lines == 0 && query->next_unit != HP_NO_UNIT) {
            range = hp_units_find(&session->units, query->address, query->next_unit);
            query->next_unit = range ? range->unit + 1 : HP_NO_UNIT;
        }
        if (range) {
            struct turn turn = {range->unit, i, range->low};
            hp_vec_push(&turns, turn);
        }
    }
    hp_vec_sort(&turns, compare);
    for (size_t first = 0, last; first < turns.count; first = last) {
        last = first + 1;
        while (last < turns.count && turns.at[last].unit == turns.at[first].unit) {
            last++;
        }
        ask_unit(session, turns.at + first, last - first);
    }
    bool any = turns.count > 0;
    hp_vec_done(&turns);
    return any;
}

// Whether a query has neither a function nor a row yet.
static bool lacks_line(const struct hp_query *query) {
    return query->lines == 0 && !query->has_row;
}

// Look for rows in the line table of a unit that claims no addresses, as assemblers write
// it.
static void ask_unit_lines(struct session *session, const struct hp_listed_unit *unit) {
    struct hp_lookup *lookup = session->lookup;
    struct hp_entry entry;
    struct hp_line_table table;
    if (!open_unit(session, unit, &entry)) {
        return;
    }
    hp_line_table_load(&session->tables, &table, &entry);
    bool any = hp_line_table_has_rows(&table);
    for (size_t i = 0; any && i < lookup->queries.count; i++) {
        struct hp_query *query = &lookup->queries.at[i];
        if (lacks_line(query)) {
            hp_line_table_find(&table, query);
        }
    }
}

// First address of the executable segment that contains `address`; 0 if none does.
static uint64_t start_of_code(const struct hp_image *image, uint64_t address) {
    const struct hp_load *load;
    uint64_t start = 0;
    hp_vec_each (load, &image->loads) {
        bool is_inside = address >= load->vaddr && address - load->vaddr < load->size;
        start = load->exec && is_inside ? load->vaddr : start;
    }
    return start;
}

// Look for rows of queries without a function in units that claim no addresses.
static void ask_for_lines(struct session *session) {
    const struct hp_lookup *lookup = session->lookup;
    struct hp_line_reader *reader = &session->tables.reader;
    const struct hp_query *query;
    reader->wanted.count = 0;
    reader->is_sure = true; // no sequence extends from before a segment into it
    hp_vec_each (query, &lookup->queries) {
        if (lacks_line(query)) {
            hp_line_want(reader, start_of_code(session->image, query->address),
                         query->address);
        }
    }
    for (size_t i = 0; reader->wanted.count > 0 && i < session->units.units.count; i++) {
        if (!session->units.units.at[i].has_ranges) {
            ask_unit_lines(session, &session->units.units.at[i]);
        }
    }
}

bool hp_dwarf_look_up(struct hp_lookup *lookup, const struct hp_image *image,
                      Dwarf *alt) {
    struct session session = {.lookup = lookup, .image = image, .alt = alt};
    session.names.symtab = &lookup->symtab;
    session.names.strings = &lookup->strings;
    hp_split_init(&session.split, lookup->requester, image);
    hp_debug_info_begin(&session.info, hp_image_debug(image), image);
    bool good = renew(&session);
    if (good) {
        hp_line_tables_init(&session.tables, lookup, image);
        hp_units_read(&session.units, &session.info, session.tables.reader.asked.at,
                      session.tables.reader.asked.count);
        rest(&session, HP_REST_AFTER);
        for (int round = 0; round < MOST_ROUNDS && ask_round(&session); round++) {
        }
        ask_for_lines(&session);
        hp_line_tables_done(&session.tables);
    }
    lookup->missing_split = session.split.missing;
    lookup->has_package = session.split.has_package;
    lookup->flaw = session.split.flaw;
    hp_split_done(&session.split);
    dwarf_end(session.dwarf);
    hp_units_done(&session.units);
    hp_names_done(&session.names);
    hp_scopes_done(&session.scopes);
    hp_debug_info_done(&session.info);
    return good;
}
