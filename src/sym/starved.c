// Calls from one shared object to another go through addresses in tables that the dynamic
// linker has filled in ("System V ABI", chapter 5: relocations GLOB_DAT and JUMP_SLOT,
// and those of words that contain an address).  An address of an allocation function is
// replaced by one of ours, which calls the function that all calls would have reached.
#include "sym/starved.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Largest request in bytes whose refusal ends the process: no sound file needs more at
// once, so a larger request may fail.
static const size_t largest = (size_t)8 << 30;

// The function that is called when an allocation has failed.
static void (*when_starved)(void);

// Return `memory`; if it is NULL, because an allocation of `size` bytes has failed, call
// when_starved(), which does not return.
static void *watched(void *memory, size_t size) {
    if (!memory && size > 0 && size <= largest) {
        when_starved();
    }
    return memory;
}

// The original functions, which ours call.
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
} theirs;

static void *our_malloc(size_t size) {
    return watched(theirs.malloc(size), size);
}

static void *our_calloc(size_t count, size_t size) {
    size_t all;
    bool is_sound = !__builtin_mul_overflow(count, size, &all);
    return watched(theirs.calloc(count, size), is_sound ? all : 0);
}

static void *our_realloc(void *old, size_t size) {
    return watched(theirs.realloc(old, size), size);
}

static void *our_memalign(size_t align, size_t size) {
    return watched(theirs.memalign(align, size), size);
}

static int our_posix_memalign(void **memory, size_t align, size_t size) {
    int error = theirs.posix_memalign(memory, align, size);
    watched(error == ENOMEM ? NULL : memory, size);
    return error;
}

static void *our_mmap(void *at, size_t size, int protection, int flags, int fd,
                      off_t offset) {
    void *memory = theirs.mmap(at, size, protection, flags, fd, offset);
    watched(memory == MAP_FAILED && errno == ENOMEM ? NULL : memory, size);
    return memory;
}

// A function of any type, as an address.
typedef void any_function(void);

// The functions of the C library that allocate memory, and ours that replace them.
static const struct {
    const char *name;
    any_function *ours;
    void *theirs; // the member of `theirs` that keeps the original
} calls[] = {
    {"malloc", (any_function *)our_malloc, &theirs.malloc},
    {"calloc", (any_function *)our_calloc, &theirs.calloc},
    {"realloc", (any_function *)our_realloc, &theirs.realloc},
    {"memalign", (any_function *)our_memalign, &theirs.memalign},
    {"posix_memalign", (any_function *)our_posix_memalign, &theirs.posix_memalign},
    {"mmap", (any_function *)our_mmap, &theirs.mmap},
    {"mmap64", (any_function *)our_mmap, &theirs.mmap},
};

enum {
    CALLS = sizeof calls / sizeof *calls
};

// The tables of a loaded object.
struct loaded_object {
    uintptr_t base;            // number that is added to addresses in the object
    const ElfW(Sym) * symbols; // its dynamic symbols
    const char *names;         // their names
};

// Our function for that name; NULL if it is not replaced.
static any_function *our_call(const char *name) {
    for (size_t i = 0; i < CALLS; i++) {
        if (strcmp(calls[i].name, name) == 0) {
            return calls[i].ours;
        }
    }
    return NULL;
}

// Replace the address in the word of a relocation if it is that of an allocation function
// and nothing is added to it.
static void replace(const struct loaded_object *object, const ElfW(Rela) * relocation) {
    size_t symbol = ELF64_R_SYM(relocation->r_info);
    any_function *ours = symbol && relocation->r_addend == 0
                             ? our_call(object->names + object->symbols[symbol].st_name)
                             : NULL;
    uintptr_t at = object->base + relocation->r_offset;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    // The linker makes tables read-only when they are filled.
    if (ours && mprotect((void *)(at & ~(page - 1)), sizeof(void *),
                         PROT_READ | PROT_WRITE) == 0) {
        memcpy((void *)at, &ours, sizeof ours);
    }
}

// An address in the dynamic section: absolute, or relative to the object, depending on
// the C library.
static const void *pointer(const struct loaded_object *object, const ElfW(Dyn) * entry) {
    uintptr_t at = entry->d_un.d_ptr;
    return (const void *)(at < object->base ? at + object->base : at);
}

// Replace the addresses of allocation functions in a table of relocations.
static void replace_all(const struct loaded_object *object, const void *table,
                        size_t bytes) {
    const ElfW(Rela) *relocations = table;
    for (size_t i = 0; relocations && i < bytes / sizeof *relocations; i++) {
        replace(object, &relocations[i]);
    }
}

// Replace the addresses of allocation functions in the tables of a loaded object.
static void watch_object(uintptr_t base, const ElfW(Dyn) * entry) {
    struct loaded_object object = {.base = base};
    const void *tables[2] = {NULL, NULL}; // relocations of data words, and of calls
    size_t sizes[2] = {0, 0};
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object.symbols = pointer(&object, entry);
            break;
        case DT_STRTAB:
            object.names = pointer(&object, entry);
            break;
        case DT_RELA:
            tables[0] = pointer(&object, entry);
            break;
        case DT_JMPREL:
            tables[1] = pointer(&object, entry);
            break;
        case DT_RELASZ:
            sizes[0] = entry->d_un.d_val;
            break;
        case DT_PLTRELSZ:
            sizes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    for (int i = 0; object.symbols && object.names && i < 2; i++) {
        replace_all(&object, tables[i], sizes[i]);
    }
}

// Callback of dl_iterate_phdr(): watch an object, except the one of the kernel.
static int watch(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    bool is_kernel = strncmp(info->dlpi_name, "linux-vdso", 10) == 0;
    for (int i = 0; !is_kernel && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            watch_object(info->dlpi_addr, (const ElfW(Dyn) *)at);
        }
    }
    return 0;
}

void hp_starved_watch(void (*end)(void)) {
    when_starved = end;
    if (theirs.malloc) {
        return;
    }
    for (size_t i = 0; i < CALLS; i++) {
        void *address = dlsym(RTLD_DEFAULT, calls[i].name);
        if (!address) {
            theirs.malloc = NULL;
            return;
        }
        memcpy(calls[i].theirs, &address, sizeof address);
    }
    dl_iterate_phdr(watch, NULL);
}

void *hp_starved_map(size_t size) {
    void *memory = (theirs.mmap ? theirs.mmap : mmap)(NULL, size, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
