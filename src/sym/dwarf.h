// The DWARF part of symbolizing: functions, inlined calls and lines for addresses of one
// file, mostly read here, and by libdw where a form is not known here.
#ifndef HP_SYM_DWARF_H
#define HP_SYM_DWARF_H

#include "model/profile.h"
#include "sym/image.h"
#include "sym/protocol.h"
#include "sym/symtab.h"

#include <elfutils/libdw.h>

// An address that is asked for, and what is known about it.
struct hp_query {
    uint64_t address; // address in the debug file
    uint32_t index;   // index in the request
    // Range in lookup->lines; empty until its function is found.
    uint32_t first_line, lines;
    uint32_t next_unit; // first unit that has not been asked yet; HP_NO_UNIT: all were
    // Position in a function without a name, see struct hp_answer.starts.
    uint32_t past_start;
    // A row of a line table was found, with `file` and `line`.
    bool has_row;
    hp_string file; // file of the row, kept for queries without a function
    uint32_t line;
};

// The addresses asked for in one file, and everything that is found about them.  The
// caller fills the queries, symbols and requester, and frees the members.
struct hp_lookup {
    struct hp_strtab strings; // all names and paths
    // `function` is "" if `linkage` still has to be demangled.
    HP_VEC(struct hp_line) lines;
    HP_VEC(struct hp_query) queries; // by address
    struct hp_strtab sources;        // each struct hp_source_digest of a line once
    struct hp_symtab symtab;         // symbols by addresses in the debug file
    struct hp_file_requester *requester;
    bool over_budget;   // some unit was not read to its end
    bool missing_split; // some split unit was not found
    bool has_package;   // a .dwp was found, and `missing_split` is about a unit in it
    // Reason for a .dwo or .dwp that was not read; text "" if there is none.
    struct hp_sym_diagnostic flaw;
    // Some line program was not read, because that would have been too much work.
    bool lacks_lines;
    // Units and line programs that were read, and those by libdw.
    struct hp_debug_parts units, line_programs;
};

// Fill in the queries as far as DWARF describes them.  Returns false if there is no
// readable DWARF.  `alt` is the shared debug information (dwz), or NULL.
bool hp_dwarf_look_up(struct hp_lookup *lookup, const struct hp_image *image, Dwarf *alt);

#endif
