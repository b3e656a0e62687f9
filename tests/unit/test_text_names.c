// Tests of shortening names of functions, files and modules for terminals of any width.
#include "report/text/text_names.h"

#include <criterion/criterion.h>

// A limit of columns.
static struct hp_text_cut within(size_t room) {
    return (struct hp_text_cut){.room = room};
}

typedef void cut_fn(struct hp_buffer *out, struct hp_span text,
                    const struct hp_text_cut *cut);

// Shorten a name with one of the functions, and compare.
static void expect_by(cut_fn *by, struct hp_text_cut cut, const char *name,
                      const char *wanted) {
    struct hp_buffer out = {0};
    by(&out, hp_span_of(name), &cut);
    struct hp_span got = {out.text.at, out.text.count};
    cr_expect(hp_span_is(got, wanted), "%zu: %.*s instead of %s", cut.room, (int)got.size,
              got.at, wanted);
    cr_expect(cut.room == 0 || hp_text_cells(got, cut.is_ascii) <= cut.room);
    hp_vec_done(&out.text);
}

static void expect(const char *name, size_t room, const char *wanted) {
    expect_by(hp_text_cut_name, within(room), name, wanted);
}

static void expect_path(const char *name, size_t room, const char *wanted) {
    expect_by(hp_text_cut_path, within(room), name, wanted);
}

Test(text_names, loses_arguments_then_leading_namespaces_then_the_middle) {
    const char *name = "std::basic_string<…>::_M_construct";
    expect(name, 0, name);
    expect(name, 34, name);
    expect(name, 33, "std::basic_string::_M_construct");
    expect(name, 28, "…basic_string::_M_construct");
    expect(name, 26, "basic_strin…::_M_construct");
    expect(name, 17, "…_M_construct");
    expect(name, 10, "_M_co…ruct");
}

Test(text_names, shows_the_tail_in_28_columns) {
    expect("Leaky<…>::make", 28, "Leaky<…>::make");
    expect("serde_json::…::WriterFormatter::write", 28, "…WriterFormatter::write");
    expect("leaky::serve::{{closure}}::{{closure}}", 28, "…serve::{closure}::{closure}");
    expect("sub.(*Type[…]).Method", 28, "sub.(*Type[…]).Method");
    expect_path("/srv/ut/cxx/main.cpp:15", 28, "/srv/ut/cxx/main.cpp:15");
    expect("libLLVM-14.so.1+0xddfeaf", 28, "libLLVM-14.so.1+0xddfeaf");
}

Test(text_names, keeps_numbers_of_lines_and_offsets_whole) {
    expect_path("/srv/ut/cxx/main.cpp:15", 22, "…/ut/cxx/main.cpp:15");
    expect_path("/srv/ut/cxx/main.cpp:15", 19, "…/cxx/main.cpp:15");
    expect_path("/srv/ut/cxx/main.cpp:15", 13, "…/main.cpp:15");
    expect_path("/srv/ut/cxx/main.cpp:15", 8, "main…:15");
    expect("libLLVM-14.so.1+0xddfeaf", 22, "libLLVM….so.1+0xddfeaf");
    expect("libLLVM-14.so.1+0xddfeaf", 20, "libLLVM-14…+0xddfeaf");
    expect("libLLVM-14.so.1+0xddfeaf", 13, "lib…+0xddfeaf");
    expect("0x7f2bde8a2630", 14, "0x7f2bde8a2630");
}

Test(text_names, knows_the_parts_of_names_of_go_and_of_no_others) {
    expect("sub.(*Type[…]).Method", 20, "sub.(*Type).Method");
    expect("sub.(*Type[…]).Method", 16, "…(*Type).Method");
    expect("sub.(*Type[…]).Method", 8, "…Method");
    expect("allocate_some_more.part.0", 16, "allocate….part.0");
    expect("a_function_of_a_name.cold", 12, "a_func….cold");
}

Test(text_names, does_not_take_operators_for_brackets) {
    expect("a::b::operator<<", 14, "…b::operator<<");
    expect("aaaa::bbbb::operator->", 17, "…bbbb::operator->");
    expect("aaaaaaaaaaaaaa::operator()", 16, "aaa…::operator()");
    expect("main::{lambda}::operator()", 20, "main::{…::operator()");
    expect("one::two::operator< <…>", 20, "one::two::operator< ");
}

Test(text_names, has_no_class_in_a_nameless_namespace) {
    expect("ns::(anonymous namespace)::allocate_it", 28, "…allocate_it");
    expect("(anonymous namespace)::Hidden::go", 28, "…Hidden::go");
}

Test(text_names, has_the_ends_of_what_has_no_parts) {
    expect("AllocSetContextCreateInternal", 21, "AllocSetCo…teInternal");
    expect("(((((((((((((((", 9, "((((…((((");
    expect("a>::b>::c>::dddd", 9, "a>::…dddd");
}

Test(text_names, counts_cells_not_bytes) {
    cr_expect_eq(hp_text_cells(hp_span_of("名前"), false), 4);
    cr_expect_eq(hp_text_cells(hp_span_of("\U0001F600"), false), 2);
    cr_expect_eq(hp_text_cells(hp_span_of("e\u0301\u200d"), false), 1);
    cr_expect_eq(hp_text_cells(hp_span_of("\033[1mbold\033[0m"), false), 4);
    cr_expect_eq(hp_text_cells(hp_span_of("± …"), true), 6);
    cr_expect_eq(hp_text_cells(hp_span_of("名"), true), strlen("\\u{540D}"));
    // A wide character is never split, and combining marks stay with their character.
    expect("名前名前名前", 8, "名前…前");
    expect("a\u0301b\u0301c\u0301d\u0301e\u0301", 3, "a\u0301…e\u0301");
}

Test(text_names, has_three_dots_without_utf8) {
    struct hp_text_cut cut = {.room = 21, .is_ascii = true};
    expect_by(hp_text_cut_name, cut, "ns::Class<…>::method_a", "ns::Class::method_a");
    cut.room = 18;
    expect_by(hp_text_cut_name, cut, "ns::Class<…>::method_a", "…Class::method_a");
    cut.room = 12;
    expect_by(hp_text_cut_text, cut, "thread pool of seven", "threa…even");
}

// --- arguments -------------------------------------------------------------------------

// Expect the name if this argument is shown.
static void expect_kept(const char *full, struct hp_text_kept_argument kept,
                        const char *wanted) {
    struct hp_text_arguments a;
    struct hp_buffer out = {0};
    hp_text_arguments_init(&a, hp_span_of(full));
    hp_vec_push(&a.kept, kept);
    hp_text_arguments_put(&out, &a);
    struct hp_span got = {out.text.at, out.text.count};
    cr_expect(hp_span_is(got, wanted), "%.*s instead of %s", (int)got.size, got.at,
              wanted);
    hp_text_arguments_done(&a);
    hp_vec_done(&out.text);
}

Test(text_names, can_show_any_omitted_argument) {
    struct hp_text_kept_argument first = {0}, second = {.argument = 1},
                                 other = {.group = 1};
    expect_kept("Req* Leaky<Req>::make<int>(int)", first, "Leaky<Req>::make");
    expect_kept("Req* Leaky<Req>::make<int>(int)", other, "Leaky<…>::make<int>");
    expect_kept("std::map<A, std::vector<B<int> > >::f()", second,
                "std::map<…, std::vector<…>>::f");
    expect_kept("std::map<A, B>::f()", first, "std::map<A, …>::f");
    expect_kept("<m::A<u8> as B>::m", first, "m::A<u8>::m");
    expect_kept("sub.(*Type[go.shape.int]).Method", first,
                "sub.(*Type[go.shape.int]).Method");
    second.is_whole = true;
    expect_kept("Box<1, std::pair<int, long> >::grow(int)", second,
                "Box<…, std::pair<int, long>>::grow");
}

// Expect the parameters of a name.
static void expect_parameters(const char *full, const char *wanted) {
    struct hp_buffer out = {0};
    hp_text_parameters(&out, hp_span_of(full), false);
    cr_expect(hp_span_is((struct hp_span){out.text.at, out.text.count}, wanted), "%s",
              full);
    hp_vec_done(&out.text);
}

Test(text_names, can_show_parameters) {
    expect_parameters("over(int)", "(int)");
    expect_parameters("A::f(std::vector<int>, B) const", "(std::vector<…>, B) const");
    expect_parameters("A::operator()(int)", "(int)");
    expect_parameters("(anonymous namespace)::f", "");
    expect_parameters("main.(*T).Method", "");
    expect_parameters("f", "");
}
