// Questions to a file about call pairs: a frame of a dump and its caller.  One question
// is whether the caller directly calls the function of the frame.  Code of another file
// does so by chance a twentieth as often as it has a call before an address.  The other,
// to a debug file without code, is whether a call returns to an address.
#ifndef HP_SYM_CALL_PAIRS_H
#define HP_SYM_CALL_PAIRS_H

#include "sym/image.h"
#include "sym/packet.h"

enum hp_call_question {
    HP_CALL_MATCHES, // the caller calls the first address of the frame's function
    // Debug information lists a call that returns to the caller; the frame is ignored.
    HP_CALL_IS_LISTED,
    HP_CALL_QUESTIONS,
};

enum hp_call_answer {
    HP_CALL_NO,
    HP_CALL_YES,
    HP_CALL_UNKNOWN, // the file does not decide it
    HP_CALL_ANSWERS,
};

// Return addresses in the module: of a frame, and of its caller.
struct hp_call_pair {
    uint64_t inner, outer; // return address in the frame, and in its caller
};

// Pairs with one question; {0} is empty.
struct hp_call_pairs {
    enum hp_call_question question;
    enum hp_address_kind kind;
    HP_VEC(struct hp_call_pair) all;
};

void hp_call_pairs_done(struct hp_call_pairs *pairs);

// For the parent: ask a file about call pairs (its path is for messages), and decode the
// answers: an enum hp_call_answer for each of `count` pairs.  Returns false, with errno
// EPROTO, if they are malformed.
void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs);
bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *answers,
                          size_t count);

// For the child: answer hp_call_pairs_ask() about an open file, which is closed.
void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer);

#endif
