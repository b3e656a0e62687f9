// What the ELF file of a program or library says, for the choice of a profiler.
#ifndef HPS_RECORD_ELF_PROGRAM_H
#define HPS_RECORD_ELF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    HPS_ELF_LIBRARIES = 128
};

struct hps_elf_program {
    bool is_elf;
    bool is_other_machine; // of another machine or word size than this program
    bool is_dynamic;       // a loader reads LD_PRELOAD
    bool has_jemalloc;     // functions of jemalloc are linked in
    bool has_profiling;    // and they can make profiles
    bool has_malloc;       // the file defines malloc()
    bool hides_jemalloc;   // jemalloc is linked in, and its symbols were removed
    char loader[PATH_MAX]; // of a program
    char libraries[HPS_ELF_LIBRARIES][NAME_MAX + 1]; // names of needed libraries
    size_t library_count;
    char folders[PATH_MAX]; // where the file says its libraries are, with ':'
};

// Read a file.  Returns 0 or an errno; what is damaged in it is left out.
int hps_elf_program_read(struct hps_elf_program *program, const char *path);

#endif
