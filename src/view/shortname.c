// A name is copied from left to right, except groups in brackets, and parts that spaces
// separate:
//
//     <...>    arguments of a template: dropped, or "<…>" if something follows.  At the
//              beginning and before "::" it is a Self of Rust: "<T as Trait>::m" is T::m.
//              Some are part of a name: "<lambda(int)>", "foo.<locals>", "<module>"
//     (...)    parameters: dropped; a scope in "(anonymous namespace)" and in Go's "(*T)"
//     [...]    arguments in Go; a tag of the compiler in "f[abi:cxx11]"; at the beginning
//              a name
//     {...}    a scope
//     " "      ends the type that a template of C++ returns, if parameters follow
//
// "operator" is copied with the sign that follows it.
#include "view/shortname.h"

#include "view/brackets.h"

#include <string.h>

// State while a name is copied without the parts that a short or bare name lacks.
struct name_walk {
    struct hp_span full; // name to shorten
    size_t at;           // offset of the next byte in `full`
    // The output.  The room after its first `size` bytes is also a scratch stack of open
    // brackets: it always has a byte for each byte that is left in `full`.
    char *out;
    size_t size;           // number of bytes that are written
    size_t begin;          // offset in `out` after words that may be the returned type
    size_t begin_at;       // offset in `full` after these words
    size_t selves;         // number of Selfs of Rust that are still open
    bool has_self_in_self; // a Self was inside of another one
    bool is_operator;      // the name ends in "operator new": a space is part of it
    bool has_parameters;   // parameters have been dropped
    bool is_broken;        // some bracket is never closed
    bool is_short;         // make the short name; false: the bare name
};

enum {
    MOST_SELVES = 16, // most Selfs of Rust within each other
};

// Replaces the arguments of a template in a short name.
static const char arguments[] = "<…>";

// The part of the full name from `skipped` bytes after the current position to its end.
static struct hp_span rest_of(const struct name_walk *w, size_t skipped) {
    return hp_span_from(w->full, w->at + skipped);
}

// The output so far.
static struct hp_span written(const struct name_walk *w) {
    return (struct hp_span){w->out, w->size};
}

static bool ends_with(const struct name_walk *w, const char *text) {
    return hp_span_ends(written(w), text);
}

static void append(struct name_walk *w, const char *text) {
    memcpy(w->out + w->size, text, strlen(text));
    w->size += strlen(text);
}

// Copy the name up to offset `end`.
static void copy(struct name_walk *w, size_t end) {
    memcpy(w->out + w->size, w->full.at + w->at, end - w->at);
    w->size += end - w->at;
    w->at = end;
}

// Whether `text` starts with one of the words; *length becomes the length of that word.
static bool starts_with_any(struct hp_span text, const char *const *words, size_t count,
                            size_t *length) {
    for (size_t i = 0; i < count; i++) {
        if (hp_span_starts(text, words[i])) {
            *length = strlen(words[i]);
            return true;
        }
    }
    return false;
}

#define STARTS_WITH_ANY(text, words, length) \
    starts_with_any((text), (words), sizeof(words) / sizeof *(words), (length))

// --- operators ----------------------------------------------------------------------------

// If the name continues with "operator" and its sign, copy both and return true.
static bool take_operator(struct name_walk *w) {
    size_t length = w->full.at[w->at] == 'o' ? hp_operator_at(w->full, w->at) : 0;
    if (length == 0) {
        return false;
    }
    copy(w, w->at + length);
    w->is_operator = ends_with(w, "operator") || ends_with(w, "\"\"");
    return true;
}

// --- brackets -----------------------------------------------------------------------------

// Return the offset after the bracket that closes the one at `at`.  If there is none, set
// is_broken and return the end of the name.
static size_t end_of_group(struct name_walk *w, size_t at) {
    size_t end = hp_end_of_group(w->full, at, w->out + w->size);
    w->is_broken |= end == 0;
    return end > 0 ? end : w->full.size;
}

// Whether the brackets at the current position enclose a lambda.
static bool is_lambda(const struct name_walk *w) {
    return hp_span_starts(rest_of(w, 1), "lambda");
}

// Copy a group in brackets, up to `end`, that is part of a name: "{closure#0}",
// "<module>", "{lambda(int)#1}".  A short name omits the parameters of a lambda.
static void take_name(struct name_walk *w, size_t end) {
    const char *list = memchr(w->full.at + w->at, '(', end - w->at);
    if (w->is_short && is_lambda(w) && list) {
        copy(w, (size_t)(list - w->full.at));
        w->at = end_of_group(w, w->at);
    }
    copy(w, w->at < end ? end : w->at);
}

// --- Self in Rust -------------------------------------------------------------------------

// Return the offset of Type in the group "<impl Trait for Type>" at the current position,
// which ends at `end`; or the offset after "<impl " if there is no " for ".
static size_t implementer(struct name_walk *w, size_t end) {
    char *open = w->out + w->size;
    size_t depth = 0, begin = w->at + 6;
    for (size_t i = begin; i + 1 < end; i++) {
        char c = w->full.at[i];
        if (hp_is_opening(c)) {
            open[depth++] = c;
        } else if (hp_is_closing(w->full, i)) {
            depth = hp_close_bracket(open, depth, c);
        } else if (depth == 0 && hp_span_starts(hp_span_from(w->full, i), " for ")) {
            return i + 5;
        }
    }
    return begin;
}

// Begin a Self whose type is at offset `begin`: drop the output so far, so that the type
// begins the name, and skip pointers and lifetimes before it.
static void open_self(struct name_walk *w, size_t begin) {
    static const char *const pointers[] = {"&", "mut ", "*const ", "*mut ", "dyn "};
    w->has_self_in_self |= w->selves > 0;
    w->selves++;
    w->at = begin;
    w->size = w->begin = 0;
    for (size_t length; STARTS_WITH_ANY(rest_of(w, 0), pointers, &length);) {
        w->at += length;
    }
    if (hp_span_starts(rest_of(w, 0), "for<")) {
        w->at += 3;
        size_t end = end_of_group(w, w->at);
        w->at = end < w->full.size ? end + 1 : end;
    }
}

// Shorten the output, the name of a type that is local to a method: "a::b::T::m::C"
// becomes "a::…::C".
static void shorten_self(struct name_walk *w) {
    const char *first = memmem(w->out, w->size, "::", 2), *last = NULL;
    for (const char *next = first; next;) {
        last = next;
        next = memmem(next + 2, w->size - (size_t)(next + 2 - w->out), "::", 2);
    }
    if (last != first && hp_is_word(w->out[0])) {
        size_t tail = w->size - (size_t)(last - w->out), head = (size_t)(first - w->out);
        const char sign[] = "::…";
        memmove(w->out + head + sizeof sign - 1, last, tail);
        memcpy(w->out + head, sign, sizeof sign - 1);
        w->size = head + sizeof sign - 1 + tail;
    }
}

// End the innermost open Self.  If it is the outermost one, and another one was inside of
// it, shorten its name.
static void close_self(struct name_walk *w) {
    w->selves--;
    w->has_parameters = false;
    if (w->selves == 0 && w->has_self_in_self && w->is_short) {
        shorten_self(w);
    }
}

// Skip the rest of a Self after its type: " as Trait>", " + Trait>", " -> Type>".
static void skip_trait(struct name_walk *w) {
    char *open = w->out + w->size;
    size_t depth = 1;
    open[0] = '<';
    for (; w->at < w->full.size && depth > 0; w->at++) {
        char c = w->full.at[w->at];
        if (hp_is_opening(c)) {
            open[depth++] = c;
        } else if (hp_is_closing(w->full, w->at)) {
            depth = hp_close_bracket(open, depth, c);
        }
    }
    w->is_broken |= depth > 0;
    close_self(w);
}

// --- kinds of brackets --------------------------------------------------------------------

// Whether the brackets at the current position are part of a name, and not a list of
// arguments.
static bool names_something(const struct name_walk *w) {
    struct hp_span inside = rest_of(w, 1);
    return w->size == 0 || ends_with(w, ".") ||
           (ends_with(w, "::") &&
            (hp_span_starts(inside, "lambda") || hp_span_starts(inside, "unnamed") ||
             hp_span_starts(inside, "impl ")));
}

// Whether the angle brackets up to `end` enclose a Self of Rust.
static bool is_self(const struct name_walk *w, size_t end) {
    struct hp_span after = hp_span_from(w->full, end);
    bool is_empty = end == w->at + 2;
    return w->selves < MOST_SELVES && !is_empty && hp_span_starts(after, "::");
}

// Handle the group in "<>" at the current position: begin a Self, copy a part of a name,
// or drop template arguments.
static void take_angles(struct name_walk *w) {
    size_t end = end_of_group(w, w->at);
    bool is_impl = hp_span_starts(rest_of(w, 1), "impl ");
    bool is_path = w->size == 0 || ends_with(w, "::") || ends_with(w, "_");
    if (is_impl && is_path && w->is_short && is_self(w, end)) {
        open_self(w, implementer(w, end));
    } else if (w->size == 0 && !is_impl && !is_lambda(w) && is_self(w, end)) {
        open_self(w, w->at + 1);
    } else if (names_something(w)) {
        take_name(w, end);
    } else {
        w->size -= ends_with(w, "::") ? 2 : 0;
        w->at = end;
        if (w->is_short) {
            append(w, arguments);
        }
    }
}

// Handle the group in "()" at the current position: copy a scope or a receiver of Go,
// drop parameters, or enter the declarator of a function that returns a pointer.
static void take_parentheses(struct name_walk *w) {
    static const char scope[] = "(anonymous namespace)";
    struct hp_span rest = rest_of(w, 0);
    bool is_declarator = hp_span_starts(rest, "(*") || hp_span_starts(rest, "(&");
    if (w->size > 0 && w->size == w->begin && is_declarator) {
        w->at += 2; // as in "void (*f<int>(int))(char)"
        w->size = w->begin = 0;
        w->begin_at = w->at;
        return;
    }
    size_t end = end_of_group(w, w->at);
    bool is_receiver = ends_with(w, ".");
    bool is_name = w->size == 0 || is_receiver || ends_with(w, " ");
    if (hp_span_starts(rest, scope) || (is_name && !w->is_operator)) {
        copy(w, is_receiver && w->is_short ? w->at + 1 : end);
        return;
    }
    w->has_parameters = true;
    w->is_operator = false;
    w->at = end;
}

// Whether the brackets up to `end` enclose the hash of a crate, as in
// "core[c1f1a4ba060b9bfa]::".
static bool is_crate_hash(const struct name_walk *w, size_t end) {
    size_t size = end - w->at;
    return size > 10 && size <= 18 && hp_span_starts(hp_span_from(w->full, end), "::") &&
           strspn(w->full.at + w->at + 1, "0123456789abcdef") == size - 2;
}

// Handle the group in "[]" at the current position: copy it if it is a name, drop a tag,
// or replace arguments of Go by "[…]".
static void take_square(struct name_walk *w) {
    size_t end = end_of_group(w, w->at);
    bool is_tag = hp_span_starts(rest_of(w, 0), "[abi:") || is_crate_hash(w, end);
    if (w->size == 0 || w->is_operator || ends_with(w, " ") || ends_with(w, "-") ||
        ends_with(w, "+")) {
        copy(w, end);
    } else {
        w->at = end;
        if (w->is_short && !is_tag) {
            append(w, "[…]");
        }
    }
}

// --- spaces -------------------------------------------------------------------------------

// Skip " const" or a similar word after parameters, which ends the name, or the part of
// it inside of a declaration.  Returns false if there is no such word.
static bool skip_qualifier(struct name_walk *w) {
    static const char *const words[] = {" const", " volatile", " noexcept", " &&", " &"};
    size_t length;
    if (!STARTS_WITH_ANY(rest_of(w, 0), words, &length)) {
        return false;
    }
    struct hp_span after = rest_of(w, length);
    bool ends = after.size == 0 || hp_span_starts(after, "::") || after.at[0] == ' ' ||
                after.at[0] == '[' || after.at[0] == ')';
    w->at += ends ? length : 0;
    return ends;
}

// Handle the space at the current position: it ends the type of a Self, the name, or the
// returned type, or is copied.
static void take_space(struct name_walk *w) {
    static const char *const ends[] = {" [clone", " [with ", " requires "};
    static const char *const after_self[] = {" as ", " + ", " -> "};
    struct hp_span rest = rest_of(w, 0);
    size_t length;
    if (w->selves > 0 && STARTS_WITH_ANY(rest, after_self, &length)) {
        w->at++;
        skip_trait(w);
    } else if (w->selves > 0 || w->is_operator) {
        copy(w, w->at + 1);
    } else if (hp_span_starts(rest, " <")) {
        w->at++;
    } else if (STARTS_WITH_ANY(rest, ends, &length)) {
        w->at = w->full.size;
    } else if (!w->has_parameters || !skip_qualifier(w)) {
        copy(w, w->at + 1);
        w->begin = w->size;
        w->begin_at = w->at;
        w->has_parameters = false;
    }
}

// --- the copy of a name -------------------------------------------------------------------

// If the name continues with the type "decltype (...)", copy it and return true.
static bool take_decltype(struct name_walk *w) {
    static const char *const words[] = {"decltype(", "decltype ("};
    size_t length;
    bool begins = w->size == 0 || !hp_is_word(w->out[w->size - 1]);
    if (!begins || !STARTS_WITH_ANY(rest_of(w, 0), words, &length)) {
        return false;
    }
    copy(w, w->at + length - 1);
    copy(w, end_of_group(w, w->at));
    return true;
}

// If the name continues with an inline namespace of a library version, which source code
// does not write, skip it and return true.  Bare names keep it.
static bool skip_inline_namespace(struct name_walk *w) {
    static const char *const names[] = {"__cxx11::", "_V2::", "__ndk1::"};
    static const char digits[] = "0123456789";
    struct hp_span rest = rest_of(w, 0);
    size_t length = 0;
    if (!w->is_short || !ends_with(w, "::")) {
        return false;
    }
    if (!STARTS_WITH_ANY(rest, names, &length)) {
        size_t prefix = hp_span_starts(rest, "lts_") ? 4 : 2;
        bool is_version = prefix == 4 || hp_span_starts(rest, "__");
        length = is_version && rest.size > prefix ? prefix : 0;
        while (length > 0 && length < rest.size && strchr(digits, rest.at[length])) {
            length++;
        }
        bool ends = length > prefix && hp_span_starts(hp_span_from(rest, length), "::");
        length = ends ? length + 2 : 0;
    }
    w->at += length;
    return length > 0;
}

static bool take_word(struct name_walk *w) {
    return take_operator(w) || take_decltype(w) || skip_inline_namespace(w);
}

// Copy the word at the current position.  No group and no operator begins inside of it.
static void copy_word(struct name_walk *w) {
    size_t end = w->at;
    while (end < w->full.size && hp_is_word(w->full.at[end])) {
        end++;
    }
    copy(w, end);
}

// Copy, shorten or drop the next part of the name: a word, a group in brackets or one
// other character.
static void take(struct name_walk *w) {
    char c = w->full.at[w->at];
    if (hp_is_word(c)) {
        if (!take_word(w)) {
            copy_word(w);
        }
    } else if (c == '<') {
        take_angles(w);
    } else if (c == '(') {
        take_parentheses(w);
    } else if (c == '[') {
        take_square(w);
    } else if (c == '{') {
        take_name(w, end_of_group(w, w->at));
    } else if (c == ' ') {
        take_space(w);
    } else if (c == '>' && w->selves > 0) {
        w->at++;
        close_self(w);
    } else if (c == ')' && w->has_parameters) {
        w->at = w->full.size; // end of the declarator "(*f<int>(int))(char)"
    } else {
        copy(w, w->at + 1);
    }
}

// Whether `text` is a hash as Rust appends it to names: 16 hexadecimal digits.
static bool is_hash(struct hp_span text) {
    return text.size == 16 && strspn(text.at, "0123456789abcdef") >= 16;
}

// Length of a name without marks at its end by which compilers and linkers distinguish
// copies of a function: ".part.0", "@@V_2", the hash of Rust.
static size_t without_marks(const char *name, size_t size) {
    static const char *const marks[] = {".part.", ".isra.",     ".constprop.", ".cold",
                                        ".llvm.", ".lto_priv.", ".localalias"};
    const char *version = memchr(name, '@', size);
    size = version && version > name ? (size_t)(version - name) : size;
    bool has_dot = memchr(name, '.', size); // most names have none, and so no mark
    for (size_t i = 0; has_dot && i < sizeof marks / sizeof *marks; i++) {
        const char *mark = memmem(name, size, marks[i], strlen(marks[i]));
        size = mark && mark > name ? (size_t)(mark - name) : size;
    }
    bool is_hashed = size > 19 && memcmp(name + size - 19, "::h", 3) == 0 &&
                     is_hash((struct hp_span){name + size - 16, 16});
    return is_hashed ? size - 19 : size;
}

// Complete the short or bare name that was copied: drop the returned type, marks of
// compilers, spaces and arguments at its end.  Returns the name in w->out, with a NUL
// after it.
static struct hp_span finish(struct name_walk *w) {
    size_t begin = w->has_parameters ? w->begin : 0, size = w->size - begin;
    char *name = memmove(w->out, w->out + begin, size);
    while (size > 0 && name[size - 1] == ' ') {
        size--;
    }
    name[size] = '\0'; // is_hash() looks at this byte, too
    size = without_marks(name, size);
    struct hp_span left = {name, size};
    left.size -= hp_span_ends(left, arguments) ? strlen(arguments) : 0;
    name[left.size] = '\0';
    return left;
}

// For Go's "github.com/org/pkg/v2.(*T).Do", return the offset of "pkg"; 0: the name has
// no directories.  *version and *after become the offsets of "/v2" and after it; 0: there
// is no version.
static size_t directories(struct hp_span name, size_t *version, size_t *after) {
    size_t begin = 0, last = 0, i = 0;
    while (i < name.size && (hp_is_word(name.at[i]) || memchr("./~-%+", name.at[i], 6))) {
        last = name.at[i] == '/' ? begin : last;
        begin = name.at[i] == '/' ? i + 1 : begin;
        i++;
    }
    const char *dot = memchr(name.at + begin, '.', name.size - begin);
    size_t end = dot ? (size_t)(dot - name.at) : 0;
    bool is_go = begin > 0 && end > begin && end < i && hp_is_word(name.at[0]);
    *version = *after = 0;
    if (is_go && end > begin + 1 && name.at[begin] == 'v' && last < begin &&
        strspn(name.at + begin + 1, "0123456789") == end - begin - 1) {
        *version = begin - 1;
        *after = end;
        return last;
    }
    return is_go ? begin : 0;
}

struct hp_span hp_bare_name(struct hp_span full, char *out) {
    struct name_walk w = {.full = full, .out = out};
    while (w.at < full.size) {
        take(&w);
    }
    return finish(&w);
}

struct hp_span hp_untyped_name(struct hp_span full, char *out) {
    struct name_walk w = {.full = full, .out = out};
    while (w.at < full.size) {
        take(&w);
    }
    return hp_span_from(full, w.has_parameters ? w.begin_at : 0);
}

struct hp_span hp_short_name(struct hp_span full, char *out) {
    struct name_walk w = {.full = full, .out = out, .is_short = true};
    if (hp_span_starts(full, "type:") || hp_span_starts(full, "type..")) {
        return full; // functions that Go generates: "type:.eq.struct { F uintptr }"
    }
    while (w.at < full.size && !w.is_broken) {
        take(&w);
    }
    struct hp_span name = finish(&w);
    if (w.is_broken || name.size == 0) {
        return full;
    }
    size_t version, after, begin = directories(name, &version, &after);
    if (version > 0) {
        memmove(out + version, out + after, name.size - after + 1);
        name.size -= after - version;
    }
    return hp_span_from(name, begin);
}
