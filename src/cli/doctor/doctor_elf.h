// What a binary contains, by its symbols, texts and code.
#ifndef HP_CLI_DOCTOR_ELF_H
#define HP_CLI_DOCTOR_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_doctor_elf {
    bool is_elf, is_other_machine;
    bool is_dynamic;     // a loader loads libraries
    bool is_library;     // it has a name as a library
    bool has_symbols;    // .symtab
    bool has_debug;      // .debug_info
    bool has_profiling;  // jemalloc's writer of profiles is in it
    bool has_malloc;     // it defines malloc()
    bool has_gperftools; // it has the heap profiler of gperftools
    bool has_text;       // texts of jemalloc are in it
    const char *prefix;  // of mallctl(): "", "je_" or "_rjem_"; NULL: no jemalloc
    char version[64];    // of jemalloc, or ""
    char loader[128];
    char allocator[64];    // the needed library with malloc in its name, or ""
    char build_id[65];     // in hex, at most 32 bytes
    char malloc_conf[512]; // the setting in the file, or ""
    uint32_t functions;    // those looked at
    uint32_t with_frame_pointers;
};

// Read an open file.  What is damaged is left out.
void hp_doctor_elf_read(struct hp_doctor_elf *elf, int fd);

#endif
