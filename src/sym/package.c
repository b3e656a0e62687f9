// DWARF 5, section 7.3.5.3.  Version 2 is GNU's for DWARF 4 and numbers sections
// differently.
//
//     version          4 bytes, in version 5 two and two that are unused
//     columns, units, slots
//     slots x id       8 bytes
//     slots x row      from 1; 0: the slot is empty
//     columns x section
//     units x columns x offset
//     units x columns x size
//
// All other fields have 4 bytes.  Types have a separate index, which is not read: a
// function is described in its unit, with the classes around it.
#include "sym/package.h"

#include "sym/dwarf_bytes.h"

#include <string.h>

// --- parts -----------------------------------------------------------------------------

// libelf can build a file for writing from pieces of memory, and such a file can also be
// read.  It is never written.

enum {
    NAME_ROOM = 24
};

// Names of sections by 1 + part; the array is also the content of .shstrtab.
static const char names[HP_PARTS + 2][NAME_ROOM] = {
    "",
    [1 + HP_PART_INFO] = ".debug_info",
    [1 + HP_PART_TYPES] = ".debug_types",
    [1 + HP_PART_ABBREV] = ".debug_abbrev",
    [1 + HP_PART_STR] = ".debug_str",
    [1 + HP_PART_STR_OFFSETS] = ".debug_str_offsets",
    [1 + HP_PART_RNGLISTS] = ".debug_rnglists",
    [1 + HP_PART_ADDR] = ".debug_addr",
    [1 + HP_PARTS] = ".shstrtab",
};

// Write the ELF header of a relocatable file for the machine of `image`.  False if libelf
// fails.
static bool begin(Elf *elf, const struct hp_image *image) {
    GElf_Ehdr of_image, header;
    if (!gelf_getehdr(image->elf, &of_image) ||
        !gelf_newehdr(elf, of_image.e_ident[EI_CLASS]) || !gelf_getehdr(elf, &header)) {
        return false;
    }
    memcpy(header.e_ident, of_image.e_ident, sizeof header.e_ident);
    header.e_type = ET_REL;
    header.e_machine = of_image.e_machine;
    header.e_version = EV_CURRENT;
    return gelf_update_ehdr(elf, &header) != 0;
}

// Add a section; `name` is an index into `names`.
static bool add(Elf *elf, size_t name, uint32_t type, struct hp_span content) {
    Elf_Scn *section = elf_newscn(elf);
    Elf_Data *data = section ? elf_newdata(section) : NULL;
    GElf_Shdr header;
    if (!data || !gelf_getshdr(section, &header)) {
        return false;
    }
    data->d_buf = (void *)(uintptr_t)content.at;
    data->d_size = content.size;
    data->d_type = ELF_T_BYTE;
    data->d_version = EV_CURRENT;
    header.sh_name = (uint32_t)(name * NAME_ROOM);
    header.sh_type = type;
    header.sh_size = content.size;
    return gelf_update_shdr(section, &header) != 0;
}

// Add the section of names, and refer to it in the ELF header.
static bool end(Elf *elf) {
    GElf_Ehdr header;
    size_t count;
    struct hp_span content = {names[0], sizeof names};
    if (!add(elf, 1 + HP_PARTS, SHT_STRTAB, content) || !gelf_getehdr(elf, &header) ||
        elf_getshdrnum(elf, &count) != 0) {
        return false;
    }
    header.e_shstrndx = (uint16_t)(count - 1);
    return gelf_update_ehdr(elf, &header) != 0;
}

Elf *hp_parts_elf(const struct hp_parts *parts, const struct hp_image *image) {
    Elf *elf = elf_begin(image->fd, ELF_C_WRITE, NULL);
    bool is_made = elf && elf_cntl(elf, ELF_C_FDDONE) == 0 && begin(elf, image);
    for (size_t i = 0; is_made && i < HP_PARTS; i++) {
        is_made = parts->of[i].size == 0 || add(elf, i + 1, SHT_PROGBITS, parts->of[i]);
    }
    if (is_made && end(elf)) {
        return elf;
    }
    elf_end(elf);
    return NULL;
}

// Fill `parts` with the sections of a file of split units.  gcc puts type units into
// sections of the same name before that of the unit, so the last section of a name is
// used.
void hp_parts_of_split(struct hp_parts *parts, const struct hp_image *image) {
    for (size_t i = 0; i < HP_PARTS; i++) {
        char name[NAME_ROOM + sizeof ".dwo"];
        strcat(strcpy(name, names[i + 1]), ".dwo");
        parts->of[i] = hp_elf_last_section(hp_image_debug(image), name);
    }
}

// --- package ---------------------------------------------------------------------------

enum {
    WORD = 4, // bytes of a number in the index
    ID = 8,   // bytes of a unit's id
};

// The index of a package; the pointers are its columns, all in the section.
struct index {
    uint64_t version, columns, units, slots; // numbers in the header of the index
    const unsigned char *ids, *rows, *sections, *offsets, *sizes;
    bool is_big_endian;
};

// The part with that section number in that version; HP_PARTS if it is not read.
static enum hp_package_part part_of(uint64_t version, uint64_t section) {
    switch (section) {
    case 1:
        return HP_PART_INFO;
    case 3:
        return HP_PART_ABBREV;
    case 6:
        return HP_PART_STR_OFFSETS;
    case 8:
        return version == 5 ? HP_PART_RNGLISTS : HP_PARTS;
    default:
        return HP_PARTS;
    }
}

// Number `i` of a column.
static uint64_t word(const struct index *index, const unsigned char *words, uint64_t i) {
    return hp_dwarf_number(words + WORD * i, WORD, index->is_big_endian);
}

// Find the columns of an index.  False if it is cut off or of another version.
static bool read_index(struct index *index, struct hp_span bytes) {
    const unsigned char *begin = (const unsigned char *)bytes.at;
    struct hp_dwarf_bytes in = {.at = begin,
                                .end = begin + bytes.size,
                                .is_big_endian = index->is_big_endian};
    index->version = hp_dwarf_take_number(&in, WORD);
    if (index->version != 2) {
        in.at = begin;
        index->version = hp_dwarf_take_number(&in, WORD / 2);
        hp_dwarf_take_number(&in, WORD / 2);
    }
    index->columns = hp_dwarf_take_number(&in, WORD);
    index->units = hp_dwarf_take_number(&in, WORD);
    index->slots = hp_dwarf_take_number(&in, WORD);
    if (index->columns > UINT8_MAX) {
        return false;
    }
    uint64_t cells = index->columns * index->units;
    index->ids = hp_dwarf_take(&in, index->slots * ID);
    index->rows = hp_dwarf_take(&in, index->slots * WORD);
    index->sections = hp_dwarf_take(&in, index->columns * WORD);
    index->offsets = hp_dwarf_take(&in, cells * WORD);
    index->sizes = hp_dwarf_take(&in, cells * WORD);
    return !in.bad && (index->version == 2 || index->version == 5);
}

// The row of a unit in the hash table of ids, from 1; 0 if it has none.
static uint64_t find_row(const struct index *index, uint64_t id) {
    uint64_t mask = index->slots - 1, step = (id >> 32 & mask) | 1;
    uint64_t slot = id & mask;
    if (index->slots == 0 || (index->slots & mask) != 0) {
        return 0;
    }
    for (uint64_t tries = 0; tries < index->slots; tries++) {
        uint64_t row = word(index, index->rows, slot);
        bool is_it =
            hp_dwarf_number(index->ids + ID * slot, ID, index->is_big_endian) == id;
        if (row == 0 || is_it) {
            return row <= index->units ? row : 0;
        }
        slot = (slot + step) & mask;
    }
    return 0;
}

// Reduce a section to a part of it.  False if the part is not inside.
static bool cut(struct hp_span *whole, uint64_t offset, uint64_t size) {
    if (offset > whole->size || size > whole->size - offset) {
        return false;
    }
    *whole = (struct hp_span){whole->at + offset, size};
    return true;
}

bool hp_package_find(struct hp_span bytes, bool is_big_endian, uint64_t id,
                     struct hp_parts *parts) {
    struct index index = {.is_big_endian = is_big_endian};
    uint64_t row = read_index(&index, bytes) ? find_row(&index, id) : 0;
    struct hp_parts whole = *parts;
    *parts = (struct hp_parts){.of[HP_PART_STR] = whole.of[HP_PART_STR]};
    for (uint64_t i = 0; row > 0 && i < index.columns; i++) {
        uint64_t cell = (row - 1) * index.columns + i;
        enum hp_package_part part =
            part_of(index.version, word(&index, index.sections, i));
        if (part == HP_PARTS) {
            continue;
        }
        parts->of[part] = whole.of[part];
        if (!cut(&parts->of[part], word(&index, index.offsets, cell),
                 word(&index, index.sizes, cell))) {
            return false;
        }
    }
    return parts->of[HP_PART_INFO].size > 0;
}
