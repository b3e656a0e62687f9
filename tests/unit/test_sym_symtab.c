// Tests of symbol tables; higher ranks win.
#include "sym/symtab.h"

#include <criterion/criterion.h>

enum {
    FUNCTION = 8,
    SIZED = 4,
    GLOBAL = 2,
    WEAK = 1
};

static void add(struct hp_symtab *table, const char *name, uint64_t start, uint64_t end,
                uint32_t rank) {
    struct hp_symbol symbol = {.name = name, .start = start, .end = end, .rank = rank};
    hp_vec_push(&table->symbols, symbol);
}

static struct hp_symtab table_of_all(void) {
    struct hp_symtab table = {0};
    add(&table, "weak", 0x100, 0x200, FUNCTION + SIZED + WEAK);
    add(&table, "global", 0x100, 0x200, FUNCTION + SIZED + GLOBAL);
    add(&table, "local", 0x100, 0x200, FUNCTION + SIZED);
    add(&table, "label", 0x100, 0x1000, GLOBAL);
    add(&table, "inner", 0x140, 0x150, FUNCTION + SIZED);
    add(&table, "label_inside", 0x180, 0x1000, GLOBAL);
    add(&table, "assembler", 0x300, 0x1000, 0);
    add(&table, "b_twin", 0x400, 0x410, FUNCTION + SIZED + GLOBAL);
    add(&table, "a_twin", 0x400, 0x410, FUNCTION + SIZED + GLOBAL);
    add(&table, "a_long_alias", 0x500, 0x510, FUNCTION + SIZED + GLOBAL);
    add(&table, "z_alias", 0x500, 0x510, FUNCTION + SIZED + GLOBAL);
    add(&table, "a", 0x500, 0x510, FUNCTION + SIZED + WEAK);
    hp_symtab_sort(&table);
    return table;
}

static const struct {
    uint64_t address;
    const char *name; // NULL: no symbol
} cases[] = {
    {0xff, NULL},
    {0x100, "global"},
    {0x13f, "global"},
    {0x140, "inner"},
    {0x150, "global"},
    {0x190, "global"},
    {0x200, "label_inside"},
    {0x2ff, "label_inside"},
    {0x300, "assembler"},
    {0x3ff, "assembler"},
    {0x400, "a_twin"},
    {0x410, NULL},
    {0x500, "z_alias"},
};

Test(sym_symtab, the_best_symbol_around_an_address_wins) {
    struct hp_symtab table = table_of_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hp_symbol *symbol = hp_symtab_find(&table, cases[i].address);
        cr_expect_str_eq(symbol ? symbol->name : "-", cases[i].name ? cases[i].name : "-",
                         "%lx: %s", cases[i].address, symbol ? symbol->name : "-");
    }
    hp_symtab_done(&table);
}

Test(sym_symtab, finds_all_that_start_at_an_address) {
    struct hp_symtab table = table_of_all();
    size_t count;
    const struct hp_symbol *symbols = hp_symtab_at(&table, 0x100, &count);
    cr_assert_eq(count, 4);
    cr_expect_str_eq(symbols[0].name, "label");
    cr_expect_str_eq(symbols[3].name, "global");
    hp_symtab_at(&table, 0x101, &count);
    cr_expect_eq(count, 0);
    hp_symtab_done(&table);
}

Test(sym_symtab, an_empty_table_has_nothing) {
    struct hp_symtab table = {0};
    size_t count;
    hp_symtab_sort(&table);
    cr_expect_null(hp_symtab_find(&table, 1));
    hp_symtab_at(&table, 1, &count);
    cr_expect_eq(count, 0);
}
