// The width of text on a terminal, and names shortened to fit it.  The forms of a name
// are tried in this order:
//
//     std::basic_string<…>::_M_construct          a function's name
//     std::basic_string::_M_construct             without arguments
//     …basic_string::_M_construct                 without namespaces, but with its class
//     basic…::_M_construct, …_M_construct
//     _M_con…struct                               the middle
//     /srv/ut/cxx/main.cpp:15                     a path
//     …/cxx/main.cpp:15                           without leading folders
//     ma…cpp:15                                   the middle, never the line number
//     libLLVM….so.1+0xddfeaf                      the middle, never the offset
//
// Texts here are safe for a terminal, but may contain its escape sequences for colours.
#include "report/text/text.h"

#include "view/brackets.h"

#include "base/utf8.h"

#include <stdio.h>

static const char ellipsis[] = "…";

enum {
    LEAST_CLASS = 3,  // least cells of a class name that is worth showing
    LEAST_MODULE = 7, // least cells of a module's name before ".so.1".
};

// --- cells --------------------------------------------------------------------------------

const char *hp_text_in_ascii(uint32_t code, char room[HP_TEXT_CODE_SIZE]) {
    static const struct {
        uint32_t code;
        const char *text;
    } known[] = {{0x2026, "..."}, {0xb1, "+-"},  {0x2013, "-"},
                 {0xb7, "-"},     {0x251c, "|"}, {0x2514, "`"},
                 {0x2502, "|"},   {0x250c, ","}, {0x2192, "->"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code == code) {
            return known[i].text;
        }
    }
    snprintf(room, HP_TEXT_CODE_SIZE, "\\u{%04X}", (unsigned)code);
    return room;
}

// Bytes of an escape sequence for a colour at the beginning of a text, ESC [ ... m; 0:
// there is none.
static size_t color_size(struct hp_span text) {
    size_t size = 0;
    if (text.size > 1 && text.at[0] == '\033') {
        while (size < text.size && text.at[size] != 'm') {
            size++;
        }
        size += size < text.size;
    }
    return size;
}

// Cells of a character, or of the ASCII text that will replace it.
static size_t cells_of(struct hp_utf8 c, bool is_ascii) {
    char room[HP_TEXT_CODE_SIZE];
    return is_ascii && c.code > 0x7f ? strlen(hp_text_in_ascii(c.code, room))
                                     : (size_t)hp_text_char_cells(c.code);
}

size_t hp_text_cells(struct hp_span text, bool is_ascii) {
    size_t cells = 0;
    while (text.size > 0) {
        size_t color = color_size(text);
        struct hp_utf8 c = hp_utf8_first(text);
        cells += color > 0 ? 0 : cells_of(c, is_ascii);
        text = hp_span_from(text, color > 0 ? color : c.size);
    }
    return cells;
}

static size_t cells(const struct hp_text_cut *cut, struct hp_span text) {
    return hp_text_cells(text, cut->is_ascii);
}

// Cells of "…".
static size_t dots(const struct hp_text_cut *cut) {
    return cut->is_ascii ? 3 : 1;
}

// Bytes at the beginning of a text that fit into `room` cells, including combining marks
// on the last character.
static size_t head_size(const struct hp_text_cut *cut, struct hp_span text, size_t room) {
    size_t size = 0, used = 0;
    while (size < text.size) {
        struct hp_utf8 c = hp_utf8_first(hp_span_from(text, size));
        used += cells_of(c, cut->is_ascii);
        if (used > room) {
            break;
        }
        size += c.size;
    }
    return size;
}

// The index at which the longest end of a text begins that fits into `room` cells.
static size_t tail_begin(const struct hp_text_cut *cut, struct hp_span text,
                         size_t room) {
    size_t left = cells(cut, text), at = 0;
    while (at < text.size && left > room) {
        struct hp_utf8 c = hp_utf8_first(hp_span_from(text, at));
        left -= cells_of(c, cut->is_ascii);
        at += c.size;
    }
    while (at < text.size &&
           cells_of(hp_utf8_first(hp_span_from(text, at)), cut->is_ascii) == 0) {
        at += hp_utf8_first(hp_span_from(text, at)).size;
    }
    return at;
}

// --- parts --------------------------------------------------------------------------------

static struct hp_span piece(struct hp_span text, size_t begin, size_t end) {
    return (struct hp_span){hp_span_from(text, begin).at, end - begin};
}

// Append "head…tail".  The last `kept` bytes are never shortened; if `kept` is 0 both
// halves get the same room.
static void cut_middle(struct hp_buffer *out, struct hp_span text, size_t kept,
                       const struct hp_text_cut *cut) {
    struct hp_span front = piece(text, 0, text.size - kept);
    struct hp_span back = hp_span_from(text, text.size - kept);
    size_t used = cells(cut, back) + dots(cut);
    size_t room = cut->room > used ? cut->room - used : 0;
    size_t tail = kept > 0 ? 0 : room / 2;
    hp_buffer_append(out, piece(front, 0, head_size(cut, front, room - tail)));
    hp_buffer_append(out, hp_span_of(ellipsis));
    hp_buffer_append(out, hp_span_from(front, tail_begin(cut, front, tail)));
    hp_buffer_append(out, back);
}

// Whether a text fits beside `used` cells.  Reads no further than needed, because names
// may be very long.
static bool fits_beside(const struct hp_text_cut *cut, struct hp_span text, size_t used) {
    return used <= cut->room && head_size(cut, text, cut->room - used) == text.size;
}

static bool fits(const struct hp_text_cut *cut, struct hp_span text) {
    return fits_beside(cut, text, 0);
}

// Append a text after "…" if that fits; false otherwise.  A "…::" that the text begins
// with is not repeated.
static bool try_after_dots(struct hp_buffer *out, struct hp_span text,
                           const struct hp_text_cut *cut) {
    static const char more[] = "…::"; // a name may already be shortened
    text = hp_span_starts(text, more) ? hp_span_from(text, sizeof more - 1) : text;
    if (!fits_beside(cut, text, dots(cut))) {
        return false;
    }
    hp_buffer_append(out, hp_span_of(ellipsis));
    hp_buffer_append(out, text);
    return true;
}

void hp_text_cut_text(struct hp_buffer *out, struct hp_span text,
                      const struct hp_text_cut *cut) {
    if (cut->room == 0 || fits(cut, text)) {
        hp_buffer_append(out, text);
    } else {
        cut_middle(out, text, 0, cut);
    }
}

// --- paths --------------------------------------------------------------------------------

// Bytes of a number at the end of a text and of the character `before` it; 0: there is
// none.
static size_t number_size(struct hp_span text, char before, const char *digits) {
    size_t size = 0;
    while (size < text.size && strchr(digits, text.at[text.size - 1 - size])) {
        size++;
    }
    bool is_number =
        size > 0 && size < text.size && text.at[text.size - 1 - size] == before;
    return is_number ? size + 1 : 0;
}

void hp_text_cut_path(struct hp_buffer *out, struct hp_span path,
                      const struct hp_text_cut *cut) {
    if (cut->room == 0 || fits(cut, path)) {
        hp_buffer_append(out, path);
        return;
    }
    for (size_t i = 1; i < path.size; i++) {
        if (path.at[i] == '/' && try_after_dots(out, hp_span_from(path, i), cut)) {
            return;
        }
    }
    struct hp_span base = hp_span_basename(path);
    cut_middle(out, base, number_size(base, ':', "0123456789"), cut);
}

// Bytes at the end of a module's name that are never shortened: "+0xddfeaf" or
// "@0xddfeaf", and ".so.1" before it if there is room for both.  0: the name has no
// offset.
static size_t offset_size(struct hp_span name, const struct hp_text_cut *cut) {
    size_t size = number_size(name, 'x', "0123456789abcdef");
    struct hp_span front = piece(name, 0, name.size - size);
    if (size == 0 || !(hp_span_ends(front, "+0") || hp_span_ends(front, "@0"))) {
        return 0;
    }
    size += 2;
    front.size -= 2;
    const char *suffix = memmem(front.at, front.size, ".so", 3);
    size_t more = suffix ? (size_t)(front.at + front.size - suffix) : 0;
    return size + more + dots(cut) + LEAST_MODULE <= cut->room ? size + more : size;
}

// --- names --------------------------------------------------------------------------------

// Positions in a name where its parts begin, which are separated by "::", or by "."  in
// Go.
struct parts {
    HP_VEC(size_t) begins;
    size_t separator; // bytes of the separator
};

// A name and how to shorten it.
struct cut_name {
    struct hp_span name;
    const struct hp_text_cut *cut;
};

// Whether the text after a dot begins a part of a Go name.  Compilers also put dots into
// names of C: "f.part.0", "f.cold".
static bool begins_in_go(struct hp_span rest) {
    static const char *const marks[] = {"part", "isra",     "constprop", "cold",
                                        "llvm", "lto_priv", "localalias"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (hp_span_starts(rest, marks[i])) {
            return false;
        }
    }
    return rest.size > 0 && (rest.at[0] == '(' || hp_is_word(rest.at[0])) &&
           (rest.at[0] < '0' || rest.at[0] > '9');
}

// Find the parts of a name, outside of brackets.  Returns false if its brackets do not
// match.
static bool find_parts(struct parts *parts, struct hp_span name, const char *separator) {
    size_t depth = 0;
    parts->separator = strlen(separator);
    parts->begins.count = 0;
    hp_vec_push(&parts->begins, 0);
    for (size_t i = 0; i < name.size; i++) {
        size_t sign = name.at[i] == 'o' ? hp_operator_at(name, i) : 0;
        if (sign > 0) {
            i += sign - 1;
            continue;
        }
        bool closes = hp_is_closing(name, i);
        if (closes && depth == 0) {
            return false;
        }
        depth += hp_is_opening(name.at[i]);
        depth -= closes;
        struct hp_span rest = hp_span_from(name, i + parts->separator);
        if (depth == 0 && i > 0 && hp_span_starts(hp_span_from(name, i), separator) &&
            (*separator == ':' || begins_in_go(rest))) {
            hp_vec_push(&parts->begins, i + parts->separator);
            i += parts->separator - 1;
        }
    }
    return depth == 0;
}

// Append a name without the placeholders "<…>" and "[…]", and with "{closure}" for
// "{{closure}}".
static void drop_arguments(struct hp_buffer *out, struct hp_span name) {
    static const struct {
        const char *text, *instead;
    } dropped[] = {{"<…>", ""},
                   {"[…]", ""},
                   {", …>", ">"},
                   {"<…, ", "<"},
                   {"{{closure}}", "{closure}"}};

    while (name.size > 0) {
        size_t i = 0, count = sizeof dropped / sizeof *dropped;
        while (i < count && !hp_span_starts(name, dropped[i].text)) {
            i++;
        }
        if (i < count) {
            hp_buffer_append(out, hp_span_of(dropped[i].instead));
        } else {
            hp_vec_push(&out->text, name.at[0]);
        }
        name = hp_span_from(name, i < count ? strlen(dropped[i].text) : 1);
    }
}

// The index of the part with the function's own name.  A closure is named after the
// function that it is in.
static size_t last_part(const struct parts *parts, struct hp_span name) {
    size_t last = parts->begins.count - 1;
    while (last > 0) {
        struct hp_span rest = hp_span_from(name, parts->begins.at[last]);
        if (!hp_span_starts(rest, "{") && !hp_span_starts(rest, "operator()")) {
            break;
        }
        last--;
    }
    return last;
}

// Whether a part is an anonymous namespace, which says where a function is but not which
// one it is.
static bool is_nameless(const struct parts *parts, struct hp_span name, size_t part) {
    return hp_span_starts(hp_span_from(name, parts->begins.at[part]), "(anonymous");
}

// The index of the first part before part `last`, the function, that shows a template
// argument; `last` if none does.  Such an argument distinguishes the row from others, so
// that it is kept.
static size_t first_with_argument(const struct parts *parts, struct hp_span name,
                                  size_t last) {
    for (size_t i = 0; i < last; i++) {
        struct hp_span part = piece(name, parts->begins.at[i], parts->begins.at[i + 1]);
        if (memchr(part.at, '<', part.size)) {
            return i;
        }
    }
    return last;
}

// Append "Cla…::method": the parts `first` to `last` shortened, then the rest of the
// name.  Returns false if too little of the first parts would have room.
static bool try_ends(struct hp_buffer *out, const struct parts *parts, size_t first,
                     size_t last, const struct cut_name *of) {
    size_t end = parts->begins.at[last] - parts->separator;
    struct hp_span method = hp_span_from(of->name, end);
    struct hp_span class = piece(of->name, parts->begins.at[first], end);
    size_t used = cells(of->cut, method) + dots(of->cut);
    if (used + LEAST_CLASS > of->cut->room) {
        return false;
    }
    hp_buffer_append(out,
                     piece(class, 0, head_size(of->cut, class, of->cut->room - used)));
    hp_buffer_append(out, hp_span_of(ellipsis));
    hp_buffer_append(out, method);
    return true;
}

// Shorten a name with several parts, in the order of forms at the top of this file.
static void cut_parts(struct hp_buffer *out, const struct parts *parts,
                      const struct cut_name *of) {
    size_t end = parts->begins.count - 1;
    size_t last = last_part(parts, of->name), class = last > 0 ? last - 1 : 0;
    class += last > 0 && is_nameless(parts, of->name, class);
    size_t argument_part = first_with_argument(parts, of->name, last);
    for (size_t i = 1; i <= class && i <= argument_part; i++) {
        if (try_after_dots(out, hp_span_from(of->name, parts->begins.at[i]), of->cut)) {
            return;
        }
    }
    struct hp_span rest = hp_span_from(of->name, parts->begins.at[last]);
    if (argument_part < last) {
        hp_text_cut_text(out, hp_span_from(of->name, parts->begins.at[argument_part]),
                         of->cut);
        return;
    }
    bool is_done = last > 0 && ((class < last && try_ends(out, parts, class, last, of)) ||
                                try_after_dots(out, rest, of->cut));
    if (!is_done && (last == end || !try_ends(out, parts, last, end, of))) {
        hp_text_cut_text(out, rest, of->cut);
    }
}

// Shorten the name of a function: first drop its placeholders, then parts.
static void cut_function(struct hp_buffer *out, struct hp_span name,
                         const struct hp_text_cut *cut) {
    struct hp_buffer bare = {0};
    struct parts parts = {0};
    drop_arguments(&bare, name);
    struct hp_span rest = {bare.text.at, bare.text.count};
    if (fits(cut, rest)) {
        hp_buffer_append(out, rest);
    } else if ((find_parts(&parts, rest, "::") && parts.begins.count > 1) ||
               find_parts(&parts, rest, ".")) {
        cut_parts(out, &parts, &(struct cut_name){rest, cut});
    } else {
        hp_text_cut_text(out, rest, cut);
    }
    hp_vec_done(&parts.begins);
    hp_vec_done(&bare.text);
}

void hp_text_cut_name(struct hp_buffer *out, struct hp_span name,
                      const struct hp_text_cut *cut) {
    size_t offset = offset_size(name, cut);
    if (cut->room == 0 || fits(cut, name)) {
        hp_buffer_append(out, name);
    } else if (offset > 0) {
        cut_middle(out, name, offset, cut);
    } else if (cut->keeps_ends) {
        hp_text_cut_text(out, name, cut);
    } else {
        cut_function(out, name, cut);
    }
}
