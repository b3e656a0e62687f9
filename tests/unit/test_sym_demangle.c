// Tests of demangling, also of names that are made to take time or memory.
#include "sym/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *linkage, *function;
} cases[] = {
    {"_ZNSt6vectorIiSaIiEE9push_backEOi",
     "std::vector<int, std::allocator<int> >::push_back(int&&)"},
    {"_ZN9Incomplete", "_ZN9Incomplete"},
    {"_ZN12_GLOBAL__N_16Hidden2goEi.constprop.0",
     "(anonymous namespace)::Hidden::go(int) [clone .constprop.0]"},
    {"_ZN4core3ptr81drop_in_place$LT$core..result..Result$LT$$LP$$RP$$C$std..io..error.."
     "Error$GT$$GT$17h68de20777079255aE",
     "core::ptr::drop_in_place<core::result::Result<(),std::io::error::Error>>"},
    {"_RNvNtCsjrHSEGnQ3l9_3std9panicking15panic_with_hook",
     "std::panicking::panic_with_hook"},
    {"main", "main"},
    {"_start", "_start"},
    {"_Z", "_Z"},
    {"_R", "_R"},
};

// Demangle a name; the result belongs to `strings`.
static const char *demangle(struct hp_strtab *strings, const char *linkage) {
    struct hp_mangled name = {hp_strtab_add(strings, hp_span_of(linkage)), {0}};
    hp_demangle(strings, &name, 1);
    return hp_strtab_text(strings, name.function);
}

Test(sym_demangle, gives_the_names_of_the_source) {
    struct hp_strtab strings = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_str_eq(demangle(&strings, cases[i].linkage), cases[i].function, "%s",
                         demangle(&strings, cases[i].linkage));
    }
    hp_strtab_done(&strings);
}

// Write a name of nested pairs, each with the previous one twice, so that its length
// doubles.
static void write_doubling(char *text, size_t size, int levels) {
    size_t used = (size_t)snprintf(text, size, "_Z1fSt4pairIiiE");
    for (int i = 0; i < levels && used < size; i++) {
        char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        used += (size_t)snprintf(text + used, size - used, "S_IS%c_S%c_E", digit, digit);
    }
}

// Write a name with a very deep nesting of pointers.
static void write_deep(char *text, size_t size, int levels) {
    (void)levels;
    memset(text, 'P', size - 1);
    text[size - 1] = '\0';
    strcpy(text, "_Z1f");
    text[4] = 'P';
    text[size - 2] = 'i';
}

// The same in Rust v0: each tuple consists of back references to the previous one.
static void write_rust(char *text, size_t size, int levels) {
    size_t used = (size_t)snprintf(text, size, "_RINvC1a1fTuuE");
    int last = 9;
    for (int i = 0; i < levels && used < size - 32; i++) {
        static const char digits[] =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        char back[8];
        int value = last - 1;
        last = (int)used - 2;
        if (value < 62) {
            snprintf(back, sizeof back, "B%c_", digits[value]);
        } else {
            snprintf(back, sizeof back, "B%c%c_", digits[value / 62], digits[value % 62]);
        }
        used += (size_t)snprintf(text + used, size - used, "T%s%sE", back, back);
    }
    snprintf(text + used, size - used, "E");
}

Test(sym_demangle, ends_soon_for_every_name, .timeout = 20) {
    static void (*const writers[])(char *, size_t, int) = {write_doubling, write_deep,
                                                           write_rust};
    static const size_t sizes[] = {512, 32 << 10, 1 << 20};
    struct hp_strtab strings = {0};
    char *text = malloc(1 << 20);
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            clock_t start = clock();
            writers[w](text, sizes[s], 26);
            const char *name = demangle(&strings, text);
            double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
            cr_expect_lt(strlen(name), (1 << 20) + 1);
            cr_expect_lt(seconds, 2.0, "writer %zu, size %zu: %f s", w, sizes[s],
                         seconds);
        }
    }
    free(text);
    hp_strtab_done(&strings);
}

Test(sym_demangle, stops_at_what_grows_too_long) {
    static void (*const writers[])(char *, size_t, int) = {write_doubling, write_rust};
    struct hp_strtab strings = {0};
    char text[1024];
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
        writers[w](text, sizeof text, 3);
        cr_expect_str_neq(demangle(&strings, text), text);
        writers[w](text, sizeof text, 26);
        cr_expect_str_eq(demangle(&strings, text), text);
    }
    hp_strtab_done(&strings);
}

Test(sym_demangle, reads_long_cxx_names) {
    struct hp_strtab strings = {0};
    char text[4096] = "_Z1f";
    while (strlen(text) < 3000) {
        strcat(text, "St6vectorIiSaIiEE");
    }
    const char *name = demangle(&strings, text);
    cr_expect_eq(strncmp(name, "f(std::vector", 13), 0, "%.80s", name);
    hp_strtab_done(&strings);
}

static const struct {
    const char *symbol;
    const char *suffix; // after the mangled name
} suffixed[] = {
    {"_Z3fooi", ""},
    {"_Z3fooi.part.0", ".part.0"},
    {"_ZN1A3barEv.isra.0.cold", ".isra.0.cold"},
    {"_Z5outerPZ5outeriE15_Z5outeri.Frame.actor", ".actor"},
    {"_Z5outerPZ5outeriE15_Z5outeri.Frame.actor.cold", ".actor.cold"},
    {"_ZN12_GLOBAL__N_15countEPZNS_L5countEiE32_ZN12_GLOBAL__N_1L5countEi.Frame.destroy",
     ".destroy"},
    {"_Z3foo99a.b.c", ""}, // not a valid name
    {"_Z.", ""},
};

Test(sym_demangle, finds_suffixes_behind_names_with_dots) {
    for (size_t i = 0; i < sizeof suffixed / sizeof *suffixed; i++) {
        const char *symbol = suffixed[i].symbol;
        cr_expect_str_eq(symbol + hp_mangled_size(symbol), suffixed[i].suffix, "%s",
                         symbol);
    }
}

// Names that are deep, long, or full of dots must neither be read beyond their end nor
// take long.
Test(sym_demangle, gives_up_on_suffixes_of_hostile_names, .timeout = 10) {
    static char name[1 << 16];
    for (size_t size = 1 << 10; size < sizeof name; size *= 2) {
        memset(name, 'P', size);
        memcpy(name, "_Z1f", 4);
        memcpy(name + size - 3, "i.x", 4);
        cr_expect_leq(hp_mangled_size(name), strlen(name));
        memset(name + 4, '.', size - 4);
        cr_expect_leq(hp_mangled_size(name), strlen(name));
    }
}
