// Functions, inlined calls and lines for addresses, from DWARF by libdw.
#ifndef HP_SYM_DWARF_H
#define HP_SYM_DWARF_H

#include "model/profile.h"
#include "sym/image.h"
#include "sym/protocol.h"
#include "sym/symtab.h"

#include <elfutils/libdw.h>

// An address that is asked for, and what is known of it.
struct hp_query {
    uint64_t address;           // in the debug file
    uint32_t index;             // in the request
    uint32_t first_line, lines; // in lookup->lines; none until its function is known
    uint32_t next_unit;         // the first that has not been asked
    uint32_t past_start;        // of a function without a name, see struct hp_answer
    bool has_row;
    hp_string file; // of the row, kept for those that no function is found for
    uint32_t line;
};

struct hp_lookup {
    struct hp_strtab strings;
    HP_VEC(struct hp_line) lines; // `function` is "" where `linkage` is to be demangled
    HP_VEC(struct hp_query) queries; // by address
    struct hp_strtab sources;        // of lines: each struct hp_source_digest once
    struct hp_symtab symtab;
    struct hp_file_requester *requester;
    bool over_budget;   // some unit was left before its end
    bool missing_split; // some unit of another file was not found
    bool has_package;   // though there is a .dwp
    struct hp_sym_diagnostic
        flaw; // of a .dwo or .dwp that was not read; "" if there is none
    bool
        lacks_lines; // some line program was not read: that would have been too much work
    struct hp_debug_parts units, line_programs;
};

// Answer what queries can be.  False if there is no DWARF that can be read.  `alt` is the
// shared debug information, or NULL.
bool hp_dwarf_look_up(struct hp_lookup *lookup, const struct hp_image *image, Dwarf *alt);

#endif
