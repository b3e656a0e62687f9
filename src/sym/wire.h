// Messages on the socket between the symbolizer and its child: numbers, strings and open
// files, with every length checked on the way in.
#ifndef HP_SYM_WIRE_H
#define HP_SYM_WIRE_H

#include "base/span.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// A message being written.  {0} is empty.
struct hp_packet {
    HP_VEC(unsigned char) bytes;
};

void hp_packet_done(struct hp_packet *packet);
void hp_put_u32(struct hp_packet *packet, uint32_t value);
void hp_put_u64(struct hp_packet *packet, uint64_t value);
void hp_put_text(struct hp_packet *packet, struct hp_span text);

// A message being read.  After the first value that is not there, or too large, all that
// follow are 0 or "" and `bad` stays set.
struct hp_unpacker {
    const unsigned char *at, *end;
    bool bad;
};

struct hp_unpacker hp_unpack(const struct hp_packet *packet);
uint32_t hp_get_u32(struct hp_unpacker *in);
uint64_t hp_get_u64(struct hp_unpacker *in);
// How many items follow: at least `item_size` bytes must be left for each.
uint32_t hp_get_count(struct hp_unpacker *in, size_t item_size);
// A piece of the message, of at most `limit` bytes.
struct hp_span hp_get_text(struct hp_unpacker *in, size_t limit);

// One message: its kind, its body, and at most one open file.
struct hp_message {
    uint32_t kind;
    struct hp_packet body;
    int fd; // -1 for none; the receiver's to close
};

// Send a message; `fd` stays the caller's.  False if the other end is gone or the
// socket's time-out has passed.
bool hp_wire_send(int sock, uint32_t kind, const struct hp_packet *body, int fd);

// Receive the next message into `message`, whose body is reused.  False if there is none:
// the other end is gone (errno 0), has been silent for the socket's time-out (EAGAIN), or
// claims a body larger than `limit` (EMSGSIZE).
bool hp_wire_receive(int sock, struct hp_message *message, size_t limit);

#endif
