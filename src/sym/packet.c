#include "sym/packet.h"

#include <string.h>

void hp_packet_done(struct hp_packet *packet) {
    hp_vec_done(&packet->bytes);
}

// --- writing ---------------------------------------------------------------------------

void hp_put_bytes(struct hp_packet *packet, const void *bytes, size_t size) {
    hp_vec_reserve(&packet->bytes, size);
    if (size) {
        memcpy(packet->bytes.at + packet->bytes.count, bytes, size);
    }
    packet->bytes.count += size;
}

void hp_put_u32(struct hp_packet *packet, uint32_t value) {
    hp_put_bytes(packet, &value, sizeof value);
}

void hp_put_u64(struct hp_packet *packet, uint64_t value) {
    hp_put_bytes(packet, &value, sizeof value);
}

void hp_text_pack(struct hp_packet *packet, struct hp_span text) {
    hp_put_u32(packet, (uint32_t)text.size);
    hp_put_bytes(packet, text.at, text.size);
}

// --- reading ---------------------------------------------------------------------------

struct hp_unpacker hp_packet_open(const struct hp_packet *packet) {
    const unsigned char *at = packet->bytes.at;
    return (struct hp_unpacker){at, at ? at + packet->bytes.count : NULL, false};
}

const unsigned char *hp_packet_take(struct hp_unpacker *in, size_t size) {
    if (in->bad || size > (size_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    return at;
}

uint32_t hp_packet_u32(struct hp_unpacker *in) {
    uint32_t value = 0;
    const unsigned char *at = hp_packet_take(in, sizeof value);
    if (at) {
        memcpy(&value, at, sizeof value);
    }
    return value;
}

uint64_t hp_packet_u64(struct hp_unpacker *in) {
    uint64_t value = 0;
    const unsigned char *at = hp_packet_take(in, sizeof value);
    if (at) {
        memcpy(&value, at, sizeof value);
    }
    return value;
}

uint32_t hp_packet_count(struct hp_unpacker *in, size_t item_size) {
    uint32_t count = hp_packet_u32(in);
    if (in->bad || count > (size_t)(in->end - in->at) / item_size) {
        in->bad = true;
        return 0;
    }
    return count;
}

struct hp_span hp_packet_text(struct hp_unpacker *in) {
    uint32_t size = hp_packet_u32(in);
    if (size > HP_TEXT_LIMIT) {
        in->bad = true;
    }
    const unsigned char *at = hp_packet_take(in, size);
    return at ? (struct hp_span){(const char *)at, size} : (struct hp_span){"", 0};
}
