// What rules about names look at:
//
//     void* ns::f<int>(int) const [clone .part.0]        ns::f
//     decltype (g(1)) f::{lambda(int)#1}::operator()     f::{lambda(int)#1}::operator()
//     <<A<u8> as B>::m::C as D>::n, A::m::C::n           A::m::C::n
//     main.(*T[go.shape.int]).Do                         main.(*T).Do
//     f.part.0, f.cold, f@@GLIBC_2.2.5                   f
//
// It is copied but for types that are returned, parameters, template arguments, traits and marks
// of compilers and linkers.  A bracket that is never closed ends the name.
#include "view/frame_rules.h"

#include <string.h>

struct barer {
    struct hp_span full;
    size_t at;
    char *out;
    size_t size;
    size_t selves;       // of Rust's "<T as Trait>" at the beginning, that are still open
    bool is_operator;    // the name ends in "operator new", so that a space is part of it
    bool has_parameters; // they have been dropped
};

static struct hp_span rest_of(const struct barer *b, size_t skipped) {
    return hp_span_from(b->full, b->at + skipped);
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

// Behind the bracket that closes the first of the `depth` that are open before `at`.
static size_t end_of_group(struct hp_span full, size_t at, size_t depth) {
    for (; at < full.size; at++) {
        char c = full.at[at];
        bool is_arrow = c == '>' && at > 0 && full.at[at - 1] == '-';
        depth += c == '<' || c == '(' || c == '[' || c == '{';
        if ((c == '>' || c == ')' || c == ']' || c == '}') && !is_arrow && --depth == 0) {
            return at + 1;
        }
    }
    return full.size;
}

static void copy(struct barer *b, size_t end) {
    memcpy(b->out + b->size, b->full.at + b->at, end - b->at);
    b->size += end - b->at;
    b->at = end;
}

static bool ends_with(const struct barer *b, const char *text) {
    return hp_span_ends((struct hp_span){b->out, b->size}, text);
}

// --- brackets -----------------------------------------------------------------------------

static void take_angles(struct barer *b) {
    static const char *const pointers[] = {"&", "mut ", "*const ", "*mut ", "dyn "};
    struct hp_span inside = rest_of(b, 1);
    bool is_name = hp_span_starts(inside, "lambda") ||
                   hp_span_starts(inside, "unnamed") || hp_span_starts(inside, "impl ");
    if (b->size == 0 && !is_name) {
        b->selves++;
        b->at++;
        for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
            b->at += hp_span_starts(rest_of(b, 0), pointers[i]) ? strlen(pointers[i]) : 0;
        }
        return;
    }
    size_t end = end_of_group(b->full, b->at, 0);
    if (is_name && (b->size == 0 || ends_with(b, "::"))) {
        copy(b, end);
        return;
    }
    b->size -= ends_with(b, "::") ? 2 : 0;
    b->at = end;
}

static void take_parentheses(struct barer *b) {
    size_t end = end_of_group(b->full, b->at, 0);
    bool is_scope = hp_span_starts(rest_of(b, 0), "(anonymous namespace)");
    if (is_scope || b->size == 0 || ends_with(b, ".") || ends_with(b, "operator")) {
        copy(b, end);
        b->is_operator = false;
        return;
    }
    b->has_parameters = true;
    b->is_operator = false;
    b->at = end;
}

// --- spaces -------------------------------------------------------------------------------

// " const" and the like behind parameters, up to the end or what is declared inside.
static bool skip_qualifier(struct barer *b) {
    static const char *const words[] = {" const", " volatile", " noexcept", " &&", " &"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct hp_span behind = rest_of(b, strlen(words[i]));
        if (hp_span_starts(rest_of(b, 0), words[i]) &&
            (behind.size == 0 || hp_span_starts(behind, "::") || behind.at[0] == ' ' ||
             behind.at[0] == '[')) {
            b->at += strlen(words[i]);
            return true;
        }
    }
    return false;
}

// What stands before it was a type, unless it is within "operator new".
static void take_space(struct barer *b) {
    if (b->selves > 0 && hp_span_starts(rest_of(b, 0), " as ")) {
        b->at = end_of_group(b->full, b->at, 1);
        b->selves--;
    } else if (b->selves > 0 || b->is_operator) {
        copy(b, b->at + 1);
    } else if (hp_span_starts(rest_of(b, 0), " <")) {
        b->at++;
    } else if (hp_span_starts(rest_of(b, 0), " [clone")) {
        b->at = b->full.size;
    } else if (!b->has_parameters || !skip_qualifier(b)) {
        b->at++;
        b->size = 0;
        b->has_parameters = false;
    }
}

// --- all ----------------------------------------------------------------------------------

// "operator" as a word of its own, and the sign behind it.
static bool take_operator(struct barer *b) {
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    struct hp_span rest = rest_of(b, 0);
    bool begins = b->size == 0 || !is_word(b->out[b->size - 1]);
    if (!begins || !hp_span_starts(rest, word) ||
        (rest.size > length && is_word(rest.at[length]))) {
        return false;
    }
    size_t sign = strspn(rest.at + length, "+-*/%^&|~!=<>,");
    copy(b, b->at + length + sign);
    b->is_operator = sign == 0;
    return true;
}

static void take(struct barer *b) {
    char c = b->full.at[b->at];
    if (take_operator(b)) {
        return;
    }
    if (c == '<') {
        take_angles(b);
    } else if (c == '(') {
        take_parentheses(b);
    } else if (c == '[' && b->size > 0 && !b->is_operator) {
        b->at = end_of_group(b->full, b->at, 0);
    } else if (c == '[' || c == '{') {
        copy(b, end_of_group(b->full, b->at, 0));
    } else if (c == ' ') {
        take_space(b);
    } else if (c == '>' && b->selves > 0) {
        b->selves--;
        b->at++;
    } else {
        copy(b, b->at + 1);
    }
}

static bool is_hash(struct hp_span text) {
    return text.size == 16 && strspn(text.at, "0123456789abcdef") >= 16;
}

// Behind a name compilers and linkers put what copy of the function it is.
static size_t without_marks(const char *name, size_t size) {
    static const char *const marks[] = {".part.", ".isra.", ".constprop.",
                                        ".cold",  ".llvm.", ".lto_priv."};
    const char *version = memchr(name, '@', size);
    size = version && version > name ? (size_t)(version - name) : size;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = memmem(name, size, marks[i], strlen(marks[i]));
        size = mark && mark > name ? (size_t)(mark - name) : size;
    }
    bool is_hashed = size > 19 && memcmp(name + size - 19, "::h", 3) == 0 &&
                     is_hash((struct hp_span){name + size - 16, 16});
    return is_hashed ? size - 19 : size;
}

struct hp_span hp_bare_name(struct hp_span full, char *out) {
    struct barer b = {.full = full, .out = out};
    while (b.at < full.size) {
        take(&b);
    }
    while (b.size > 0 && out[b.size - 1] == ' ') {
        b.size--;
    }
    out[b.size] = '\0'; // also what is_hash() looks at
    b.size = without_marks(out, b.size);
    out[b.size] = '\0';
    return (struct hp_span){out, b.size};
}
