// DWARF 5, section 3.3: the linkage name may be at the function's own DIE, at its
// abstract origin or at its declaration.  GCC gives none to static functions: their
// symbol, or else the scopes around the declaration, make the name unique.
//
// libdw keeps no parents, so the scopes of many DIEs are found together, by one walk down
// each unit.  A DIE is below the last of its parent's siblings that starts before it, so
// only subtrees that contain one of the wanted DIEs are entered.
#include "sym/names.h"

#include "base/hash.h"
#include "sym/demangle.h"
#include "sym/die_cursor.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ORIGINS = 16,        // length of a chain of origins
    MOST_DEPTH = 200,         // nesting of scopes
    MOST_PATH = 8192,         // bytes of all scopes of a name
    STEPS_PER_NAME = 1 << 20, // entries that may be visited for each name
    CXX_17 = 0x2a,            // registered since DWARF 5, and not in every dwarf.h
    CXX_20 = 0x2b,
};

void hp_names_done(struct hp_names *names) {
    hp_vec_done(&names->names);
    hp_vec_done(&names->keys);
    hp_index_drop(&names->index);
}

void hp_names_clear(struct hp_names *names) {
    names->names.count = names->keys.count = names->qualified = 0;
    hp_index_drop(&names->index);
}

// A string attribute of an entry or its origins; NULL if it is missing or empty.
static const char *string_of(struct hp_entry *entry, unsigned name) {
    const char *text = hp_entry_whole_string(entry, name);
    return text && *text ? text : NULL;
}

// The line of the declaration; 0 if unknown.
static uint32_t start_line_of(struct hp_entry *entry) {
    uint64_t line = 0;
    hp_entry_whole_number(entry, DW_AT_decl_line, &line);
    return line <= INT32_MAX ? (uint32_t)line : 0;
}

// The linkage name of a function, or NULL.
static const char *linkage_of(struct hp_entry *entry) {
    const char *name = string_of(entry, DW_AT_linkage_name);
    return name ? name : string_of(entry, DW_AT_MIPS_linkage_name);
}

// Whether a symbol may belong to the function with this name.  It may not if the linker
// folded another function with the same code into it.
static bool may_name(const char *symbol, const char *name) {
    char plain[256];
    name += *name == '~';
    size_t size = strcspn(name, "<");
    if (size == 0 || size >= sizeof plain || strncmp(name, "operator", 8) == 0) {
        return true;
    }
    memcpy(plain, name, size);
    plain[size] = '\0';
    return strstr(symbol, plain) != NULL;
}

// The address where a function is entered; `first` if no attribute says so.
static uint64_t start_of(struct hp_entry *function, uint64_t first) {
    uint64_t start;
    return hp_entry_address(function, DW_AT_entry_pc, &start) ||
                   hp_entry_address(function, DW_AT_low_pc, &start)
               ? start
               : first;
}

// The linkage name of a function from its symbols, without suffixes of compilers such as
// ".part.0": a part of a function is shown as the function.  Empty if no symbol fits.
static struct hp_span symbol_of(const struct hp_names *names, uint64_t entry,
                                const char *name) {
    size_t count = 0;
    const struct hp_symbol *symbols =
        names->symtab ? hp_symtab_at(names->symtab, entry, &count) : NULL;
    while (count-- > 0) {
        const char *symbol = symbols[count].name;
        bool mangled = strncmp(symbol, "_Z", 2) == 0 && may_name(symbol, name);
        if (mangled) {
            return (struct hp_span){symbol, hp_mangled_size(symbol)};
        }
        if (strcmp(symbol, name) == 0) { // extern "C", or _GLOBAL__sub_I_x.cc
            return hp_span_of(symbol);
        }
    }
    return (struct hp_span){"", 0};
}

// Whether the language of an entry has scopes; in C a name is already complete.
static bool has_scopes(struct hp_entry *entry) {
    struct hp_entry unit;
    uint64_t language = 0;
    if (hp_entry_unit(entry, &unit)) {
        hp_entry_whole_number(&unit, DW_AT_language, &language);
    }
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == CXX_17 || language == CXX_20 || language == DW_LANG_Rust ||
           language == DW_LANG_D;
}

// Read the name of a function.  It stays without scope (`bare`) if neither a linkage name
// nor a symbol is found.
static struct hp_name read_name(struct hp_names *names, struct hp_entry *entry,
                                bool inlined, uint64_t first) {
    struct hp_name name = {.home = *entry, .start_line = start_line_of(entry)};
    const char *linkage = linkage_of(entry);
    if (linkage) {
        name.linkage = hp_strtab_add(names->strings, hp_span_of(linkage));
        return name;
    }
    const char *text = string_of(entry, DW_AT_name);
    if (!text) {
        return name;
    }
    struct hp_span symbol = {"", 0};
    for (int i = 0; i < MOST_ORIGINS && hp_entry_origin(&name.home, &name.home); i++) {
    }
    name.bare = has_scopes(&name.home);
    if (name.bare && !inlined) {
        symbol = symbol_of(names, start_of(entry, first), text);
    }
    if (symbol.size) {
        name.linkage = hp_strtab_add(names->strings, symbol);
        name.bare = false;
        return name;
    }
    name.linkage = name.function = hp_strtab_add(names->strings, hp_span_of(text));
    return name;
}

uint32_t hp_names_of(struct hp_names *names, struct hp_entry *entry, bool inlined,
                     uint64_t first) {
    struct hp_entry subject = *entry;
    if (inlined) {
        hp_entry_origin(entry, &subject); // all calls of a function share its entry
    }
    const void *key = subject.at;
    uint32_t number = hp_index_of(&names->index, &names->keys, &key, sizeof key);
    if (number == names->keys.count) {
        hp_vec_push(&names->names, read_name(names, &subject, inlined, first));
        hp_vec_push(&names->keys, key);
    }
    return number;
}

// --- scopes ----------------------------------------------------------------------------

// The scopes from the unit down to the current entry: "a::b::".
struct scope_path {
    char text[MOST_PATH];
    size_t size;
    int depth; // number of entries from the unit down, also those without a name
};

// A walk down one unit; its names without scope are [at, end), ordered by the position of
// their declaration (home).
struct names_walk {
    struct hp_strtab *strings;
    struct hp_name **at, **end; // [at, end): names that the walk has not reached yet
    struct hp_die_cursor cursor;
    struct scope_path path;
};

// Order names by the position of their declaration (home).
static int by_home(const void *a, const void *b) {
    const struct hp_name *x = *(struct hp_name *const *)a;
    const struct hp_name *y = *(struct hp_name *const *)b;
    return x->home.at < y->home.at ? -1 : x->home.at > y->home.at;
}

// The text for an unnamed class around the current name: a class with an operator() was
// written as a lambda.
static const char *unnamed(const struct names_walk *walk) {
    const char *member = hp_strtab_text(walk->strings, (*walk->at)->function);
    bool lambda = strncmp(member, "operator()", 10) == 0 || strcmp(member, "_FUN") == 0;
    return lambda ? "{lambda}" : "{unnamed type}";
}

// The name of a scope; NULL for a block.
static const char *scope_name(const struct names_walk *walk, struct hp_entry *scope) {
    const char *name = hp_entry_whole_string(scope, DW_AT_name);
    switch (hp_entry_tag(scope)) {
    case DW_TAG_namespace:
        return name ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return name ? name : unnamed(walk);
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_module:
    case DW_TAG_subprogram:
        return name;
    default:
        return NULL; // for example a block
    }
}

// Put the current scopes in front of a name, unless that is too long.
static void qualify(struct names_walk *walk, struct hp_name *name) {
    char whole[2 * MOST_PATH];
    int size = snprintf(whole, sizeof whole, "%.*s%s", (int)walk->path.size,
                        walk->path.text, hp_strtab_text(walk->strings, name->function));
    if (size > 0 && (size_t)size < sizeof whole) {
        struct hp_span text = {whole, (size_t)size};
        name->function = hp_strtab_add(walk->strings, text);
    }
}

static void descend(struct names_walk *walk, struct hp_die *die, uintptr_t end);

// Descend into an entry, with its name appended to the path.
static void enter(struct names_walk *walk, struct hp_die *die, uintptr_t end) {
    struct scope_path *path = &walk->path;
    size_t size = path->size;
    struct hp_entry scope = hp_die_entry(&walk->cursor, die);
    const char *name = scope_name(walk, &scope);
    if (name && strlen(name) + 2 < sizeof path->text - size) {
        int added = snprintf(path->text + size, sizeof path->text - size, "%s::", name);
        path->size += (size_t)added;
    }
    path->depth++;
    descend(walk, die, end);
    path->depth--;
    path->size = size;
}

// Return the position of the declaration (home) of the next name; UINTPTR_MAX after the
// last.
static uintptr_t next_home(const struct names_walk *walk) {
    return walk->at < walk->end ? (uintptr_t)(*walk->at)->home.at : UINTPTR_MAX;
}

// Put the scopes in front of the names whose declaration (home) is at `here`; names with
// a declaration before it were missed and stay without scope.
static void take_homes(struct names_walk *walk, uintptr_t here) {
    for (; walk->at < walk->end && next_home(walk) <= here; walk->at++) {
        if (next_home(walk) == here) {
            qualify(walk, *walk->at);
        }
    }
    walk->cursor.stop = walk->at < walk->end ? (*walk->at)->home.at : NULL;
}

// Return the position of an entry, comparable to those of the declarations of names.
static uintptr_t place_of(const struct names_walk *walk, const struct hp_die *die) {
    return (uintptr_t)(walk->cursor.by_libdw ? die->libdw.addr : die->at);
}

// Visit the children of an entry, and enter those that contain the declaration (home) of
// a name.  `end` is where the next DIE after this subtree begins.
static void descend(struct names_walk *walk, struct hp_die *die, uintptr_t end) {
    struct hp_die child, next;
    bool more = walk->path.depth < MOST_DEPTH && hp_die_child(&walk->cursor, die, &child);
    while (more && walk->at < walk->end && hp_die_spend(&walk->cursor)) {
        next = child;
        more = hp_die_next(&walk->cursor, &next);
        uintptr_t after = more ? place_of(walk, &next) : end;
        take_homes(walk, place_of(walk, &child));
        if (next_home(walk) < after) {
            enter(walk, &child, after);
        }
        child = next;
    }
}

// Put the scopes in front of `count` names whose declarations (homes) are all in one
// unit.
static void qualify_unit(struct names_walk *walk, struct hp_name **names, size_t count) {
    struct hp_entry unit;
    struct hp_die die;
    walk->at = names;
    walk->end = names + count;
    walk->path = (struct scope_path){.size = 0};
    if (hp_entry_unit(&names[0]->home, &unit)) {
        walk->cursor.budget = count * STEPS_PER_NAME;
        hp_die_cursor_begin(&walk->cursor, &unit, &unit);
        hp_die_of_unit(&walk->cursor, &die);
        take_homes(walk, 0);
        descend(walk, &die, UINTPTR_MAX);
    }
}

void hp_names_qualify(struct hp_names *names) {
    HP_VEC(struct hp_name *) bare = {0};
    struct names_walk *walk = hp_alloc(sizeof *walk);
    walk->strings = names->strings;
    for (; names->qualified < names->names.count; names->qualified++) {
        if (names->names.at[names->qualified].bare) {
            hp_vec_push(&bare, &names->names.at[names->qualified]);
        }
    }
    hp_vec_sort(&bare, by_home);
    for (size_t first = 0, last; first < bare.count; first = last) {
        last = first + 1;
        while (last < bare.count &&
               hp_entry_shares_unit(&bare.at[last]->home, &bare.at[first]->home)) {
            last++;
        }
        qualify_unit(walk, bare.at + first, last - first);
    }
    for (size_t i = 0; i < bare.count; i++) {
        bare.at[i]->linkage = bare.at[i]->function;
        bare.at[i]->bare = false;
    }
    free(walk);
    hp_vec_done(&bare);
}
