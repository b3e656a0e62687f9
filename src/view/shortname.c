// A name is copied but for its groups in brackets:
//
//     <...>    is dropped with a "::" before it; kept at the beginning (Rust's "<T as Trait>"),
//              without the groups within, and after "::" if it stands for a name
//              ("<impl Trait for T>", "<lambda(int)>", "<unnamed>")
//     (...)    is dropped where parameters are: at the end, before "::", and within "{lambda()#1}";
//              kept in "(anonymous namespace)" and in "main.(*T).Method" of Go
//     {...}    is copied
//
// "operator" is copied with the sign after it.  A template's name begins with the type that it
// returns, which ends with the last space.  If brackets do not match the name stays as it is.
#include "view/shortname.h"

#include <string.h>

struct shortener {
    struct hp_span full;
    size_t at;
    char *out;
    size_t size;
    size_t kept_depth; // of "<" that were copied and are still open
    bool has_template, has_parameters;
    size_t operator_at; // where the last "operator" stands in `out`, + 1; 0: nowhere
};

static const size_t nowhere = (size_t)-1;

static struct hp_span rest_of(const struct shortener *s, size_t at) {
    return hp_span_from(s->full, at);
}

static bool is_opening(char c) {
    return c == '<' || c == '(' || c == '[' || c == '{';
}

static bool is_closing(char c) {
    return c == '>' || c == ')' || c == ']' || c == '}';
}

// Behind the bracket that matches the one at `at`.
static size_t end_of_group(const struct shortener *s, size_t at) {
    size_t depth = 0;
    for (; at < s->full.size; at++) {
        char c = s->full.at[at];
        bool is_arrow = c == '>' && at > 0 && s->full.at[at - 1] == '-';
        depth += is_opening(c);
        if (is_closing(c) && !is_arrow && --depth == 0) {
            return at + 1;
        }
    }
    return nowhere;
}

static void copy(struct shortener *s, size_t end) {
    memcpy(s->out + s->size, s->full.at + s->at, end - s->at);
    s->size += end - s->at;
    s->at = end;
}

static bool ends_with(const struct shortener *s, const char *text) {
    return hp_span_ends((struct hp_span){s->out, s->size}, text);
}

// --- groups -------------------------------------------------------------------------------

static bool names_something(const struct shortener *s) {
    struct hp_span rest = rest_of(s, s->at);
    return s->size == 0 || (ends_with(s, "::") && (hp_span_starts(rest, "<impl ") ||
                                                   hp_span_starts(rest, "<lambda") ||
                                                   hp_span_starts(rest, "<unnamed")));
}

static bool take_angles(struct shortener *s) {
    size_t end = end_of_group(s, s->at);
    if (end == nowhere) {
        return false;
    }
    if (s->kept_depth == 0 && names_something(s)) {
        s->kept_depth++;
        copy(s, s->at + 1);
        return true;
    }
    s->size -= ends_with(s, "::") ? 2 : ends_with(s, " ") ? 1 : 0;
    s->has_template = true;
    s->at = end;
    return true;
}

static size_t skip_qualifier(const struct shortener *s, size_t at) {
    static const char *const words[] = {" const", " volatile", " &&", " &", "&&", "&"};
    struct hp_span rest = rest_of(s, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (hp_span_starts(rest, words[i])) {
            return at + strlen(words[i]);
        }
    }
    if (hp_span_starts(rest, " [") || hp_span_starts(rest, "[")) {
        size_t end = end_of_group(s, at + (rest.at[0] == ' '));
        return end == nowhere ? at : end;
    }
    return at;
}

// Where what may follow parameters ends: " const", "&", "[clone .cold]", "[abi:cxx11]".
static size_t skip_qualifiers(const struct shortener *s, size_t at) {
    for (size_t next; (next = skip_qualifier(s, at)) != at;) {
        at = next;
    }
    return at;
}

static bool take_parentheses(struct shortener *s) {
    size_t end = end_of_group(s, s->at);
    if (end == nowhere) {
        return false;
    }
    bool is_scope = hp_span_starts(rest_of(s, s->at), "(anonymous namespace)");
    size_t behind = skip_qualifiers(s, end);
    struct hp_span rest = rest_of(s, behind);
    bool is_list = rest.size == 0 || hp_span_starts(rest, "::") ||
                   hp_span_starts(rest, "#") || hp_span_starts(rest, "}") ||
                   (s->kept_depth > 0 && hp_span_starts(rest, ">"));
    if (is_scope || s->size == 0 || ends_with(s, ".") || !is_list) {
        copy(s, end);
        return true;
    }
    s->has_parameters |= rest.size == 0;
    s->at = behind;
    return true;
}

// --- operators ----------------------------------------------------------------------------

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

// "operator" as a word of its own, and the sign it is about.
static bool take_operator(struct shortener *s) {
    static const char word[] = "operator";
    static const char *const signs[] = {"<<=", "<=>", ">>=", "->*", "<<", ">>", "<=",
                                        ">=",  "->",  "()",  "[]",  "<",  ">"};
    size_t length = sizeof word - 1;
    struct hp_span rest = rest_of(s, s->at);
    bool begins = s->size == 0 || !is_word(s->out[s->size - 1]);
    if (!begins || !hp_span_starts(rest, word) ||
        (rest.size > length && is_word(rest.at[length]))) {
        return false;
    }
    s->operator_at = s->size + 1;
    copy(s, s->at + length);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (hp_span_starts(rest_of(s, s->at), signs[i])) {
            copy(s, s->at + strlen(signs[i]));
            break;
        }
    }
    return true;
}

// --- all ----------------------------------------------------------------------------------

static bool take(struct shortener *s) {
    char c = s->full.at[s->at];
    if (take_operator(s)) {
        return true;
    }
    if (c == '<') {
        return take_angles(s);
    }
    if (c == '(') {
        return take_parentheses(s);
    }
    s->kept_depth -= c == '>' && s->kept_depth > 0 && !ends_with(s, "-");
    copy(s, s->at + 1);
    return true;
}

// Behind the last space that is in no brackets and not part of the name.
static size_t begin_of_name(const struct shortener *s) {
    size_t end = s->operator_at > 0 ? s->operator_at - 1 : s->size, begin = 0, depth = 0;
    for (size_t i = 0; i < end; i++) {
        depth += is_opening(s->out[i]);
        depth -= is_closing(s->out[i]) && depth > 0;
        begin = depth == 0 && s->out[i] == ' ' ? i + 1 : begin;
    }
    return begin;
}

struct hp_span hp_short_name(struct hp_span full, char *out) {
    struct shortener s = {.full = full, .out = out};
    while (s.at < full.size) {
        if (!take(&s)) {
            return full;
        }
    }
    size_t begin = s.has_template && s.has_parameters ? begin_of_name(&s) : 0;
    bool is_whole = begin == s.size;
    return is_whole ? full : (struct hp_span){out + begin, s.size - begin};
}
