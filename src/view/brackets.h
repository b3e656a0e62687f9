// Brackets in names of functions: <arguments>, (parameters), [arguments of Go] and
// {scopes}.
//
// Some bracket characters are not brackets: they belong to operator names such as
// "operator<", to expressions within template arguments, or to the arrow "->".  The
// functions here tolerate names that are malformed.
#ifndef HP_VIEW_BRACKETS_H
#define HP_VIEW_BRACKETS_H

#include "base/span.h"

// Whether a character can be part of an identifier.
static inline bool hp_is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

// Whether a character opens a bracket, if it is not part of an operator's name.
static inline bool hp_is_opening(char c) {
    return c == '<' || c == '(' || c == '[' || c == '{';
}

// Whether the character at `at` closes a bracket; the '>' of "->" does not.
static inline bool hp_is_closing(struct hp_span name, size_t at) {
    char c = name.at[at];
    return c == ')' || c == ']' || c == '}' ||
           (c == '>' && (at == 0 || name.at[at - 1] != '-'));
}

// Close a bracket: `open` is the stack of `depth` open bracket characters, `c` the
// closing one.  Returns the new depth.  A "<" that a parenthesis closes, and a ">" that
// nothing opened, are comparison operators, as in "f<((a)>(b))>".
size_t hp_close_bracket(const char *open, size_t depth, char c);

// Return the length of an operator's name at `at`, that is "operator" and its sign, as in
// "operator<<"; 0: there is none.  "operator" has to be a whole word.
size_t hp_operator_at(struct hp_span name, size_t at);

// Return the position after the bracket that closes the one at `at`; 0: it is not closed.
// `open` is scratch memory for the open brackets: one byte for each byte of the name from
// `at` on.
size_t hp_end_of_group(struct hp_span name, size_t at, char *open);

// Return the parameters at the end of a name, with qualifiers and the mark of a cloned
// function: "(int) const" for "f<(a)0>(int) const", "(int) [clone .cold]"; "" if the name
// does not end with parameters.  The result borrows from `name`.
struct hp_span hp_function_parameters(struct hp_span name);

#endif
