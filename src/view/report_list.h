// Functions that were selected, line by line.
#ifndef HP_VIEW_REPORT_LIST_H
#define HP_VIEW_REPORT_LIST_H

#include "view/view.h"

struct hp_listed_line {
    uint32_t function; // in listing->functions
    uint32_t line;     // 0 if unknown
    hp_fixed flat, cum;
    struct hp_error error; // of cum, where the profile has it
};

struct hp_listed_function {
    hp_string function, file;
    enum hp_frame_class class;
    hp_fixed flat, cum;
    struct hp_error error; // of cum
    size_t first, count;   // of its lines
    uint32_t source;       // in listing->sources, + 1; 0: it was not looked for
};

// Whether a source is the one that was compiled.
enum hp_source_version {
    HP_SOURCE_UNCHECKED, // nothing speaks against it
    HP_SOURCE_NEWER,     // it was written after every binary that has its lines
    HP_SOURCE_SAME,      // by its MD5, in all binaries that tell one
    HP_SOURCE_DIFFERS,   // by its MD5, in some
};

// A source file.
struct hp_source_file {
    hp_string file;        // as the symbols call it
    struct hp_span *lines; // without their ends; NULL if there is no text
    size_t line_count;
    char *text;
    const char *why; // there is no text
    enum hp_source_version version;
};

// What a view of this kind has beside its rows.  A stack counts once in a line and in a
// function, however often it comes by there.
struct hp_listing {
    HP_VEC(struct hp_listed_function) functions; // of each row: by flat, cum, then name
    HP_VEC(struct hp_listed_line) lines;         // of each function in order
    HP_VEC(struct hp_source_file) sources;
    bool is_passed; // some stack comes by what was selected
};

// NULL if it was not looked for.
const struct hp_source_file *hp_listing_source(const struct hp_view *view,
                                               const struct hp_listed_function *function);

// Read the source files of the functions, as struct hp_report_options says.
void hp_sources_read(struct hp_listing *listing, const struct hp_view *view);
void hp_sources_done(struct hp_listing *listing);

#endif
