// A program under Google's TCMalloc that writes what it holds as a pprof profile.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tcmalloc/malloc_extension.h"
#include "tcmalloc/profile_marshaler.h"

static std::vector<void *> held;
static std::vector<std::string> *strings;

__attribute__((noinline)) void leaf_small(int n) {
    for (int i = 0; i < n; i++) held.push_back(::operator new(48));
}
__attribute__((noinline)) void leaf_big(int n) {
    for (int i = 0; i < n; i++) held.push_back(std::malloc(300000));
}
__attribute__((noinline)) void leaf_strings(int n) {
    for (int i = 0; i < n; i++) strings->emplace_back(1000 + i % 7, 'x');
}
__attribute__((noinline)) int recurse(int depth) {
    if (depth == 0) {
        leaf_small(20000);
        return 1;
    }
    return recurse(depth - 1) + 1;
}

int main(int, char **argv) {
    tcmalloc::MallocExtension::SetProfileSamplingRate(65536);
    held.reserve(1 << 20);
    strings = new std::vector<std::string>;
    leaf_small(50000);
    leaf_big(100);
    leaf_strings(20000);
    recurse(10);
    auto profile = tcmalloc::MallocExtension::SnapshotCurrent(tcmalloc::ProfileType::kHeap);
    auto bytes = tcmalloc::Marshal(profile);
    if (!bytes.ok()) {
        std::fprintf(stderr, "%s\n", bytes.status().ToString().c_str());
        return 1;
    }
    std::FILE *out = std::fopen(argv[1], "wb");
    std::fwrite(bytes->data(), 1, bytes->size(), out);
    return std::fclose(out);
}
