#include "sym/ask.h"

#include <unistd.h>

int hp_ask(struct hp_asker *asker, const struct hp_wanted *wanted, struct hp_span *text) {
    struct hp_message *message = &asker->message;
    asker->packet.bytes.count = 0;
    hp_wanted_pack(&asker->packet, wanted);
    if (!hp_wire_send(asker->sock, HP_SAY_FIND, &asker->packet, -1) ||
        !hp_wire_receive(asker->sock, message, HP_REQUEST_LIMIT)) {
        _exit(1); // the parent is gone
    }
    struct hp_unpacker in = hp_unpack(&message->body);
    *text = hp_get_text(&in, HP_TEXT_LIMIT);
    return message->kind == HP_SAY_FILE ? message->fd : -1;
}

void hp_ask_tick(struct hp_asker *asker) {
    time_t now = time(NULL);
    if (now != asker->last_tick) {
        asker->last_tick = now;
        asker->packet.bytes.count = 0;
        hp_wire_send(asker->sock, HP_SAY_TICK, &asker->packet, -1);
    }
}
