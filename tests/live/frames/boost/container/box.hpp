// Stands for a container of Boost: rules look at the path and at the name.
#ifndef BOX_HPP
#define BOX_HPP

#include <cstddef>

namespace boost {
namespace container {
template <typename T> struct box {
    T *held;

    __attribute__((noinline)) void grow(std::size_t count) {
        held = new T[count];
    }
};
}
}

#endif
