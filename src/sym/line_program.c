// DWARF 2 to 5, 6.2.5, "The Line Number Program": a machine whose registers are an address, a file
// and a line, and others that are of no use here.  Its rows are in sequences of ascending addresses;
// each is that of all addresses up to the next.  What elfutils would read in another way, or not at
// all, is not read here.
#include "sym/line_program.h"

#include "sym/dwarf_bytes.h"

#include <dwarf.h>

enum {
    WORK_PER_BYTE = 4,          // of the section
    ROWS_PER_ADDRESS = 64,      // copies of one function may be in many programs
    NVIDIA_INLINED_CALL = 0x90, // opcodes of a vendor
    NVIDIA_SET_FUNCTION_NAME = 0x91,
};

// Linkers give this address, or the one above, to what they have left out.
static const uint64_t tombstone = UINT64_MAX - 1;

// --- running a program ----------------------------------------------------------------------

// No address from `asked` on, and none of those before, is in the sequence behind this end.
struct sequence_end {
    uint32_t asked;
    uint64_t address; // one more where a row starts at the end itself
};

struct machine {
    struct hp_dwarf_bytes in;
    struct hp_line_reader *reader;
    const struct hp_line_header *header;
    struct hp_line_program *program;
    uint64_t address; // the registers that matter
    uint32_t file;
    int64_t line;
    bool has_row; // of this sequence, and which it was:
    uint64_t row_address;
    uint32_t row_file;
    int64_t row_line;
    size_t next;           // the first address asked for that is not before the row
    uint64_t next_address; // UINT64_MAX: there is none
    uint64_t last_loose;   // the highest address of such a row
    HP_VEC(struct sequence_end) ends;
};

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

static void go_to(struct machine *m, size_t next) {
    const struct hp_line_reader *reader = m->reader;
    m->next = next;
    m->next_address = next < reader->asked.count ? reader->asked.at[next] : UINT64_MAX;
}

// The row before this one is that of all addresses up to here.
static void take_row(struct machine *m) {
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

// A sequence ends here, or is broken off by a row that lies before this one, which then has no
// end: it is loose.
static void add_end(struct machine *m, uint64_t address, bool is_loose) {
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

// The first row of a sequence, or one that lies before the row before it, as in functions that
// linkers have left out.
static void begin_rows(struct machine *m) {
    if (m->has_row && m->row_address < tombstone) {
        add_end(m, m->row_address, true);
    }
    m->has_row = true;
    go_to(m, first_asked(m->reader, m->address));
}

static inline void add_row(struct machine *m) {
    if (!m->has_row || m->address < m->row_address) {
        begin_rows(m);
    } else if (m->next_address < m->address) {
        take_row(m);
    }
    m->row_address = m->address;
    m->row_file = m->file;
    m->row_line = m->line;
}

static void end_sequence(struct machine *m) {
    bool is_loose = m->has_row && m->address == m->row_address;
    if (!m->has_row || m->address < m->row_address) {
        begin_rows(m);
    } else {
        take_row(m);
    }
    add_end(m, m->address, is_loose);
    m->has_row = false;
    m->address = 0;
    m->file = 1;
    m->line = 1;
}

static void run_extended(struct machine *m) {
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
        m->address = hp_dwarf_take_number(&m->in, m->header->address_size);
        break;
    case DW_LNE_set_discriminator:
        hp_dwarf_take_leb128(&m->in);
        m->in.bad |= (uint64_t)(m->in.at - begin) != 1 + size;
        break;
    case DW_LNE_define_file:
    case NVIDIA_INLINED_CALL: // their operands count for libdw, not their length
    case NVIDIA_SET_FUNCTION_NAME:
        m->in.bad = true;
        break;
    default:
        hp_dwarf_take(&m->in, size - 1);
        break;
    }
}

static void advance(struct machine *m, uint64_t operations) {
    uint64_t bytes = operations * m->header->instruction_size;
    m->in.bad |= bytes > UINT32_MAX;
    m->address += bytes;
}

static void run_standard(struct machine *m, unsigned opcode) {
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

static void run(struct machine *m) {
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

// --- overlaps -------------------------------------------------------------------------------

static int by_asked(const void *a, const void *b) {
    const struct hp_line_row *x = a, *y = b;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

static int by_end(const void *a, const void *b) {
    const struct sequence_end *x = a, *y = b;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

// Elfutils sorts the rows of all sequences together, and takes the last before an address.
static void doubt_rows(struct machine *m) {
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

static void run_program(struct hp_line_reader *reader, struct hp_line_program *program) {
    const struct hp_line_header *header = &reader->header;
    struct machine m = {.in = {.at = header->program,
                               .end = header->end,
                               .is_big_endian = reader->sections.is_big_endian},
                        .reader = reader,
                        .header = header,
                        .program = program,
                        .file = 1,
                        .line = 1};
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

// --- the reader -----------------------------------------------------------------------------

void hp_line_reader_start(struct hp_line_reader *reader) {
    reader->header.offset = UINT64_MAX;
    reader->limit = WORK_PER_BYTE * (uint64_t)reader->sections.line.size +
                    ROWS_PER_ADDRESS * (uint64_t)reader->asked.count;
}

void hp_line_reader_done(struct hp_line_reader *reader) {
    hp_vec_done(&reader->asked);
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

static void meet_program(struct hp_line_reader *reader, struct hp_line_program *program,
                         unsigned address_size) {
    uint64_t offset = program->offset;
    bool is_inside = offset < reader->sections.line.size && !reader->is_over;
    program->is_unknown =
        !is_inside ||
        !hp_line_header_read(&reader->header, &reader->sections, offset, address_size);
    if (is_inside) {
        const unsigned char *begin =
            (const unsigned char *)reader->sections.line.at + offset;
        program->size = (uint64_t)(reader->header.end - begin);
        program->header_size = (uint64_t)(reader->header.program - begin);
    }
    program->is_over = !hp_line_spend(reader, program->size);
    if (!program->is_unknown && !program->is_over) {
        run_program(reader, program);
    }
}

struct hp_line_program *hp_line_program_at(struct hp_line_reader *reader, uint64_t offset,
                                           unsigned address_size) {
    size_t number =
        hp_index_of(&reader->index, &reader->programs, &offset, sizeof offset);
    if (number == reader->programs.count) {
        struct hp_line_program program = {.offset = offset,
                                          .first = reader->rows.count,
                                          .loose_from = UINT64_MAX};
        meet_program(reader, hp_vec_push(&reader->programs, program), address_size);
    }
    return &reader->programs.at[number];
}

enum hp_line_answer hp_line_find(const struct hp_line_reader *reader,
                                 const struct hp_line_program *program, uint32_t asked,
                                 struct hp_line_row *row) {
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
    if (low == program->count || rows[low].asked != asked) {
        uint64_t address = reader->asked.at[asked];
        bool is_loose = address >= program->loose_from && address < program->loose_to;
        return is_loose ? HP_LINE_DOUBTED : HP_LINE_NONE;
    }
    *row = rows[low];
    return row->is_doubted ? HP_LINE_DOUBTED : HP_LINE_FOUND;
}

bool hp_line_read_header(struct hp_line_reader *reader,
                         const struct hp_line_program *program, unsigned address_size) {
    if (program->is_unknown || program->is_over) {
        return false;
    }
    return reader->header.offset == program->offset ||
           (hp_line_spend(reader, program->header_size) &&
            hp_line_header_read(&reader->header, &reader->sections, program->offset,
                                address_size));
}
