// The "code" of a file, as far as dumps are compared with it: the places in its machine
// code that calls return to, and a digest.  The child reads a file once; the parent looks
// up the return addresses of any number of dumps.
#ifndef HP_SYM_FILE_CODE_H
#define HP_SYM_FILE_CODE_H

#include "inputs/input.h"
#include "sym/calls.h"
#include "sym/image.h"
#include "sym/packet.h"

enum {
    // Bytes of a key with its final 0.
    HP_CODE_KEY_SIZE = 33,
};

// The machine code of a file, as far as dumps are compared with it: where calls and
// signal handlers return to, and a digest.  {0}: unknown.
struct hp_file_code {
    // Segments, machine and build id of the file; no file is open in it.
    struct hp_image image;
    // Identity of the code: XXH3-128 of the executable segments, in hex; "" without text.
    char key[HP_CODE_KEY_SIZE];
    // The allocator rounds large sizes to pages; set only for HP_CODE_LARGE_SIZES.
    bool rounds_to_pages;
    struct hp_jemalloc_version jemalloc; // set only for HP_CODE_LARGE_SIZES
    bool has_text;                       // the members below are set
    // Alignment of instructions: calls return to multiples of this number of bytes; 0:
    // there are no rules for the machine.
    unsigned unit;
    bool is_noise; // so much of the text looks like calls that a fit proves nothing
    // A bit for each unit (`unit` bytes) of each executable segment, and for its end: a
    // call returns there.
    HP_VEC(unsigned char) returns;
    // Numbers of the units that signal handlers return to, ascending.
    HP_VEC(uint64_t) signals;
};

// Free the memory of `code`.
void hp_file_code_done(struct hp_file_code *code);

// Free the places that calls and signal handlers return to (has_text is false then); keep
// the segments and the key.
void hp_file_code_drop_text(struct hp_file_code *code);

// Bytes of memory that hp_file_code_drop_text() frees.
size_t hp_file_code_text_size(const struct hp_file_code *code);

// Whether return addresses can be checked against this code.
bool hp_file_code_is_comparable(const struct hp_file_code *code);

// Classify the code before each address: an enum hp_return, stored in `kinds`.
void hp_file_code_returns_at(const struct hp_file_code *code, enum hp_address_kind kind,
                             const uint64_t *addresses, size_t count,
                             unsigned char *restrict kinds);

// How much of a file the child reads.
enum hp_code_part {
    HP_CODE_HEADERS, // no text, only segments, machine and build id
    HP_CODE_TEXT,    // also the places that calls return to
    // Also the version of jemalloc, and whether it has pages instead of large size
    // classes.
    HP_CODE_LARGE_SIZES,
    HP_CODE_PARTS,
};

// For the parent: append a question for the code of a file to `packet` (the path is for
// messages), and decode the answer.  Decoding returns false, with errno EPROTO, if the
// answer is malformed.  If the file cannot be read, `why` is filled and `code` is {0}.
void hp_file_code_ask(struct hp_packet *packet, struct hp_span path,
                      enum hp_code_part part);
bool hp_file_code_unpack(const struct hp_packet *packet, struct hp_file_code *code,
                         struct hp_sym_diagnostic *why);

// For the child: append to `answer` the answer to the question `asked` of
// hp_file_code_ask() about the open file `fd`, which is closed.
void hp_file_code_answer(const struct hp_packet *asked, int fd, struct hp_packet *answer);

#endif
