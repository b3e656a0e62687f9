// The text of a file, as far as dumps are compared with it: where calls return to.  The child reads a file once;
// the parent looks up the return addresses of any number of dumps.
#ifndef HP_SYM_FILE_CODE_H
#define HP_SYM_FILE_CODE_H

#include "sym/calls.h"
#include "sym/image.h"
#include "sym/packet.h"

enum {
    HP_CODE_KEY_SIZE = 33,
};

// {0} knows nothing.
struct hp_file_code {
    struct hp_image
        image; // its segments, machine and build id, of a file that is not open
    char key
        [HP_CODE_KEY_SIZE]; // XXH3-128 of the executable segments, in hex: which text it is
    bool has_pages;         // as far as that was asked for
    bool has_text;          // what follows is known
    unsigned
        unit; // bytes that calls return to multiples of; 0: there are no rules for the machine
    bool is_noise; // so much of the text looks like calls that fitting it proves nothing
    HP_VEC(unsigned char)
    returns; // a bit for each unit of each executable segment and its end
    HP_VEC(uint64_t) signals; // the units that handlers of signals return to, ascending
};

void hp_file_code_done(struct hp_file_code *code);

// Forget where calls return to, and keep the rest.
void hp_file_code_drop_text(struct hp_file_code *code);

// Bytes in memory that hp_file_code_drop_text() frees.
size_t hp_file_code_text_size(const struct hp_file_code *code);

// Whether return addresses can be looked up in it.
bool hp_file_code_is_comparable(const struct hp_file_code *code);

// The kind of code around each address: an enum hp_return.
void hp_file_code_returns_at(const struct hp_file_code *code, enum hp_address_kind kind,
                             const uint64_t *addresses, size_t count,
                             unsigned char *restrict kinds);

enum hp_code_part {
    HP_CODE_HEADERS,
    HP_CODE_TEXT, // and where calls return to
    HP_CODE_LARGE_SIZES, // and whether its allocator has pages in the place of large size classes
    HP_CODE_PARTS,
};

// Of the parent: ask for a file, of a path for messages; and take the answer.  False if it is none: EPROTO in errno.
// Where the file cannot be read, `why` is filled and the code {0}.
void hp_file_code_ask(struct hp_packet *packet, struct hp_span path,
                      enum hp_code_part part);
bool hp_file_code_unpack(const struct hp_packet *packet, struct hp_file_code *code,
                         struct hp_sym_diagnostic *why);

// Of the child: answer what hp_file_code_ask() has asked of an open file, which is closed.
void hp_file_code_answer(const struct hp_packet *asked, int fd, struct hp_packet *answer);

#endif
