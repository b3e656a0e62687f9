// gABI, "Section Compression": a header tells how and to what size; the older kind, ".zdebug_*",
// begins with "ZLIB" and the size, its highest byte first.
//
// Some sections are as large as all others together and never read, those of where variables are
// above all.  The file in memory has those that are, and no segments: what libdw makes of it does not
// depend on how it would unpack, or whether it can.
//
// A size is a claim of the file: it is held against what may come of so many bytes, and memory is
// taken for all at once, or not at all.
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
    MOST_SECTIONS = 32, // of names that are known, each once
    NAME_ROOM = 32,
    OLD_HEAD = 12,
    ALIGNMENT = 16,
    MOST_OF_ZLIB = 1032, // times, which a byte may become
    MOST_OF_ZSTD = 1 << 15,
};

enum packing {
    PLAIN,
    ZLIB,
    ZSTD,
};

struct section {
    char name[NAME_ROOM];
    struct hp_span packed;
    uint64_t size, offset; // in the file in memory
    enum packing packing;
    uint32_t name_offset;
};

// The file that is made.
struct plan {
    const struct hp_image *image;
    struct section sections[MOST_SECTIONS];
    size_t count; // sections
    bool packed;  // the file has compressed ones, of these or others
    uint64_t size;
};

// --- what is there -------------------------------------------------------------------------

static const char *const read_here[] = {
    "info",     "abbrev", "types", "line",        "str",      "line_str",
    "rnglists", "ranges", "addr",  "str_offsets", "cu_index",
};

// ".debug_*", ".zdebug_*" or ".debug_*.dwo" by the name of the first, if it is one that is read.
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

static struct section *find_known(struct plan *plan, const char *name) {
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->sections[i].name, name) == 0) {
            return &plan->sections[i];
        }
    }
    return NULL;
}

// Of several of one name libdw has the first, and a split unit is in the last.  NULL: it is not read.
static struct section *place_of(struct plan *plan, const char *name) {
    struct section *known = find_known(plan, name);
    if (known) {
        return strstr(name, ".dwo") ? known : NULL;
    }
    return plan->count < MOST_SECTIONS ? &plan->sections[plan->count] : NULL;
}

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

static bool read_head(const struct plan *plan, Elf_Scn *scn, struct section *section) {
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

static bool is_possible(const struct section *section) {
    uint64_t most = section->packing == ZLIB ? MOST_OF_ZLIB : MOST_OF_ZSTD;
    return section->packing == PLAIN || section->size / most <= section->packed.size;
}

static bool refuse(const struct plan *plan, struct hp_sym_diagnostic *diagnostic,
                   const char *name, const char *what) {
    return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED, "%s: its %s %s", plan->image->path,
                           name, what);
}

// What libdw would unpack, though nobody reads it.
static bool is_packed(const char *name, const GElf_Shdr *header) {
    return strncmp(name, ".zdebug_", 8) == 0 ||
           (strncmp(name, ".debug_", 7) == 0 && (header->sh_flags & SHF_COMPRESSED) != 0);
}

static bool add_section(struct plan *plan, Elf_Scn *scn, const GElf_Shdr *header,
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
            return refuse(plan, diagnostic, name, "is compressed in an unknown way");
        }
    } else if (is_old) {
        read_old_head(&section);
    }
    if (!is_possible(&section)) {
        return refuse(plan, diagnostic, name, "claims more than it can hold");
    }
    plan->count += place == &plan->sections[plan->count];
    *place = section;
    return true;
}

static bool read_sections(struct plan *plan, struct hp_sym_diagnostic *diagnostic) {
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    while ((scn = elf_nextscn(plan->image->elf, scn))) {
        if (gelf_getshdr(scn, &header) && !add_section(plan, scn, &header, diagnostic)) {
            return false;
        }
    }
    return true;
}

// --- unpacking -----------------------------------------------------------------------------

#ifdef HP_WITH_LIBDEFLATE
// Linkers may have put several streams one behind the other.
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
// zlib counts in 32 bits.
static uInt piece_of(uint64_t size) {
    return size < UINT32_MAX / 2 ? (uInt)size : UINT32_MAX / 2;
}

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

// --- the file ------------------------------------------------------------------------------

// Its header, the table of sections, their names, and what is in them.
struct writer {
    unsigned char *at;
    unsigned word; // bytes of an address
    bool is_big_endian;
};

static void put(struct writer *out, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++) {
        unsigned byte = out->is_big_endian ? size - 1 - i : i;
        *out->at++ = (unsigned char)(value >> 8 * byte);
    }
}

static uint64_t header_size(const struct plan *plan) {
    return plan->image->bits == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
}

static uint64_t entry_size(const struct plan *plan) {
    return plan->image->bits == 32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
}

// One of nothing, and one of names.
static uint64_t names_at(const struct plan *plan) {
    return header_size(plan) + (plan->count + 2) * entry_size(plan);
}

static uint64_t names_size(const struct plan *plan) {
    return (plan->count + 2) * NAME_ROOM;
}

static void write_header(const struct plan *plan, struct writer *out) {
    GElf_Ehdr header;
    gelf_getehdr(plan->image->elf, &header);
    memcpy(out->at, header.e_ident, EI_NIDENT);
    out->at += EI_NIDENT;
    put(out, header.e_type, 2);
    put(out, header.e_machine, 2);
    put(out, EV_CURRENT, 4);
    put(out, 0, out->word); // where it begins to run
    put(out, 0, out->word); // segments
    put(out, header_size(plan), out->word);
    put(out, header.e_flags, 4);
    put(out, header_size(plan), 2);
    put(out, 0, 2); // size and number of segments
    put(out, 0, 2);
    put(out, entry_size(plan), 2);
    put(out, plan->count + 2, 2);
    put(out, plan->count + 1, 2);
}

static void write_entry(struct writer *out, uint64_t name, uint32_t type, uint64_t offset,
                        uint64_t size) {
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

static void write_file(const struct plan *plan, unsigned char *file) {
    struct writer out = {file, plan->image->bits / 8, plan->image->is_big_endian};
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

// False if no file is so large.
static bool place_sections(struct plan *plan) {
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

static bool make_file(const struct plan *plan, struct hp_image *image,
                      struct hp_sym_diagnostic *diagnostic) {
    char *file = image->unpacked.at;
    for (size_t i = 0; i < plan->count; i++) {
        const struct section *section = &plan->sections[i];
        if (!unpack_section(section, file + section->offset)) {
            return refuse(plan, diagnostic, section->name,
                          "is not what it was compressed from");
        }
        hp_image_rest(image);
    }
    write_file(plan, (unsigned char *)file);
    image->debug = elf_memory(file, plan->size);
    return image->debug ||
           refuse(plan, diagnostic, "debug information", "cannot be unpacked");
}

static bool can_unpack(const struct plan *plan, struct hp_sym_diagnostic *diagnostic) {
    (void)plan, (void)diagnostic;
#ifndef HP_WITH_ZSTD
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->sections[i].packing == ZSTD) {
            return hp_sym_diagnose(diagnostic, HP_SYM_UNSUPPORTED,
                                   "%s: its debug information is packed by zstd, which "
                                   "this program was built without",
                                   plan->image->path);
        }
    }
#endif
    return true;
}

bool hp_image_unpack(struct hp_image *image, struct hp_sym_diagnostic *diagnostic) {
    struct plan plan = {.image = image};
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
        return hp_sym_diagnose(diagnostic, HP_SYM_OVER_BUDGET,
                               "%s: its debug information needs %.1f MiB unpacked, more "
                               "than there is memory for (--max-memory)",
                               image->path, (double)plan.size / 0x1p20);
    }
    bool is_made = make_file(&plan, image, diagnostic);
    if (!is_made) { // symbols are read beside it
        munmap(image->unpacked.at, image->unpacked.size);
        image->unpacked.at = NULL;
    }
    return is_made;
}
