// The parts of a full name that its short name omits (template arguments and parameters),
// so that some can be shown again where two rows would otherwise have the same name.
#ifndef HP_REPORT_TEXT_TEXT_NAMES_H
#define HP_REPORT_TEXT_TEXT_NAMES_H

#include "report/text/text.h"

// Template arguments in brackets that a short name shows as "<…>", or does not show.
struct hp_text_group {
    size_t at, size;     // place and size of "<…>" in the short name; size 0: not shown
    struct hp_span full; // the group in the full name, with its brackets
};

// An argument that is shown again: whole, or with "<…>" instead of its own arguments.
struct hp_text_kept_argument {
    // Place among the groups of the short name; place of the argument in the group.
    size_t group, argument;
    bool is_whole;
};

// The groups of template arguments of one name, and which arguments its short name shows
// again.
struct hp_text_arguments {
    struct hp_buffer name;              // the short name
    HP_VEC(struct hp_span) groups;      // groups of the full name, nested ones included
    HP_VEC(struct hp_text_group) shown; // groups of the short name, in their order there
    // Arguments to show again.
    HP_VEC(struct hp_text_kept_argument) kept;
};

// Find the groups of template arguments of a full name, which is borrowed.
// hp_text_arguments_done() frees the members of `a`.
void hp_text_arguments_init(struct hp_text_arguments *a, struct hp_span full);
void hp_text_arguments_done(struct hp_text_arguments *a);

// Append an argument of the full name; false: it does not exist.
bool hp_text_argument(const struct hp_text_arguments *a,
                      struct hp_text_kept_argument kept, struct hp_buffer *out);

// Append the short name with the arguments that are shown again.
void hp_text_arguments_put(struct hp_buffer *out, const struct hp_text_arguments *a);

// Append the parameters of a function, "(int, std::vector<…>) const"; nothing if the name
// has none.  `is_whole`: with all template arguments.
void hp_text_parameters(struct hp_buffer *out, struct hp_span full, bool is_whole);

#endif
