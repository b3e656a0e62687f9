// libelf can build a file for writing from pieces of memory, and such a file can also be
// read.  It is never written.
#include "sym/parts.h"

#include <string.h>

enum {
    NAME_ROOM = 24
};

// The names by part; the array is also the content of the section of names.
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

// Write the ELF header of a relocatable file for the machine of `image`.
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

// Add the section of names and refer to it.
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

// gcc puts type units into sections of the same name before that of the unit, so the last
// section of a name is used.
void hp_parts_of_split(struct hp_parts *parts, const struct hp_image *image) {
    for (size_t i = 0; i < HP_PARTS; i++) {
        char name[NAME_ROOM + sizeof ".dwo"];
        strcat(strcpy(name, names[i + 1]), ".dwo");
        parts->of[i] = hp_elf_last_section(hp_image_debug(image), name);
    }
}
