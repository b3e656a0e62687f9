// The tables that all threads of a Firefox profile share.
//
// Map of src/report/firefox:
//
//   firefox.c          the format: processes, threads, samples and counters
//   firefox_tables.c   the shared tables: stacks, frames, functions, libraries, sources
//
// Read this header first, then firefox.c.  A table is written column by column, as the
// Firefox Profiler wants it.  A row of a table is a number from 0 on; members that may
// have none contain the row + 1.  Every text is a number in `strings`.
#ifndef HP_REPORT_FIREFOX_FIREFOX_TABLES_H
#define HP_REPORT_FIREFOX_FIREFOX_TABLES_H

#include "base/sink.h"
#include "view/view.h"

// A stack, as a node of the tree of stacks.
struct hp_firefox_node {
    uint32_t call;   // number of the call in the naming
    uint32_t prefix; // node of the caller, + 1; 0: none
};

// A row of the function table; equal functions are one row.
struct hp_firefox_function {
    hp_string name;            // number in `strings`
    uint32_t source, resource; // rows + 1; 0: none
};

struct hp_firefox_tables {
    const struct hp_view *view;
    HP_VEC(struct hp_firefox_node) nodes; // the tree of stacks; callers come first
    uint32_t *stack_of;     // for each stack of the view: the node of its leaf
    uint32_t *frame_of;     // for each call: its row of the frame table, + 1; 0: none
    HP_VEC(uint32_t) calls; // for each row of the frame table: its call
    HP_VEC(uint32_t) function_of; // for each row of the frame table: its function
    HP_VEC(struct hp_firefox_function) functions;
    // Names of libraries and source files, in `strings`.
    HP_VEC(hp_string) resources, sources;
    uint32_t *resource_of; // for each module: its row of the resource table, + 1; 0: none
    struct hp_strtab files; // finds rows of the sources: file n is row n - 1
    struct hp_strtab strings;
};

// Build the tables of a view with stacks of addresses, which must outlive them.
// hp_firefox_tables_done() frees them.
void hp_firefox_tables_init(struct hp_firefox_tables *tables, const struct hp_view *view);
void hp_firefox_tables_done(struct hp_firefox_tables *tables);

// Write all tables: "shared": {...}
void hp_firefox_put_tables(struct hp_sink *out, const struct hp_firefox_tables *tables);

// Write a column of a table, "key": [...]; `cell` writes the value of each of `count`
// rows.
typedef void hp_firefox_cell_fn(struct hp_sink *out, const void *data, size_t row);
void hp_firefox_put_column(struct hp_sink *out, const char *key, size_t count,
                           hp_firefox_cell_fn *cell, const void *data);
// Write a column that has the same value in all rows.
void hp_firefox_put_constant(struct hp_sink *out, const char *key, size_t count,
                             const char *value);

#endif
