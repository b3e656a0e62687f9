#include "view/brackets.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

// Return the bracket that closes an opening one.
static char closing_of(char c) {
    return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
}

size_t hp_close_bracket(const char *open, size_t depth, char c) {
    while (c != '>' && depth > 0 && open[depth - 1] == '<') {
        depth--;
    }
    return depth > 0 && closing_of(open[depth - 1]) == c ? depth - 1 : depth;
}

size_t hp_operator_at(struct hp_span name, size_t at) {
    static const char word[] = "operator";
    static const char *const signs[] = {"()", "[]", "\"\"", "<<=", "<=>", ">>=", "->*",
                                        "<<", ">>", "<=",   ">=",  "->",  "<",   ">"};
    size_t length = sizeof word - 1, size = 0;
    struct hp_span rest = hp_span_from(name, at);
    bool begins = at == 0 || !hp_is_word(name.at[at - 1]);
    if (!begins || !hp_span_starts(rest, word) ||
        (rest.size > length && hp_is_word(rest.at[length]))) {
        return 0;
    }
    struct hp_span sign = hp_span_from(rest, length);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (hp_span_starts(sign, signs[i])) {
            return length + strlen(signs[i]);
        }
    }
    while (size < sign.size && memchr("+-*/%^&|~!=,", sign.at[size], 12)) {
        size++;
    }
    return length + size;
}

size_t hp_end_of_group(struct hp_span name, size_t at, char *open) {
    static const bool is_looked_at[UCHAR_MAX + 1] = {
        ['<'] = true, ['>'] = true, ['('] = true, [')'] = true, ['['] = true,
        [']'] = true, ['{'] = true, ['}'] = true, ['o'] = true,
    };
    size_t depth = 0;
    for (; at < name.size; at++) {
        char c = name.at[at];
        if (!is_looked_at[(unsigned char)c]) {
            continue;
        }
        size_t sign = c == 'o' ? hp_operator_at(name, at) : 0;
        if (sign > 0) {
            at += sign - 1;
        } else if (hp_is_opening(c)) {
            open[depth++] = c;
        } else if (hp_is_closing(name, at)) {
            depth = hp_close_bracket(open, depth, c);
            if (depth == 0) {
                return closing_of(open[0]) == c ? at + 1 : 0;
            }
        }
    }
    return 0;
}

// Whether a text may follow the parameters at the end of a name: qualifiers, or the mark
// of a clone.
static bool ends_parameters(struct hp_span text) {
    static const char *const ends[] = {"",    " const",   " &",
                                       " &&", " const &", " const &&"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (hp_span_is(text, ends[i])) {
            return true;
        }
    }
    return hp_span_starts(text, " [clone ");
}

struct hp_span hp_function_parameters(struct hp_span name) {
    size_t at = name.size, open = 0;
    while (at > 0 && name.at[at - 1] != ')') {
        at--;
    }
    if (at == 0 || !ends_parameters(hp_span_from(name, at))) {
        return (struct hp_span){"", 0};
    }
    while (at > 0) {
        at--;
        open += name.at[at] == ')';
        open -= name.at[at] == '(';
        if (open == 0) {
            return hp_span_from(name, at);
        }
    }
    return (struct hp_span){"", 0};
}
