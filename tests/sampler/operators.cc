// Every operator new and delete, and what they do when memory runs out.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

static int handled;
static volatile std::size_t too_much = SIZE_MAX / 2;
static const std::align_val_t wide{8192};

static void tell(const char *what, bool good) {
    std::printf("%s: %s\n", what, good ? "yes" : "NO");
}

static void give_up() {
    handled++;
    std::set_new_handler(nullptr);
}

template <typename Allocate> static void throws(const char *what, Allocate allocate) {
    handled = 0;
    std::set_new_handler(give_up);
    bool thrown = false;
    try {
        allocate();
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    tell(what, thrown && handled == 1);
}

static bool is_wide(void *p) {
    return p && reinterpret_cast<std::uintptr_t>(p) % 8192 == 0;
}

__attribute__((noinline)) static void all_forms(std::size_t size) {
    const std::nothrow_t &quiet = std::nothrow;
    ::operator delete(::operator new(size));
    ::operator delete(::operator new(size), size);
    ::operator delete(::operator new(size, quiet), quiet);
    ::operator delete[](::operator new[](size));
    ::operator delete[](::operator new[](size), size);
    ::operator delete[](::operator new[](size, quiet), quiet);
    void *p = ::operator new(size, wide);
    bool good = is_wide(p);
    ::operator delete(p, wide);
    p = ::operator new(size, wide, quiet);
    good &= is_wide(p);
    ::operator delete(p, wide, quiet);
    p = ::operator new[](size, wide);
    good &= is_wide(p);
    ::operator delete[](p, size, wide);
    p = ::operator new[](size, wide, quiet);
    good &= is_wide(p);
    ::operator delete[](p, wide, quiet);
    p = ::operator new(size, wide);
    ::operator delete(p, size, wide);
    p = ::operator new[](size, wide);
    ::operator delete[](p, wide);
    if (!good) {
        tell("aligned as asked for", false);
    }
}

__attribute__((noinline)) static void *kept_by_new(std::size_t size) {
    void *p = ::operator new(size);
    return p;
}

__attribute__((noinline)) static void *kept_by_new_array(std::size_t size) {
    void *p = ::operator new[](size);
    return p;
}

__attribute__((noinline)) static void *kept_by_nothrow(std::size_t size) {
    void *p = ::operator new[](size, std::nothrow);
    return p;
}

__attribute__((noinline)) static void *kept_by_aligned(std::size_t size) {
    void *p = ::operator new(size, std::align_val_t(64));
    return p;
}

static void *kept[4000];

int main() {
    for (std::size_t size = 0; size < 5000; size += 13) {
        all_forms(size);
    }
    throws("new throws", [] { kept[0] = ::operator new(too_much); });
    throws("new[] throws", [] { kept[0] = ::operator new[](too_much); });
    throws("aligned new throws", [] { kept[0] = ::operator new(too_much, wide); });
    throws("aligned new[] throws", [] { kept[0] = ::operator new[](too_much, wide); });
    tell("nothrow new gives null", !::operator new(too_much, std::nothrow));
    tell("nothrow new[] gives null", !::operator new[](too_much, std::nothrow));
    tell("aligned nothrow new gives null", !::operator new(too_much, wide, std::nothrow));
    tell("new of nothing is something", ::operator new(0) != nullptr);
    std::vector<std::string> strings;
    for (int i = 0; i < 10000; i++) {
        strings.push_back(std::string(40, static_cast<char>('a' + i % 26)));
    }
    tell("containers work", strings[9999][39] == 'p');
    for (int i = 0; i < 1000; i++) {
        kept[4 * i] = kept_by_new(100);
        kept[4 * i + 1] = kept_by_new_array(200);
        kept[4 * i + 2] = kept_by_nothrow(300);
        kept[4 * i + 3] = kept_by_aligned(400);
    }
    std::puts("done");
    return 0;
}
