// Names of functions without what makes those of C++, Rust and Go long.
//
//     full                                       short                   bare
//     std::a<int> ns::T<int>::f<b>(c) const      ns::T<…>::f             ns::T::f
//     std::__cxx11::basic_string<char>::f()      std::basic_string<…>::f std::__cxx11::basic_string::f
//     f(int)::{lambda(int)#1}::operator()()      f::{lambda#1}::operator()
//                                                                        f::{lambda(int)#1}::operator()
//     <<a::b::T as B>::m::C as D>::n             a::…::C::n              a::b::T::m::C::n
//     a::b::<impl B for c::T<u8>>::m             c::T<…>::m              a::b::<impl B for c::T<u8>>::m
//     github.com/org/pkg.(*T[go.shape.int]).Do   pkg.(*T[…]).Do          github.com/org/pkg.(*T[go.shape.int]).Do
//     f.part.0, f(int) [clone .cold], f@@V_2     f                       f
//
// A short name is for people.  A bare one is what rules about frames look at: of a path nothing is
// left out but arguments.
#ifndef HP_VIEW_SHORTNAME_H
#define HP_VIEW_SHORTNAME_H

#include "base/span.h"

// Of a name of so many bytes, with its NUL.
static inline size_t hp_short_name_room(size_t size) {
    return 3 * size + 1; // "a<>::" is "a<…>::"
}

// Returns what it wrote to `out`, which has that room, or a name whose brackets do not match as
// it is.  The short name of a short name is the same.
struct hp_span hp_short_name(struct hp_span full, char *out);

// The same, but that a bracket that is never closed ends the name.
struct hp_span hp_bare_name(struct hp_span full, char *out);

// The full name from where the type that is returned ends; `out` has that room, too.
struct hp_span hp_untyped_name(struct hp_span full, char *out);

#endif
