// The layout of each body is the order of the calls below.
#include "sym/protocol.h"

#include <string.h>
#include <unistd.h>

void hp_request_done(struct hp_request *request) {
    hp_vec_done(&request->extents);
    hp_vec_done(&request->offsets);
    *request = (struct hp_request){0};
}

void hp_answer_done(struct hp_answer *answer) {
    hp_vec_done(&answer->strings);
    hp_vec_done(&answer->lines);
    hp_vec_done(&answer->counts);
    *answer = (struct hp_answer){0};
}

void hp_request_pack(struct hp_packet *packet, const struct hp_request *request) {
    hp_put_text(packet, request->build_id);
    hp_put_u64(packet, request->span);
    hp_put_u32(packet, (uint32_t)request->extents.count);
    for (size_t i = 0; i < request->extents.count; i++) {
        const struct hp_extent *extent = &request->extents.at[i];
        hp_put_u64(packet, extent->offset);
        hp_put_u64(packet, extent->size);
        hp_put_u32(packet, extent->has_hole);
    }
    hp_put_u32(packet, (uint32_t)request->offsets.count);
    for (size_t i = 0; i < request->offsets.count; i++) {
        hp_put_u64(packet, request->offsets.at[i]);
    }
}

bool hp_request_unpack(const struct hp_packet *packet, struct hp_request *request) {
    struct hp_unpacker in = hp_unpack(packet);
    request->build_id = hp_get_text(&in, HP_TEXT_LIMIT);
    request->span = hp_get_u64(&in);
    uint32_t extents = hp_get_count(&in, 20);
    request->extents.count = 0;
    for (uint32_t i = 0; i < extents; i++) {
        struct hp_extent extent = {hp_get_u64(&in), 0, false};
        extent.size = hp_get_u64(&in);
        extent.has_hole = hp_get_u32(&in) != 0;
        hp_vec_push(&request->extents, extent);
    }
    uint32_t offsets = hp_get_count(&in, 8);
    request->offsets.count = 0;
    hp_vec_reserve(&request->offsets, offsets);
    for (uint32_t i = 0; i < offsets; i++) {
        hp_vec_push(&request->offsets, hp_get_u64(&in));
    }
    return !in.bad;
}

void hp_wanted_pack(struct hp_packet *packet, const struct hp_wanted *wanted) {
    hp_put_u32(packet, wanted->find);
    hp_put_u32(packet, wanted->n);
    hp_put_text(packet, wanted->name);
}

bool hp_wanted_unpack(const struct hp_packet *packet, struct hp_wanted *wanted) {
    struct hp_unpacker in = hp_unpack(packet);
    uint32_t find = hp_get_u32(&in);
    wanted->n = hp_get_u32(&in);
    wanted->name = hp_get_text(&in, HP_TEXT_LIMIT);
    wanted->find = (enum hp_find)find;
    return !in.bad && in.at == in.end && find <= HP_FIND_SPLIT;
}

void hp_answer_pack(struct hp_packet *packet, const struct hp_answer *answer) {
    hp_put_u32(packet, answer->status);
    hp_put_text(packet, answer->note);
    hp_put_text(packet, answer->build_id);
    hp_put_text(packet, answer->symbols_from);
    hp_put_u32(packet, (uint32_t)answer->strings.count);
    for (size_t i = 0; i < answer->strings.count; i++) {
        hp_put_text(packet, answer->strings.at[i]);
    }
    hp_put_u32(packet, (uint32_t)answer->counts.count);
    for (size_t i = 0; i < answer->counts.count; i++) {
        hp_put_u32(packet, answer->counts.at[i]);
    }
    hp_put_u32(packet, (uint32_t)answer->lines.count);
    for (size_t i = 0; i < answer->lines.count; i++) {
        const struct hp_line *line = &answer->lines.at[i];
        hp_put_u32(packet, line->function.n);
        hp_put_u32(packet, line->linkage.n);
        hp_put_u32(packet, line->file.n);
        hp_put_u32(packet, line->line);
    }
}

static bool is_hex(struct hp_span text) {
    for (size_t i = 0; i < text.size; i++) {
        if (!strchr("0123456789abcdef", text.at[i]) || text.at[i] == '\0') {
            return false;
        }
    }
    return true;
}

static hp_string get_string(struct hp_unpacker *in, size_t count) {
    uint32_t n = hp_get_u32(in);
    if (n != 0 && n >= count) {
        in->bad = true;
    }
    return (hp_string){in->bad ? 0 : n};
}

static void get_lines(struct hp_unpacker *in, struct hp_answer *answer, uint64_t sum) {
    uint32_t lines = hp_get_count(in, 16);
    if (lines != sum) {
        in->bad = true;
        return;
    }
    hp_vec_reserve(&answer->lines, lines);
    for (uint32_t i = 0; i < lines; i++) {
        struct hp_line line = {.function = get_string(in, answer->strings.count)};
        line.linkage = get_string(in, answer->strings.count);
        line.file = get_string(in, answer->strings.count);
        line.line = hp_get_u32(in);
        hp_vec_push(&answer->lines, line);
    }
}

bool hp_answer_unpack(const struct hp_packet *packet, size_t offsets,
                      struct hp_answer *answer) {
    struct hp_unpacker in = hp_unpack(packet);
    uint32_t status = hp_get_u32(&in);
    answer->status = (enum hp_sym_status)status;
    answer->note = hp_get_text(&in, HP_TEXT_LIMIT);
    answer->build_id = hp_get_text(&in, HP_TEXT_LIMIT);
    answer->symbols_from = hp_get_text(&in, HP_TEXT_LIMIT);
    uint32_t strings = hp_get_count(&in, 4);
    for (uint32_t i = 0; i < strings && !in.bad; i++) {
        hp_vec_push(&answer->strings, hp_get_text(&in, HP_TEXT_LIMIT));
    }
    uint32_t counts = hp_get_count(&in, 4);
    uint64_t sum = 0;
    in.bad |= counts != offsets;
    for (uint32_t i = 0; i < counts && !in.bad; i++) {
        uint32_t count = hp_get_u32(&in);
        in.bad |= count > HP_CHAIN_LIMIT;
        sum += count;
        hp_vec_push(&answer->counts, count);
    }
    get_lines(&in, answer, sum);
    return !in.bad && in.at == in.end && is_hex(answer->build_id) &&
           status > HP_SYM_NOT_TRIED && status != HP_SYM_EMBEDDED &&
           status <= HP_SYM_OVER_BUDGET; // the child tells of no other
}

// --- the child's side ------------------------------------------------------------------

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
