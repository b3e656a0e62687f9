#include "view/shortname.h"

#include <criterion/criterion.h>

static void expect(const char *full, const char *wanted) {
    char out[512];
    struct hp_span name = hp_short_name(hp_span_of(full), out);
    cr_expect(hp_span_is(name, wanted), "%s: %.*s instead of %s", full, (int)name.size,
              name.at, wanted);
}

Test(shortname, leaves_out_template_arguments_and_parameters) {
    expect("f(int)", "f");
    expect("Foo::f(int, char const*) const", "Foo::f");
    expect("std::vector<int, std::allocator<int> >::push_back(int&&)",
           "std::vector::push_back");
    expect("std::__cxx11::basic_string<char>::basic_string(char const*)",
           "std::__cxx11::basic_string::basic_string");
    expect("a::b<(c)3>::d() &&", "a::b::d");
}

Test(shortname, leaves_out_what_a_template_returns) {
    expect("void apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)", "apply");
    expect("std::pair<int, double>& std::vector<T<int> >::emplace_back<int>(int&&)",
           "std::vector::emplace_back");
    expect("unsigned long const& std::max<unsigned long>(unsigned long const&)",
           "std::max");
    expect("decltype(auto) f<int>(int)", "f");
    expect("void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f");
}

Test(shortname, keeps_scopes_that_look_like_parameters) {
    expect("(anonymous namespace)::Hidden::go(int) const",
           "(anonymous namespace)::Hidden::go");
    expect("main::{lambda(int)#2}::operator()(int) const",
           "main::{lambda#2}::operator()");
    expect("main::{lambda}::operator()", "main::{lambda}::operator()");
    expect("f(int)::{lambda()#1}::operator()() const", "f::{lambda#1}::operator()");
    expect("f(int) const::Local::g()", "f::Local::g");
    expect("main()::<lambda(int)>", "main::<lambda>");
}

Test(shortname, keeps_operators) {
    expect("operator new(unsigned long)", "operator new");
    expect("operator delete[](void*, std::align_val_t)", "operator delete[]");
    expect("bool operator< <int>(A<int> const&, A<int> const&)", "operator<");
    expect("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char)",
           "std::operator<<");
    expect("A::operator<=>(A const&) const", "A::operator<=>");
    expect("A<int>::operator->() const", "A::operator->");
    expect("A::operator bool() const", "A::operator bool");
    expect("A::operator std::vector<int>() const", "A::operator std::vector");
    expect("std::function<void (int)>::operator()(int) const",
           "std::function::operator()");
    expect("A::operator()(int)::{lambda()#1}::operator()() const",
           "A::operator()::{lambda#1}::operator()");
    expect("cooperator<int>::f(int)", "cooperator::f");
}

Test(shortname, knows_names_of_rust) {
    expect("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push");
    expect("<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
           "<alloc::vec::Vec as core::ops::drop::Drop>::drop");
    expect("core::slice::<impl [T]>::len", "core::slice::<impl [T]>::len");
    expect("std::iter::once::<u8>", "std::iter::once");
    expect("app::main::{{closure}}", "app::main::{{closure}}");
    expect("core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place");
}

Test(shortname, leaves_others_as_they_are) {
    static const char *const names[] = {
        "main",
        "main.(*T).Method",
        "net/http.(*conn).serve",
        "main.main.func1",
        "type:.eq.[2]interface {}",
        "libc.so.6+0x2724a",
        "0x7f2bde8a2630",
        "",
        "<",
        ">",
        "(",
        ")",
        "f(",
        "f<",
        "a<b",
        "operator",
        "operator<",
        "[truncated]",
        "f(int",
        "->",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect(names[i], names[i]);
    }
}

Test(shortname, leaves_out_what_compilers_add) {
    expect("f(int) [clone .part.0]", "f");
    expect("f[abi:cxx11](int)", "f[abi:cxx11]");
    expect("f(int) [clone .isra.0] [clone .cold]", "f");
}
