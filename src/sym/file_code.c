// A unit is code->unit bytes, the alignment of instructions.  Units are numbered through
// all executable segments, one after the other: segment k of S(k) bytes has S(k) / unit +
// 1 of them.  The last one is its end, where a call in its
// last bytes returns to.
//
// From 5.3.1 on jemalloc rounds large sizes up to pages, unless its option
// disable_large_size_classes says otherwise.  So a file that contains the name of that
// option is taken to use pages.  Its version, "5.3.0-0-g" and the 40 digits of a commit,
// is a text of the file too.
#include "sym/file_code.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST_TEXT = INT32_MAX, // largest executable segment, in bytes
    PIECE = 256 << 10,        // bytes that are read at once
    // Text is noise if more than 1 / NOISE of its units follow a call; at most 8 % of
    // real text does.
    NOISE = 5,
};

// Return the number of code units, each as long as the alignment of instructions, in a
// segment; 0 if it is not executable.
static uint64_t units_of(const struct hp_file_code *code, const struct hp_load *load) {
    return load->exec && code->unit > 0 ? load->size / code->unit + 1 : 0;
}

// Return the number of code units, each as long as the alignment of instructions, in all
// segments.
static uint64_t count_units(const struct hp_file_code *code) {
    uint64_t count = 0;
    const struct hp_load *load;
    hp_vec_each (load, &code->image.loads) {
        count += units_of(code, load);
    }
    return count;
}

// --- reading ---------------------------------------------------------------------------

// A scan of the executable segments of a file.
struct scan {
    struct hp_file_code *code;
    uint64_t first; // number of the first unit of the segment
    // Number of units that a call returns to.
    uint64_t calls;
};

// Record that a call returns to a code unit (a multiple of the alignment of
// instructions).
static void add_call(void *data, uint64_t unit) {
    struct scan *scan = data;
    uint64_t at = scan->first + unit;
    unsigned char *byte = &scan->code->returns.at[at / 8],
                  bit = (unsigned char)(1 << at % 8);
    scan->calls += (*byte & bit) == 0;
    *byte |= bit;
}

// Record that a signal handler returns to a code unit (a multiple of the alignment of
// instructions).
static void add_signal(void *data, uint64_t unit) {
    struct scan *scan = data;
    hp_vec_push(&scan->code->signals, scan->first + unit);
}

// Find the calls in a segment, record where they return to in scan->code, and add the
// bytes to the digest; in pieces, because a segment may have hundreds of megabytes.
// False if it cannot be read.
static bool scan_segment(struct scan *scan, const struct hp_image *image,
                         const struct hp_load *load, struct hp_digester *digester) {
    const struct hp_calls_at found = {scan, add_call, add_signal};
    uint64_t first = scan->first;
    unsigned unit = scan->code->unit;
    unsigned char *bytes = hp_alloc(PIECE + 3 * HP_CALLS_AROUND + 1);
    bool is_read = true;
    for (uint64_t at = 0; is_read && at < load->size; at += PIECE) {
        struct hp_calls_piece piece = {.bytes = bytes};
        size_t wanted = load->size - at < PIECE ? (size_t)(load->size - at) : PIECE;
        size_t behind = (size_t)(load->size - at) - wanted;
        piece.begin = at > 0 ? HP_CALLS_AROUND : 0;
        piece.end = piece.begin + wanted;
        piece.size = piece.end + (behind < HP_CALLS_AROUND ? behind : HP_CALLS_AROUND);
        is_read = hp_read_at(image->fd, bytes, piece.size,
                             load->offset + at - piece.begin) == (ssize_t)piece.size;
        if (is_read) {
            struct hp_span text = {(const char *)bytes + piece.begin, wanted};
            hp_digester_add(digester, text);
        }
        if (is_read && unit > 0) {
            scan->first = first + (at - piece.begin) / unit;
            hp_calls_scan(image, &piece, &found);
        }
    }
    scan->first = first + units_of(scan->code, load);
    free(bytes);
    return is_read;
}

// Check that the executable segments are in the file, do not overlap, and are small
// enough for an answer.  False with `why` if not.
static bool check_segments(const struct hp_image *image, struct hp_sym_diagnostic *why) {
    const struct hp_load *load;
    uint64_t all = 0;
    hp_vec_each (load, &image->loads) {
        if (load->exec && load->size > LONGEST_TEXT) {
            return hp_sym_diagnose(why, HP_SYM_UNSUPPORTED,
                                   HP_MESSAGE("code-segment-too-large",
                                              "%s: a segment of more than 2 GiB"),
                                   image->path);
        }
        if (load->exec &&
            (load->offset > image->size || load->size > image->size - load->offset)) {
            return hp_sym_diagnose(why, HP_SYM_DAMAGED,
                                   HP_MESSAGE("code-segment-cut",
                                              "%s: it ends within a segment"),
                                   image->path);
        }
        all += load->exec ? load->size : 0;
    }
    return all <= image->size ||
           hp_sym_diagnose(why, HP_SYM_DAMAGED,
                           HP_MESSAGE("code-segments-overlap",
                                      "%s: segments of code overlap"),
                           image->path);
}

// Scan all executable segments and set the key.  False if the file cannot be read.
static bool scan_text(struct hp_file_code *code, const struct hp_image *image) {
    struct scan scan = {.code = code};
    struct hp_digester digester = {NULL};
    uint64_t count = count_units(code);
    bool is_read = true;
    const struct hp_load *load;
    (void)hp_vec_reach(&code->returns, (size_t)(count / 8));
    hp_digester_start(&digester);
    hp_vec_each (load, &code->image.loads) {
        is_read = is_read && (!load->exec || scan_segment(&scan, image, load, &digester));
    }
    struct hp_digest digest = hp_digester_end(&digester);
    snprintf(code->key, sizeof code->key, "%016llx%016llx",
             (unsigned long long)digest.of[0], (unsigned long long)digest.of[1]);
    code->is_noise = scan.calls > count / NOISE;
    hp_digester_done(&digester);
    return is_read;
}

// --- the allocator ---------------------------------------------------------------------

static const char option_of_pages[] = "disable_large_size_classes";

enum {
    HASH = 40,      // digits of a commit
    HASH_SHOWN = 7, // the first ones, which are shown
    OVERLAP = 128,  // bytes read beyond a piece: longer than what is looked for
};

// What a file shows of the jemalloc in it.
struct allocator {
    bool has_option;                  // it has the option of pages
    bool is_several;                  // it has several versions
    struct hp_jemalloc_version found; // the first one
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Return where the "5.3.0-0" before the "-g" at `at` begins; `at` if there is none.
static size_t begin_of_version(const char *bytes, size_t at) {
    static const char between[] = "-..";
    size_t begin = at;
    for (int i = 0; i < 4; i++) {
        size_t end = begin;
        while (begin > 0 && is_digit(bytes[begin - 1])) {
            begin--;
        }
        if (begin == end ||
            (between[i] && (begin == 0 || bytes[--begin] != between[i]))) {
            return at;
        }
    }
    return begin;
}

// Whether "-g" at `at` is followed by a commit, and the text ends there.
static bool has_commit(const char *bytes, size_t size, size_t at) {
    size_t end = at + 2;
    while (end < size &&
           (is_digit(bytes[end]) || (bytes[end] >= 'a' && bytes[end] <= 'f'))) {
        end++;
    }
    return end == at + 2 + HASH && end < size && bytes[end] == '\0';
}

// Find the versions in a piece of a segment.  One that begins where the piece does may
// lack its first digits; it is whole in the piece before.
static void find_versions(struct allocator *allocator, const char *bytes, size_t size) {
    const char *at = bytes;
    while ((at = memmem(at, size - (size_t)(at - bytes), "-g", 2)) != NULL) {
        size_t end = (size_t)(at - bytes), begin = begin_of_version(bytes, end);
        size_t length = end - begin + 2 + HASH_SHOWN;
        struct hp_jemalloc_version found = {""};
        if (begin > 0 && begin < end && length < sizeof found.text &&
            has_commit(bytes, size, end)) {
            memcpy(found.text, bytes + begin, length);
            allocator->is_several |= *allocator->found.text != '\0' &&
                                     strcmp(allocator->found.text, found.text) != 0;
            allocator->found = found;
        }
        at += 2;
    }
}

// Find in a segment what it shows of jemalloc.  `bytes` has room for a piece.
static void scan_segment_data(struct allocator *allocator, const struct hp_image *image,
                              const struct hp_load *load, char *bytes) {
    for (uint64_t at = 0; at < load->size; at += PIECE) {
        uint64_t left = load->size - at, most = PIECE + OVERLAP;
        ssize_t got = hp_read_at(image->fd, bytes, (size_t)(left < most ? left : most),
                                 load->offset + at);
        if (got <= 0) { // the headers claim more than the file has
            break;
        }
        allocator->has_option |= memmem(bytes, (size_t)got, option_of_pages,
                                        sizeof option_of_pages - 1) != NULL;
        find_versions(allocator, bytes, (size_t)got);
    }
}

// Find what a file shows of its allocator.  Constants may be in an executable segment,
// where linkers do not separate them.
static void find_allocator(struct hp_file_code *code, const struct hp_image *image) {
    struct allocator allocator = {.has_option = false};
    char *bytes = hp_alloc(PIECE + OVERLAP);
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        if (!load->is_writable) {
            scan_segment_data(&allocator, image, load, bytes);
        }
    }
    free(bytes);
    code->rounds_to_pages = allocator.has_option;
    if (!allocator.is_several) {
        code->jemalloc = allocator.found;
    }
}

// --- parts of a file -------------------------------------------------------------------

// Read from a file what `part` asks for.  False with `why` if it cannot be read.
static bool read_code(struct hp_file_code *code, const struct hp_image *image,
                      enum hp_code_part part, struct hp_sym_diagnostic *why) {
    struct hp_image *own = &code->image;
    code->unit = hp_calls_unit(image);
    own->start = image->start;
    own->program = image->program;
    own->machine = image->machine;
    own->bits = image->bits;
    own->lacks_code = image->lacks_code;
    memcpy(own->build_id, image->build_id, sizeof own->build_id);
    hp_vec_append(&own->loads, image->loads.at, image->loads.count);
    if (part == HP_CODE_LARGE_SIZES) {
        find_allocator(code, image);
    }
    code->has_text = part == HP_CODE_TEXT && !image->lacks_code;
    if (!code->has_text) {
        return true;
    }
    return check_segments(image, why) &&
           (scan_text(code, image) ||
            hp_sym_diagnose(why, HP_SYM_DAMAGED,
                            HP_MESSAGE("code-not-read", "%s: it cannot be read"),
                            image->path));
}

void hp_file_code_drop_text(struct hp_file_code *code) {
    hp_vec_done(&code->returns);
    hp_vec_done(&code->signals);
    code->has_text = false;
}

size_t hp_file_code_text_size(const struct hp_file_code *code) {
    return code->returns.capacity + code->signals.capacity * sizeof *code->signals.at;
}

void hp_file_code_done(struct hp_file_code *code) {
    hp_file_code_drop_text(code);
    hp_vec_done(&code->image.loads);
    *code = (struct hp_file_code){.unit = 0};
}

bool hp_file_code_is_comparable(const struct hp_file_code *code) {
    return code->unit > 0 && !code->is_noise && !code->image.lacks_code;
}

// --- on the wire -----------------------------------------------------------------------

void hp_file_code_ask(struct hp_packet *packet, struct hp_span path,
                      enum hp_code_part part) {
    hp_text_pack(packet, path);
    hp_put_u32(packet, part);
}

// Encode the code of a file for the parent.
static void pack(struct hp_packet *packet, const struct hp_file_code *code) {
    const struct hp_image *image = &code->image;
    hp_put_u64(packet, image->start);
    hp_put_u32(packet, image->program);
    hp_put_u32(packet, image->machine);
    hp_put_u32(packet, image->bits);
    hp_put_u32(packet, image->lacks_code);
    hp_text_pack(packet, hp_span_of(image->build_id));
    hp_text_pack(packet, hp_span_of(code->key));
    hp_put_u32(packet, code->rounds_to_pages);
    hp_text_pack(packet, hp_span_of(code->jemalloc.text));
    hp_put_u32(packet, code->has_text);
    hp_put_u32(packet, code->unit);
    hp_put_u32(packet, code->is_noise);
    hp_put_u32(packet, (uint32_t)image->loads.count);
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        hp_put_u64(packet, load->offset);
        hp_put_u64(packet, load->size);
        hp_put_u64(packet, load->vaddr);
        hp_put_u32(packet, load->exec);
    }
    hp_put_u32(packet, (uint32_t)code->signals.count);
    for (size_t i = 0; i < code->signals.count; i++) {
        hp_put_u64(packet, code->signals.at[i]);
    }
    hp_put_u32(packet, (uint32_t)code->returns.count);
    hp_put_bytes(packet, code->returns.at, code->returns.count);
}

void hp_file_code_answer(const struct hp_packet *asked, int fd,
                         struct hp_packet *answer) {
    struct hp_unpacker in = hp_packet_open(asked);
    struct hp_span path = hp_packet_text(&in);
    uint32_t part = hp_packet_u32(&in);
    struct hp_image image = {.fd = -1};
    struct hp_file_code code = {.unit = 0};
    struct hp_sym_diagnostic why = {.status = HP_SYM_NOT_TRIED};
    bool is_read = hp_image_open(&image, fd, path, &why) &&
                   read_code(&code, &image, (enum hp_code_part)part, &why);
    hp_put_u32(answer, is_read);
    if (is_read) {
        pack(answer, &code);
    } else {
        hp_put_u32(answer, why.status);
        hp_text_pack(answer, hp_span_of(why.text));
    }
    hp_file_code_done(&code);
    hp_image_done(&image);
}

// Read a text into a buffer, with a final 0.  False if it does not fit or contains a 0.
static bool take_text(struct hp_unpacker *in, char *text, size_t room) {
    struct hp_span span = hp_packet_text(in);
    bool fits = span.size < room && memchr(span.at, '\0', span.size) == NULL;
    memcpy(text, span.at, fits ? span.size : 0);
    text[fits ? span.size : 0] = '\0';
    return fits;
}

static void take_loads(struct hp_unpacker *in, struct hp_file_code *code) {
    uint32_t count = hp_packet_count(in, 28);
    for (uint32_t i = 0; i < count; i++) {
        struct hp_load load = {.offset = hp_packet_u64(in)};
        load.size = hp_packet_u64(in);
        load.vaddr = hp_packet_u64(in);
        load.exec = hp_packet_u32(in) != 0;
        in->bad |= load.exec && load.size > LONGEST_TEXT && code->has_text;
        hp_vec_push(&code->image.loads, load);
    }
}

// Read from a message the units that signal handlers and calls return to.
static void take_calls(struct hp_unpacker *in, struct hp_file_code *code) {
    uint32_t count = hp_packet_count(in, 8);
    for (uint32_t i = 0; i < count; i++) {
        hp_vec_push(&code->signals, hp_packet_u64(in));
    }
    count = hp_packet_count(in, 1);
    const unsigned char *bytes = hp_packet_take(in, count);
    if (bytes) {
        hp_vec_append(&code->returns, bytes, count);
    }
    in->bad |= code->has_text && code->returns.count != count_units(code) / 8 + 1;
}

// Decode a struct hp_file_code (where calls return to, segments, digest) from a message
// of the child.  False if it is malformed; the caller frees `code`.
static bool take_code(struct hp_unpacker *in, struct hp_file_code *code) {
    struct hp_image *image = &code->image;
    image->start = hp_packet_u64(in);
    image->program = hp_packet_u32(in) != 0;
    image->machine = hp_packet_u32(in);
    image->bits = hp_packet_u32(in);
    image->lacks_code = hp_packet_u32(in) != 0;
    bool good = take_text(in, image->build_id, sizeof image->build_id) &&
                take_text(in, code->key, sizeof code->key);
    code->rounds_to_pages = hp_packet_u32(in) != 0;
    good = good && take_text(in, code->jemalloc.text, sizeof code->jemalloc.text);
    code->has_text = hp_packet_u32(in) != 0;
    code->unit = hp_packet_u32(in);
    code->is_noise = hp_packet_u32(in) != 0;
    in->bad |= code->unit > 4 || (code->unit & (code->unit - 1)) != 0;
    take_loads(in, code);
    if (!in->bad) {
        take_calls(in, code);
    }
    return good && !in->bad && in->at == in->end;
}

bool hp_file_code_unpack(const struct hp_packet *packet, struct hp_file_code *code,
                         struct hp_sym_diagnostic *why) {
    struct hp_unpacker in = hp_packet_open(packet);
    *code = (struct hp_file_code){.unit = 0};
    bool is_read = hp_packet_u32(&in) != 0, good;
    if (is_read) {
        *why = (struct hp_sym_diagnostic){.status = HP_SYM_NOT_TRIED};
        good = take_code(&in, code);
    } else {
        uint32_t status = hp_packet_u32(&in);
        good = status >= HP_SYM_NO_FILE && status <= HP_SYM_RUN_OVER;
        why->status = good ? (enum hp_sym_status)status : HP_SYM_DAMAGED;
        good = take_text(&in, why->text, sizeof why->text) && good && in.at == in.end;
    }
    if (!good) {
        hp_file_code_done(code);
        errno = EPROTO;
    }
    return good;
}

// --- look-up of addresses --------------------------------------------------------------

// Order unit numbers.
static int compare_units(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Return the kind of the code before a code unit: whether a call or a signal handler
// returns to the unit.
static enum hp_return kind_of(const struct hp_file_code *code, uint64_t unit) {
    bool is_signal =
        code->signals.count > 0 && bsearch(&unit, code->signals.at, code->signals.count,
                                           sizeof unit, compare_units) != NULL;
    bool is_call = code->returns.at[unit / 8] >> unit % 8 & 1;
    return is_signal ? HP_RETURN_OF_SIGNAL
           : is_call ? HP_RETURN_OF_CALL
                     : HP_RETURN_OF_NONE;
}

// Set `kinds` of the addresses that are in a segment, whose first unit is `first`, unless
// another segment has a call there.
static void look_up(const struct hp_file_code *code, uint64_t begin, uint64_t size,
                    uint64_t first, const uint64_t *addresses, size_t count,
                    unsigned char *restrict kinds) {
    unsigned shift = (unsigned)__builtin_ctz(code->unit);
    uint64_t most = code->unit - 1;
    for (size_t i = 0; i < count; i++) {
        // Writers that record the address of the call may mean any byte of its
        // instruction.
        uint64_t at = ((addresses[i] + most) & ~most) - begin;
        if (at <= size && kinds[i] == HP_RETURN_OF_NONE) {
            kinds[i] = (unsigned char)kind_of(code, first + (at >> shift));
        }
    }
}

void hp_file_code_returns_at(const struct hp_file_code *code, enum hp_address_kind kind,
                             const uint64_t *addresses, size_t count,
                             unsigned char *restrict kinds) {
    uint64_t first = 0;
    bool is_known = code->has_text && code->unit > 0;
    memset(kinds, is_known ? HP_RETURN_OF_NONE : HP_RETURN_UNKNOWN, count);
    const struct hp_load *load;
    hp_vec_each (load, &code->image.loads) {
        if (load->exec && is_known) {
            look_up(code, hp_image_begin(&code->image, load, kind), load->size, first,
                    addresses, count, kinds);
        }
        first += units_of(code, load);
    }
}
