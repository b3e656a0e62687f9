// Tests of the functions that find brackets and operators in C++ names.
#include "view/brackets.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(brackets, parameters_are_what_a_name_ends_in) {
    static const char *const cases[][2] = {
        {"f(int)", "(int)"},
        {"f", ""},
        {"", ""},
        {"f<(a)0>(int) const", "(int) const"},
        {"f<(a)0>", ""},
        {"a::f(b (*)(c), d) &&", "(b (*)(c), d) &&"},
        {"void (*f<int>(int))(char)", "(char)"},
        {"a::operator()(int) const &", "(int) const &"},
        {"operator<(A, B)", "(A, B)"},
        {"f(int)::{lambda(char)#1}::operator()() const", "() const"},
        {"f(int) [clone .cold]", "(int) [clone .cold]"},
        {"main.(*T).Do", ""},
        {"<T as Fn(A) -> B>::call", ""},
        {"decltype (a()) f", ""},
        {"f)", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_span found = hp_function_parameters(hp_span_of(cases[i][0]));
        cr_expect(hp_span_is(found, cases[i][1]), "%s: %.*s", cases[i][0],
                  (int)found.size, found.at);
    }
}

Test(brackets, a_group_ends_where_what_opens_it_is_closed) {
    static const struct {
        const char *name; // begins at the bracket
        size_t size;      // size of the group; 0: it is not closed
    } cases[] = {
        {"<a<b>, c>::f", 9},           {"((a)>(b))", 9},
        {"<((a)>(b)), (d<e)>::f", 18}, {"<&(c::operator<(c const&))>", 27},
        {"<a::operator->, b>", 18},    {"(A) -> B", 3},
        {"<F() -> B>::f", 10},         {"<a(b>)", 0},
        {"[abi:cxx11]", 11},           {"{lambda(int)#1}::f", 15},
        {"<a::operator>, b>", 17},     {"<a", 0},
        {"<cooperator<a>>", 15},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].name);
        char *open = malloc(size); // exactly the room that the function requires
        cr_expect_eq(hp_end_of_group(hp_span_of(cases[i].name), 0, open), cases[i].size,
                     "%s: %zu", cases[i].name,
                     hp_end_of_group(hp_span_of(cases[i].name), 0, open));
        free(open);
    }
}

Test(brackets, an_operator_is_a_word_with_its_sign) {
    static const struct {
        const char *name;
        size_t at, size;
    } cases[] = {
        {"operator<<", 0, 10},    {"a::operator()(int)", 3, 10}, {"operator new", 0, 8},
        {"my_operator<a>", 3, 0}, {"operators", 0, 0},           {"operator->*", 0, 11},
        {"operator!=(a)", 0, 10}, {"operator\"\" s", 0, 10},     {"operato", 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(hp_operator_at(hp_span_of(cases[i].name), cases[i].at),
                     cases[i].size, "%s", cases[i].name);
    }
}
