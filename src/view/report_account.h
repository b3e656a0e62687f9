// Where the memory of processes is: rows of tables that are never mixed.
//
// Children that `adds` says it of come to their parent, to the byte.
#ifndef HP_VIEW_REPORT_ACCOUNT_H
#define HP_VIEW_REPORT_ACCOUNT_H

#include "view/view.h"

struct hp_account_row {
    const char *table;  // "allocator", "program", "kernel"; of waste "classes"
    const char *source; // who says so: "stats", "dump", "smaps"; "difference" of these
    const char *knob;   // the option that moves it, with its value; or ""
    char *note;         // what is to be known of it; or NULL
    bool adds;          // to its parent, with the others that do
    hp_int128 bytes;
    struct hp_interval range; // that it is in; both ends it, or NAN: not known
    double objects;           // how many, or NAN
    double pss, private;      // of the kernel's, or NAN
};

// What a report of accounts is in view->extra.
struct hp_account_rows {
    HP_VEC(struct hp_account_row) of; // as many as view->rows
};

// What a table is called for people.
const char *hp_account_table_text(const char *table);

#endif
