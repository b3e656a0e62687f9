// Mutations of ELF files.  They must be of 64 bits and little-endian, as the seeds are.
#include "mutate.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

// Numbers at which sizes and offsets overflow or are at a limit.
static const uint64_t odd[] = {0,          1,          2,         8,          0x7f,
                               0x80,       0xff,       0x7fff,    0xffff,     0x10000,
                               INT32_MAX,  UINT32_MAX, INT64_MAX, UINT64_MAX, 1ULL << 63,
                               1ULL << 40, ~0ULL - 7,  4096};

bool mutate_is_elf(const uint8_t *bytes, size_t size) {
    return size >= sizeof(Elf64_Ehdr) && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
           bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB;
}

// Bytes [at, at + size) of the file; a size of 0 is no part of it.
struct elf_part {
    size_t at, size;
};

// The part itself if it is within a file of `size` bytes, else an empty one.
static struct elf_part inside(uint64_t at, uint64_t part, size_t size) {
    return at < size && part <= size - at ? (struct elf_part){(size_t)at, (size_t)part}
                                          : (struct elf_part){0, 0};
}

// Pick the header of a random section; *content becomes the section's content.
static struct elf_part pick_section(struct mutate_random *random, const uint8_t *bytes,
                                    size_t size, struct elf_part *content) {
    Elf64_Ehdr head;
    Elf64_Shdr section;
    memcpy(&head, bytes, sizeof head);
    uint64_t number = mutate_below(random, head.e_shnum ? head.e_shnum : 1);
    struct elf_part header =
        inside(head.e_shoff + number * sizeof section, sizeof section, size);
    *content = (struct elf_part){0, 0};
    if (header.size > 0) {
        memcpy(&section, bytes + header.at, sizeof section);
        *content = inside(section.sh_offset, section.sh_size, size);
    }
    return header;
}

// Pick the header of a random segment.
static struct elf_part pick_segment(struct mutate_random *random, const uint8_t *bytes,
                                    size_t size) {
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    uint64_t number = mutate_below(random, head.e_phnum ? head.e_phnum : 1);
    return inside(head.e_phoff + number * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr), size);
}

// Replace a number of 1, 2, 4 or 8 bytes by one of `odd`, or by a slightly different one.
static void change_number(struct mutate_random *random, uint8_t *bytes,
                          struct elf_part part) {
    size_t width = (size_t)1 << mutate_below(random, 4);
    uint64_t value = 0;
    if (part.size < width) {
        return;
    }
    uint8_t *at = bytes + part.at + mutate_below(random, part.size / width) * width;
    memcpy(&value, at, width);
    value = mutate_below(random, 2) ? odd[mutate_below(random, sizeof odd / sizeof *odd)]
                                    : value + mutate_below(random, 33) - 16;
    memcpy(at, &value, width);
}

// Copy up to 64 bytes of the part to another place in it.
static void copy_within(struct mutate_random *random, uint8_t *bytes,
                        struct elf_part part) {
    if (part.size > 1) {
        size_t from = mutate_below(random, part.size),
               to = mutate_below(random, part.size);
        size_t most = part.size - (from > to ? from : to);
        memmove(bytes + part.at + to, bytes + part.at + from,
                mutate_below(random, (most < 64 ? most : 64) + 1));
    }
}

size_t mutate_elf(struct mutate_random *random, uint8_t *bytes, size_t size) {
    struct elf_part content, header = pick_section(random, bytes, size, &content);
    switch (mutate_below(random, 8)) {
    case 0:
        change_number(random, bytes,
                      (struct elf_part){EI_NIDENT, sizeof(Elf64_Ehdr) - EI_NIDENT});
        break;
    case 1:
        change_number(random, bytes, header);
        break;
    case 2:
        change_number(random, bytes, pick_segment(random, bytes, size));
        break;
    case 3:
        change_number(random, bytes, content);
        break;
    case 4:
        copy_within(random, bytes, content);
        break;
    default:
        if (content.size > 0) {
            LLVMFuzzerMutate(bytes + content.at, content.size, content.size);
        }
    }
    return size;
}
