// Functions that were picked, line by line.
#ifndef HP_VIEW_LISTING_H
#define HP_VIEW_LISTING_H

#include "view/naming.h"

struct hp_listed_line {
    uint32_t function; // in listing->functions
    uint32_t line;     // 0 if unknown
    hp_fixed flat, cum;
    struct hp_error error; // of cum, where the profile has it
};

struct hp_listed_function {
    hp_string function, file;
    hp_fixed flat, cum;
    struct hp_error error; // of cum
    size_t first, count;   // of its lines
};

struct hp_listing {
    struct hp_naming naming;                     // by line
    HP_VEC(struct hp_listed_function) functions; // by flat, cum, then name
    HP_VEC(struct hp_listed_line) lines;         // of each function in order
    hp_fixed total;                              // of the profile
};

// A stack counts once in a line and in a function, however often it comes by there.
// options->metric, all_frames and no_inlines are looked at.
void hp_listing_init(struct hp_listing *listing, const struct hp_profile *profile,
                     const struct hp_report_options *options);
void hp_listing_done(struct hp_listing *listing);

// The source of a file, or NULL if it was not looked for.
const struct hp_source_file *hp_listing_source(const struct hp_listing *listing,
                                               hp_string file);

#endif
