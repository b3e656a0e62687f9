// ELF, "Executable and Linking Format": System V ABI, chapters 4 and 5; compressed
// sections: gABI, "Section Compression"; .gnu_debuglink: GDB manual, "Separate Debug
// Files"; .gnu_debugaltlink: the same with a build id instead of the CRC.
#include "sym/image.h"

#include "base/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

bool hp_sym_diagnose(struct hp_sym_diagnostic *diagnostic, enum hp_sym_status status,
                     const char *format, ...) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    va_list args;
    va_start(args, format);
    diagnostic->status = status;
    vsnprintf(diagnostic->text, sizeof diagnostic->text, hp_message_format(format, room),
              args);
    va_end(args);
    return false;
}

// Write at most HP_BUILD_ID_SIZE bytes as hex digits with a final 0.
static void to_hex(char *hex, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size && i < HP_BUILD_ID_SIZE; i++, hex += 2) {
        snprintf(hex, 3, "%02x", bytes[i]);
    }
}

// Whether all executable sections are without content, as objcopy --only-keep-debug and
// eu-strip leave them in a debug file.
static bool lacks_code(const struct hp_image *image) {
    bool has_code = false, has_header = false;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        const GElf_Xword code = SHF_ALLOC | SHF_EXECINSTR;
        if (gelf_getshdr(section, &header) && (header.sh_flags & code) == code) {
            has_code |= header.sh_type != SHT_NOBITS;
            has_header |= header.sh_type == SHT_NOBITS;
        }
    }
    return has_header && !has_code;
}

// Whether a segment is not empty, and the sum of its offset and size, and of two such
// sums, cannot overflow.
static bool has_room(uint64_t offset, uint64_t size) {
    return size > 0 && offset <= UINT64_MAX / 4 && size <= UINT64_MAX / 4;
}

static void add_load(struct hp_image *image, const GElf_Phdr *header) {
    struct hp_load load = {header->p_offset, header->p_filesz, header->p_vaddr,
                           (header->p_flags & PF_X) != 0, (header->p_flags & PF_W) != 0};
    if (image->lacks_code) {
        load.offset = 0;
        load.size = header->p_memsz;
    }
    if (has_room(load.offset, load.size)) {
        hp_vec_push(&image->loads, load);
    }
}

// Read the loadable segments and the address of the first.  False if the program headers
// are damaged.
static bool read_loads(struct hp_image *image) {
    size_t count = 0;
    bool first = true;
    if (elf_getphdrnum(image->elf, &count) != 0 || count > INT32_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(image->elf, (int)i, &header)) {
            return false;
        }
        if (header.p_type == PT_LOAD && first) {
            image->base = header.p_vaddr;
            first = false;
        }
        if (header.p_type == PT_LOAD) {
            add_load(image, &header);
        }
    }
    return true;
}

// Set the build id from a section or segment of notes, if it has one.
static void find_build_id(struct hp_image *image, Elf_Data *notes) {
    GElf_Nhdr note;
    size_t name = 0, content = 0, at = 0;
    while (notes && (at = gelf_getnote(notes, at, &note, &name, &content)) > 0) {
        const unsigned char *bytes = notes->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(bytes + name, "GNU", sizeof "GNU") == 0 && note.n_descsz > 0) {
            to_hex(image->build_id, bytes + content, note.n_descsz);
            return;
        }
    }
}

// Read the build id: from sections, or else from segments, because a stripped program may
// lack sections and the segments of a debug file are empty.
static void read_build_id(struct hp_image *image) {
    size_t count = 0;
    elf_getphdrnum(image->elf, &count);
    Elf_Scn *section = NULL;
    while (!image->build_id[0] && (section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE) {
            find_build_id(image, elf_getdata(section, NULL));
        }
    }
    for (size_t i = 0; i < count && !image->build_id[0]; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(image->elf, (int)i, &header) && header.p_type == PT_NOTE &&
            header.p_offset <= INT64_MAX) {
            Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
            find_build_id(image,
                          elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset,
                                               header.p_filesz, type));
        }
    }
}

// Whether a file begins as ELF. libelf alone would also accept archives.
static bool is_elf(int fd) {
    char magic[SELFMAG];
    return hp_read_at(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, ELFMAG, sizeof magic) == 0;
}

// Read headers, segments and build id.  False with `diagnostic` if the file is damaged.
static bool read_image(struct hp_image *image, struct hp_sym_diagnostic *diagnostic) {
    struct stat info;
    if (!is_elf(image->fd) || fstat(image->fd, &info) < 0) {
        return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                               HP_MESSAGE("image-not-elf", "%s: not an ELF file"),
                               image->path);
    }
    image->size = (uint64_t)info.st_size;
    image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    if (!image->elf || !gelf_getehdr(image->elf, &header)) {
        return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                               HP_MESSAGE("image-header", "%s: %s"), image->path,
                               elf_errmsg(-1));
    }
    if (header.e_shoff > image->size ||
        (uint64_t)header.e_shentsize * header.e_shnum > image->size - header.e_shoff) {
        return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                               HP_MESSAGE("image-cut", "%s: truncated"), image->path);
    }
    image->program = header.e_type == ET_EXEC || header.e_type == ET_DYN;
    image->machine = header.e_machine;
    image->bits = header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    image->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    image->lacks_code = lacks_code(image);
    if (!read_loads(image)) {
        return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                               HP_MESSAGE("image-segments", "%s: %s"), image->path,
                               elf_errmsg(-1));
    }
    image->start = header.e_type == ET_DYN ? image->base & ~(uint64_t)4095 : 0;
    read_build_id(image);
    return true;
}

bool hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                   struct hp_sym_diagnostic *diagnostic) {
    elf_version(EV_CURRENT);
    *image = (struct hp_image){.fd = fd, .path = strndup(path.at, path.size)};
    if (!image->path) {
        hp_out_of_memory(path.size);
    }
    if (read_image(image, diagnostic)) {
        return true;
    }
    hp_image_done(image);
    return false;
}

void hp_image_done(struct hp_image *image) {
    if (image->path) {
        elf_end(image->debug);
        if (image->unpacked.at) {
            munmap(image->unpacked.at, image->unpacked.size);
        }
        elf_end(image->elf);
        close(image->fd);
        free(image->path);
    }
    hp_vec_done(&image->loads);
    *image = (struct hp_image){0};
}

uint64_t hp_image_begin(const struct hp_image *image, const struct hp_load *load,
                        enum hp_address_kind kind) {
    return kind == HP_ADDRESS_OFFSET ? load->offset : load->vaddr - image->start;
}

// Find the segment with an address, and the address in the program.  A page is mapped
// whole, so up to a page before the segment belongs to it as well.  Executable segments
// are preferred.
bool hp_image_find(const struct hp_image *image, enum hp_address_kind kind,
                   uint64_t address, uint64_t *found) {
    const struct hp_load *best = NULL, *load;
    hp_vec_each (load, &image->loads) {
        uint64_t begin = hp_image_begin(image, load, kind);
        if (address >= (begin & ~(uint64_t)4095) && address < begin + load->size &&
            (!best || (load->exec && !best->exec))) {
            best = load;
        }
    }
    if (best) {
        *found = address - hp_image_begin(image, best, kind) + best->vaddr;
    }
    return best != NULL;
}

bool hp_image_return(const struct hp_image *image, enum hp_address_kind kind,
                     uint64_t address, uint64_t *offset) {
    const struct hp_load *found = NULL, *load;
    hp_vec_each (load, &image->loads) {
        uint64_t begin = hp_image_begin(image, load, kind);
        bool is_within = address > begin && address - begin <= load->size;
        if (load->exec && (is_within || (!found && address == begin))) {
            found = load;
        }
    }
    if (found) {
        *offset = address - hp_image_begin(image, found, kind) + found->offset;
    }
    return found != NULL;
}

const char *hp_elf_section_name(Elf *elf, const GElf_Shdr *header) {
    size_t strings;
    const char *name = NULL;
    if (elf_getshdrstrndx(elf, &strings) == 0) {
        name = elf_strptr(elf, strings, header->sh_name);
    }
    return name ? name : "";
}

// Whether a section has that name and content.  A section of a group exists only in files
// that were not linked; libdw also skips it.
static bool is_section(Elf *elf, Elf_Scn *section, const char *name, GElf_Shdr *header) {
    return gelf_getshdr(section, header) && header->sh_type != SHT_NOBITS &&
           (header->sh_flags & SHF_GROUP) == 0 && header->sh_size > 0 &&
           strcmp(hp_elf_section_name(elf, header), name) == 0;
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) &&
           !is_section(elf, section, name, header)) {
    }
    return section;
}

bool hp_image_has_section(const struct hp_image *image, const char *name) {
    GElf_Shdr header;
    return find_section(image->elf, name, &header) != NULL;
}

// The content of a section; empty if `section` is NULL or compressed.
static struct hp_span content_of(Elf_Scn *section, const GElf_Shdr *header) {
    bool is_plain = section && (header->sh_flags & SHF_COMPRESSED) == 0;
    Elf_Data *data = is_plain ? elf_getdata(section, NULL) : NULL;
    return data && data->d_buf ? (struct hp_span){data->d_buf, data->d_size}
                               : (struct hp_span){"", 0};
}

struct hp_span hp_elf_section(Elf *elf, const char *name) {
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, name, &header);
    return content_of(section, &header);
}

struct hp_span hp_elf_last_section(Elf *elf, const char *name) {
    GElf_Shdr header, of_last = {0};
    Elf_Scn *section = NULL, *last = NULL;
    while ((section = elf_nextscn(elf, section))) {
        if (is_section(elf, section, name, &header)) {
            last = section;
            of_last = header;
        }
    }
    return content_of(last, &of_last);
}

struct hp_span hp_section_from(struct hp_span section, uint64_t offset) {
    return offset < section.size
               ? (struct hp_span){section.at + offset, section.size - offset}
               : (struct hp_span){"", 0};
}

// Drop the pages of the file from memory.  libelf has mapped it, or else read it into
// memory that does not begin at a page, which must not be dropped.
void hp_image_rest(const struct hp_image *image) {
    size_t size = 0;
    char *bytes = image->elf ? elf_rawfile(image->elf, &size) : NULL;
    if (bytes && (uintptr_t)bytes % (uintptr_t)sysconf(_SC_PAGESIZE) == 0) {
        madvise(bytes, size, MADV_DONTNEED);
    }
}

Elf *hp_image_debug(const struct hp_image *image) {
    return image->debug ? image->debug : image->elf;
}

struct hp_span hp_image_section(const struct hp_image *image, const char *name) {
    return hp_elf_section(image->elf, name);
}

bool hp_image_has_dwarf(const struct hp_image *image) {
    return hp_image_has_section(image, ".debug_info") ||
           hp_image_has_section(image, ".zdebug_info");
}

// The string that a section begins with, or NULL; the bytes after it are stored in
// `rest`.
static const char *leading_name(const struct hp_image *image, const char *name,
                                struct hp_span *rest) {
    GElf_Shdr header;
    Elf_Scn *section = find_section(image->elf, name, &header);
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    const char *text = data ? data->d_buf : NULL;
    if (!text || !memchr(text, '\0', data->d_size)) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    *rest = (struct hp_span){text + size, data->d_size - size};
    return text;
}

const char *hp_image_debuglink(const struct hp_image *image, uint32_t *crc) {
    struct hp_span rest;
    const char *name = leading_name(image, ".gnu_debuglink", &rest);
    size_t pad = name ? -(strlen(name) + 1) & 3 : 0;
    if (!name || rest.size < pad + sizeof *crc) {
        return NULL;
    }
    memcpy(crc, rest.at + pad, sizeof *crc);
    return name;
}

const char *hp_image_altlink(const struct hp_image *image,
                             char build_id[2 * HP_BUILD_ID_SIZE + 1]) {
    struct hp_span rest;
    const char *name = leading_name(image, ".gnu_debugaltlink", &rest);
    build_id[0] = '\0';
    if (name) {
        to_hex(build_id, (const unsigned char *)rest.at, rest.size);
    }
    return name;
}

uint32_t hp_image_crc(const struct hp_image *image) {
    unsigned char bytes[1 << 16];
    uLong crc = crc32(0, NULL, 0);
    uint64_t at = 0;
    ssize_t got;
    while ((got = hp_read_at(image->fd, bytes, sizeof bytes, at)) > 0) {
        crc = crc32(crc, bytes, (uInt)got);
        at += (uint64_t)got;
    }
    return (uint32_t)crc;
}
