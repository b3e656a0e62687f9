// Runs a fuzz target without a fuzzer: on each file that is named, and on all files of a
// folder that is named.
#include "files.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int argc, char **argv) {
    struct files files = {NULL, 0, 0};
    for (int i = 1; i < argc; i++) {
        files_add(&files, argv[i]);
    }
    for (size_t i = 0; i < files.count; i++) {
        fprintf(stderr, "%s\n", files.at[i].path); // the last one is the one that fails
        LLVMFuzzerTestOneInput(files.at[i].bytes, files.at[i].size);
    }
    printf("%zu inputs\n", files.count);
    files_done(&files);
    return argc > 1 ? 0 : 1;
}
