// Rows of the report `account`: how the memory of processes is divided.  It has several
// tables, each from its own source; values of different tables are never added.
//
// Child rows with `adds` set add up to the value of their parent row, to the byte.
#ifndef HP_VIEW_REPORT_ACCOUNT_H
#define HP_VIEW_REPORT_ACCOUNT_H

#include "view/view.h"

// One row, beside its struct hp_row_key.  Texts are constants except `note`.
struct hp_account_row {
    const char *table; // "allocator", "program", "kernel"; "classes" in a report of waste
    // Origin of the value: "stats", "dump", "smaps"; or "difference" of others.
    const char *source;
    const char *knob; // jemalloc option that influences the row, with its value; or ""
    char *note;       // remark for readers; or NULL; owned
    bool adds;        // the row and its siblings with `adds` add up to their parent
    hp_int128 bytes;
    // Bounds of `bytes`; both equal it if it is exact; NAN: not known.
    struct hp_interval range;
    double objects;      // number of objects; NAN: not known
    double pss, private; // from smaps of the kernel, in bytes; NAN: not known
};

// The data of a report of accounts, in view->extra.
struct hp_account_rows {
    HP_VEC(struct hp_account_row) of; // one for each of view->rows
};

// Title of a table in text output, as in "Kernel (smaps)".
const char *hp_account_table_text(const char *table);

#endif
