// DWARF 2 to 5, 6.2.4, "The Line Number Program Header":
//
//     length              4 bytes, or ff ff ff ff and 8: the 64-bit format
//     version             2
//     address size, segment selector size            1 each, from version 5 on
//     header length       4, or 8
//     minimum instruction length, maximum operations (from version 4), default is_stmt,
//     line base, line range, opcode base n           1 each
//     lengths of opcodes  n - 1
//     up to version 4:
//     directories:  strings, the last one empty
//     files:        a string, directory, time and size (LEB128); the last one an empty
//                   string
//     from version 5 on:
//     directories:  number of parts of each entry (1 byte), content and form of each part
//                   (LEB128); number of entries (LEB128); the parts of each entry
//     files:        the same
//
// A header that elfutils would read differently, or not at all, is refused here.
#include "sym/line_header.h"

#include "base/md5.h"
#include "sym/dwarf_bytes.h"

#include <dwarf.h>

enum {
    OLDEST = 2, // versions of DWARF
    NEWEST = 5,
    PARTS_MAX = 255,       // parts of an entry
    STANDARD_OPCODES = 12, // opcodes with a fixed meaning
};

// --- folders and files -----------------------------------------------------------------

// The file with number 0 before DWARF 5.
static const struct hp_line_file no_file = {"???", HP_NO_FOLDER, NULL};

// Read folders and files before DWARF 5.
static void take_old_tables(struct hp_dwarf_bytes *in, struct hp_line_header *header) {
    const char *name;
    hp_vec_push(&header->folders, NULL);
    while ((name = hp_dwarf_take_string(in)) && *name) {
        hp_vec_push(&header->folders, name);
    }
    hp_vec_push(&header->files, no_file);
    while ((name = hp_dwarf_take_string(in)) && *name) {
        struct hp_line_file file = {name, hp_dwarf_take_leb128(in), NULL};
        hp_dwarf_take_leb128(in);
        hp_dwarf_take_leb128(in);
        in->bad |= file.folder >= header->folders.count;
        hp_vec_push(&header->files, file);
    }
}

// A part of an entry: its content (DW_LNCT_) and its form.
struct entry_part {
    uint64_t content, form;
};

// The format of a table of DWARF 5, and the number of its entries.
struct entry_table {
    struct entry_part parts[PARTS_MAX];
    size_t part_count;
    uint64_t count;
};

// The value of a part, of any kind.
struct value {
    const char *text; // NULL: it is not a text
    const unsigned char *bytes;
    uint64_t number; // UINT64_MAX: it is not a number
};

// Read the format of a table and the number of its entries.
static void take_format(struct hp_dwarf_bytes *in, struct entry_table *entries) {
    entries->part_count = (size_t)hp_dwarf_take_number(in, 1);
    for (size_t i = 0; i < entries->part_count; i++) {
        entries->parts[i].content = hp_dwarf_take_leb128(in);
        entries->parts[i].form = hp_dwarf_take_leb128(in);
    }
    entries->count = hp_dwarf_take_leb128(in);
    in->bad |= entries->part_count == 0 && entries->count > 0;
}

// The string at an offset that is read; NULL if it is out of range.
static const char *string_in(struct hp_dwarf_bytes *in, struct hp_span section) {
    uint64_t offset = hp_dwarf_take_number(in, in->offset_size);
    // Then every string in the section ends.
    bool is_good = section.size > 0 && section.at[section.size - 1] == '\0';
    return is_good && offset < section.size ? section.at + offset : NULL;
}

// The size of a value that is neither text nor number, whose size field is read if it has
// one; UINT64_MAX for an unknown form.
static uint64_t size_of_value(struct hp_dwarf_bytes *in, uint64_t form) {
    switch (form) {
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
        return in->offset_size;
    case DW_FORM_strx:
    case DW_FORM_sdata:
        hp_dwarf_take_leb128(in);
        return 0;
    case DW_FORM_block:
        return hp_dwarf_take_leb128(in);
    case DW_FORM_block1:
        return hp_dwarf_take_number(in, 1);
    case DW_FORM_block2:
        return hp_dwarf_take_number(in, 2);
    case DW_FORM_block4:
        return hp_dwarf_take_number(in, 4);
    case DW_FORM_strx1:
        return 1;
    case DW_FORM_strx2:
        return 2;
    case DW_FORM_strx3:
        return 3;
    case DW_FORM_strx4:
        return 4;
    case DW_FORM_data16:
        return HP_MD5_SIZE;
    default:
        return UINT64_MAX;
    }
}

// Read a value and skip it.
static struct value take_value(struct hp_dwarf_bytes *in, uint64_t form,
                               const struct hp_line_sections *sections) {
    struct value value = {NULL, NULL, UINT64_MAX};
    switch (form) {
    case DW_FORM_string:
        value.text = hp_dwarf_take_string(in);
        break;
    case DW_FORM_line_strp:
        value.text = string_in(in, sections->line_str);
        break;
    case DW_FORM_strp:
        value.text = string_in(in, sections->str);
        break;
    case DW_FORM_udata:
        value.number = hp_dwarf_take_leb128(in);
        break;
    case DW_FORM_data1:
        value.number = hp_dwarf_take_number(in, 1);
        break;
    case DW_FORM_data2:
        value.number = hp_dwarf_take_number(in, 2);
        break;
    case DW_FORM_data4:
        value.number = hp_dwarf_take_number(in, 4);
        break;
    case DW_FORM_data8:
        value.number = hp_dwarf_take_number(in, 8);
        break;
    default:
        value.bytes = hp_dwarf_take(in, size_of_value(in, form));
        break;
    }
    return value;
}

// Whether a digest is known: an assembler without the digest of a file writes zeros.
static bool is_known_digest(const unsigned char *digest) {
    static const unsigned char zeros[HP_MD5_SIZE];
    return digest && memcmp(digest, zeros, sizeof zeros) != 0;
}

// Read an entry of a table of folders or files.
static struct hp_line_file take_entry(struct hp_dwarf_bytes *in,
                                      const struct entry_table *entries,
                                      const struct hp_line_sections *sections) {
    struct hp_line_file file = {NULL, HP_NO_FOLDER, NULL};
    for (size_t i = 0; i < entries->part_count && !in->bad; i++) {
        const struct entry_part *part = &entries->parts[i];
        struct value value = take_value(in, part->form, sections);
        if (part->content == DW_LNCT_path) {
            file.name = value.text;
        } else if (part->content == DW_LNCT_directory_index) {
            file.folder = value.number;
        } else if (part->content == DW_LNCT_MD5 && part->form == DW_FORM_data16) {
            file.md5 = is_known_digest(value.bytes) ? value.bytes : NULL;
        }
    }
    in->bad |= !file.name;
    return file;
}

// Read folders and files of DWARF 5.  No form that is read here takes less than a byte,
// so the number of entries is limited by the section.
static void take_tables(struct hp_dwarf_bytes *in, struct hp_line_header *header,
                        const struct hp_line_sections *sections) {
    struct entry_table entries;
    take_format(in, &entries);
    for (uint64_t i = 0; i < entries.count && !in->bad; i++) {
        hp_vec_push(&header->folders, take_entry(in, &entries, sections).name);
    }
    take_format(in, &entries);
    if (entries.count == 0) {
        hp_vec_push(&header->files, no_file);
    }
    for (uint64_t i = 0; i < entries.count && !in->bad; i++) {
        struct hp_line_file file = take_entry(in, &entries, sections);
        in->bad |= file.folder >= header->folders.count;
        hp_vec_push(&header->files, file);
    }
}

// --- the header ------------------------------------------------------------------------

// Whether each known opcode has the usual number of operands.
static bool is_standard(const struct hp_line_header *header) {
    static const unsigned char lengths[STANDARD_OPCODES] = {0, 1, 1, 1, 1, 0,
                                                            0, 0, 1, 0, 0, 1};
    unsigned count = header->opcode_base - 1;
    return memcmp(header->lengths, lengths,
                  count < STANDARD_OPCODES ? count : STANDARD_OPCODES) == 0;
}

// Read the parameters from the instruction length to the lengths of opcodes.
static void take_parameters(struct hp_dwarf_bytes *in, struct hp_line_header *header,
                            uint64_t version) {
    header->instruction_size = (unsigned)hp_dwarf_take_number(in, 1);
    uint64_t operations = version >= 4 ? hp_dwarf_take_number(in, 1) : 1;
    hp_dwarf_take(in, 1);
    header->line_base = (signed char)hp_dwarf_take_number(in, 1);
    header->line_range = (unsigned)hp_dwarf_take_number(in, 1);
    header->opcode_base = (unsigned)hp_dwarf_take_number(in, 1);
    in->bad |= operations != 1 || header->line_range == 0 || header->opcode_base == 0;
    header->lengths = hp_dwarf_take(in, header->opcode_base - 1);
    in->bad = in->bad || !is_standard(header);
}

// Read a whole header; in->bad is set if it is refused.
static void take_header(struct hp_dwarf_bytes *in, struct hp_line_header *header,
                        const struct hp_line_sections *sections) {
    uint64_t size = hp_dwarf_take_number(in, 4);
    in->offset_size = size == UINT32_MAX ? 8 : 4;
    hp_dwarf_end_after(in, size == UINT32_MAX ? hp_dwarf_take_number(in, 8) : size);
    header->end = in->end;
    uint64_t version = hp_dwarf_take_number(in, 2);
    in->bad |= version < OLDEST || version > NEWEST;
    if (version >= 5) {
        in->bad |= hp_dwarf_take_number(in, 1) != header->address_size;
        in->bad |= hp_dwarf_take_number(in, 1) != 0;
    }
    hp_dwarf_end_after(in, hp_dwarf_take_number(in, in->offset_size));
    take_parameters(in, header, version);
    if (version >= 5) {
        take_tables(in, header, sections);
    } else {
        take_old_tables(in, header);
    }
    in->bad |=
        in->at != in->end || (header->address_size != 4 && header->address_size != 8);
    header->program = in->end;
}

bool hp_line_header_read(struct hp_line_header *header,
                         const struct hp_line_sections *sections, uint64_t offset,
                         unsigned address_size) {
    struct hp_span section = sections->line;
    struct hp_dwarf_bytes in = {.at = (const unsigned char *)section.at + offset,
                                .end = (const unsigned char *)section.at + section.size,
                                .is_big_endian = sections->is_big_endian};
    header->folders.count = header->files.count = 0;
    header->address_size = address_size;
    take_header(&in, header, sections);
    header->offset = in.bad ? UINT64_MAX : offset;
    return !in.bad;
}
