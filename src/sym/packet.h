// The body of a message between the symbolizer and its child: numbers and texts, one
// after the other.  Both ends are one program on one machine, so numbers are in native
// byte order.
#ifndef HP_SYM_PACKET_H
#define HP_SYM_PACKET_H

#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

enum {
    HP_TEXT_LIMIT = 1 << 16, // largest size of a name, a path or a note, in bytes
};

// A growing message body; {0} is empty.  The owner ends it by hp_packet_done().
struct hp_packet {
    HP_VEC(unsigned char) bytes;
};

void hp_packet_done(struct hp_packet *packet);

// Append to the packet.  A text is its size as 32 bits, then its bytes.
void hp_put_bytes(struct hp_packet *packet, const void *bytes, size_t size);
void hp_put_u32(struct hp_packet *packet, uint32_t value);
void hp_put_u64(struct hp_packet *packet, uint64_t value);
void hp_text_pack(struct hp_packet *packet, struct hp_span text);

// The body of a message that is being read.  After the first value that is missing or too
// large, all further values are 0 or "" and `bad` stays set.
struct hp_unpacker {
    const unsigned char *at, *end; // next byte, and the byte after the last
    bool bad;                      // some value was missing or too large
};

// Begin to read a packet, which must stay unchanged while the unpacker and its spans are
// used.
struct hp_unpacker hp_packet_open(const struct hp_packet *packet);
// The next `size` bytes, which point into the packet; NULL, and `bad` set, if there are
// fewer.
const unsigned char *hp_packet_take(struct hp_unpacker *in, size_t size);
uint32_t hp_packet_u32(struct hp_unpacker *in);
uint64_t hp_packet_u64(struct hp_unpacker *in);
struct hp_span hp_packet_text(struct hp_unpacker *in);

// Read the number of items that follow; 0, and `bad` set, unless at least `item_size`
// bytes remain for each item.
uint32_t hp_packet_count(struct hp_unpacker *in, size_t item_size);

#endif
