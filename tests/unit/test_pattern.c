// Tests of patterns: long names, and patterns that take too long.
#include "base/pattern.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// A name of `size` letters that has `text` at position `at`; the caller frees it.
static char *long_name(size_t size, size_t at, const char *text) {
    char *name = malloc(size + 1);
    memset(name, 'a', size);
    name[size] = '\0';
    memcpy(name + at, text, strlen(text));
    return name;
}

// Whether a pattern matches.
static bool matches(const char *text, const char *subject) {
    struct hp_match_time time = {0};
    struct hp_pattern pattern;
    struct hp_err err;
    cr_assert_eq(hp_pattern_init(&pattern, text, &time, &err), HP_OK, "%s", text);
    bool found = hp_pattern_matches(&pattern, subject);
    cr_assert_eq(hp_pattern_check(&pattern, &err), HP_OK, "%s", text);
    hp_pattern_done(&pattern);
    return found;
}

Test(pattern, H3_a_match_within_the_first_16_KiB_is_found_and_a_later_one_is_not) {
    const size_t cut = HP_MATCHED_BYTES;
    char *name = long_name(4 * cut, cut - 6, "needle");
    cr_expect(matches("needle", name));
    cr_expect(matches("^a+needl", name));
    cr_expect(matches(".*needle.*", name));
    cr_expect(matches("[a-z]*", name));
    free(name);
    name = long_name(4 * cut, cut - 5, "needle");
    cr_expect(matches("needl", name));
    cr_expect(!matches("needle", name));
    free(name);
    name = long_name(cut, cut - 6, "needle");
    cr_expect(matches("needle$", name), "a text of 16 KiB is not cut");
    free(name);
}

Test(pattern, H3_the_cut_is_no_end_of_the_name) {
    const size_t cut = HP_MATCHED_BYTES;
    static const char *const ends[] = {"a$",   "a\\b",      "a\\z",
                                       "a\\Z", "a(?!a)a?$", "\\w\\b(?!.)"};
    char *name = long_name(4 * cut, 0, "");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        cr_expect(!matches(ends[i], name), "%s", ends[i]);
        name[cut] = '\0';
        cr_expect(matches(ends[i], name), "%s at the end", ends[i]);
        name[cut] = 'a';
    }
    free(name);
}

Test(pattern, H3_the_cut_does_not_split_a_character) {
    const size_t cut = HP_MATCHED_BYTES;
    char *name = long_name(4 * cut, cut - 1, "\xc3\xa4");
    cr_expect(!matches("\xc3", name));
    cr_expect(matches("^a+", name));
    memcpy(name + cut - 2,
           "\xc3\xa4"
           "a",
           3);
    cr_expect(matches("\xc3\xa4", name));
    memset(name + cut - 10, 0x80, 20); // not UTF-8
    cr_expect(matches("\x80", name));
    free(name);
}

// PCRE2 counts few steps for these patterns.  The names end in the letter that it looks
// for first.
Test(pattern, H3_what_takes_too_long_is_refused_by_name, .timeout = 60) {
    static const char *const slow[] = {"\\w+::c", "\\w++::c", "(?>\\w+)::c",
                                       "(?:\\w)*+::c"};
    char *name = long_name(HP_MATCHED_BYTES / 2, HP_MATCHED_BYTES / 2 - 2, " c");
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        struct hp_match_time time = {.spent = 19950000000}; // nearly all of 20 s
        struct hp_pattern pattern, next;
        struct hp_err err;
        cr_assert_eq(hp_pattern_init(&pattern, slow[i], &time, &err), HP_OK);
        cr_assert_eq(hp_pattern_init(&next, "a", &time, &err), HP_OK);
        cr_expect(hp_pattern_matches(&next, name));
        for (int k = 0; k < 200 && !pattern.is_out_of_time; k++) {
            cr_expect(!hp_pattern_matches(&pattern, name));
        }
        cr_expect_eq(hp_pattern_check(&pattern, &err), HP_E_LIMIT, "%s", slow[i]);
        cr_expect(strstr(err.message, slow[i]), "%s", err.message);
        cr_expect(!hp_pattern_matches(&next, name), "the time is shared");
        cr_expect_eq(hp_pattern_check(&next, &err), HP_E_LIMIT);
        hp_pattern_done(&pattern);
        hp_pattern_done(&next);
    }
    free(name);
}

Test(pattern, ordinary_matching_is_not_counted_as_slow) {
    struct hp_match_time time = {0};
    struct hp_pattern pattern;
    struct hp_err err;
    cr_assert_eq(hp_pattern_init(&pattern, "alloc", &time, &err), HP_OK);
    for (int i = 0; i < 100000; i++) {
        cr_assert(
            !hp_pattern_matches(&pattern, "std::vector<int>::push_back(int const&)"));
    }
    cr_expect_lt(time.spent, 2000000000);
    hp_pattern_done(&pattern);
}
