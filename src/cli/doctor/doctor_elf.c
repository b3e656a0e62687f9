// Sections are read into memory, each after its size was checked: the file may be changed
// meanwhile, so it is not mapped.
#include "cli/doctor/doctor_elf.h"

#include "cli/storage.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SECTIONS = 4096,
    LARGEST = 256 << 20, // bytes of a section
    FUNCTIONS = 4000,    // looked at for frame pointers
};

struct file {
    int fd;
    uint64_t size;
    ElfW(Ehdr) header;
    ElfW(Shdr) * sections;
    size_t section_count;
};

// A section in memory; bytes[size] is 0.
struct part {
    char *bytes;
    size_t size;
};

// Read `size` bytes.  Returns false if the file ends before.
static bool take(const struct file *file, uint64_t offset, void *to, size_t size) {
    if (offset > file->size || size > file->size - offset) {
        return false;
    }
    for (size_t done = 0; done < size;) {
        ssize_t got =
            pread(file->fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static struct part read_part(const struct file *file, const ElfW(Shdr) * section) {
    struct part part = {0};
    if (section->sh_type == SHT_NOBITS || section->sh_size == 0 ||
        section->sh_size > LARGEST || section->sh_size > file->size) {
        return part;
    }
    part.size = (size_t)section->sh_size;
    part.bytes = hp_cli_resize(NULL, part.size + 1);
    part.bytes[part.size] = '\0';
    if (!take(file, section->sh_offset, part.bytes, part.size)) {
        free(part.bytes);
        part = (struct part){0};
    }
    return part;
}

// --- symbols ---------------------------------------------------------------------------

static const char *const mallctls[] = {"mallctl", "je_mallctl", "_rjem_mallctl"};
static const char *const prefixes[] = {"", "je_", "_rjem_"};

// Read the text that a pointer variable of the program points to, if relocation is not
// needed for that.
static void read_conf(struct hp_doctor_elf *elf, const struct file *file,
                      uint64_t address) {
    uint64_t at = 0;
    for (int step = 0; step < 2; step++) {
        const ElfW(Shdr) *in = NULL;
        for (size_t i = 0; i < file->section_count; i++) {
            const ElfW(Shdr) *section = &file->sections[i];
            if (section->sh_type != SHT_NOBITS && (section->sh_flags & SHF_ALLOC) != 0 &&
                address >= section->sh_addr &&
                address - section->sh_addr < section->sh_size) {
                in = section;
            }
        }
        if (in == NULL) {
            return;
        }
        at = in->sh_offset + (address - in->sh_addr);
        uintptr_t value = 0;
        if (step == 0) {
            if (!take(file, at, &value, sizeof value)) {
                return;
            }
            address = value;
        }
    }
    size_t size = sizeof elf->malloc_conf - 1;
    size = at < file->size && file->size - at < size ? (size_t)(file->size - at) : size;
    if (!take(file, at, elf->malloc_conf, size)) {
        elf->malloc_conf[0] = '\0';
    }
}

static void note_symbol(struct hp_doctor_elf *elf, const struct file *file,
                        const char *name, const ElfW(Sym) * symbol) {
    for (size_t i = 0; i < sizeof mallctls / sizeof mallctls[0]; i++) {
        if (strcmp(name, mallctls[i]) == 0) {
            elf->prefix = prefixes[i];
        }
    }
    const char *conf = strstr(name, "malloc_conf");
    if (conf != NULL && strcmp(conf, "malloc_conf") == 0 &&
        (conf == name || strcmp(name, "je_malloc_conf") == 0 ||
         strcmp(name, "_rjem_malloc_conf") == 0)) {
        read_conf(elf, file, symbol->st_value);
    }
    elf->has_malloc |= strcmp(name, "malloc") == 0;
    elf->has_gperftools |= strcmp(name, "GetHeapProfile") == 0;
}

// Look at the first bytes of a function.
static void note_function(struct hp_doctor_elf *elf, const struct file *file,
                          const ElfW(Sym) * symbol) {
    unsigned char code[8] = {0};
    if (symbol->st_shndx >= file->section_count || symbol->st_size < sizeof code) {
        return;
    }
    const ElfW(Shdr) *section = &file->sections[symbol->st_shndx];
    uint64_t at = symbol->st_value - section->sh_addr + section->sh_offset;
    if ((section->sh_flags & SHF_EXECINSTR) == 0 || symbol->st_value < section->sh_addr ||
        !take(file, at, code, sizeof code)) {
        return;
    }
    static const unsigned char landing[4] = {0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
    static const unsigned char pushed[4] = {0x55, 0x48, 0x89, 0xe5};
    size_t skipped = memcmp(code, landing, 4) == 0 ? 4 : 0;
    bool is_kept = file->header.e_machine == EM_AARCH64
                       ? code[3] == 0xa9 && code[0] == 0xfd && (code[1] & 3) == 3
                       : memcmp(code + skipped, pushed, 4) == 0;
    elf->functions++;
    elf->with_frame_pointers += is_kept;
}

static void read_symbols(struct hp_doctor_elf *elf, const struct file *file,
                         const ElfW(Shdr) * table) {
    if (table->sh_link >= file->section_count) {
        return;
    }
    struct part symbols = read_part(file, table);
    struct part names = read_part(file, &file->sections[table->sh_link]);
    size_t count = symbols.size / sizeof(ElfW(Sym));
    for (size_t i = 0; names.size > 0 && i < count; i++) {
        ElfW(Sym) symbol;
        memcpy(&symbol, symbols.bytes + i * sizeof symbol, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size) {
            continue;
        }
        note_symbol(elf, file, names.bytes + symbol.st_name, &symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && elf->functions < FUNCTIONS) {
            note_function(elf, file, &symbol);
        }
    }
    free(symbols.bytes);
    free(names.bytes);
}

// --- texts -----------------------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Find jemalloc's version, 5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c.
static void find_version(struct hp_doctor_elf *elf, const struct part *part) {
    const char *at = part->bytes, *end = part->bytes + part->size;
    while ((at = memmem(at, (size_t)(end - at), "-g", 2)) != NULL) {
        size_t hex = strspn(at + 2, "0123456789abcdef");
        const char *first = at;
        while (first > part->bytes && at - first < 20 &&
               (is_digit(first[-1]) || first[-1] == '.' || first[-1] == '-')) {
            first--;
        }
        size_t length = strcspn(first, "-");
        if (hex == 40 && is_digit(*first) && memchr(first, '.', length) != NULL &&
            length < sizeof elf->version) {
            memcpy(elf->version, first, length);
            elf->version[length] = '\0';
            return;
        }
        at += 2;
    }
}

static void read_texts(struct hp_doctor_elf *elf, const struct file *file,
                       const ElfW(Shdr) * section) {
    struct part part = read_part(file, section);
    if (part.size > 0 && memmem(part.bytes, part.size, "<jemalloc>: ", 12) != NULL) {
        elf->has_text = true;
        // The first line of a profile is a format in the writer, which compilers remove
        // where profiling is off.
        elf->has_profiling |= memmem(part.bytes, part.size, "heap_v2/", 8) != NULL;
        find_version(elf, &part);
    }
    free(part.bytes);
}

static void read_note(struct hp_doctor_elf *elf, const struct file *file,
                      const ElfW(Shdr) * section) {
    struct part part = read_part(file, section);
    ElfW(Nhdr) note;
    if (part.size >= sizeof note + 4) {
        memcpy(&note, part.bytes, sizeof note);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 32 &&
            note.n_descsz <= part.size - sizeof note - 4) {
            for (size_t i = 0; i < note.n_descsz; i++) {
                snprintf(elf->build_id + 2 * i, 3, "%02x",
                         (unsigned char)part.bytes[sizeof note + 4 + i]);
            }
        }
    }
    free(part.bytes);
}

static void read_dynamic(struct hp_doctor_elf *elf, const struct file *file,
                         const ElfW(Shdr) * section) {
    if (section->sh_link >= file->section_count) {
        return;
    }
    struct part part = read_part(file, section);
    struct part names = read_part(file, &file->sections[section->sh_link]);
    for (size_t i = 0; i < part.size / sizeof(ElfW(Dyn)); i++) {
        ElfW(Dyn) entry;
        memcpy(&entry, part.bytes + i * sizeof entry, sizeof entry);
        elf->is_library |= entry.d_tag == DT_SONAME;
        if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < names.size &&
            strstr(names.bytes + entry.d_un.d_val, "malloc") != NULL) {
            snprintf(elf->allocator, sizeof elf->allocator, "%s",
                     names.bytes + entry.d_un.d_val);
        }
    }
    free(part.bytes);
    free(names.bytes);
}

// --- file ------------------------------------------------------------------------------

static void read_sections(struct hp_doctor_elf *elf, const struct file *file) {
    struct part names = {0};
    if (file->header.e_shstrndx < file->section_count) {
        names = read_part(file, &file->sections[file->header.e_shstrndx]);
    }
    for (size_t i = 0; i < file->section_count; i++) {
        const ElfW(Shdr) *section = &file->sections[i];
        const char *name =
            section->sh_name < names.size ? names.bytes + section->sh_name : "";
        if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM) {
            elf->has_symbols |= section->sh_type == SHT_SYMTAB;
            read_symbols(elf, file, section);
        } else if (section->sh_type == SHT_DYNAMIC) {
            read_dynamic(elf, file, section);
        } else if (section->sh_type == SHT_NOTE) {
            read_note(elf, file, section);
        } else if (strncmp(name, ".rodata", 7) == 0) {
            read_texts(elf, file, section);
        }
        elf->has_debug |= strcmp(name, ".debug_info") == 0;
    }
    free(names.bytes);
}

static void read_loader(struct hp_doctor_elf *elf, const struct file *file) {
    for (size_t i = 0; i < file->header.e_phnum && i < SECTIONS; i++) {
        ElfW(Phdr) part;
        if (take(file, file->header.e_phoff + i * sizeof part, &part, sizeof part) &&
            part.p_type == PT_INTERP && part.p_filesz > 0 &&
            part.p_filesz < sizeof elf->loader) {
            elf->is_dynamic =
                take(file, part.p_offset, elf->loader, (size_t)part.p_filesz);
        }
    }
}

void hp_doctor_elf_read(struct hp_doctor_elf *elf, int fd) {
    struct stat info;
    struct file file = {.fd = fd};
    *elf = (struct hp_doctor_elf){0};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    file.size = (uint64_t)info.st_size;
    if (!take(&file, 0, &file.header, sizeof file.header) ||
        memcmp(file.header.e_ident, ELFMAG, SELFMAG) != 0) {
        return;
    }
    elf->is_elf = true;
    elf->is_other_machine = file.header.e_ident[EI_CLASS] !=
                                (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
                            file.header.e_ident[EI_DATA] != ELFDATA2LSB;
    if (elf->is_other_machine) {
        return;
    }
    read_loader(elf, &file);
    size_t count = file.header.e_shnum, size = count * sizeof *file.sections;
    if (count > 0 && count <= SECTIONS &&
        file.header.e_shentsize == sizeof *file.sections) {
        file.sections = hp_cli_resize(NULL, size);
        file.section_count =
            take(&file, file.header.e_shoff, file.sections, size) ? count : 0;
        read_sections(elf, &file);
        free(file.sections);
    }
}
