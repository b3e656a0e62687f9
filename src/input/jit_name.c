// Forms of names:
//
//     CPython          py::Class.method:/srv/app.py
//     V8               JS:*name /srv/app.js:12:7      LazyCompile:~, Function:, Script:, Eval:
//     HotSpot          void pkg.Class.method(int)
//     perf-map-agent   Lpkg/Class;::method
//     .NET             instance void [app] Program::Main(string[])[OptimizedTier1]
//     Ruby (YJIT)      [JIT] Class#method (/srv/app.rb:3)
//     Julia            julia_name_123
//     LuaJIT           TRACE_12::/srv/app.lua:3
//     PHP              JIT$name, TRACE-12$name$3
#include "input/jit_name.h"

#include "base/cursor.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Return the first `size` bytes of a span.
static struct hp_span head(struct hp_span text, size_t size) {
    return (struct hp_span){text.at, size};
}

// Return the index of the first place of `word` in the text; its size: there is none.
static size_t find(struct hp_span text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        if (memcmp(text.at + i, word, size) == 0) {
            return i;
        }
    }
    return text.size;
}

// Return the index of the last `byte` in the text; its size: there is none.
static size_t find_last(struct hp_span text, char byte) {
    size_t i = text.size;
    while (i > 0 && text.at[i - 1] != byte) {
        i--;
    }
    return i > 0 ? i - 1 : text.size;
}

// Remove ":NUMBER" from the end of a text.  Returns false if it is not there.
static bool take_number(struct hp_span *text, uint32_t *number) {
    size_t colon = find_last(*text, ':');
    uint64_t value = 0;
    bool is_number = colon + 1 < text->size;
    for (size_t i = colon + 1; i < text->size && is_number; i++) {
        is_number = is_digit(text->at[i]) && value < UINT32_MAX / 16;
        value = value * 10 + (uint64_t)(text->at[i] - '0');
    }
    if (is_number) {
        *number = (uint32_t)value;
        text->size = colon;
    }
    return is_number;
}

// --- scripts ---------------------------------------------------------------------------

static bool take_python(struct hp_jit_name *name, struct hp_span text) {
    static const char start[] = "py::";
    if (!hp_span_starts(text, start)) {
        return false;
    }
    struct hp_span rest = hp_span_from(text, sizeof start - 1);
    size_t colon = find(rest, ":");
    name->function = head(rest, colon);
    name->file = hp_span_from(rest, colon < rest.size ? colon + 1 : colon);
    return name->function.size > 0;
}

// Name a function without a name after its place: "(anonymous app.js:12)".
static void name_anonymous(struct hp_jit_name *name, const char *what) {
    struct hp_span file = hp_span_basename(name->file);
    char number[16];
    int digits = snprintf(number, sizeof number, ":%u)", name->line);
    name->text.count = 0;
    hp_vec_push(&name->text, '(');
    hp_vec_append(&name->text, what, strlen(what));
    hp_vec_push(&name->text, ' ');
    hp_vec_append(&name->text, file.at, file.size);
    hp_vec_append(&name->text, number, (size_t)digits);
    name->function = (struct hp_span){name->text.at, name->text.count};
}

// Return where the file begins in "name file": both may have spaces.
static size_t file_of(struct hp_span text) {
    static const char *const starts[] = {" /", " file:", " node:", " evalmachine."};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t at = find(text, starts[i]);
        if (at < text.size) {
            return at;
        }
    }
    return find_last(text, ' ');
}

static bool take_v8(struct hp_jit_name *name, struct hp_span text) {
    static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Script:",
                                        "Eval:"};
    static const char scheme[] = "file://";
    size_t i = 0, count = sizeof kinds / sizeof *kinds;
    while (i < count && !hp_span_starts(text, kinds[i])) {
        i++;
    }
    if (i == count) {
        return false;
    }
    struct hp_span rest = hp_span_from(text, strlen(kinds[i]));
    while (rest.size > 0 && memchr("*^~+", *rest.at, 4)) {
        rest = hp_span_from(rest, 1);
    }
    size_t space = file_of(rest);
    uint32_t column;
    name->function = head(rest, space);
    name->file = hp_span_from(rest, space < rest.size ? space + 1 : space);
    if (take_number(&name->file, &column) && !take_number(&name->file, &name->line)) {
        name->line = column;
    }
    bool has_scheme = hp_span_starts(name->file, scheme);
    name->file = hp_span_from(name->file, has_scheme ? sizeof scheme - 1 : 0);
    if (name->function.size == 0) {
        name_anonymous(name, *kinds[i] == 'S' ? "script" : "anonymous");
    }
    return true;
}

static bool take_ruby(struct hp_jit_name *name, struct hp_span text) {
    static const char start[] = "[JIT] ";
    if (!hp_span_starts(text, start)) {
        return false;
    }
    name->function = hp_span_from(text, sizeof start - 1);
    size_t open = find(name->function, " (/");
    if (open < name->function.size && hp_span_ends(name->function, ")")) {
        name->file = hp_span_from(name->function, open + 2);
        name->file.size--;
        name->function.size = open;
        (void)take_number(&name->file, &name->line);
    }
    return name->function.size > 0;
}

static bool take_lua(struct hp_jit_name *name, struct hp_span text) {
    static const char start[] = "TRACE_";
    size_t colons = find(text, "::");
    if (!hp_span_starts(text, start) || colons == text.size) {
        return false;
    }
    name->file = hp_span_from(text, colons + 2);
    (void)take_number(&name->file, &name->line);
    name_anonymous(name, "trace");
    return true;
}

static bool take_php(struct hp_jit_name *name, struct hp_span text) {
    bool is_trace = hp_span_starts(text, "TRACE-");
    size_t dollar = find(text, "$");
    if ((!is_trace && !hp_span_starts(text, "JIT$")) || dollar == text.size) {
        return false;
    }
    name->function = hp_span_from(text, dollar + 1);
    size_t last = is_trace ? find_last(name->function, '$') : 0;
    if (is_trace && last < name->function.size) { // its number is a line
        name->function.size = last;
    }
    return name->function.size > 0;
}

// --- virtual machines ------------------------------------------------------------------

// Names of classes that a virtual machine numbers.
static const char *const numbered[] = {
    "$$Lambda$",           "$$Lambda",      "$Proxy",         "MethodAccessor",
    "ConstructorAccessor", "LambdaForm$MH", "LambdaForm$DMH", "LambdaForm$BMH"};

// Return the length of a number at the beginning of the text: digits, or "/0x" or "+0x"
// and hexadecimal digits.
static size_t number_size(struct hp_span text) {
    size_t size = 0;
    if (hp_span_starts(text, "/0x") || hp_span_starts(text, "+0x")) {
        for (size = 3; size < text.size && is_hex(text.at[size]); size++) {
        }
        return size;
    }
    while (size < text.size && is_digit(text.at[size])) {
        size++;
    }
    return size;
}

// Return the length of a name of numbered classes at the beginning of the text; 0: none.
static size_t numbered_size(struct hp_span text) {
    size_t size = 0;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered && size == 0; i++) {
        size = hp_span_starts(text, numbered[i]) ? strlen(numbered[i]) : 0;
    }
    return size;
}

// Append a name of Java without numbers of classes, and without addresses.
static void add_java(struct hp_jit_name *name, struct hp_span text) {
    for (size_t i = 0; i < text.size;) {
        struct hp_span rest = hp_span_from(text, i);
        size_t size = numbered_size(rest);
        hp_vec_append(&name->text, rest.at, size);
        i += size;
        rest = hp_span_from(text, i);
        size_t number =
            size > 0 || (rest.size > 0 && (*rest.at == '/' || *rest.at == '+'))
                ? number_size(rest)
                : 0;
        i += number;
        if (size == 0 && number == 0) {
            hp_vec_push(&name->text, text.at[i++]);
        }
    }
}

// Take "type pkg.Class.method(types)", whose type and space may be missing.
static bool take_hotspot(struct hp_jit_name *name, struct hp_span text) {
    size_t open = find(text, "(");
    struct hp_span before = head(text, open);
    size_t space = find_last(before, ' ');
    size_t start = space < before.size ? space + 1 : 0;
    bool has_class = find_last(hp_span_from(before, start), '.') < before.size - start;
    if (open == text.size || !hp_span_ends(text, ")") || !has_class ||
        find(text, "::") < text.size) {
        return false;
    }
    name->text.count = 0;
    add_java(name, hp_span_from(text, start));
    name->function = (struct hp_span){name->text.at, name->text.count};
    return true;
}

static bool take_agent(struct hp_jit_name *name, struct hp_span text) {
    size_t end = find(text, ";::");
    if (!hp_span_starts(text, "L") || end == text.size) {
        return false;
    }
    name->text.count = 0;
    add_java(name, (struct hp_span){text.at + 1, end - 1});
    for (size_t i = 0; i < name->text.count; i++) {
        name->text.at[i] = name->text.at[i] == '/' ? '.' : name->text.at[i];
    }
    hp_vec_push(&name->text, '.');
    add_java(name, hp_span_from(text, end + 3));
    name->function = (struct hp_span){name->text.at, name->text.count};
    return true;
}

// Remove "[OptimizedTier1]" and the like from the end of a text.
static void drop_tier(struct hp_span *text) {
    static const char *const tiers[] = {"Tier",    "JIT]",       "Run]",
                                        "Jitted]", "Optimized]", "Unknown]"};
    size_t open = find_last(*text, '[');
    if (open == text->size || !hp_span_ends(*text, "]")) {
        return;
    }
    struct hp_span end = hp_span_from(*text, open + 1);
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
        if (find(end, tiers[i]) < end.size) {
            text->size = open;
            return;
        }
    }
}

static bool take_dotnet(struct hp_jit_name *name, struct hp_span text) {
    size_t open = find(text, "["), end = find(text, "] ");
    size_t colons = find(text, "::");
    if (open > end || end == text.size || colons < end || colons == text.size) {
        return false;
    }
    name->function = hp_span_from(text, end + 2);
    drop_tier(&name->function);
    return name->function.size > 0;
}

static bool take_julia(struct hp_jit_name *name, struct hp_span text) {
    static const char *const starts[] = {"julia_", "jlsys_"};
    size_t last = find_last(text, '_'), start = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        start = hp_span_starts(text, starts[i]) ? strlen(starts[i]) : start;
    }
    bool is_number = last + 1 < text.size;
    for (size_t i = last + 1; i < text.size; i++) {
        is_number &= is_digit(text.at[i]);
    }
    if (start == 0 || !is_number || last <= start) {
        return false;
    }
    name->function = (struct hp_span){text.at + start, last - start};
    return true;
}

void hp_jit_name_parse(struct hp_jit_name *name, struct hp_span text) {
    static bool (*const forms[])(struct hp_jit_name *, struct hp_span) = {
        take_python, take_v8,     take_ruby,    take_lua,   take_php,
        take_agent,  take_dotnet, take_hotspot, take_julia,
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        name->function = name->file = (struct hp_span){"", 0};
        name->line = 0;
        if (forms[i](name, text)) {
            return;
        }
    }
    name->function = text;
    name->file = (struct hp_span){"", 0};
    name->line = 0;
}
