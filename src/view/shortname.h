// Names of functions without the parts that make names of C++, Rust and Go long.
//
//     full   std::a<int> ns::T<int>::f<b>(c) const
//     short  ns::T<…>::f
//     bare   ns::T::f
//
//     full   std::__cxx11::basic_string<char>::f()
//     short  std::basic_string<…>::f
//     bare   std::__cxx11::basic_string::f
//
//     full   f(int)::{lambda(int)#1}::operator()()
//     short  f::{lambda#1}::operator()
//     bare   f::{lambda(int)#1}::operator()
//
//     full   <<a::b::T as B>::m::C as D>::n
//     short  a::…::C::n
//     bare   a::b::T::m::C::n
//
//     full   a::b::<impl B for c::T<u8>>::m
//     short  c::T<…>::m
//     bare   a::b::<impl B for c::T<u8>>::m
//
//     full   github.com/org/pkg.(*T[go.shape.int]).Do
//     short  pkg.(*T[…]).Do
//     bare   github.com/org/pkg.(*T[go.shape.int]).Do
//
//     full   f.part.0, f(int) [clone .cold], f@@V_2
//     short  f
//     bare   f
//
// Short names are shown to readers.  Bare names are matched by the rules of frame_rules.h.
// They keep the whole path and lack only arguments, parameters and the returned type.
#ifndef HP_VIEW_SHORTNAME_H
#define HP_VIEW_SHORTNAME_H

#include "base/span.h"

// Room that the short name of a name of `size` bytes may need, in bytes with its NUL.
static inline size_t hp_short_name_room(size_t size) {
    return 3 * size + 1; // the worst case: "a<>::" is "a<…>::"
}

// Write the short name of `full` to `out`, which has hp_short_name_room() bytes.  Returns
// the part of `out` that was written, or `full` itself if its brackets do not match.  A
// short name is its own short name.
struct hp_span hp_short_name(struct hp_span full, char *out);

// Write the bare name of `full` (without arguments, parameters and returned type) as
// hp_short_name() writes the short one.  A bracket that is never closed ends the name.
struct hp_span hp_bare_name(struct hp_span full, char *out);

// Return the part of `full` after the type that the function returns.  `out` is scratch
// room of hp_short_name_room() bytes.
struct hp_span hp_untyped_name(struct hp_span full, char *out);

#endif
