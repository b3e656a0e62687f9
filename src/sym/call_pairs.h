// Questions to a file about call pairs: a frame of a dump and its caller.  One question
// is whether the caller directly calls the function of the frame.  In code of another
// file, one in twenty of the callers that follow a call by chance also does this.  Another
// is whether a function starts at an address.  The third, to a debug file without code, is
// whether a call returns to an address.
#ifndef HP_SYM_CALL_PAIRS_H
#define HP_SYM_CALL_PAIRS_H

#include "sym/image.h"
#include "sym/packet.h"

enum hp_call_question {
    HP_CALL_MATCHES, // the caller directly calls the start of the frame's function
    // Debug information lists a call that returns to `outer`; `inner` is ignored.
    HP_CALL_IS_LISTED,
    HP_CALL_IS_START, // a function starts at `outer`; `inner` is ignored
    HP_CALL_QUESTIONS,
};

enum hp_call_answer {
    HP_CALL_NO,
    HP_CALL_YES,
    HP_CALL_UNKNOWN, // no debug information decides it
    HP_CALL_ANSWERS,
};

// A call pair: the return address in a frame, and that in its caller; both are in one
// module.
struct hp_call_pair {
    uint64_t inner, outer; // return address in the frame, and in its caller
};

// Pairs of return addresses (in a frame and in its caller), and the question that a file
// is asked about all of them; {0} is empty.
struct hp_call_pairs {
    enum hp_call_question question;
    enum hp_address_kind kind;
    HP_VEC(struct hp_call_pair) all;
};

void hp_call_pairs_done(struct hp_call_pairs *pairs);

// For the parent: append a question about call pairs to `packet` (the path of the file is
// for messages), and decode the answer: an enum hp_call_answer for each of `count` pairs.
// Decoding returns false, with errno EPROTO, if the answer is malformed.
void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs);
bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *answers,
                          size_t count);

// For the child: append to `answer` the answer to the question `asked` of
// hp_call_pairs_ask() about the open file `fd`, which is closed.  The answer has no pairs
// if the question is malformed or the file cannot be read.
void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer);

#endif
