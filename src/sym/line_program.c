// DWARF 2 to 5, 6.2.5, "The Line Number Program": a machine with registers for an
// address, a file and a line; its other registers are not needed here.  It produces rows
// in sequences of ascending addresses; each row covers all addresses up to the next row.
// A program that elfutils would read differently, or not at all, is refused here.
#include "sym/line_program.h"

#include "base/md5.h"
#include "sym/dwarf_bytes.h"

#include <dwarf.h>

// --- line header -----------------------------------------------------------------------

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

// A part of an entry in a table of folders or files: its content (DW_LNCT_) and its form.
struct entry_part {
    uint64_t content, form;
};

// The format of a table of DWARF 5, and the number of its entries.
struct entry_table {
    struct entry_part parts[PARTS_MAX];
    size_t part_count;
    uint64_t count;
};

// The value of a part of an entry in a table of folders or files: a text, bytes or a
// number.
struct value {
    const char *text; // NULL: it is not a text
    const unsigned char *bytes;
    uint64_t number; // UINT64_MAX: it is not a number
};

// Read the format of a table of DWARF 5 and the number of its entries.
static void take_format(struct hp_dwarf_bytes *in, struct entry_table *entries) {
    entries->part_count = (size_t)hp_dwarf_take_number(in, 1);
    for (size_t i = 0; i < entries->part_count; i++) {
        entries->parts[i].content = hp_dwarf_take_leb128(in);
        entries->parts[i].form = hp_dwarf_take_leb128(in);
    }
    entries->count = hp_dwarf_take_leb128(in);
    in->bad |= entries->part_count == 0 && entries->count > 0;
}

// Read an offset and return the string there in a section; NULL if it is out of range.
static const char *string_in(struct hp_dwarf_bytes *in, struct hp_span section) {
    uint64_t offset = hp_dwarf_take_number(in, in->offset_size);
    // If the last byte is 0, every string in the section ends.
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

// Read a value of any form and move past it; in->bad is set if the form is unknown.
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

// Read an entry of a table of folders or files of DWARF 5; for a folder only its name is
// used.
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

// Read a whole header and set its members; in->bad is set if the header is refused.
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

// --- line program ----------------------------------------------------------------------

enum {
    WORK_PER_BYTE = 4, // work allowed for each byte of .debug_line
    // Rows allowed for each address: copies of one function may be in many programs.
    ROWS_PER_ADDRESS = 64,
    NVIDIA_INLINED_CALL = 0x90, // opcodes of a vendor
    NVIDIA_SET_FUNCTION_NAME = 0x91,
};

// Linkers give this address, or the one above, to functions that they discarded.
static const uint64_t tombstone = UINT64_MAX - 1;

// --- running a program -----------------------------------------------------------------

// The end of a sequence; the addresses from index `asked` on are not before it.
struct sequence_end {
    uint32_t asked;   // index in hp_line_reader.asked
    uint64_t address; // end of the sequence; one more if a row starts at the end itself
};

// A line number program that is running.
struct line_machine {
    struct hp_dwarf_bytes in;
    struct hp_line_reader *reader;
    const struct hp_line_header *header;
    struct hp_line_program *program;
    uint64_t address; // registers of the machine
    uint32_t file;
    int64_t line;
    bool has_row; // the current sequence has a row; its values:
    uint64_t row_address;
    uint32_t row_file;
    int64_t row_line;
    size_t next; // index of the first address in `asked` that is not before the row
    uint64_t next_address; // that address; UINT64_MAX: there is none
    uint64_t last_loose;   // highest address of a row without an end
    bool may_pass;         // sequences may be skipped
    uint64_t last;         // last address asked for in this sequence; UINT64_MAX: unknown
    HP_VEC(struct sequence_end) ends; // ends of the sequences so far
};

// Set the registers to their initial values.
static void start_sequence(struct line_machine *m) {
    m->has_row = false;
    m->address = 0;
    m->file = 1;
    m->line = 1;
    m->last = UINT64_MAX;
}

// --- skipping sequences ---------------------------------------------------------------

// A sequence ends with an opcode that begins with 0.  To find out whether a 0 is such an
// opcode or an operand, decoding begins after the nearest earlier byte that can be
// neither an operand's part nor an opcode with an operand.

// Whether an opcode has operands.
static bool takes_operand(const struct hp_line_header *header, unsigned byte) {
    return byte < header->opcode_base && header->lengths[byte - 1] > 0;
}

// Whether the opcodes allow bytes to be examined one by one: no opcode has two operands,
// and only special opcodes are 0x80 or more.
static bool has_short_opcodes(const struct hp_line_header *header) {
    bool is_so = header->opcode_base <= 0x80;
    for (unsigned i = 1; i < header->opcode_base; i++) {
        is_so &= header->lengths[i - 1] <= 1;
    }
    return is_so;
}

// Whether an opcode follows `at`, whatever the byte at `at` belongs to.
static bool is_last_byte(const struct hp_line_header *header, const unsigned char *at,
                         const unsigned char *begin) {
    bool may_be_half = at > begin && at[-1] == DW_LNS_fixed_advance_pc;
    return *at < 0x80 && !takes_operand(header, *at) && !may_be_half;
}

// Skip the opcode at `at`, which must not be 0, and its operand.  Returns the position
// after them, at most `end`.
static const unsigned char *pass_opcode(const struct hp_line_header *header,
                                        const unsigned char *at,
                                        const unsigned char *end) {
    unsigned opcode = *at++;
    if (opcode == DW_LNS_fixed_advance_pc) {
        return end - at > 2 ? at + 2 : end;
    }
    if (takes_operand(header, opcode)) {
        while (at < end && *at >= 0x80) {
            at++;
        }
        at += at < end;
    }
    return at;
}

// The first opcode 0 at or after the opcode at `begin`; NULL if there is none.
static const unsigned char *find_extended(const struct line_machine *m,
                                          const unsigned char *begin) {
    const unsigned char *zero;
    while ((zero = memchr(begin, 0, (size_t)(m->in.end - begin)))) {
        const unsigned char *at = zero;
        while (at > begin && !is_last_byte(m->header, at - 1, begin)) {
            at--;
        }
        while (at < zero) {
            at = pass_opcode(m->header, at, m->in.end);
        }
        if (at == zero) {
            return zero;
        }
        begin = at; // the 0 is an operand: search again after it
    }
    return NULL;
}

// Skip to the end of the current sequence if it surely covers a single range of
// addresses.  False, with nothing skipped, if that is not sure.
static bool pass_sequence(struct line_machine *m) {
    const unsigned char *at = m->in.at, *end = m->in.end;
    while ((at = find_extended(m, at)) && end - at > 2 && at[1] > 0 && at[1] < 0x80) {
        switch (at[2]) {
        case DW_LNE_end_sequence:
            m->in.at = at[1] == 1 ? at + 3 : m->in.at;
            return at[1] == 1;
        case DW_LNE_set_address:
        case DW_LNE_define_file:
        case NVIDIA_INLINED_CALL:
        case NVIDIA_SET_FUNCTION_NAME:
            return false;
        default:
            if (end - at < 2 + at[1]) {
                return false;
            }
            at += 2 + at[1];
            break;
        }
    }
    return false;
}

// Skip the rest of a sequence that is not needed, if that is possible; the program may
// then lack rows (is_partial).
static void pass_rest(struct line_machine *m) {
    if (pass_sequence(m)) {
        m->program->is_partial |= !m->reader->is_sure;
        start_sequence(m);
    }
}

// The wanted range that contains `address`; NULL if none does, which is true for most
// sequences.
static const struct hp_line_wanted *wanted_from(const struct hp_line_reader *reader,
                                                uint64_t address) {
    size_t low = 0, high = reader->wanted.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->wanted.at[middle].last < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_wanted = low < reader->wanted.count && reader->wanted.at[low].low <= address;
    return is_wanted ? &reader->wanted.at[low] : NULL;
}

// Set the address register, and skip the sequence if it begins outside the wanted ranges.
static void set_address(struct line_machine *m, uint64_t address) {
    m->address = address;
    if (m->may_pass && !m->has_row) {
        const struct hp_line_wanted *wanted = wanted_from(m->reader, address);
        m->last = wanted ? wanted->last : UINT64_MAX;
        if (!wanted) {
            pass_rest(m);
        }
    }
}

// --- rows ------------------------------------------------------------------------------

// Index of the first address in `asked` that is not before `address`.
static size_t first_asked(const struct hp_line_reader *reader, uint64_t address) {
    size_t low = 0, high = reader->asked.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->asked.at[middle] < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Make the address with index `next` the next one that needs a row.
static void go_to(struct line_machine *m, size_t next) {
    const struct hp_line_reader *reader = m->reader;
    m->next = next;
    m->next_address = next < reader->asked.count ? reader->asked.at[next] : UINT64_MAX;
}

// Store the row before the current one as the row of all addresses asked for, from index
// m->next on, that are before the current address.
static void take_row(struct line_machine *m) {
    struct hp_line_reader *reader = m->reader;
    m->in.bad |= m->row_line < INT32_MIN || m->row_line > INT32_MAX;
    uint32_t line = m->row_line > 0 ? (uint32_t)m->row_line : 0;
    while (m->next_address < m->address && !m->in.bad) {
        struct hp_line_row row = {m->row_address, (uint32_t)m->next, m->row_file, line,
                                  false};
        m->program->is_over = m->in.bad = !hp_line_spend(reader, 1);
        hp_vec_push(&reader->rows, row);
        go_to(m, m->next + 1);
    }
}

// Record the end of a sequence at `address`.  With `is_loose` its last row has no end: a
// row before that row follows, or the sequence ends at the start of its last row.
static void add_end(struct line_machine *m, uint64_t address, bool is_loose) {
    struct hp_line_program *program = m->program;
    struct sequence_end end = {(uint32_t)m->next, address + is_loose};
    struct sequence_end *last = m->ends.count ? &m->ends.at[m->ends.count - 1] : NULL;
    if (last && last->asked == end.asked) {
        last->address = end.address > last->address ? end.address : last->address;
    } else {
        hp_vec_push(&m->ends, end);
    }
    if (is_loose) {
        program->loose_from =
            address < program->loose_from ? address : program->loose_from;
        m->last_loose = address > m->last_loose ? address : m->last_loose;
        program->loose_to =
            program->loose_to > m->last_loose ? program->loose_to : UINT64_MAX;
    } else if (address > m->last_loose && address < program->loose_to) {
        program->loose_to = address;
    }
}

// Begin with the first row of a sequence, or with a row that lies before the previous
// row, as in functions that linkers discarded.
static void begin_rows(struct line_machine *m) {
    if (m->has_row && m->row_address < tombstone) {
        add_end(m, m->row_address, true);
    }
    m->has_row = true;
    go_to(m, first_asked(m->reader, m->address));
}

// Add a row with the values of the registers, which ends the previous row.
static inline void add_row(struct line_machine *m) {
    if (!m->has_row || m->address < m->row_address) {
        begin_rows(m);
    } else if (m->next_address < m->address) {
        take_row(m);
        if (m->next_address > m->last) {
            m->last = UINT64_MAX;
            pass_rest(m);
        }
    }
    m->row_address = m->address;
    m->row_file = m->file;
    m->row_line = m->line;
}

// End the sequence, and its last row, at the address register.
static void end_sequence(struct line_machine *m) {
    bool is_loose = m->has_row && m->address == m->row_address;
    if (!m->has_row || m->address < m->row_address) {
        begin_rows(m);
    } else {
        take_row(m);
    }
    add_end(m, m->address, is_loose);
    start_sequence(m);
}

// --- opcodes ---------------------------------------------------------------------------

// Run an opcode that begins with 0.
static void run_extended(struct line_machine *m) {
    const unsigned char *begin = m->in.at;
    uint64_t size = hp_dwarf_take_number(&m->in, 1);
    uint64_t opcode = hp_dwarf_take_number(&m->in, 1);
    m->in.bad |= size == 0 || size >= 0x80;
    switch (opcode) {
    case DW_LNE_end_sequence:
        m->in.bad |= size != 1;
        end_sequence(m);
        break;
    case DW_LNE_set_address:
        m->in.bad |= size != 1 + m->header->address_size;
        set_address(m, hp_dwarf_take_number(&m->in, m->header->address_size));
        break;
    case DW_LNE_set_discriminator:
        hp_dwarf_take_leb128(&m->in);
        m->in.bad |= (uint64_t)(m->in.at - begin) != 1 + size;
        break;
    case DW_LNE_define_file:
    case NVIDIA_INLINED_CALL: // libdw goes by their operands, not by their length
    case NVIDIA_SET_FUNCTION_NAME:
        m->in.bad = true;
        break;
    default:
        hp_dwarf_take(&m->in, size - 1);
        break;
    }
}

// Advance the address register by a number of instructions.
static void advance(struct line_machine *m, uint64_t operations) {
    uint64_t bytes = operations * m->header->instruction_size;
    m->in.bad |= bytes > UINT32_MAX;
    m->address += bytes;
}

// Run an opcode below opcode_base.
static void run_standard(struct line_machine *m, unsigned opcode) {
    const struct hp_line_header *header = m->header;
    switch (opcode) {
    case DW_LNS_copy:
        add_row(m);
        break;
    case DW_LNS_advance_pc:
        advance(m, hp_dwarf_take_small_leb128(&m->in));
        break;
    case DW_LNS_advance_line:
        m->line += hp_dwarf_take_small_sleb128(&m->in);
        break;
    case DW_LNS_set_file:
        m->file = hp_dwarf_take_small_leb128(&m->in);
        break;
    case DW_LNS_const_add_pc:
        advance(m, (255 - header->opcode_base) / header->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        m->address += hp_dwarf_take_number(&m->in, 2);
        break;
    default:
        for (unsigned i = 0; i < header->lengths[opcode - 1]; i++) {
            hp_dwarf_take_leb128(&m->in);
        }
        break;
    }
}

// Run a program to its end, or until in.bad is set.
static void run(struct line_machine *m) {
    const struct hp_line_header *header = m->header;
    while (m->in.at < m->in.end && !m->in.bad) {
        unsigned opcode = *m->in.at++;
        if (opcode >= header->opcode_base) {
            unsigned number = opcode - header->opcode_base;
            m->address += number / header->line_range * header->instruction_size;
            m->line += header->line_base + (int)(number % header->line_range);
            add_row(m);
        } else if (opcode == 0) {
            run_extended(m);
        } else {
            run_standard(m, opcode);
        }
    }
    m->in.bad |= m->has_row;
}

// --- overlaps --------------------------------------------------------------------------

// Order rows by address.
static int by_asked(const void *a, const void *b) {
    const struct hp_line_row *x = a, *y = b;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

// Order ends by address.
static int by_end(const void *a, const void *b) {
    const struct sequence_end *x = a, *y = b;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

// Mark rows as doubtful where elfutils may find another row: it sorts the rows of all
// sequences together and takes the last before an address.
static void doubt_rows(struct line_machine *m) {
    struct hp_line_reader *reader = m->reader;
    size_t first = m->program->first, count = reader->rows.count - first, at = 0;
    struct hp_line_row *rows = hp_vec_from(&reader->rows, first);
    uint64_t furthest = 0;
    if (count == 0) {
        return;
    }
    qsort(rows, count, sizeof *rows, by_asked);
    hp_vec_sort(&m->ends, by_end);
    for (size_t i = 0; i < count; i++) {
        for (; at < m->ends.count && m->ends.at[at].asked <= rows[i].asked; at++) {
            uint64_t end = m->ends.at[at].address;
            furthest = end > furthest ? end : furthest;
        }
        bool is_double = i > 0 && rows[i - 1].asked == rows[i].asked;
        rows[i].is_doubted = is_double || furthest > rows[i].start;
        rows[i - is_double].is_doubted |= is_double;
    }
}

// Run a program whose header is in reader->header, without skipping if `is_whole`.  Its
// rows are appended to reader->rows.
static void run_program(struct hp_line_reader *reader, struct hp_line_program *program,
                        bool is_whole) {
    const struct hp_line_header *header = &reader->header;
    program->first = reader->rows.count;
    program->loose_from = UINT64_MAX;
    program->loose_to = 0;
    program->is_partial = false;
    struct line_machine m = {.in = {.at = header->program,
                                    .end = header->end,
                                    .is_big_endian = reader->sections.is_big_endian},
                             .reader = reader,
                             .header = header,
                             .program = program,
                             .may_pass = !is_whole && reader->wanted.count > 0 &&
                                         has_short_opcodes(header)};
    start_sequence(&m);
    run(&m);
    if (m.in.bad) {
        program->is_unknown = true;
        reader->rows.count = program->first;
    } else {
        doubt_rows(&m);
    }
    program->count = reader->rows.count - program->first;
    hp_vec_done(&m.ends);
}

// --- the reader ------------------------------------------------------------------------

void hp_line_reader_start(struct hp_line_reader *reader) {
    reader->header.offset = UINT64_MAX;
    reader->limit = WORK_PER_BYTE * (uint64_t)reader->sections.line.size +
                    ROWS_PER_ADDRESS * (uint64_t)reader->asked.count;
}

void hp_line_reader_done(struct hp_line_reader *reader) {
    hp_vec_done(&reader->asked);
    hp_vec_done(&reader->wanted);
    hp_vec_done(&reader->programs);
    hp_index_drop(&reader->index);
    hp_vec_done(&reader->rows);
    hp_vec_done(&reader->header.folders);
    hp_vec_done(&reader->header.files);
}

bool hp_line_spend(struct hp_line_reader *reader, uint64_t work) {
    reader->is_over |= work > reader->limit - reader->work;
    reader->work += reader->is_over ? 0 : work;
    return !reader->is_over;
}

// Read the header of a new program and run it.
static void meet_program(struct hp_line_reader *reader, struct hp_line_program *program) {
    uint64_t offset = program->offset;
    bool is_inside = offset < reader->sections.line.size && !reader->is_over;
    program->is_unknown =
        !is_inside || !hp_line_header_read(&reader->header, &reader->sections, offset,
                                           program->address_size);
    if (is_inside) {
        const unsigned char *begin =
            (const unsigned char *)reader->sections.line.at + offset;
        program->size = (uint64_t)(reader->header.end - begin);
        program->header_size = (uint64_t)(reader->header.program - begin);
    }
    program->is_over = !hp_line_spend(reader, program->size);
    if (!program->is_unknown && !program->is_over) {
        run_program(reader, program, false);
    }
}

struct hp_line_program *hp_line_program_at(struct hp_line_reader *reader, uint64_t offset,
                                           unsigned address_size) {
    size_t number =
        hp_index_of(&reader->index, &reader->programs, &offset, sizeof offset);
    if (number == reader->programs.count) {
        struct hp_line_program program = {.offset = offset,
                                          .address_size = address_size,
                                          .loose_from = UINT64_MAX};
        meet_program(reader, hp_vec_push(&reader->programs, program));
    }
    return &reader->programs.at[number];
}

void hp_line_want(struct hp_line_reader *reader, uint64_t low, uint64_t address) {
    struct hp_line_wanted *last =
        reader->wanted.count ? &reader->wanted.at[reader->wanted.count - 1] : NULL;
    if (last && low <= last->last) {
        last->low = low < last->low ? low : last->low;
        last->last = address;
    } else {
        struct hp_line_wanted wanted = {low, address};
        hp_vec_push(&reader->wanted, wanted);
    }
}

// The row in a program of the address with index `asked`; NULL if it has none.
static const struct hp_line_row *row_of(const struct hp_line_reader *reader,
                                        const struct hp_line_program *program,
                                        uint32_t asked) {
    const struct hp_line_row *rows = hp_vec_from(&reader->rows, program->first);
    size_t low = 0, high = program->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].asked < asked) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < program->count && rows[low].asked == asked ? &rows[low] : NULL;
}

// Run a program again, from its header on, without skipping sequences.
static void run_whole(struct hp_line_reader *reader, struct hp_line_program *program) {
    program->is_over = !hp_line_spend(reader, program->size);
    if (hp_line_read_header(reader, program)) {
        run_program(reader, program, true);
    }
}

enum hp_line_answer hp_line_find(struct hp_line_reader *reader,
                                 struct hp_line_program *program, uint32_t asked,
                                 struct hp_line_row *row) {
    const struct hp_line_row *found = row_of(reader, program, asked);
    if (!found && program->is_partial) {
        run_whole(reader, program);
        found = row_of(reader, program, asked);
    }
    if (program->is_unknown) {
        return HP_LINE_DOUBTED;
    }
    if (!found) {
        uint64_t address = reader->asked.at[asked];
        bool is_loose = address >= program->loose_from && address < program->loose_to;
        return is_loose ? HP_LINE_DOUBTED : HP_LINE_NONE;
    }
    *row = *found;
    return row->is_doubted ? HP_LINE_DOUBTED : HP_LINE_FOUND;
}

bool hp_line_read_header(struct hp_line_reader *reader,
                         const struct hp_line_program *program) {
    if (program->is_unknown || program->is_over) {
        return false;
    }
    return reader->header.offset == program->offset ||
           (hp_line_spend(reader, program->header_size) &&
            hp_line_header_read(&reader->header, &reader->sections, program->offset,
                                program->address_size));
}
