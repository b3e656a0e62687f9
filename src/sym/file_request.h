// The child's side of the socket: asking the parent for files, and a sign of life.
#ifndef HP_SYM_FILE_REQUEST_H
#define HP_SYM_FILE_REQUEST_H

#include "sym/protocol.h"

#include <time.h>

struct hp_file_requester {
    int sock;
    struct hp_message message; // the last one received
    struct hp_packet packet;   // the last one sent
    time_t last_tick;
};

// The n-th file of that description that there is.  Its name, or why there is none, is in
// `text` until the next question; -1 if there is none.
int hp_file_request(struct hp_file_requester *requester, const struct hp_wanted *wanted,
                    struct hp_span *text);

// "Still at work": at most once a second.
void hp_file_request_tick(struct hp_file_requester *requester);

#endif
