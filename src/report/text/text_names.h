// What the names of rows leave out, to be told again where two would be the same.
#ifndef HP_REPORT_TEXT_TEXT_NAMES_H
#define HP_REPORT_TEXT_TEXT_NAMES_H

#include "report/text/text.h"

// Arguments in brackets that stand in a short name, if at all, as "<…>".
struct hp_text_group {
    size_t at, size;     // in the short name
    struct hp_span full; // in the full name, with its brackets
};

// An argument that is told again: with its own arguments, or "<…>" in their place.
struct hp_text_told {
    size_t group, argument;
    bool is_whole;
};

struct hp_text_arguments {
    struct hp_buffer name;              // the short one
    HP_VEC(struct hp_span) groups;      // of the full name, those within others, too
    HP_VEC(struct hp_text_group) shown; // in the order of the short name
    HP_VEC(struct hp_text_told) told;
};

// `full` stays the caller's.
void hp_text_arguments_init(struct hp_text_arguments *a, struct hp_span full);
void hp_text_arguments_done(struct hp_text_arguments *a);

// Append an argument; false: there is none.
bool hp_text_argument(const struct hp_text_arguments *a, struct hp_text_told told,
                      struct hp_buffer *out);

// Append the short name with the arguments that are told.
void hp_text_arguments_put(struct hp_buffer *out, const struct hp_text_arguments *a);

// Append "(int, std::vector<…>) const", or nothing of a name without parameters.
void hp_text_parameters(struct hp_buffer *out, struct hp_span full, bool is_whole);

#endif
