// Source of the functions that a pattern selected, line by line.
#ifndef HP_VIEW_REPORT_LIST_H
#define HP_VIEW_REPORT_LIST_H

#include "view/view.h"

// A line of source that has memory: some stack with a value ends at it or passes it.
struct hp_listed_line {
    uint32_t function;     // number in listing->functions
    uint32_t line;         // line number in the file; 0: not known
    hp_fixed flat, cum;    // sums of the stacks that end at this line, and that pass it
    struct hp_error error; // sampling error of cum; {0} if the profile has no errors
};

// A function of one source file and class: one row of the view.
struct hp_listed_function {
    hp_string function, file;
    enum hp_frame_class class;
    hp_fixed flat, cum; // sums of the stacks that end in the function, and that pass it
    struct hp_error error; // sampling error of cum; {0} if the profile has no errors
    size_t first, count;   // range of its lines in listing->lines
    // Number in listing->sources, increased by 1; 0: no file is known.
    uint32_t source;
};

// Whether the source file on disk is the one that was compiled.
enum hp_source_version {
    HP_SOURCE_UNCHECKED, // not known: no MD5 is recorded, and its time fits the binaries
    HP_SOURCE_NEWER, // its modification time is after that of every binary with its lines
    HP_SOURCE_SAME,  // it has the MD5 that the debug information records
    // It has another MD5 than the debug information of some binary records.
    HP_SOURCE_DIFFERS,
};

// A source file, or the reason why there is no text of it.
struct hp_source_file {
    hp_string file; // path in the symbols
    // Lines of `text`, without line ends; the array is owned.  NULL: there is no text.
    struct hp_span *lines;
    size_t line_count; // number of lines
    char *text;        // the whole file; owned
    const char *why;   // reason why there is no text; a constant
    enum hp_source_version version;
};

// The data of a list report, in view->extra.  A stack is added to a line and to a
// function once, however often it passes there.
struct hp_listing {
    // One for each of view->rows, in the same order: by flat, then cum, then name.
    HP_VEC(struct hp_listed_function) functions;
    HP_VEC(struct hp_listed_line) lines; // grouped by function, by line number
    // The source files of the functions, each once.
    HP_VEC(struct hp_source_file) sources;
    bool is_passed; // some stack passes a selected function, even with value 0
};

// The source file of a function; NULL if no file is known.
const struct hp_source_file *hp_listing_source(const struct hp_view *view,
                                               const struct hp_listed_function *function);

// Read the source files of all functions, at the paths in the symbols or below
// options.source_dirs; with options.source_dirs_only, only below these folders.  A file
// that cannot be read gets a reason instead of text.
void hp_sources_read(struct hp_listing *listing, const struct hp_view *view);
// Whether a source file, a path in the symbols, can be opened as list would open it.
bool hp_source_exists(const struct hp_view *view, hp_string file);
void hp_sources_done(struct hp_listing *listing);

#endif
