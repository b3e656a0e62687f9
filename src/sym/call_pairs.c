// The question consists of
//
//     path, question, kind of addresses, number of pairs, inner and outer of each
//
// and the answer of the number and a byte for each pair.  A pair that does not match
// proves nothing: the caller may call through a pointer or a stub, and the called
// function may have ended with a jump to the function of the frame.
#include "sym/call_pairs.h"

#include "base/memory.h"
#include "sym/call_sites.h"
#include "sym/calls.h"
#include "sym/function_bounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void hp_call_pairs_done(struct hp_call_pairs *pairs) {
    hp_vec_done(&pairs->all);
}

void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs) {
    const struct hp_call_pair *pair;
    hp_text_pack(packet, path);
    hp_put_u32(packet, pairs->question);
    hp_put_u32(packet, pairs->kind);
    hp_put_u32(packet, (uint32_t)pairs->all.count);
    hp_vec_each (pair, &pairs->all) {
        hp_put_u64(packet, pair->inner);
        hp_put_u64(packet, pair->outer);
    }
}

bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *answers,
                          size_t count) {
    struct hp_unpacker in = hp_packet_open(packet);
    bool is_all = hp_packet_count(&in, 1) == count;
    const unsigned char *bytes = hp_packet_take(&in, count);
    bool good = is_all && bytes && !in.bad && in.at == in.end;
    for (size_t i = 0; good && i < count; i++) {
        good = bytes[i] < HP_CALL_ANSWERS;
        answers[i] = bytes[i];
    }
    errno = good ? errno : EPROTO;
    return good;
}

// Whether the caller's call goes to the start of the frame's function.
static bool does_match(const struct hp_image *image,
                       const struct hp_function_bounds *bounds,
                       struct hp_code_window *window, enum hp_address_kind kind,
                       const struct hp_call_pair *pair) {
    uint64_t target, inner, start;
    return hp_calls_target(image, window, kind, pair->outer, &target) &&
           hp_image_find(image, kind, pair->inner - 1, &inner) &&
           hp_function_bounds_find(bounds, inner, &start) && start == target;
}

// Answer HP_CALL_MATCHES for all pairs.
static void match(const struct hp_image *image, const struct hp_call_pairs *pairs,
                  unsigned char *answers) {
    struct hp_function_bounds bounds = {.image = NULL};
    struct hp_code_window window = {.size = 0};
    hp_function_bounds_open(&bounds, image);
    for (size_t i = 0; i < pairs->all.count; i++) {
        bool is = does_match(image, &bounds, &window, pairs->kind, &pairs->all.at[i]);
        answers[i] = is ? HP_CALL_YES : HP_CALL_NO;
    }
    hp_function_bounds_done(&bounds);
}

// Decode the question.  False if it is malformed.
static bool read_question(const struct hp_packet *asked, struct hp_span *path,
                          struct hp_call_pairs *pairs) {
    struct hp_unpacker in = hp_packet_open(asked);
    *path = hp_packet_text(&in);
    uint32_t question = hp_packet_u32(&in), kind = hp_packet_u32(&in);
    uint32_t count = hp_packet_count(&in, sizeof(struct hp_call_pair));
    pairs->question = (enum hp_call_question)question;
    pairs->kind = (enum hp_address_kind)kind;
    for (uint32_t i = 0; i < count; i++) {
        struct hp_call_pair pair = {.inner = hp_packet_u64(&in)};
        pair.outer = hp_packet_u64(&in);
        hp_vec_push(&pairs->all, pair);
    }
    return !in.bad && question < HP_CALL_QUESTIONS && kind < HP_ADDRESS_KINDS;
}

void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer) {
    struct hp_span path;
    struct hp_call_pairs pairs = {.kind = HP_ADDRESS_VIRTUAL};
    struct hp_image image = {.fd = -1};
    struct hp_sym_diagnostic why;
    bool is_asked = read_question(asked, &path, &pairs);
    bool is_read = hp_image_open(&image, fd, path, &why);
    size_t count = is_asked && is_read ? pairs.all.count : 0;
    unsigned char *answers = hp_alloc(count);
    if (count > 0 && pairs.question == HP_CALL_MATCHES) {
        match(&image, &pairs, answers);
    } else if (count > 0) {
        hp_call_sites_find(&image, &pairs, answers);
    }
    hp_put_u32(answer, (uint32_t)count);
    hp_put_bytes(answer, answers, count);
    free(answers);
    hp_call_pairs_done(&pairs);
    hp_image_done(&image);
}
