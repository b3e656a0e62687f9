// Linux Standard Base, "Exception Frames": .eh_frame has an entry (FDE) for each
// function, which describes how to unwind it.  It has
//
//     initial location and range, encoded as "R" in the augmentation of its CIE says
//
// and .eh_frame_hdr is
//
//     1, 0x1b, 0x03, 0x3b; .eh_frame (4 bytes); number of entries (4 bytes);
//     initial location and FDE, both minus the address of the section (4 bytes each),
//     ordered
//
// as all linkers write it.  An index of another kind, or out of order, is not used: then
// all entries are read.  A part of a function that the compiler has put elsewhere (.cold)
// has an entry of its own, and so is a separate function here.
#include "sym/function_bounds.h"

#include "sym/dwarf_bytes.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

enum {
    INDEX_HEAD = 12,        // bytes before the entries of the index
    INDEX_ENTRY = 8,        // bytes of an entry of the index
    MOST_AUGMENTATION = 16, // letters of an augmentation; six exist
    MOST_FAULTS = 1000,     // unreadable entries after which reading stops
    ENCODED_SIZE = 0x07, // mask of DW_EH_PE_udata2 and so on; bit 3 marks a signed value
    ENCODED_SIGNED = 0x08,
    ENCODED_KIND = 0x70,     // mask of how the value is applied
    ENCODED_PCREL = 0x10,    // relative to its own address
    ENCODED_INDIRECT = 0x80, // address of a pointer to the value
};

// --- numbers ---------------------------------------------------------------------------

// Read a number in the byte order of the image.
static uint64_t read_number(const struct hp_image *image, const unsigned char *at,
                            size_t size) {
    return hp_dwarf_number(at, size, image->is_big_endian);
}

// Extend the sign of a number of `size` bytes.
static uint64_t widen(uint64_t value, size_t size) {
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return size < 8 ? (value ^ sign) - sign : value;
}

// An address in the address space of the program, which has 32 or 64 bits.
static uint64_t in_program(const struct hp_image *image, uint64_t address) {
    return image->bits == 32 ? address & UINT32_MAX : address;
}

// The size of a pointer with that encoding; 0 if it varies.
static size_t size_of(const struct hp_image *image, unsigned encoding) {
    static const unsigned char sizes[] = {0, 0, 2, 4, 8, 0, 0, 0};
    unsigned kind = encoding & ENCODED_SIZE;
    return kind == 0 ? image->bits / 8 : sizes[kind];
}

// --- .eh_frame -------------------------------------------------------------------------

// Read the entry at an offset of .eh_frame; `next` is the offset of the one after it.
// False at the end or if it is damaged.
static bool read_entry(const struct hp_function_bounds *bounds, uint64_t offset,
                       Dwarf_Off *next, Dwarf_CFI_Entry *entry) {
    size_t size;
    const char *ident = elf_getident(bounds->image->elf, &size);
    Elf_Data data = {.d_buf = (void *)(uintptr_t)bounds->frames.at,
                     .d_type = ELF_T_BYTE,
                     .d_version = EV_CURRENT,
                     .d_size = bounds->frames.size,
                     .d_align = 1};
    return ident && dwarf_next_cfi((const unsigned char *)ident, &data, true, offset,
                                   next, entry) == 0;
}

// Find how a CIE says that addresses in its FDEs are encoded; false if that is unknown.
static bool read_encoding(const struct hp_image *image, const Dwarf_CIE *cie,
                          unsigned *encoding) {
    const unsigned char *at = cie->augmentation_data;
    const unsigned char *end = at ? at + cie->augmentation_data_size : NULL;
    *encoding = 0;
    if (strnlen(cie->augmentation, MOST_AUGMENTATION) == MOST_AUGMENTATION) {
        return false;
    }
    if (cie->augmentation[0] != 'z') {
        return cie->augmentation[0] == '\0';
    }
    for (const char *letter = cie->augmentation + 1; *letter && at && at < end;
         letter++) {
        unsigned value = *at;
        switch (*letter) {
        case 'R':
            *encoding = value;
            return true;
        case 'L':
            at++;
            break;
        case 'P':
            if (size_of(image, value) == 0 ||
                size_of(image, value) >= (size_t)(end - at)) {
                return false;
            }
            at += 1 + size_of(image, value);
            break;
        case 'S':
        case 'B':
            break;
        default:
            return false;
        }
    }
    return true;
}

// Find the addresses that an FDE covers.  False if they are encoded in an unknown way.
static bool read_range(const struct hp_function_bounds *bounds, const Dwarf_FDE *fde,
                       struct hp_function_range *range) {
    const struct hp_image *image = bounds->image;
    Dwarf_CFI_Entry cie;
    Dwarf_Off next;
    unsigned encoding;
    if (!read_entry(bounds, fde->CIE_pointer, &next, &cie) || !dwarf_cfi_cie_p(&cie) ||
        !read_encoding(image, &cie.cie, &encoding)) {
        return false;
    }
    size_t size = size_of(image, encoding);
    unsigned kind = encoding & ENCODED_KIND;
    if (size == 0 || (size_t)(fde->end - fde->start) < 2 * size ||
        (kind != 0 && kind != ENCODED_PCREL) || encoding & ENCODED_INDIRECT) {
        return false;
    }
    uint64_t start = read_number(image, fde->start, size);
    start = encoding & ENCODED_SIGNED ? widen(start, size) : start;
    uint64_t here = bounds->frames.address + (uint64_t)(fde->start - bounds->frames.at);
    range->start = in_program(image, start + (kind == ENCODED_PCREL ? here : 0));
    range->size = read_number(image, fde->start + size, size);
    return true;
}

// Order ranges by start, then by size.
static int compare(const void *a, const void *b) {
    const struct hp_function_range *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return (x->size > y->size) - (x->size < y->size);
}

// Read all entries.  Stops after MOST_FAULTS bad ones, because an entry that cannot be
// read may take long, such as one whose augmentation does not end.
static void read_all(struct hp_function_bounds *bounds) {
    Dwarf_Off at = 0, next;
    Dwarf_CFI_Entry entry;
    int faults = 0;
    while (faults < MOST_FAULTS && read_entry(bounds, at, &next, &entry) && next > at) {
        struct hp_function_range range;
        if (!dwarf_cfi_cie_p(&entry) && read_range(bounds, &entry.fde, &range)) {
            hp_vec_push(&bounds->all, range);
        } else {
            faults += !dwarf_cfi_cie_p(&entry);
        }
        at = next;
    }
    hp_vec_sort(&bounds->all, compare);
}

// --- .eh_frame_hdr ---------------------------------------------------------------------

// A field of entry i of the index: 0 is the start of the function, 1 the address of its
// FDE.
static uint64_t index_at(const struct hp_function_bounds *bounds, size_t i,
                         size_t field) {
    const unsigned char *at = bounds->index.at + INDEX_HEAD + i * INDEX_ENTRY + 4 * field;
    uint64_t value = widen(read_number(bounds->image, at, 4), 4);
    return in_program(bounds->image, bounds->index.address + value);
}

// Use the index if it is of the usual kind and ordered.
static void read_index(struct hp_function_bounds *bounds) {
    static const unsigned char usual[] = {1, 0x1b, 0x03, 0x3b};
    const struct hp_table_section *index = &bounds->index;
    if (index->size < INDEX_HEAD || memcmp(index->at, usual, sizeof usual) != 0) {
        return;
    }
    uint64_t count = read_number(bounds->image, index->at + 8, 4);
    if (count > (index->size - INDEX_HEAD) / INDEX_ENTRY) {
        return;
    }
    for (size_t i = 1; i < count; i++) {
        if (index_at(bounds, i - 1, 0) > index_at(bounds, i, 0)) {
            return;
        }
    }
    bounds->count = (size_t)count;
}

// Find the last function in the index that starts at or before `address`.
static bool find_by_index(const struct hp_function_bounds *bounds, uint64_t address,
                          struct hp_function_range *range) {
    size_t low = 0, high = bounds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index_at(bounds, middle, 0) <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return false;
    }
    Dwarf_Off next;
    Dwarf_CFI_Entry entry;
    uint64_t offset = index_at(bounds, low - 1, 1) - bounds->frames.address;
    return offset < bounds->frames.size && read_entry(bounds, offset, &next, &entry) &&
           !dwarf_cfi_cie_p(&entry) && read_range(bounds, &entry.fde, range);
}

// Find the last function among all entries that starts at or before `address`.
static bool find_in_all(const struct hp_function_bounds *bounds, uint64_t address,
                        struct hp_function_range *range) {
    size_t low = 0, high = bounds->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bounds->all.at[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *range = low > 0 ? bounds->all.at[low - 1] : (struct hp_function_range){0, 0};
    return low > 0;
}

// --- both ------------------------------------------------------------------------------

// Record a section if it is one of the tables or contains stubs (.plt).
static void add_section(struct hp_function_bounds *bounds, Elf_Scn *section,
                        const GElf_Shdr *header, const char *name) {
    Elf_Data *data = elf_rawdata(section, NULL);
    struct hp_table_section *table = strcmp(name, ".eh_frame") == 0 ? &bounds->frames
                                     : strcmp(name, ".eh_frame_hdr") == 0 ? &bounds->index
                                                                          : NULL;
    if (table && data && data->d_buf) {
        *table = (struct hp_table_section){data->d_buf, data->d_size, header->sh_addr};
    } else if (strncmp(name, ".plt", 4) == 0) {
        struct hp_function_range stubs = {header->sh_addr, header->sh_size};
        hp_vec_push(&bounds->stubs, stubs);
    }
}

void hp_function_bounds_open(struct hp_function_bounds *bounds,
                             const struct hp_image *image) {
    size_t names;
    Elf_Scn *section = NULL;
    *bounds = (struct hp_function_bounds){.image = image};
    bool has_names = elf_getshdrstrndx(image->elf, &names) == 0;
    while (has_names && (section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
            header.sh_flags & SHF_ALLOC && !(header.sh_flags & SHF_COMPRESSED)) {
            const char *name = elf_strptr(image->elf, names, header.sh_name);
            add_section(bounds, section, &header, name ? name : "");
        }
    }
    if (bounds->frames.size > 0) {
        read_index(bounds);
    }
    if (bounds->frames.size > 0 && bounds->count == 0) {
        read_all(bounds);
    }
}

void hp_function_bounds_done(struct hp_function_bounds *bounds) {
    hp_vec_done(&bounds->all);
    hp_vec_done(&bounds->stubs);
    *bounds = (struct hp_function_bounds){.image = NULL};
}

bool hp_function_bounds_find(const struct hp_function_bounds *bounds, uint64_t address,
                             uint64_t *start) {
    struct hp_function_range range;
    const struct hp_function_range *stubs;
    hp_vec_each (stubs, &bounds->stubs) {
        if (address - stubs->start < stubs->size) {
            return false;
        }
    }
    bool is_found = bounds->count > 0 ? find_by_index(bounds, address, &range)
                                      : find_in_all(bounds, address, &range);
    if (!is_found || range.start > address || address - range.start >= range.size) {
        return false; // a wrong index may lead to an entry after the address
    }
    *start = range.start;
    return true;
}
