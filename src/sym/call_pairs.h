// What is asked of a file about calls that a dump shows: whether a caller calls straight into the function that a frame
// is in, which code of another file does by chance a twentieth as often as it has a call before an address; and of a
// debug file, which has no code, whether a call returns to an address.
#ifndef HP_SYM_CALL_PAIRS_H
#define HP_SYM_CALL_PAIRS_H

#include "sym/image.h"
#include "sym/packet.h"

enum hp_call_question {
    HP_CALL_MATCHES, // the caller's call goes to where the function of the frame begins
    HP_CALL_IS_LISTED, // debug information has a call that returns to the caller; the frame is any
    HP_CALL_QUESTIONS,
};

enum hp_call_answer {
    HP_CALL_NO,
    HP_CALL_YES,
    HP_CALL_UNKNOWN,
    HP_CALL_ANSWERS,
};

// Addresses as the module has them: of a frame and of its caller, each behind a call or what should be one.
struct hp_call_pair {
    uint64_t inner, outer;
};

// {0} is empty.
struct hp_call_pairs {
    enum hp_call_question question;
    enum hp_address_kind kind;
    HP_VEC(struct hp_call_pair) all;
};

void hp_call_pairs_done(struct hp_call_pairs *pairs);

// Of the parent: ask about pairs of a file, of a path for messages; and take the answers, an enum hp_call_answer of
// each of `count`.  False if these are none: EPROTO in errno.
void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs);
bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *answers,
                          size_t count);

// Of the child: answer what hp_call_pairs_ask() has asked of an open file, which is closed.
void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer);

#endif
