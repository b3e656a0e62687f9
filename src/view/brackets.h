// Brackets in names of functions: <arguments>, (parameters), [arguments of Go] and {scopes}, of which
// some are signs: of operators, of expressions in arguments, and of the arrow "->".
#ifndef HP_VIEW_BRACKETS_H
#define HP_VIEW_BRACKETS_H

#include "base/span.h"

// What names are made of between all signs.
static inline bool hp_is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static inline bool hp_is_opening(char c) {
    return c == '<' || c == '(' || c == '[' || c == '{';
}

static inline bool hp_is_closing(struct hp_span name, size_t at) {
    char c = name.at[at];
    return c == ')' || c == ']' || c == '}' ||
           (c == '>' && (at == 0 || name.at[at - 1] != '-'));
}

// Close a bracket among the open ones; how many are left.  A "<" that a parenthesis closes, and a
// ">" that nothing opened, was a sign of an expression: "f<((a)>(b))>".
size_t hp_close_bracket(const char *open, size_t depth, char c);

// The length of "operator" as a word of its own with the sign behind it, or 0.
size_t hp_operator_at(struct hp_span name, size_t at);

// Behind the bracket that closes the one at `at`, or 0.  `open` has room for all that are open at
// once: as many as there are bytes from there on.
size_t hp_end_of_group(struct hp_span name, size_t at, char *open);

// "(int) const" of "f<(a)0>(int) const", with the mark of a copy behind it: "(int) [clone .cold]";
// "" if the name does not end so.
struct hp_span hp_function_parameters(struct hp_span name);

#endif
