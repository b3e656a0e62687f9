// The file is mapped, and everything in it is checked against its size.
#include "record/elf_program.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const char *bytes;
    size_t size;
};

// Copy a structure out of the file.  Returns false if the file ends before.
static bool take(const struct file *file, uint64_t offset, void *to, size_t size) {
    if (offset > file->size || size > file->size - offset) {
        return false;
    }
    memcpy(to, file->bytes + offset, size);
    return true;
}

// The text at an offset of the file, or NULL if it does not end there.
static const char *text_at(const struct file *file, uint64_t offset) {
    return offset < file->size &&
                   memchr(file->bytes + offset, '\0', file->size - offset) != NULL
               ? file->bytes + offset
               : NULL;
}

// --- symbols ------------------------------------------------------------------------

static void note_symbol(struct hps_elf_program *program, const char *name) {
    static const char *const names[] = {"mallctl", "je_mallctl", "_rjem_mallctl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        program->has_jemalloc |= strcmp(name, names[i]) == 0;
    }
    program->has_malloc |= strcmp(name, "malloc") == 0;
}

// Look at the symbols of one table.
static void read_symbols(struct hps_elf_program *program, const struct file *file,
                         const ElfW(Shdr) * table, const ElfW(Shdr) * names) {
    for (uint64_t i = 0; i < table->sh_size / sizeof(ElfW(Sym)); i++) {
        ElfW(Sym) symbol;
        if (!take(file, table->sh_offset + i * sizeof symbol, &symbol, sizeof symbol)) {
            return;
        }
        bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
        if (is_function && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_name < names->sh_size) {
            const char *name = text_at(file, names->sh_offset + symbol.st_name);
            if (name) {
                note_symbol(program, name);
            }
        }
    }
}

static void read_sections(struct hps_elf_program *program, const struct file *file,
                          const ElfW(Ehdr) * header) {
    for (uint64_t i = 0; i < header->e_shnum; i++) {
        ElfW(Shdr) table, names;
        if (!take(file, header->e_shoff + i * sizeof table, &table, sizeof table)) {
            return;
        }
        bool has_symbols = table.sh_type == SHT_SYMTAB || table.sh_type == SHT_DYNSYM;
        if (has_symbols && take(file, header->e_shoff + table.sh_link * sizeof names,
                                &names, sizeof names)) {
            read_symbols(program, file, &table, &names);
        }
    }
}

// --- libraries ----------------------------------------------------------------------

// The offset in the file of an address.
static bool find_offset(const struct file *file, const ElfW(Ehdr) * header,
                        uint64_t address, uint64_t *offset) {
    for (uint64_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) part;
        if (take(file, header->e_phoff + i * sizeof part, &part, sizeof part) &&
            part.p_type == PT_LOAD && address >= part.p_vaddr &&
            address - part.p_vaddr < part.p_filesz) {
            *offset = address - part.p_vaddr + part.p_offset;
            return true;
        }
    }
    return false;
}

static void note_library(struct hps_elf_program *program, const char *name) {
    if (program->library_count < HPS_ELF_LIBRARIES && strlen(name) <= NAME_MAX) {
        strcpy(program->libraries[program->library_count++], name);
    }
}

// Read the dynamic section: names of libraries and folders.
static void read_dynamic(struct hps_elf_program *program, const struct file *file,
                         const ElfW(Ehdr) * header, const ElfW(Phdr) * part) {
    uint64_t count = part->p_filesz / sizeof(ElfW(Dyn)), texts = 0;
    ElfW(Dyn) entry;
    for (uint64_t i = 0;
         i < count && take(file, part->p_offset + i * sizeof entry, &entry, sizeof entry);
         i++) {
        if (entry.d_tag == DT_STRTAB) {
            find_offset(file, header, entry.d_un.d_ptr, &texts);
        }
    }
    for (uint64_t i = 0; texts && i < count; i++) {
        if (!take(file, part->p_offset + i * sizeof entry, &entry, sizeof entry) ||
            entry.d_tag == DT_NULL) {
            return;
        }
        bool is_folder = entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH;
        const char *text = is_folder || entry.d_tag == DT_NEEDED
                               ? text_at(file, texts + entry.d_un.d_val)
                               : NULL;
        if (text && is_folder) {
            snprintf(program->folders, sizeof program->folders, "%s", text);
        } else if (text) {
            note_library(program, text);
        }
    }
}

static void read_parts(struct hps_elf_program *program, const struct file *file,
                       const ElfW(Ehdr) * header) {
    for (uint64_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) part;
        if (!take(file, header->e_phoff + i * sizeof part, &part, sizeof part)) {
            return;
        }
        if (part.p_type == PT_INTERP) {
            const char *loader = text_at(file, part.p_offset);
            snprintf(program->loader, sizeof program->loader, "%s", loader ? loader : "");
            program->is_dynamic = true;
        } else if (part.p_type == PT_DYNAMIC) {
            read_dynamic(program, file, header, &part);
        }
    }
}

// --- texts --------------------------------------------------------------------------

static bool has_text(const struct file *file, const char *text) {
    return memmem(file->bytes, file->size, text, strlen(text)) != NULL;
}

static void read_texts(struct hps_elf_program *program, const struct file *file) {
    // The first line of a profile is a format in jemalloc's writer, which compilers
    // remove where profiling is off.
    program->has_profiling = program->has_jemalloc && has_text(file, "heap_v2/");
    program->hides_jemalloc =
        !program->has_jemalloc && has_text(file, "<jemalloc>: Conf string ends with key");
}

// --- file ---------------------------------------------------------------------------

// The machine that this code is compiled for.
static const ElfW(Half) machine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE; // any machine
#endif

static void read_mapped(struct hps_elf_program *program, const struct file *file) {
    ElfW(Ehdr) header;
    if (!take(file, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return;
    }
    program->is_elf = true;
    program->is_other_machine =
        header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        (machine != EM_NONE && header.e_machine != machine);
    if (program->is_other_machine) {
        return;
    }
    read_parts(program, file, &header);
    if (header.e_shentsize == sizeof(ElfW(Shdr))) {
        read_sections(program, file, &header);
    }
    read_texts(program, file);
}

int hps_elf_program_read(struct hps_elf_program *program, const char *path) {
    struct stat status;
    memset(program, 0, sizeof *program);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno;
    }
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (!error && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            error = errno;
        } else {
            read_mapped(program, &(struct file){.bytes = bytes, .size = size});
            munmap(bytes, size);
        }
    }
    close(fd);
    return error;
}
