// Rank of several symbols at one address: a function before a label without type, a
// symbol with a size before one without, global before weak before local; then the
// shorter name, then the lesser one.
#include "sym/symtab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

// Weights that make up the rank of a symbol.
enum {
    WEIGHT_FUNCTION = 8, // added if it is a function, not a label
    WEIGHT_SIZED = 4,    // added if it has a size
    WEIGHT_GLOBAL = 2,   // added if it is global
    WEIGHT_WEAK = 1,     // added if it is weak
    // Symbols that end before the address and are skipped in a look-up.
    MOST_STEPS_BACK = 1000,
};

void hp_symtab_done(struct hp_symtab *table) {
    hp_vec_done(&table->symbols);
}

// Whether a symbol is a mapping symbol ("$x") or a local label of the assembler (".L1").
static bool is_label(const char *name) {
    return name[0] == '$' || name[0] == '.';
}

// The rank of a symbol: the sum of its weights.
static uint32_t rank_of(const GElf_Sym *symbol) {
    int type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
    uint32_t rank = type == STT_NOTYPE ? 0 : WEIGHT_FUNCTION;
    rank += symbol->st_size ? WEIGHT_SIZED : 0;
    return rank + (bind == STB_LOCAL  ? 0
                   : bind == STB_WEAK ? WEIGHT_WEAK
                                      : WEIGHT_GLOBAL);
}

// Find the range of addresses that can contain a symbol: that of its section.  Go's
// linker gives functions the number of a section without code; their range is the
// segment.  False if there is no code around the symbol.
static bool find_bounds(const struct hp_image *image, const GElf_Sym *symbol,
                        uint64_t *start, uint64_t *size) {
    GElf_Shdr section;
    if (!gelf_getshdr(elf_getscn(image->elf, symbol->st_shndx), &section)) {
        return false;
    }
    if (section.sh_flags & SHF_EXECINSTR) {
        *start = section.sh_addr;
        *size = section.sh_size;
        return true;
    }
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        if (load->exec && symbol->st_value - load->vaddr < load->size) {
            *start = load->vaddr;
            *size = load->size;
            return GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
        }
    }
    return false;
}

// Add a symbol if it is a function or a label in code.
static void add_symbol(struct hp_symtab *table, const struct hp_image *image,
                       const GElf_Sym *symbol, const char *name, uint64_t shift) {
    int type = GELF_ST_TYPE(symbol->st_info);
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    uint64_t start, bytes;
    if ((!function && type != STT_NOTYPE) || symbol->st_shndx == SHN_UNDEF || !name ||
        !*name || (!function && is_label(name)) ||
        !find_bounds(image, symbol, &start, &bytes)) {
        return;
    }
    uint64_t room = start + bytes - symbol->st_value;
    if (room > bytes) {
        return; // the symbol lies outside its section
    }
    // A symbol without a size extends to the end of its section, or to the next symbol.
    uint64_t size = symbol->st_size && symbol->st_size < room ? symbol->st_size : room;
    struct hp_symbol entry = {.start = symbol->st_value + shift,
                              .end = symbol->st_value + shift + size,
                              .name = name,
                              .rank = rank_of(symbol)};
    hp_vec_push(&table->symbols, entry);
}

// Add the functions and labels of one symbol table.
static void add_table(struct hp_symtab *table, const struct hp_image *image,
                      Elf_Scn *section, uint64_t shift) {
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !gelf_getshdr(section, &header) || header.sh_entsize == 0) {
        return;
    }
    size_t count = data->d_size / header.sh_entsize;
    // Many of these are not functions; memory that is reserved but not touched costs
    // nothing.
    hp_vec_reserve(&table->symbols, count);
    for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol)) {
            add_symbol(table, image, &symbol,
                       elf_strptr(image->elf, header.sh_link, symbol.st_name), shift);
        }
    }
}

void hp_symtab_add(struct hp_symtab *table, const struct hp_image *image,
                   uint64_t shift) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)) {
            add_table(table, image, section, shift);
        }
    }
}

// Order symbols with the same start by rank: the preferred one comes last.
static int by_rank(const void *a, const void *b) {
    const struct hp_symbol *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    size_t length = strlen(x->name), other = strlen(y->name);
    if (length != other) {
        return length > other ? -1 : 1;
    }
    return strcmp(y->name, x->name);
}

// Sort by start, then by rank.
static void sort(struct hp_symtab *table) {
    struct hp_symbol *symbols = table->symbols.at;
    hp_vec_sort_by_key(&table->symbols); // the key is the start
    for (size_t first = 0, next; first < table->symbols.count; first = next) {
        for (next = first + 1; next < table->symbols.count &&
                               symbols[next].start == symbols[first].start;) {
            next++;
        }
        if (next > first + 1) {
            qsort(symbols + first, next - first, sizeof *symbols, by_rank);
        }
    }
}

// End each symbol without a size at the start of the next one.
static void end_unsized(struct hp_symtab *table) {
    struct hp_symbol *symbols = table->symbols.at;
    uint64_t next = UINT64_MAX;
    for (size_t i = table->symbols.count; i-- > 0;) {
        struct hp_symbol *symbol = &symbols[i];
        if (i + 1 < table->symbols.count && symbols[i + 1].start != symbol->start) {
            next = symbols[i + 1].start;
        }
        if (!(symbol->rank & WEIGHT_SIZED) && next < symbol->end) {
            symbol->end = next;
        }
    }
}

void hp_symtab_sort(struct hp_symtab *table) {
    sort(table);
    end_unsized(table);
    uint64_t furthest = 0;
    struct hp_symbol *symbol;
    hp_vec_each (symbol, &table->symbols) {
        furthest = symbol->end > furthest ? symbol->end : furthest;
        symbol->furthest = furthest;
    }
}

// The number of symbols that start at or before `address`.
static size_t count_up_to(const struct hp_symtab *table, uint64_t address) {
    size_t low = 0, high = table->symbols.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->symbols.at[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Return the function around an address.  A label inside a function with a size is not a
// function, so a symbol with a size is preferred.
const struct hp_symbol *hp_symtab_find(const struct hp_symtab *table, uint64_t address) {
    const struct hp_symbol *label = NULL;
    size_t i = count_up_to(table, address);
    for (int steps = 0; i > 0 && steps < MOST_STEPS_BACK; steps++) {
        const struct hp_symbol *symbol = &table->symbols.at[--i];
        if (symbol->furthest <= address) {
            break;
        }
        if (address < symbol->end && symbol->rank & WEIGHT_SIZED) {
            return symbol;
        }
        if (address < symbol->end && !label) {
            label = symbol;
        }
    }
    return label;
}

bool hp_symtab_is_free(const struct hp_symtab *table, uint64_t start, uint64_t last) {
    size_t before = count_up_to(table, last);
    return before == 0 || table->symbols.at[before - 1].furthest <= start;
}

const struct hp_symbol *hp_symtab_at(const struct hp_symtab *table, uint64_t address,
                                     size_t *count) {
    size_t end = count_up_to(table, address);
    size_t start = end;
    while (start > 0 && table->symbols.at[start - 1].start == address) {
        start--;
    }
    *count = end - start;
    return hp_vec_from(&table->symbols, start);
}
