// The body of a message between the symbolizer and its child: numbers and texts, one after the other.  Both ends are
// one program on one machine, so numbers are in its own byte order.
#ifndef HP_SYM_PACKET_H
#define HP_SYM_PACKET_H

#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

enum {
    HP_TEXT_LIMIT = 1 << 16, // bytes of a name, a path or a note
};

// {0} is empty.
struct hp_packet {
    HP_VEC(unsigned char) bytes;
};

void hp_packet_done(struct hp_packet *packet);

void hp_put_bytes(struct hp_packet *packet, const void *bytes, size_t size);
void hp_put_u32(struct hp_packet *packet, uint32_t value);
void hp_put_u64(struct hp_packet *packet, uint64_t value);
void hp_text_pack(struct hp_packet *packet, struct hp_span text);

// A body being read.  After the first value that is not there, or too large, all that follow are 0 or "" and `bad`
// stays set.
struct hp_unpacker {
    const unsigned char *at, *end;
    bool bad;
};

struct hp_unpacker hp_packet_open(const struct hp_packet *packet);
const unsigned char *hp_packet_take(struct hp_unpacker *in, size_t size);
uint32_t hp_packet_u32(struct hp_unpacker *in);
uint64_t hp_packet_u64(struct hp_unpacker *in);
struct hp_span hp_packet_text(struct hp_unpacker *in);

// How many items follow: at least `item_size` bytes have to be left for each.
uint32_t hp_packet_count(struct hp_unpacker *in, size_t item_size);

#endif
