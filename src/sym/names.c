// DWARF 5, section 3.3: the linkage name may be at the function's own DIE, at its
// abstract origin or at its declaration.  GCC gives none to static functions: their
// symbol, or else the scopes around the declaration, make the name unique.
#include "sym/names.h"

#include "base/hash.h"
#include "sym/parents.h"

#include <dwarf.h>
#include <string.h>

enum {
    MOST_ORIGINS = 16,
    CXX_17 = 0x2a, // registered since DWARF 5, and not in every dwarf.h
    CXX_20 = 0x2b,
};

void hp_names_done(struct hp_names *names) {
    hp_vec_done(&names->names);
    hp_vec_done(&names->keys);
    free(names->slots);
    *names = (struct hp_names){0};
}

void hp_names_clear(struct hp_names *names) {
    names->names.count = names->keys.count = names->qualified = 0;
    if (names->slots) {
        memset(names->slots, 0, names->slot_count * sizeof *names->slots);
    }
}

static uint32_t *find_slot(const struct hp_names *names, const void *key) {
    size_t mask = names->slot_count - 1;
    size_t i = (size_t)hp_hash_mix((uintptr_t)key, hp_hash_key() | 1) & mask;
    while (names->slots[i] && names->keys.at[names->slots[i] - 1] != key) {
        i = (i + 1) & mask;
    }
    return &names->slots[i];
}

static void make_room(struct hp_names *names) {
    if ((names->names.count + 1) * 2 <= names->slot_count) {
        return;
    }
    free(names->slots);
    names->slot_count = names->slot_count ? names->slot_count * 2 : 256;
    names->slots = hp_alloc(names->slot_count * sizeof *names->slots);
    for (uint32_t i = 0; i < names->keys.count; i++) {
        *find_slot(names, names->keys.at[i]) = i + 1;
    }
}

static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin) {
    Dwarf_Attribute attribute;
    return (dwarf_attr(die, DW_AT_abstract_origin, &attribute) ||
            dwarf_attr(die, DW_AT_specification, &attribute)) &&
           dwarf_formref_die(&attribute, origin);
}

static const char *string_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
    return text && *text ? text : NULL;
}

static const char *linkage_of(Dwarf_Die *die) {
    const char *name = string_of(die, DW_AT_linkage_name);
    return name ? name : string_of(die, DW_AT_MIPS_linkage_name);
}

// Could a symbol be that of the function with this name?  The linker may have folded
// another function of the same code onto it.
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

static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry) {
    Dwarf_Addr base, end;
    return dwarf_entrypc(die, entry) == 0 || dwarf_ranges(die, 0, &base, entry, &end) > 0;
}

// The linker's name of a function from its symbol, without the compiler's ".part.0" and
// the like: such a part of a function is the function.
static struct hp_span symbol_of(const struct hp_names *names, Dwarf_Die *die,
                                const char *name) {
    Dwarf_Addr entry;
    size_t count = 0;
    const struct hp_symbol *symbols = NULL;
    if (names->symtab && entry_of(die, &entry)) {
        symbols = hp_symtab_at(names->symtab, entry, &count);
    }
    while (count-- > 0) {
        const char *symbol = symbols[count].name;
        bool mangled = strncmp(symbol, "_Z", 2) == 0 && may_name(symbol, name);
        if (mangled || strcmp(symbol, name) == 0) { // or extern "C"
            return (struct hp_span){symbol, strcspn(symbol, ".")};
        }
    }
    return (struct hp_span){"", 0};
}

// In C a function's name is all there is.
static bool has_scopes(Dwarf_Die *die) {
    Dwarf_Die unit;
    int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == CXX_17 || language == CXX_20 || language == DW_LANG_Rust ||
           language == DW_LANG_D;
}

static struct hp_name read_name(struct hp_names *names, Dwarf_Die *die, bool inlined) {
    struct hp_name name = {.home = *die};
    const char *linkage = linkage_of(die);
    if (linkage) {
        name.linkage = hp_strtab_add(names->strings, hp_span_of(linkage));
        return name;
    }
    const char *text = string_of(die, DW_AT_name);
    if (!text) {
        return name;
    }
    struct hp_span symbol = {"", 0};
    for (int i = 0; i < MOST_ORIGINS && origin_of(&name.home, &name.home); i++) {
    }
    name.bare = has_scopes(&name.home);
    if (name.bare && !inlined) {
        symbol = symbol_of(names, die, text);
    }
    if (symbol.size) {
        name.linkage = hp_strtab_add(names->strings, symbol);
        name.bare = false;
        return name;
    }
    name.linkage = name.function = hp_strtab_add(names->strings, hp_span_of(text));
    return name;
}

uint32_t hp_names_of(struct hp_names *names, Dwarf_Die *die, bool inlined) {
    Dwarf_Die subject = *die;
    if (inlined) {
        origin_of(die, &subject); // shared by all calls of that function
    }
    make_room(names);
    uint32_t *slot = find_slot(names, subject.addr);
    if (*slot == 0) {
        struct hp_name name = read_name(names, &subject, inlined);
        hp_vec_push(&names->names, name);
        hp_vec_push(&names->keys, subject.addr);
        *slot = (uint32_t)names->names.count;
    }
    return *slot - 1;
}

void hp_names_qualify(struct hp_names *names) {
    struct hp_parents parents = {.strings = names->strings};
    size_t first = names->qualified;
    for (size_t i = first; i < names->names.count; i++) {
        struct hp_name *name = &names->names.at[i];
        if (name->bare) {
            hp_parents_want(&parents, &name->home, &name->function);
        }
    }
    hp_parents_find(&parents);
    hp_parents_done(&parents);
    for (size_t i = first; i < names->names.count; i++) {
        struct hp_name *name = &names->names.at[i];
        if (name->bare) {
            name->linkage = name->function;
            name->bare = false;
        }
    }
    names->qualified = names->names.count;
}
