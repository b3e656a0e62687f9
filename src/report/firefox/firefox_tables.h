// The tables that the threads of a Firefox profile share; firefox.c puts it together.
#ifndef HP_REPORT_FIREFOX_FIREFOX_TABLES_H
#define HP_REPORT_FIREFOX_FIREFOX_TABLES_H

#include "base/sink.h"
#include "view/view.h"

struct hp_firefox_node {
    uint32_t call;   // of the naming
    uint32_t prefix; // the caller's node + 1, or 0
};

struct hp_firefox_function {
    hp_string name;            // in strings
    uint32_t source, resource; // rows + 1, or 0
};

struct hp_firefox_tables {
    const struct hp_view *view;
    HP_VEC(struct hp_firefox_node) nodes; // the tree of stacks, callers first
    uint32_t *stack_of;                   // of each stack: its leaf's node
    uint32_t *frame_of;                   // of each call: its row + 1, or 0
    HP_VEC(uint32_t) calls;               // of each row of the frame table
    HP_VEC(uint32_t) function_of;         // the same
    HP_VEC(struct hp_firefox_function) functions;
    HP_VEC(hp_string) resources, sources; // names, in strings
    uint32_t *resource_of;                // of each module: its row + 1, or 0
    struct hp_strtab files;               // file n is row n - 1 of the sources
    struct hp_strtab strings;
};

void hp_firefox_tables_init(struct hp_firefox_tables *tables, const struct hp_view *view);
void hp_firefox_tables_done(struct hp_firefox_tables *tables);

// "shared": {...}
void hp_firefox_put_tables(struct hp_sink *out, const struct hp_firefox_tables *tables);

// A column of a table, "key": [...]: what `cell` writes for each of `count` rows.
typedef void hp_firefox_cell_fn(struct hp_sink *out, const void *data, size_t row);
void hp_firefox_put_column(struct hp_sink *out, const char *key, size_t count,
                           hp_firefox_cell_fn *cell, const void *data);
// The same value in all rows.
void hp_firefox_put_constant(struct hp_sink *out, const char *key, size_t count,
                             const char *value);

#endif
