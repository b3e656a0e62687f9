// gABI, "Section Compression": a header has the kind of compression and the unpacked
// size.  The older kind, ".zdebug_*", begins with "ZLIB" and the size in big-endian
// order.
//
// Some sections are as large as all others together but never read, above all those with
// the locations of variables.  The file in memory therefore has only the sections that
// are read, and no segments.  Thus the result does not depend on whether and how libdw
// would decompress.
//
// An unpacked size is a claim of the file.  It is checked against the largest possible
// growth, and memory for all sections is allocated at once, or not at all.
#include "sym/unpack.h"

#include "sym/starved.h"

#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#ifdef HP_WITH_LIBDEFLATE
#    include <libdeflate.h>
#else
#    include <zlib.h>
#endif
#ifdef HP_WITH_ZSTD
#    include <zstd.h>
#endif

#ifndef ELFCOMPRESS_ZSTD
#    define ELFCOMPRESS_ZSTD 2
#endif

enum {
    MOST_SECTIONS = 32,     // most sections in the file in memory: known names, each once
    NAME_ROOM = 32,         // bytes of a name with its final 0
    OLD_HEAD = 12,          // bytes before the data of a ".zdebug_" section
    ALIGNMENT = 16,         // alignment in bytes of sections in the file in memory
    MOST_OF_ZLIB = 1032,    // most bytes that zlib packs into one byte
    MOST_OF_ZSTD = 1 << 15, // most bytes that zstd packs into one byte
};

enum packing {
    PLAIN, // not compressed
    ZLIB,
    ZSTD,
};

// A debug section, and its place in the file that is built in memory.
struct section {
    char name[NAME_ROOM]; // the plain name, ".debug_info"
    // Content in the original file, without its header.
    struct hp_span packed;
    uint64_t size, offset; // unpacked size, and offset in the file in memory
    enum packing packing;
};

// The ELF file with unpacked debug sections that is to be built in memory.
struct unpack_plan {
    const struct hp_image *image;
    struct section sections[MOST_SECTIONS];
    size_t count; // number of sections
    // The original has compressed debug sections, whether they are read or not.
    bool packed;
    uint64_t size; // size of the file in memory
};

// --- what is there ---------------------------------------------------------------------

// Names of the sections that are read, without ".debug_".
static const char *const read_here[] = {
    "info",     "abbrev", "types", "line",        "str",      "line_str",
    "rnglists", "ranges", "addr",  "str_offsets", "cu_index",
};

// Whether a section is read.  `known` gets its plain name (".debug_*" or ".debug_*.dwo"),
// `is_old` whether it is a ".zdebug_" section.
static bool find_name(const char *name, char known[NAME_ROOM], bool *is_old) {
    *is_old = strncmp(name, ".zdebug_", 8) == 0;
    if (strcmp(name, ".gnu_debugaltlink") == 0) {
        strcpy(known, name);
        return true;
    }
    if (!*is_old && strncmp(name, ".debug_", 7) != 0) {
        return false;
    }
    name += *is_old ? 8 : 7;
    for (size_t i = 0; i < sizeof read_here / sizeof *read_here; i++) {
        size_t size = strlen(read_here[i]);
        bool is_it = strncmp(name, read_here[i], size) == 0;
        if (is_it && (name[size] == '\0' || strcmp(name + size, ".dwo") == 0)) {
            strcat(strcpy(known, ".debug_"), name);
            return true;
        }
    }
    return false;
}

// The section of that plain name, or NULL.
static struct section *find_known(struct unpack_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->sections[i].name, name) == 0) {
            return &plan->sections[i];
        }
    }
    return NULL;
}

// Return the entry for a section in the plan; NULL: the section is not read.  libdw uses
// the first of several sections with one name, but a split unit is in the last.
static struct section *place_of(struct unpack_plan *plan, const char *name) {
    struct section *known = find_known(plan, name);
    if (known) {
        return strstr(name, ".dwo") ? known : NULL;
    }
    return plan->count < MOST_SECTIONS ? &plan->sections[plan->count] : NULL;
}

// Read the header of a ".zdebug_" section; without one the section is plain.
static void read_old_head(struct section *section) {
    struct hp_span *packed = &section->packed;
    if (packed->size < OLD_HEAD || memcmp(packed->at, "ZLIB", 4) != 0) {
        return;
    }
    section->size = 0;
    for (size_t i = 4; i < OLD_HEAD; i++) {
        section->size = section->size << 8 | (unsigned char)packed->at[i];
    }
    section->packing = ZLIB;
    *packed = (struct hp_span){packed->at + OLD_HEAD, packed->size - OLD_HEAD};
}

// Read the compression header of a section.  False if it is malformed or the kind is
// unknown.
static bool read_head(const struct unpack_plan *plan, Elf_Scn *scn,
                      struct section *section) {
    GElf_Chdr header;
    size_t head = plan->image->bits == 32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
    struct hp_span *packed = &section->packed;
    if (packed->size < head || !gelf_getchdr(scn, &header) ||
        (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != ELFCOMPRESS_ZSTD)) {
        return false;
    }
    section->size = header.ch_size;
    section->packing = header.ch_type == ELFCOMPRESS_ZLIB ? ZLIB : ZSTD;
    *packed = (struct hp_span){packed->at + head, packed->size - head};
    return true;
}

// Whether the packed bytes can grow to the size that is claimed.
static bool is_possible(const struct section *section) {
    uint64_t most = section->packing == ZLIB ? MOST_OF_ZLIB : MOST_OF_ZSTD;
    return section->packing == PLAIN || section->size / most <= section->packed.size;
}

static bool refuse(const struct unpack_plan *plan, struct hp_sym_diagnostic *diagnostic,
                   const char *name, const char *what) {
    return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                           HP_MESSAGE("section-damaged", "%s: its %s %s"),
                           plan->image->path, name, hp_words(what));
}

// Whether a section is compressed debug information, which libdw would unpack even if it
// is not read.
static bool is_packed(const char *name, const GElf_Shdr *header) {
    return strncmp(name, ".zdebug_", 8) == 0 ||
           (strncmp(name, ".debug_", 7) == 0 && (header->sh_flags & SHF_COMPRESSED) != 0);
}

// Add a section to the plan if it is read.  False with `diagnostic` if its header is
// damaged.
static bool add_section(struct unpack_plan *plan, Elf_Scn *scn, const GElf_Shdr *header,
                        struct hp_sym_diagnostic *diagnostic) {
    struct section section = {.packing = PLAIN};
    bool is_old;
    const char *name = hp_elf_section_name(plan->image->elf, header);
    plan->packed |= is_packed(name, header);
    bool is_read = header->sh_type != SHT_NOBITS && (header->sh_flags & SHF_GROUP) == 0 &&
                   find_name(name, section.name, &is_old);
    struct section *place = is_read ? place_of(plan, section.name) : NULL;
    if (!place) {
        return true;
    }
    Elf_Data *data = elf_rawdata(scn, NULL);
    section.packed = data && data->d_buf ? (struct hp_span){data->d_buf, data->d_size}
                                         : (struct hp_span){"", 0};
    section.size = section.packed.size;
    if (header->sh_flags & SHF_COMPRESSED) {
        if (!read_head(plan, scn, &section)) {
            return refuse(plan, diagnostic, name,
                          HP_WORDS("section-packing-unknown",
                                   "is compressed in an unknown way"));
        }
    } else if (is_old) {
        read_old_head(&section);
    }
    if (!is_possible(&section)) {
        return refuse(plan, diagnostic, name,
                      HP_WORDS("section-claims-more", "claims more than it can hold"));
    }
    plan->count += place == &plan->sections[plan->count];
    *place = section;
    return true;
}

static bool read_sections(struct unpack_plan *plan,
                          struct hp_sym_diagnostic *diagnostic) {
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    while ((scn = elf_nextscn(plan->image->elf, scn))) {
        if (gelf_getshdr(scn, &header) && !add_section(plan, scn, &header, diagnostic)) {
            return false;
        }
    }
    return true;
}

// --- unpacking -------------------------------------------------------------------------

#ifdef HP_WITH_LIBDEFLATE
// Unpack one or several streams, which linkers may have put one after the other.  False
// if they are damaged or do not have exactly `size` bytes.
static bool unpack_zlib(struct hp_span packed, char *to, uint64_t size) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    bool good = decompressor != NULL;
    while (good && size > 0) {
        size_t taken = 0, made = 0;
        good = libdeflate_zlib_decompress_ex(decompressor, packed.at, packed.size, to,
                                             size, &taken, &made) == LIBDEFLATE_SUCCESS &&
               made > 0;
        packed = (struct hp_span){packed.at + taken, packed.size - taken};
        to += made;
        size -= made;
    }
    libdeflate_free_decompressor(decompressor);
    return good;
}
#else
// The part of `size` bytes that zlib gets at once: it counts sizes in 32 bits.
static uInt piece_of(uint64_t size) {
    return size < UINT32_MAX / 2 ? (uInt)size : UINT32_MAX / 2;
}

// Unpack one or several streams.  False if they are damaged or do not have exactly `size`
// bytes.
static bool unpack_zlib(struct hp_span packed, char *to, uint64_t size) {
    z_stream stream = {.zalloc = Z_NULL};
    int result = inflateInit(&stream);
    bool has_ended = size == 0;
    while (result == Z_OK && !(has_ended && size == 0)) {
        uInt in = piece_of(packed.size), out = piece_of(size);
        stream.next_in = (z_const Bytef *)(uintptr_t)packed.at;
        stream.avail_in = in;
        stream.next_out = (Bytef *)to;
        stream.avail_out = out;
        result = inflate(&stream, Z_NO_FLUSH);
        size_t taken = in - stream.avail_in, made = out - stream.avail_out;
        packed = (struct hp_span){packed.at + taken, packed.size - taken};
        to += made;
        size -= made;
        has_ended = result == Z_STREAM_END;
        result = has_ended ? inflateReset(&stream) : result;
    }
    inflateEnd(&stream);
    return has_ended && size == 0;
}
#endif

static bool unpack_zstd(struct hp_span packed, char *to, uint64_t size) {
#ifdef HP_WITH_ZSTD
    return ZSTD_decompress(to, size, packed.at, packed.size) == size;
#else
    (void)packed, (void)to, (void)size;
    return false;
#endif
}

// Write the unpacked content of a section to `to`, which has room for section->size
// bytes.
static bool unpack_section(const struct section *section, char *to) {
    switch (section->packing) {
    case ZLIB:
        return unpack_zlib(section->packed, to, section->size);
    case ZSTD:
        return unpack_zstd(section->packed, to, section->size);
    case PLAIN:
        break;
    }
    memcpy(to, section->packed.at, section->size);
    return true;
}

// --- the file --------------------------------------------------------------------------

// A position in the file that is written: its header, the table of sections, their names,
// then their contents.
struct elf_writer {
    unsigned char *at; // next byte to be written
    unsigned word;     // bytes of an address
    bool is_big_endian;
};

static void put(struct elf_writer *out, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++) {
        unsigned byte = out->is_big_endian ? size - 1 - i : i;
        *out->at++ = (unsigned char)(value >> 8 * byte);
    }
}

static uint64_t header_size(const struct unpack_plan *plan) {
    return plan->image->bits == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
}

static uint64_t entry_size(const struct unpack_plan *plan) {
    return plan->image->bits == 32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
}

// Offset of the section names.  The table has two more entries than sections: an empty
// one and that of the names.
static uint64_t names_at(const struct unpack_plan *plan) {
    return header_size(plan) + (plan->count + 2) * entry_size(plan);
}

static uint64_t names_size(const struct unpack_plan *plan) {
    return (plan->count + 2) * NAME_ROOM;
}

// Write the header of the file, with the identity of the original.
static void write_header(const struct unpack_plan *plan, struct elf_writer *out) {
    GElf_Ehdr header;
    gelf_getehdr(plan->image->elf, &header);
    memcpy(out->at, header.e_ident, EI_NIDENT);
    out->at += EI_NIDENT;
    put(out, header.e_type, 2);
    put(out, header.e_machine, 2);
    put(out, EV_CURRENT, 4);
    put(out, 0, out->word); // entry point
    put(out, 0, out->word); // offset of the program headers
    put(out, header_size(plan), out->word);
    put(out, header.e_flags, 4);
    put(out, header_size(plan), 2);
    put(out, 0, 2); // size and number of program headers
    put(out, 0, 2);
    put(out, entry_size(plan), 2);
    put(out, plan->count + 2, 2);
    put(out, plan->count + 1, 2);
}

// Write an entry of the table of sections; `name` is an offset in the section names.
static void write_entry(struct elf_writer *out, uint64_t name, uint32_t type,
                        uint64_t offset, uint64_t size) {
    put(out, name, 4);
    put(out, type, 4);
    put(out, 0, out->word); // flags and address
    put(out, 0, out->word);
    put(out, offset, out->word);
    put(out, size, out->word);
    put(out, 0, 4); // link and information
    put(out, 0, 4);
    put(out, type != SHT_NULL, out->word);
    put(out, 0, out->word);
}

// Write everything into the file except the contents of the sections.
static void write_file(const struct unpack_plan *plan, unsigned char *file) {
    struct elf_writer out = {file, plan->image->bits / 8, plan->image->is_big_endian};
    char *names = (char *)file + names_at(plan);
    write_header(plan, &out);
    write_entry(&out, 0, SHT_NULL, 0, 0);
    for (size_t i = 0; i < plan->count; i++) {
        const struct section *section = &plan->sections[i];
        uint64_t name = (i + 1) * NAME_ROOM;
        strcpy(names + name, section->name);
        write_entry(&out, name, SHT_PROGBITS, section->offset, section->size);
    }
    uint64_t last = (plan->count + 1) * NAME_ROOM;
    strcpy(names + last, ".shstrtab");
    write_entry(&out, last, SHT_STRTAB, names_at(plan), names_size(plan));
}

// Assign offsets to all sections.  False if the file would be larger than its kind of ELF
// allows.
static bool place_sections(struct unpack_plan *plan) {
    plan->size = names_at(plan) + names_size(plan);
    for (size_t i = 0; i < plan->count; i++) {
        struct section *section = &plan->sections[i];
        section->offset = (plan->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (section->size > INT64_MAX - section->offset) {
            return false;
        }
        plan->size = section->offset + section->size;
    }
    return plan->image->bits == 64 || plan->size <= UINT32_MAX;
}

// Unpack all sections into image->unpacked and open the result as image->debug.  False
// with `diagnostic` if a section is damaged.
static bool make_file(const struct unpack_plan *plan, struct hp_image *image,
                      struct hp_sym_diagnostic *diagnostic) {
    char *file = image->unpacked.at;
    for (size_t i = 0; i < plan->count; i++) {
        const struct section *section = &plan->sections[i];
        if (!unpack_section(section, file + section->offset)) {
            return refuse(plan, diagnostic, section->name,
                          HP_WORDS("section-differs",
                                   "is not what it was compressed from"));
        }
        hp_image_rest(image);
    }
    write_file(plan, (unsigned char *)file);
    image->debug = elf_memory(file, plan->size);
    return image->debug || refuse(plan, diagnostic, "debug information",
                                  HP_WORDS("section-not-unpacked", "cannot be unpacked"));
}

// Whether this program was built with all kinds of compression that the file uses.
static bool can_unpack(const struct unpack_plan *plan,
                       struct hp_sym_diagnostic *diagnostic) {
    (void)plan, (void)diagnostic;
#ifndef HP_WITH_ZSTD
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->sections[i].packing == ZSTD) {
            return hp_sym_diagnose(
                diagnostic, HP_SYM_UNSUPPORTED,
                HP_MESSAGE(
                    "section-without-zstd",
                    "%s: this build cannot read its debug information: it lacks zstd"),
                plan->image->path);
        }
    }
#endif
    return true;
}

bool hp_image_unpack(struct hp_image *image, struct hp_sym_diagnostic *diagnostic) {
    struct unpack_plan plan = {.image = image};
    if (!read_sections(&plan, diagnostic) || !can_unpack(&plan, diagnostic)) {
        return false;
    }
    if (!plan.packed) {
        return true;
    }
    bool fits = place_sections(&plan);
    image->unpacked.size = plan.size;
    image->unpacked.at = fits ? hp_starved_map(plan.size) : NULL;
    if (!image->unpacked.at) {
        return hp_sym_diagnose(
            diagnostic, HP_SYM_OVER_BUDGET,
            HP_MESSAGE("debug-over-memory",
                       "%s: its debug information needs %.1f MiB unpacked. Use a larger "
                       "--max-memory"),
            image->path, (double)plan.size / 0x1p20);
    }
    bool is_made = make_file(&plan, image, diagnostic);
    if (!is_made) { // symbols can still be read from the original file
        munmap(image->unpacked.at, image->unpacked.size);
        image->unpacked.at = NULL;
    }
    return is_made;
}
