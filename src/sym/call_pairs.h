// Pairs of a frame and its caller: whether the caller calls straight into the function that the frame is in.  Code of
// another file passes by chance a twentieth as often as it has a call before an address.
#ifndef HP_SYM_CALL_PAIRS_H
#define HP_SYM_CALL_PAIRS_H

#include "sym/image.h"
#include "sym/packet.h"

// Addresses as the module has them, each behind a call or what should be one.
struct hp_call_pair {
    uint64_t inner, outer;
};

// {0} is empty.
struct hp_call_pairs {
    enum hp_address_kind kind;
    HP_VEC(struct hp_call_pair) all;
};

void hp_call_pairs_done(struct hp_call_pairs *pairs);

// Of the parent: ask for pairs of a file, of a path for messages; and take the answer: whether each of `count` pairs
// matches.  False if it is none: EPROTO in errno.
void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs);
bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *matches,
                          size_t count);

// Of the child: answer what hp_call_pairs_ask() has asked of an open file, which is closed.
void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer);

#endif
