#include "sym/file_request.h"

#include <unistd.h>

int hp_file_request(struct hp_file_requester *requester, const struct hp_wanted *wanted,
                    struct hp_span *text) {
    struct hp_message *message = &requester->message;
    requester->packet.bytes.count = 0;
    hp_wanted_pack(&requester->packet, wanted);
    if (!hp_wire_send(requester->sock, HP_SAY_FIND, &requester->packet, -1) ||
        !hp_wire_receive(requester->sock, message, HP_REQUEST_LIMIT)) {
        _exit(1); // the parent is gone
    }
    struct hp_unpacker in = hp_unpack(&message->body);
    *text = hp_get_text(&in, HP_TEXT_LIMIT);
    return message->kind == HP_SAY_FILE ? message->fd : -1;
}

void hp_file_request_tick(struct hp_file_requester *requester) {
    time_t now = time(NULL);
    if (now != requester->last_tick) {
        requester->last_tick = now;
        requester->packet.bytes.count = 0;
        hp_wire_send(requester->sock, HP_SAY_TICK, &requester->packet, -1);
    }
}
