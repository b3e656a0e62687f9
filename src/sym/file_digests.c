// DWARF 5, 6.2.4, "The Line Number Program Header":
//
//     length              4 bytes, or ff ff ff ff and 8: the 64-bit format
//     version             2
//     address size, segment selector size            1 each
//     header length       4, or 8
//     minimum instruction length, maximum operations, default is_stmt, line base, line range,
//     opcode base n       1 each
//     lengths of opcodes  n - 1
//     directories:  how many parts each has (1 byte), of each the content and the form (LEB128);
//                   how many there are (LEB128); the parts of each
//     files:        the same
//
// A file's MD5 is the part whose content is DW_LNCT_MD5 and whose form is DW_FORM_data16.  No form
// that is read here takes less than a byte, so that no number of entries outlasts the section.
#include "sym/file_digests.h"

#include "base/md5.h"

#include <dwarf.h>

enum {
    VERSION = 5,
    FIXED = 5, // bytes between the header's length and the opcode base
    LEB128_MAX = 10,
    PARTS_MAX = 255,
};

// After the first value that is not there, all that follow are 0 and `bad` stays set.
struct reader {
    const unsigned char *at, *end;
    size_t offset_size;
    bool is_big_endian, bad;
};

static const unsigned char *take(struct reader *in, uint64_t size) {
    if (in->bad || size > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    return at;
}

static uint64_t take_number(struct reader *in, size_t size) {
    const unsigned char *bytes = take(in, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < size; i++) {
        value = value << 8 | bytes[in->is_big_endian ? i : size - 1 - i];
    }
    return value;
}

static uint64_t take_leb128(struct reader *in) {
    uint64_t value = 0;
    for (unsigned i = 0; i < LEB128_MAX; i++) {
        uint64_t byte = take_number(in, 1);
        value |= (byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            return value;
        }
    }
    in->bad = true;
    return 0;
}

// What follows ends with the bytes of a length that was read.
static void end_after(struct reader *in, uint64_t size) {
    if (size > (uint64_t)(in->end - in->at)) {
        in->bad = true;
    } else {
        in->end = in->at + size;
    }
}

static uint64_t size_of_string(const struct reader *in) {
    const unsigned char *nul = memchr(in->at, '\0', (size_t)(in->end - in->at));
    return nul ? (uint64_t)(nul + 1 - in->at) : UINT64_MAX;
}

// How many bytes of a value follow; where its length stands before it, that is taken.
static uint64_t size_of_value(struct reader *in, uint64_t form) {
    switch (form) {
    case DW_FORM_line_strp:
    case DW_FORM_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
        return in->offset_size;
    case DW_FORM_string:
        return size_of_string(in);
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_strx:
        take_leb128(in);
        return 0;
    case DW_FORM_block:
        return take_leb128(in);
    case DW_FORM_block1:
        return take_number(in, 1);
    case DW_FORM_block2:
        return take_number(in, 2);
    case DW_FORM_block4:
        return take_number(in, 4);
    case DW_FORM_data1:
    case DW_FORM_strx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_strx2:
        return 2;
    case DW_FORM_strx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_strx4:
        return 4;
    case DW_FORM_data8:
        return 8;
    case DW_FORM_data16:
        return 16;
    default:
        return UINT64_MAX;
    }
}

// --- directories and files ----------------------------------------------------------------

struct part {
    uint64_t content, form;
};

struct entries {
    struct part parts[PARTS_MAX];
    size_t part_count;
    uint64_t count;
    bool has_digest;
};

static void take_format(struct reader *in, struct entries *entries) {
    entries->part_count = (size_t)take_number(in, 1);
    entries->has_digest = false;
    for (size_t i = 0; i < entries->part_count; i++) {
        struct part *part = &entries->parts[i];
        part->content = take_leb128(in);
        part->form = take_leb128(in);
        entries->has_digest |=
            part->content == DW_LNCT_MD5 && part->form == DW_FORM_data16;
    }
    entries->count = take_leb128(in);
    in->bad |= entries->part_count == 0 && entries->count > 0;
}

// The MD5, if the entry has one.
static const unsigned char *take_entry(struct reader *in, const struct entries *entries) {
    const unsigned char *digest = NULL;
    for (size_t i = 0; i < entries->part_count && !in->bad; i++) {
        const struct part *part = &entries->parts[i];
        const unsigned char *value = take(in, size_of_value(in, part->form));
        bool is_digest = part->content == DW_LNCT_MD5 && part->form == DW_FORM_data16;
        digest = is_digest ? value : digest;
    }
    return digest;
}

// Of zeros it is one that an assembler was not told.
static bool is_told(const unsigned char *digest) {
    static const unsigned char zeros[HP_MD5_SIZE];
    return digest && memcmp(digest, zeros, sizeof zeros) != 0;
}

static void take_entries(struct reader *in, struct hp_file_digests *digests) {
    struct entries entries;
    take_format(in, &entries);
    for (uint64_t i = 0; i < entries.count && !in->bad; i++) {
        take_entry(in, &entries);
    }
    take_format(in, &entries);
    for (uint64_t i = 0; entries.has_digest && i < entries.count && !in->bad; i++) {
        const unsigned char *digest = take_entry(in, &entries);
        hp_vec_push(&digests->of, is_told(digest) ? digest : NULL);
    }
}

// False: it is none of version 5.
static bool take_header(struct reader *in) {
    uint64_t size = take_number(in, 4);
    in->offset_size = size == UINT32_MAX ? 8 : 4;
    end_after(in, size == UINT32_MAX ? take_number(in, 8) : size);
    if (take_number(in, 2) != VERSION) {
        return false;
    }
    take(in, 2);
    end_after(in, take_number(in, in->offset_size));
    take(in, FIXED);
    uint64_t opcode_base = take_number(in, 1);
    take(in, opcode_base > 0 ? opcode_base - 1 : 0);
    return !in->bad;
}

size_t hp_file_digests_read(struct hp_file_digests *digests,
                            const struct hp_line_program *program) {
    digests->of.count = 0;
    if (program->offset >= program->section.size) {
        return 0;
    }
    const unsigned char *begin =
        (const unsigned char *)program->section.at + program->offset;
    struct reader in = {.at = begin,
                        .end = begin + (program->section.size - program->offset),
                        .is_big_endian = program->is_big_endian};
    if (take_header(&in)) {
        take_entries(&in, digests);
    }
    digests->of.count = in.bad ? 0 : digests->of.count;
    return (size_t)(in.at - begin);
}

const unsigned char *hp_file_digest(const struct hp_file_digests *digests, size_t file) {
    return file < digests->of.count ? digests->of.at[file] : NULL;
}
