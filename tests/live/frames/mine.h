// A header of the test program: a template, and two wrappers of malloc.  The rules for
// wrappers know the name of the first, but not that of the second.
#ifndef MINE_H
#define MINE_H

#include <cstdlib>
#include <vector>

template <typename T> struct Cache {
    std::vector<T> held;

    __attribute__((noinline)) void fill(std::size_t count) {
        held.reserve(count);
    }
};

__attribute__((noinline)) inline void *xmalloc(std::size_t size) {
    return std::malloc(size);
}

__attribute__((noinline)) inline void *grab(std::size_t size) {
    return std::malloc(size);
}

#endif
