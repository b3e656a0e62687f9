// Tests of short and bare names of functions.
#include "view/shortname.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct example {
    // Shown: short name; bare: without arguments, NULL: same as shown.
    const char *full, *shown, *bare;
};

// Check short and bare name of an example; a short name has to stay unchanged.
static void expect(const struct example *e) {
    char out[3 * 1024];
    const char *bare = e->bare ? e->bare : e->shown;
    cr_assert_leq(hp_short_name_room(strlen(e->full)), sizeof out);
    struct hp_span name = hp_short_name(hp_span_of(e->full), out);
    cr_expect(hp_span_is(name, e->shown), "%s: %.*s instead of %s", e->full,
              (int)name.size, name.at, e->shown);
    name = hp_short_name(hp_span_of(e->shown), out);
    cr_expect(hp_span_is(name, e->shown), "%s again: %.*s", e->shown, (int)name.size,
              name.at);
    name = hp_bare_name(hp_span_of(e->full), out);
    cr_expect(hp_span_is(name, bare), "%s: bare %.*s instead of %s", e->full,
              (int)name.size, name.at, bare);
}

#define EXPECT_ALL(examples)                                          \
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) { \
        expect(&examples[i]);                                         \
    }

Test(shortname, has_arguments_of_templates_as_a_sign) {
    static const struct example examples[] = {
        {"void std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >::_M_construct<char*>(char*, char*, "
         "std::forward_iterator_tag)",
         "std::basic_string<…>::_M_construct",
         "std::__cxx11::basic_string::_M_construct"},
        {"Req* Leaky<Req>::make<std::__cxx11::basic_string<char>&, int>("
         "std::__cxx11::basic_string<char>&, int)",
         "Leaky<…>::make", "Leaky::make"},
        {"f(int)", "f", NULL},
        {"Foo::f(int, char const*) const", "Foo::f", NULL},
        {"f<int>", "f", NULL},
        {"std::vector<int, std::allocator<int> >::push_back(int&&)",
         "std::vector<…>::push_back", "std::vector::push_back"},
        {"std::__cxx11::basic_string<char>::basic_string(char const*)",
         "std::basic_string<…>::basic_string",
         "std::__cxx11::basic_string::basic_string"},
        {"a::b<(c)3>::d() &&", "a::b<…>::d", "a::b::d"},
        {"a::b<((c)>(3)), (d<e)>::f()", "a::b<…>::f", "a::b::f"},
        {"a::b<&(c::operator<(c const&))>::~b()", "a::b<…>::~b", "a::b::~b"},
    };
    EXPECT_ALL(examples);
}

Test(shortname, leaves_out_types_that_are_returned) {
    static const struct example examples[] = {
        {"void ns::f<int>(int) const", "ns::f", NULL},
        {"void apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)", "apply", NULL},
        {"std::pair<int, double>& std::vector<T<int> >::emplace_back<int>(int&&)",
         "std::vector<…>::emplace_back", "std::vector::emplace_back"},
        {"unsigned long const& std::max<unsigned long>(unsigned long const&)", "std::max",
         NULL},
        {"decltype(auto) f<int>(int)", "f", NULL},
        {"decltype (operator+(g(1))) ns::h<int>(int)", "ns::h", NULL},
        {"void (*f<int>(int))(char)", "f", NULL},
        {"void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f", NULL},
        {"non-virtual thunk to A::f(int)", "A::f", NULL},
        {"int f(T) [with T = int]", "f", NULL},
        {"void f<int>(int) requires A<int>", "f", NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, leaves_out_inline_namespaces) {
    static const struct example examples[] = {
        {"std::__1::vector<int>::reserve(unsigned long)", "std::vector<…>::reserve",
         "std::__1::vector::reserve"},
        {"std::__ndk1::f()", "std::f", "std::__ndk1::f"},
        {"std::filesystem::__cxx11::path::path()", "std::filesystem::path::path",
         "std::filesystem::__cxx11::path::path"},
        {"std::chrono::_V2::system_clock::now()", "std::chrono::system_clock::now",
         "std::chrono::_V2::system_clock::now"},
        {"absl::lts_20230125::Status::f()", "absl::Status::f",
         "absl::lts_20230125::Status::f"},
        {"std::__detail::f()", "std::__detail::f", NULL},
        {"__1::f()", "__1::f", NULL},
        {"a::__12", "a::__12", NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, keeps_scopes_that_look_like_parameters) {
    static const struct example examples[] = {
        {"(anonymous namespace)::Hidden::go(int) const",
         "(anonymous namespace)::Hidden::go", NULL},
        {"a::(anonymous namespace)::f<int>::g()", "a::(anonymous namespace)::f<…>::g",
         "a::(anonymous namespace)::f::g"},
        {"main::{lambda(int)#2}::operator()(int) const", "main::{lambda#2}::operator()",
         "main::{lambda(int)#2}::operator()"},
        {"main::{lambda}::operator()", "main::{lambda}::operator()", NULL},
        {"f<int>(int)::{lambda(A<int>, (B)1)#1}::operator()() const",
         "f<…>::{lambda#1}::operator()", "f::{lambda(A<int>, (B)1)#1}::operator()"},
        {"f(int) const::Local::g()", "f::Local::g", NULL},
        {"f()::{unnamed type#1}::g()", "f::{unnamed type#1}::g", NULL},
        {"f()::'lambda'(int)::operator()(int) const", "f::'lambda'::operator()", NULL},
        {"main()::<lambda(int)>", "main::<lambda>", "main::<lambda(int)>"},
    };
    EXPECT_ALL(examples);
}

Test(shortname, keeps_operators) {
    static const struct example examples[] = {
        {"operator new(unsigned long)", "operator new", NULL},
        {"operator new[](unsigned long)", "operator new[]", NULL},
        {"operator delete[](void*, std::align_val_t)", "operator delete[]", NULL},
        {"bool operator< <int>(A<int> const&, A<int> const&)", "operator<", NULL},
        {"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char)",
         "std::operator<<", NULL},
        {"bool ns::operator==<A<int> >(A<int> const&, A<int> const&)",
         "ns::operator==", NULL},
        {"f<&ns::operator-<int> >(int)", "f", NULL},
        {"A::operator<=>(A const&) const", "A::operator<=>", NULL},
        {"A<int>::operator->() const", "A<…>::operator->", "A::operator->"},
        {"A::operator->*(int)", "A::operator->*", NULL},
        {"A::operator()(int) const", "A::operator()", NULL},
        {"A::operator[](int)", "A::operator[]", NULL},
        {"A::operator,(A&)", "A::operator,", NULL},
        {"A::operator/(A&)", "A::operator/", NULL},
        {"A::operator bool() const", "A::operator bool", NULL},
        {"A::operator unsigned long() const", "A::operator unsigned long", NULL},
        {"A::operator char const*() const", "A::operator char const*", NULL},
        {"A::operator std::vector<int>() const", "A::operator std::vector", NULL},
        {"operator\"\" _kb(unsigned long long)", "operator\"\" _kb", NULL},
        {"std::function<void (int)>::operator()(int) const",
         "std::function<…>::operator()", "std::function::operator()"},
        {"A::operator()(int)::{lambda()#1}::operator()() const",
         "A::operator()::{lambda#1}::operator()",
         "A::operator()::{lambda()#1}::operator()"},
        {"cooperator<int>::f(int)", "cooperator<…>::f", "cooperator::f"},
        {"a::cooperator(int)", "a::cooperator", NULL},
        {"operators::f()", "operators::f", NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, has_the_type_of_a_method_of_rust) {
    static const struct example examples[] = {
        {"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
         "alloc::vec::Vec<…>::drop", "alloc::vec::Vec::drop"},
        {"<<serde_json::value::Value as core::fmt::Display>::fmt::WriterFormatter as "
         "std::io::Write>::write",
         "serde_json::…::WriterFormatter::write",
         "serde_json::value::Value::fmt::WriterFormatter::write"},
        {"<<A<u8> as B>::m::C as D>::n", "A<…>::…::C::n", "A::m::C::n"},
        {"<<A as B>::C as D>::n", "A::C::n", NULL},
        {"<&mut A as D>::n", "A::n", NULL},
        {"<&mut dyn a::Fn as D<fn(u8) -> u8>>::n", "a::Fn::n", NULL},
        {"<alloc::vec::Vec<u8>>::push", "alloc::vec::Vec<…>::push",
         "alloc::vec::Vec::push"},
        {"<[T]>::len", "[T]::len", NULL},
        {"<dyn a::Any + core::Send as b::C>::fmt", "a::Any::fmt", NULL},
        {"<for<'a> fn(&'a u8) -> a::B<u8> as b::C>::f", "fn::f", NULL},
        {"<core[c1f1a4ba060b9bfa]::any::T as b[97]::C>::fmt", "core::any::T::fmt", NULL},
        {"<(A, B) as C>::f", "(A, B)::f", NULL},
        {"core::slice::<impl [T]>::len", "[T]::len", "core::slice::<impl [T]>::len"},
        {"core::str::<impl str>::trim", "str::trim", "core::str::<impl str>::trim"},
        {"a::impls::<impl serde::de::De<T> for alloc::vec::Vec<T>>::de",
         "alloc::vec::Vec<…>::de",
         "a::impls::<impl serde::de::De<T> for alloc::vec::Vec<T>>::de"},
        {"<impl B for A>::f", "A::f", "<impl B for A>::f"},
        {"_<impl B for A>::f", "A::f", "_::f"},
        {"<impl for<'a> F<fn() -> (B for C)> for A<u8>>::f", "A<…>::f",
         "<impl for<'a> F<fn() -> (B for C)> for A<u8>>::f"},
        {"<<impl B for a::b::A>::m::C as D>::n", "a::…::C::n",
         "<impl B for a::b::A>::m::C::n"},
    };
    EXPECT_ALL(examples);
}

Test(shortname, knows_other_names_of_rust) {
    static const struct example examples[] = {
        {"leaky::serve::{{closure}}::{{closure}}",
         "leaky::serve::{{closure}}::{{closure}}", NULL},
        {"<a::T<u8> as a::B>::m::{closure#0}", "a::T<…>::m::{closure#0}",
         "a::T::m::{closure#0}"},
        {"alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<…>::push",
         "alloc::vec::Vec::push"},
        {"std::iter::once::<u8>", "std::iter::once", NULL},
        {"core::iter::Map<I,F>::fold::<u8>::h0123456789abcdef",
         "core::iter::Map<…>::fold", "core::iter::Map::fold"},
        {"a::f::<u8>::{closure#0}", "a::f<…>::{closure#0}", "a::f::{closure#0}"},
        {"core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place",
         NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, is_without_directories_in_go) {
    static const struct example examples[] = {
        {"github.com/org/repo/pkg/sub.(*Type[go.shape.int]).Method",
         "sub.(*Type[…]).Method",
         "github.com/org/repo/pkg/sub.(*Type[go.shape.int]).Method"},
        {"net/http.(*conn).serve", "http.(*conn).serve", "net/http.(*conn).serve"},
        {"github.com/org/pkg/v2.Do", "pkg.Do", "github.com/org/pkg/v2.Do"},
        {"github.com/org/v8/f.v8.func1", "f.v8.func1", "github.com/org/v8/f.v8.func1"},
        {"main.(*T[go.shape.int]).Do", "main.(*T[…]).Do", "main.(*T[go.shape.int]).Do"},
        {"slices.Grow[...]", "slices.Grow[…]", "slices.Grow"},
        {"a/b.Map[struct { A c/d.E }].func1", "b.Map[…].func1", "a/b.Map.func1"},
        {"main.(*T).Method", "main.(*T).Method", NULL},
        {"main.main.func1", "main.main.func1", NULL},
        {"type:.eq.[2]interface {}", "type:.eq.[2]interface {}", "type:.eq.interface {}"},
        {"/srv/a.b", "/srv/a.b", NULL},
        {"./a/b.c", "./a/b.c", NULL},
        {"a/b", "a/b", NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, leaves_out_what_compilers_and_linkers_add) {
    static const struct example examples[] = {
        {"f(int) [clone .part.0]", "f", NULL},
        {"f(int) [clone .isra.0] [clone .cold]", "f", NULL},
        {"f[abi:cxx11](int)", "f", NULL},
        {"a::f[abi:cxx11](int)::{lambda()#1}::operator()() const",
         "a::f::{lambda#1}::operator()", "a::f::{lambda()#1}::operator()"},
        {"f.part.0", "f", NULL},
        {"f.constprop.0.isra.0", "f", NULL},
        {"f.cold", "f", NULL},
        {"f.llvm.123", "f", NULL},
        {"f.localalias", "f", NULL},
        {"f.localalias.4", "f", NULL},
        {"f@@GLIBC_2.2.5", "f", NULL},
    };
    EXPECT_ALL(examples);
}

Test(shortname, leaves_others_as_they_are) {
    static const char *const names[] = {
        "main",
        "libc.so.6+0x2724a",
        "0x7f2bde8a2630",
        "",
        ">",
        ")",
        "operator",
        "operator<",
        "->",
        "[truncated]",
        "(program)",
        "<module>",
        "foo.<locals>",
        "get foo",
        "-[A b:c:]",
        "A.<init>",
        "V8 GC",
        "[unknown]",
        "a>b",
        "GC (minor)",
        "Ünïcode::ß",
        "<",
        "(",
        "f(",
        "f<",
        "f(int",
        "a<b",
        "f(int>",
        "a<b)",
        "<impl ",
        "<A as B",
        "<A as ",
        "{lambda(",
        "[",
        "f[",
        "<>",
        "<>::",
        "::",
        "::<>",
        "operator[",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[64];
        struct hp_span name = hp_short_name(hp_span_of(names[i]), out);
        cr_expect(hp_span_is(name, names[i]), "%s: %.*s", names[i], (int)name.size,
                  name.at);
    }
}

Test(shortname, is_full_but_for_a_type_that_is_returned) {
    static const struct {
        const char *full, *untyped;
    } names[] = {
        {"void std::f<int>(int) const", "std::f<int>(int) const"},
        {"std::string f<int>(int) [clone .cold]", "f<int>(int) [clone .cold]"},
        {"decltype (a(b)) f<int>(int)", "f<int>(int)"},
        {"void (*f<int>(int))(char)", "f<int>(int))(char)"},
        {"f(int)", "f(int)"},
        {"operator new(unsigned long)", "operator new(unsigned long)"},
        {"<A as B>::f", "<A as B>::f"},
        {"get foo", "get foo"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[256];
        struct hp_span name = hp_untyped_name(hp_span_of(names[i].full), out);
        cr_expect(hp_span_is(name, names[i].untyped), "%s: %.*s", names[i].full,
                  (int)name.size, name.at);
    }
}

Test(shortname, ends_a_bare_name_at_a_bracket_that_is_never_closed) {
    static const struct example examples[] = {
        {"f(int", "f(int", "f"},
        {"f<int", "f<int", "f"},
    };
    EXPECT_ALL(examples);
}

// Ten thousand brackets of each kind: alone, in pairs, and closed.
Test(shortname, is_quick_with_names_of_nothing_but_brackets, .timeout = 20) {
    static const char *const parts[][2] = {
        {"<", ""},
        {"(", ""},
        {"[", ""},
        {"{", ""},
        {"<(", ""},
        {"<", ">"},
        {"(", ")"},
        {"A<", ">::b"},
        {"<impl ", ""},
        {"<A as ", ""},
        {"<A as ", ">::b"},
        {"<", ">::a"},
        {"<impl A for ", ">::b"},
        {"a<>::", ""},
        {"f()::{lambda(", ")#1}"},
        {" const", ""},
        {"operator<", ""},
        {"::<A>", ""},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t size = 10000 * (strlen(parts[i][0]) + strlen(parts[i][1]));
        char *name = calloc(size + 1, 1), *at = name;
        char *out = malloc(hp_short_name_room(size));
        for (int k = 0; k < 20000; k++) {
            at = stpcpy(at, parts[i][k / 10000]);
        }
        struct hp_span all = {name, size};
        cr_expect_lt(hp_short_name(all, out).size, hp_short_name_room(size));
        cr_expect_leq(hp_bare_name(all, out).size, size);
        free(name);
        free(out);
    }
}
