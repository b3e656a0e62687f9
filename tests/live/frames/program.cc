// Allocates through all layers between a program and its memory.  Each function keeps objects
// of a different size, which is a size class of jemalloc.
#include "mine.h"

#include <boost/container/box.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>

#define NOINLINE __attribute__((noinline))

static void *volatile kept[64];
static volatile int used;

static void keep(void *p) {
    kept[used++] = p;
}

struct Key {
    int number;
};

namespace std {
template <> struct hash<Key> {
    NOINLINE size_t operator()(Key const &key) const {
        keep(malloc(448));
        return (size_t)key.number;
    }
};
} // namespace std

NOINLINE void call_back() {
    int numbers[1] = {1};
    std::for_each(numbers, numbers + 1, [](int n) { keep(new char[1024 * n]); });
}

NOINLINE void call(const std::function<void()> &function) {
    function();
}

NOINLINE void in_function() {
    call([] { keep(new char[2048]); });
}

NOINLINE void worker(int count) {
    keep(new char[4096 * count]);
}

NOINLINE void in_threads() {
    std::thread first(worker, 1);
    first.join();
    std::thread second([] { keep(new char[8192]); });
    second.join();
}

NOINLINE void duplicate() {
    std::string text(16383, 'x');
    keep(strdup(text.c_str()));
}

NOINLINE void fill_cache() {
    keep(new Cache<int>);
    ((Cache<int> *)kept[used - 1])->fill(8192);
}

NOINLINE void fill_box() {
    static boost::container::box<int> box;
    box.grow(16384);
}

NOINLINE void use_xmalloc() {
    keep(xmalloc(131072));
}

NOINLINE void use_grab() {
    keep(grab(262144));
}

NOINLINE void *create_buffer() {
    return malloc(524288);
}

NOINLINE void new_session() {
    keep(create_buffer());
}

NOINLINE void look_up() {
    keep((void *)std::hash<Key>()(Key{7}));
}

NOINLINE void own_string() {
    alignas(std::string) static char room[sizeof(std::string)]; // never destroyed
    (new (room) std::string)->assign(1048575, 'x');
}

int main() {
    call_back();
    in_function();
    in_threads();
    duplicate();
    fill_cache();
    fill_box();
    use_xmalloc();
    use_grab();
    new_session();
    look_up();
    own_string();
    return 0;
}
