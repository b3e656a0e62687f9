// Calls are recognized by the last bytes before the address that they return to:
//
//     x86-64, i386   E8 rel32; FF /2 with any operand and any prefixes
//     aarch64        BL, BLR, BLRAA and its kin
//     riscv64        JAL, JALR with a link register, C.JALR
//     s390x          BRASL, BRAS, BASR, BAS with %r14
//     ppc64          BL, BCL, BCLRL, BCCTRL, BCTARL
//
// At the address that a signal handler returns to, the code loads the number of
// sigreturn(2) or rt_sigreturn(2) and calls the kernel.
//
// Manuals: Intel SDM vol. 2; Arm ARM C6.2; RISC-V unprivileged ISA, chapters 2 and 16;
// z/Architecture Principles of Operation; Power ISA, book I, 2.4.  Instructions of
// aarch64 and riscv64 are little-endian whatever the byte order of the data.
#include "sym/calls.h"

#include "base/files.h"
#include "sym/image.h"

#include <elf.h>
#ifdef __SSE2__
#    include <emmintrin.h>
#endif
#include <string.h>
#include <unistd.h>

enum {
    BEFORE = 8, // bytes before an address: the longest call has seven
    AT = 12,    // bytes from an address on: the longest return from a signal
};

// The bytes of code around an address that are both in its segment and in the file.
struct code {
    unsigned char before[BEFORE]; // its last byte is the one before the address
    unsigned char at[AT];         // the bytes from the address on
    // Number of bytes of `before` and of `at` that exist.
    size_t before_size, at_size;
    bool is_big_endian;
};

// A 32-bit word in the given byte order.
static uint32_t word_of(const unsigned char *bytes, bool is_big_endian) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; i++) {
        word |= (uint32_t)bytes[i] << 8 * (is_big_endian ? 3 - i : i);
    }
    return word;
}

// The last `size` bytes before the address, or NULL if there are fewer.
static const unsigned char *last(const struct code *code, size_t size) {
    return code->before_size >= size ? code->before + BEFORE - size : NULL;
}

// The four-byte instruction before the address; 0, which is no instruction, if it does
// not exist.
static uint32_t last_word(const struct code *code) {
    const unsigned char *bytes = last(code, 4);
    return bytes ? word_of(bytes, code->is_big_endian) : 0;
}

// Whether the bits `mask` of a word are `value`.
static bool fits(uint32_t word, uint32_t mask, uint32_t value) {
    return (word & mask) == value;
}

// Whether the code at the address begins with these bytes.
static bool begins(const struct code *code, const void *bytes, size_t size) {
    return code->at_size >= size && memcmp(code->at, bytes, size) == 0;
}

// The value of a two's complement number with `bits` bits.
static int64_t widen(uint32_t value, unsigned bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1);
    return (int64_t)(value & (sign - 1)) - (int64_t)(value & sign);
}

// --- x86 -------------------------------------------------------------------------------

// The size of an FF instruction with its operand, from the two bytes after FF.
static size_t size_of_indirect(unsigned char modrm, unsigned char sib) {
    unsigned mode = modrm >> 6, base = modrm & 7;
    bool has_sib = mode != 3 && base == 4;
    bool is_bare = mode == 0 && (has_sib ? (sib & 7) == 5 : base == 5);
    return 2u + has_sib + (mode == 1 ? 1u : mode == 2 || is_bare ? 4u : 0u);
}

// Whether a call of x86 ends before the address: E8 with a distance, or FF with any
// operand, tried in all of its sizes.
static bool is_x86_call(const struct code *code) {
    const unsigned char *relative = last(code, 5);
    if (relative && relative[0] == 0xe8) {
        return true;
    }
    for (size_t size = 2; size <= 7; size++) {
        const unsigned char *at = last(code, size);
        if (at && at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
            size_of_indirect(at[1], size > 2 ? at[2] : 0) == size) {
            return true;
        }
    }
    return false;
}

// Find the distance from the address to the target of a call E8: its last four bytes.
// False for any other instruction.
static bool find_x86_distance(const struct code *code, int64_t *distance) {
    const unsigned char *relative = last(code, 5);
    bool is_direct = relative && relative[0] == 0xe8;
    *distance = is_direct ? widen(word_of(relative + 1, false), 32) : 0;
    return is_direct;
}

static bool is_x86_64_signal_return(const struct code *code) {
    static const unsigned char long_form[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5};
    static const unsigned char short_form[] = {0xb8, 15, 0, 0, 0, 0x0f, 5}; // used by Go
    return begins(code, long_form, sizeof long_form) ||
           begins(code, short_form, sizeof short_form);
}

static bool is_i386_signal_return(const struct code *code) {
    static const unsigned char with_info[] = {0xb8, 173, 0, 0, 0, 0xcd, 0x80};
    static const unsigned char without[] = {0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80};
    return begins(code, with_info, sizeof with_info) ||
           begins(code, without, sizeof without);
}

// --- machines with instructions of one length ------------------------------------------

static bool is_aarch64_call(const struct code *code) {
    uint32_t word = last_word(code);
    return fits(word, 0xfc000000, 0x94000000) || // BL
           fits(word, 0xfffffc1f, 0xd63f0000) || // BLR
           fits(word, 0xfffff81f, 0xd63f081f) || // BLRAAZ, BLRABZ
           fits(word, 0xfffff800, 0xd73f0800);   // BLRAA, BLRAB
}

// Find the distance from the address to the target of a BL, whose operand counts
// instructions from its own address.  False for any other instruction.
static bool find_aarch64_distance(const struct code *code, int64_t *distance) {
    uint32_t word = last_word(code);
    *distance = 4 * widen(word, 26) - 4;
    return fits(word, 0xfc000000, 0x94000000);
}

static bool is_aarch64_signal_return(const struct code *code) {
    static const unsigned char bytes[] = {0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4};
    return begins(code, bytes, sizeof bytes);
}

static bool is_ppc64_call(const struct code *code) {
    uint32_t word = last_word(code);
    return fits(word, 0xfc000001, 0x48000001) || // BL
           fits(word, 0xfc000001, 0x40000001) || // BCL
           fits(word, 0xfc0007ff, 0x4c000021) || // BCLRL
           fits(word, 0xfc0007ff, 0x4c000421) || // BCCTRL
           fits(word, 0xfc0007ff, 0x4c000461);   // BCTARL
}

// Whether a signal handler returns to the address of the code: the kernel's code there
// loads the number of the system call that ends a handler.  Before it there may be an
// instruction that removes the signal frame.
static bool is_ppc64_signal_return(const struct code *code) {
    size_t skip = code->at_size >= AT && fits(word_of(code->at, code->is_big_endian),
                                              0xffff0000, 0x38210000)
                      ? 4 // addi r1,r1,N
                      : 0;
    return code->at_size >= skip + 8 &&
           word_of(code->at + skip, code->is_big_endian) == 0x380000ac &&   // li r0,172
           word_of(code->at + skip + 4, code->is_big_endian) == 0x44000002; // sc
}

// --- machines with instructions of several lengths -------------------------------------

static bool is_riscv64_call(const struct code *code) {
    const unsigned char *half = last(code, 2);
    unsigned small = half ? half[0] | (unsigned)half[1] << 8 : 0;
    uint32_t word = last_word(code), link = word >> 7 & 31;
    bool links = link == 1 || link == 5;                            // ra, t0
    return ((small & 0xf07f) == 0x9002 && (small & 0x0f80) != 0) || // C.JALR
           (links && (fits(word, 0x7f, 0x6f) ||                     // JAL
                      fits(word, 0x707f, 0x67)));                   // JALR
}

static bool is_riscv64_signal_return(const struct code *code) {
    static const unsigned char bytes[] = {0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0};
    return begins(code, bytes, sizeof bytes);
}

static bool is_s390x_call(const struct code *code) {
    const unsigned char *six = last(code, 6), *four = last(code, 4), *two = last(code, 2);
    return (six && six[0] == 0xc0 && six[1] == 0xe5) ||               // BRASL %r14
           (four && four[0] == 0xa7 && four[1] == 0xe5) ||            // BRAS %r14
           (four && four[0] == 0x4d && four[1] >> 4 == 14) ||         // BAS %r14
           (two && two[0] == 0x0d && two[1] > 0xe0 && two[1] < 0xf0); // BASR %r14
}

static bool is_s390x_signal_return(const struct code *code) {
    static const unsigned char with_info[] = {0x0a, 173}, without[] = {0x0a, 119};
    return begins(code, with_info, sizeof with_info) ||
           begins(code, without, sizeof without);
}

// --- all machines ----------------------------------------------------------------------

// The rules by which calls and returns from signal handlers are recognized in the code of
// one kind of machine.
struct machine {
    unsigned number;       // e_machine
    unsigned bits;         // 0: any number
    unsigned alignment;    // alignment of instructions in bytes
    bool is_little_endian; // instructions are little-endian whatever the data are
    bool (*is_call)(const struct code *code);
    bool (*is_signal_return)(const struct code *code);
    // Find the distance from the return address to the target of a direct call; false if
    // the call is not direct.  NULL: there are no rules.
    bool (*find_distance)(const struct code *code, int64_t *distance);
};

static const struct machine machines[] = {
    {EM_X86_64, 0, 1, true, is_x86_call, is_x86_64_signal_return, find_x86_distance},
    {EM_386, 32, 1, true, is_x86_call, is_i386_signal_return, find_x86_distance},
    {EM_AARCH64, 0, 4, true, is_aarch64_call, is_aarch64_signal_return,
     find_aarch64_distance},
    {EM_RISCV, 64, 2, true, is_riscv64_call, is_riscv64_signal_return, NULL},
    {EM_S390, 64, 2, false, is_s390x_call, is_s390x_signal_return, NULL},
    {EM_PPC64, 64, 4, false, is_ppc64_call, is_ppc64_signal_return, NULL},
};

// Return the rules for the machine that the code of an image is for; NULL if there are
// none.
static const struct machine *machine_of(const struct hp_image *image) {
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        bool has_bits = machines[i].bits == 0 || machines[i].bits == image->bits;
        if (machines[i].number == image->machine && has_bits) {
            return &machines[i];
        }
    }
    return NULL;
}

bool hp_calls_are_known(const struct hp_image *image) {
    return machine_of(image) != NULL;
}

// The executable segment that contains the byte before `offset`, or else the byte at it.
static const struct hp_load *segment_of(const struct hp_image *image, uint64_t offset) {
    const struct hp_load *found = NULL, *load;
    hp_vec_each (load, &image->loads) {
        bool is_end = offset > load->offset && offset - load->offset <= load->size;
        if (load->exec && (is_end || (!found && offset == load->offset))) {
            found = load;
        }
    }
    return found;
}

// Whether the window contains these bytes of the file.
static bool holds(const struct hp_code_window *window, uint64_t offset, size_t size) {
    uint64_t skipped = offset - window->offset;
    return offset >= window->offset && skipped <= window->size &&
           size <= window->size - skipped;
}

// Copy `size` bytes at `offset` of the file, through the window; returns how many exist.
static size_t read_bytes(const struct hp_image *image, struct hp_code_window *window,
                         uint64_t offset, void *bytes, size_t size) {
    if (!holds(window, offset, size)) {
        ssize_t got = hp_read_at(image->fd, window->bytes, sizeof window->bytes, offset);
        window->offset = offset;
        window->size = got > 0 ? (size_t)got : 0;
    }
    size_t skipped = (size_t)(offset - window->offset), left = window->size - skipped;
    size = size < left ? size : left;
    memcpy(bytes, window->bytes + skipped, size);
    return size;
}

// Read the code around an offset of the file.
static struct code read_code(const struct hp_image *image, struct hp_code_window *window,
                             uint64_t offset, const struct hp_load *segment) {
    struct code code = {.is_big_endian = image->is_big_endian};
    unsigned char bytes[BEFORE + AT];
    uint64_t before = offset - segment->offset, after = segment->size - before;
    size_t wanted = before < BEFORE ? (size_t)before : BEFORE;
    size_t size = wanted + (after < AT ? (size_t)after : AT);
    size_t got = read_bytes(image, window, offset - wanted, bytes, size);
    if (got >= wanted) {
        code.before_size = wanted;
        code.at_size = got - wanted;
        memcpy(code.before + BEFORE - wanted, bytes, wanted);
        memcpy(code.at, bytes + wanted, code.at_size);
    }
    return code;
}

unsigned hp_calls_unit(const struct hp_image *image) {
    const struct machine *machine = machine_of(image);
    return machine ? machine->alignment : 0;
}

// --- whole segments --------------------------------------------------------------------

// The code around a byte of a piece.
static struct code code_at(const struct hp_image *image,
                           const struct hp_calls_piece *piece, size_t at) {
    struct code code = {.is_big_endian = image->is_big_endian};
    const unsigned char *text = piece->bytes;
    code.before_size = at < BEFORE ? at : BEFORE;
    code.at_size = piece->size - at < AT ? piece->size - at : AT;
    memcpy(code.before + BEFORE - code.before_size, text + at - code.before_size,
           code.before_size);
    memcpy(code.at, text + at, code.at_size);
    return code;
}

// Report the call that begins at byte i.  It finds the same calls by their start as
// is_x86_call() does by their end.
static void add_x86_call(const struct hp_calls_piece *piece, size_t i,
                         const struct hp_calls_at *found) {
    const unsigned char *text = piece->bytes;
    size_t size = piece->size, end = i + 5;
    if (text[i] == 0xff && i + 1 == size) {
        return;
    }
    if (text[i] == 0xff) {
        end = i + size_of_indirect(text[i + 1], i + 2 < size ? text[i + 2] : 0);
    }
    if (end <= size) {
        found->call(found->data, end);
    }
}

// Bytes among 16 that may begin a call or enter the kernel: bit i is byte i.  Reads one
// byte more.
static unsigned find_places(const unsigned char *text) {
#ifdef __SSE2__
    __m128i here = _mm_loadu_si128((const __m128i *)text);
    __m128i next = _mm_loadu_si128((const __m128i *)(text + 1));
    __m128i middle = _mm_and_si128(next, _mm_set1_epi8(0x38));
    __m128i relative = _mm_cmpeq_epi8(here, _mm_set1_epi8((char)0xe8));
    __m128i indirect = _mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8((char)0xff)),
                                     _mm_cmpeq_epi8(middle, _mm_set1_epi8(0x10)));
    __m128i syscall = _mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8(0x0f)),
                                    _mm_cmpeq_epi8(next, _mm_set1_epi8(0x05)));
    __m128i interrupt = _mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8((char)0xcd)),
                                      _mm_cmpeq_epi8(next, _mm_set1_epi8((char)0x80)));
    __m128i calls = _mm_or_si128(relative, indirect);
    return (unsigned)_mm_movemask_epi8(
        _mm_or_si128(calls, _mm_or_si128(syscall, interrupt)));
#else
    unsigned places = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned char here = text[i], next = text[i + 1];
        bool is = here == 0xe8 || (here == 0xff && (next & 0x38) == 0x10) ||
                  (here == 0x0f && next == 0x05) || (here == 0xcd && next == 0x80);
        places |= is ? 1u << i : 0;
    }
    return places;
#endif
}

// Report a signal return whose kernel entry is at byte `entry`.  Its code begins LEAST to
// MOST bytes before.
static void add_x86_signal(const struct hp_image *image, const struct machine *machine,
                           const struct hp_calls_piece *piece, size_t entry,
                           const struct hp_calls_at *found) {
    enum {
        LEAST = 5,
        MOST = 7
    };

    for (size_t before = LEAST; before <= MOST && before <= entry; before++) {
        size_t at = entry - before;
        struct code code = code_at(image, piece, at);
        if (at >= piece->begin && at < piece->end && machine->is_signal_return(&code)) {
            found->signal(found->data, at);
        }
    }
}

// Report, for a piece of x86 code, the addresses that calls and signal handlers return
// to.
static void scan_x86(const struct hp_image *image, const struct machine *machine,
                     const struct hp_calls_piece *piece,
                     const struct hp_calls_at *found) {
    for (size_t i = piece->begin; i < piece->size; i += 16) {
        for (unsigned places = find_places(piece->bytes + i); places != 0;
             places &= places - 1) {
            size_t at = i + (unsigned)__builtin_ctz(places);
            bool is_call = at < piece->size && piece->bytes[at] >= 0xe8;
            if (is_call && at < piece->end) {
                add_x86_call(piece, at, found);
            } else if (!is_call && at < piece->size) {
                add_x86_signal(image, machine, piece, at, found);
            }
        }
    }
}

void hp_calls_scan(const struct hp_image *image, const struct hp_calls_piece *piece,
                   const struct hp_calls_at *found) {
    const struct machine *machine = machine_of(image);
    if (!machine) {
        return;
    }
    if (machine->is_call == is_x86_call) {
        scan_x86(image, machine, piece, found);
        return;
    }
    size_t end = piece->end + (piece->end == piece->size);
    for (size_t at = piece->begin; at < end; at += machine->alignment) {
        struct code code = code_at(image, piece, at);
        code.is_big_endian &= !machine->is_little_endian;
        if (at < piece->size && machine->is_signal_return(&code)) {
            found->signal(found->data, at / machine->alignment);
        } else if (machine->is_call(&code)) {
            found->call(found->data, at / machine->alignment);
        }
    }
}

// --- around one address ----------------------------------------------------------------

// Read the code around an address, which is moved up to the next multiple of the
// alignment: writers that record the address of the call may mean any byte of its
// instruction.  False if the address is not in executable code.
static bool find_code(const struct hp_image *image, const struct machine *machine,
                      struct hp_code_window *window, enum hp_address_kind kind,
                      uint64_t *address, struct code *code) {
    uint64_t offset;
    *address += -*address & (machine->alignment - 1);
    const struct hp_load *segment = hp_image_return(image, kind, *address, &offset)
                                        ? segment_of(image, offset)
                                        : NULL;
    if (segment) {
        *code = read_code(image, window, offset, segment);
        code->is_big_endian &= !machine->is_little_endian;
    }
    return segment != NULL;
}

enum hp_return hp_calls_return_at(const struct hp_image *image,
                                  struct hp_code_window *window,
                                  enum hp_address_kind kind, uint64_t address) {
    const struct machine *machine = machine_of(image);
    struct code code;
    if (!machine || image->lacks_code) {
        return HP_RETURN_UNKNOWN;
    }
    if (!find_code(image, machine, window, kind, &address, &code)) {
        return HP_RETURN_OF_NONE;
    }
    return machine->is_signal_return(&code) ? HP_RETURN_OF_SIGNAL
           : machine->is_call(&code)        ? HP_RETURN_OF_CALL
                                            : HP_RETURN_OF_NONE;
}

bool hp_calls_target(const struct hp_image *image, struct hp_code_window *window,
                     enum hp_address_kind kind, uint64_t address, uint64_t *target) {
    const struct machine *machine = machine_of(image);
    struct code code;
    int64_t distance;
    uint64_t before;
    if (!machine || !machine->find_distance || image->lacks_code ||
        !find_code(image, machine, window, kind, &address, &code) ||
        !machine->find_distance(&code, &distance) ||
        !hp_image_find(image, kind, address - 1, &before)) {
        return false;
    }
    *target = before + 1 + (uint64_t)distance;
    *target &= image->bits == 32 ? UINT32_MAX : UINT64_MAX;
    return true;
}
