// A program with an operator new and delete of its own, which the other forms have to use.
#include <cstdio>
#include <cstdlib>
#include <new>

static char arena[1 << 16];
static std::size_t used;
static int news, deletes;

void *operator new(std::size_t size) {
    news++;
    used += (size + 15) / 16 * 16;
    return arena + used - (size + 15) / 16 * 16;
}

void operator delete(void *p) noexcept {
    if (p < arena || p >= arena + sizeof arena) {
        std::abort();
    }
    deletes++;
}

int main() {
    ::operator delete(::operator new(10));
    ::operator delete(::operator new(10), 10);
    ::operator delete[](::operator new[](10));
    ::operator delete[](::operator new[](10), 10);
    ::operator delete(::operator new(10, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](10, std::nothrow), std::nothrow);
    std::printf("%d %d\n", news, deletes);
    return 0;
}
