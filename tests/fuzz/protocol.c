// Fuzz target of the messages between the symbolizer and its child, in both directions.
// The first byte chooses the kind of body that the rest is; the second byte is the number
// of offsets that an ANSWER has to answer:
//     0 ANSWER, 1 MODULE, 2 FIND, 3 NAMES, 4 FILE, 5 all bytes of a socket, 6 CODE
// A body that is accepted has all its parts within its bounds, and stays the same when it
// is packed and unpacked again.
#include "sym/protocol.h"
#include "sym/file_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    HEAD = 2,     // bytes of the input before the body
    LIMIT = 4096, // bytes of a body in the stream
};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

// Check that a text is not too long, and that it is within the packet.
static void require_inside(const struct hp_packet *packet, struct hp_span text) {
    const char *begin = (const char *)packet->bytes.at;
    require(text.size <= HP_TEXT_LIMIT);
    require(text.size == 0 ||
            (text.at >= begin && text.at + text.size <= begin + packet->bytes.count));
}

static void require_same(const struct hp_packet *once, const struct hp_packet *again) {
    require(once->bytes.count == again->bytes.count);
    require(memcmp(once->bytes.at, again->bytes.at, once->bytes.count) == 0);
}

// Check that an answer has lines for all offsets, and refers to strings that exist.
static void check_answer(const struct hp_packet *packet, const struct hp_answer *answer,
                         size_t offsets) {
    size_t lines = 0;
    require(answer->counts.count == offsets && answer->returns.count == offsets);
    for (size_t i = 0; i < answer->strings.count; i++) {
        require_inside(packet, answer->strings.at[i]);
    }
    for (size_t i = 0; i < offsets; i++) {
        require(answer->counts.at[i] <= HP_CHAIN_LIMIT &&
                answer->returns.at[i] < HP_RETURNS);
        lines += answer->counts.at[i];
    }
    require(lines == answer->lines.count);
    for (size_t i = 0; i < lines; i++) {
        uint32_t file = answer->lines.at[i].file.n;
        require(file == 0 || file < answer->strings.count);
    }
}

static void try_answer(const struct hp_packet *packet, size_t offsets) {
    struct hp_answer answer = {0}, back = {0};
    struct hp_packet once = {0}, again = {0};
    if (hp_answer_unpack(packet, offsets, &answer)) {
        check_answer(packet, &answer, offsets);
        hp_answer_pack(&once, &answer);
        require(hp_answer_unpack(&once, offsets, &back));
        hp_answer_pack(&again, &back);
        require_same(&once, &again);
    }
    hp_answer_done(&answer);
    hp_answer_done(&back);
    hp_packet_done(&once);
    hp_packet_done(&again);
}

static void try_request(const struct hp_packet *packet) {
    struct hp_request request = {0}, back = {0};
    struct hp_packet once = {0}, again = {0};
    if (hp_request_unpack(packet, &request)) {
        require_inside(packet, request.build_id);
        hp_request_pack(&once, &request);
        require(hp_request_unpack(&once, &back));
        hp_request_pack(&again, &back);
        require_same(&once, &again);
    }
    hp_request_done(&request);
    hp_request_done(&back);
    hp_packet_done(&once);
    hp_packet_done(&again);
}

static void try_texts(const struct hp_packet *packet) {
    struct hp_texts texts = {0};
    if (hp_texts_unpack(packet, &texts)) {
        for (size_t i = 0; i < texts.all.count; i++) {
            require_inside(packet, texts.all.at[i]);
        }
    }
    hp_vec_done(&texts.all);
}

static void try_text(const struct hp_packet *packet) {
    struct hp_wanted wanted;
    require_inside(packet, hp_text_unpack(packet));
    if (hp_wanted_unpack(packet, &wanted)) {
        require_inside(packet, wanted.name);
        require(wanted.find < HP_FINDS);
    }
}

// Check that addresses within each segment, and at its ends, can be looked up in the
// code.
static void try_code(const struct hp_packet *packet) {
    struct hp_file_code code;
    struct hp_sym_diagnostic why;
    const struct hp_load *load;
    if (!hp_file_code_unpack(packet, &code, &why)) {
        return;
    }
    hp_vec_each (load, &code.image.loads) {
        uint64_t begin = hp_image_begin(&code.image, load, HP_ADDRESS_VIRTUAL);
        const uint64_t addresses[] = {begin, begin + 1, begin + load->size / 2,
                                      begin + load->size, begin + load->size + 1};
        unsigned char kinds[sizeof addresses / sizeof *addresses];
        hp_file_code_returns_at(&code, HP_ADDRESS_VIRTUAL, addresses, sizeof kinds,
                                kinds);
        for (size_t i = 0; i < sizeof kinds; i++) {
            require(kinds[i] < HP_RETURNS);
        }
    }
    hp_file_code_done(&code);
}

// Send the bytes through a socket, and receive them as messages.
static void try_stream(const struct hp_packet *packet) {
    int pair[2];
    struct hp_message message = {0};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    ssize_t sent = send(pair[0], packet->bytes.at, packet->bytes.count, MSG_DONTWAIT);
    require(sent == (ssize_t)packet->bytes.count || errno == EAGAIN || sent >= 0);
    close(pair[0]);
    struct hp_wire wire = {.sock = pair[1], .limit = LIMIT};
    while (hp_wire_receive(&wire, &message)) {
        require(message.body.bytes.count <= LIMIT && message.fd == -1);
    }
    hp_packet_done(&message.body);
    close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_packet packet = {0};
    if (size < HEAD) {
        return 0;
    }
    hp_vec_append(&packet.bytes, bytes + HEAD, size - HEAD); // a copy: overruns are seen
    switch (bytes[0] % 7) {
    case 0:
        try_answer(&packet, bytes[1]);
        break;
    case 1:
        try_request(&packet);
        break;
    case 2:
    case 4:
        try_text(&packet);
        break;
    case 3:
        try_texts(&packet);
        break;
    case 6:
        try_code(&packet);
        break;
    default:
        try_stream(&packet);
        break;
    }
    hp_packet_done(&packet);
    return 0;
}
