// Queries go in rounds.  In each round a query goes to the first unit that claims its
// address and was not asked yet.  Queries for one unit go together and in order, so that
// a unit is walked once per round.  A query that finds no function goes to the next unit
// in the next round.
#include "sym/dwarf.h"

#include "base/strtab.h"
#include "sym/line_table.h"
#include "sym/names.h"
#include "sym/scopes.h"
#include "sym/split.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

// --- queries ---------------------------------------------------------------------------

enum {
    MOST_ROUNDS = 16, // rounds, and so units, that one query can go through
    // Bytes of .debug_info after which the Dwarf is opened anew: libdw frees nothing of a
    // unit before dwarf_end().
    RENEW_AFTER = 64 << 20,
};

// One look-up at work.
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

// A query that goes to a unit.
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
// memory, and drop them if they are many.
static void rest(struct session *session, uint64_t size) {
    session->held += 2 * size;
    if (session->held >= HP_REST_AFTER) {
        hp_image_rest(session->image);
        session->held = 0;
    }
}

// Find the entry of a unit.  False if it cannot be read.
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

// An attribute that fits 31 bits; 0 if it is missing or larger.
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

// Send each open query to its next unit.  False if no query had one left.
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

// Begin of the executable segment that contains `address`; 0 if none does.
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
