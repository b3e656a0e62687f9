// The child's answer has as many texts as it was asked, "" for a name that is not mangled.
#include "sym/child.h"
#include "sym/demangle.h"
#include "sym/protocol.h"

#include <sys/resource.h>

enum {
    SECONDS = 20, // of CPU, for all
};

static void limit_cpu(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) == 0 && SECONDS < limit.rlim_max) {
        limit.rlim_cur = SECONDS;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

static void answer(const struct hp_texts *asked, struct hp_packet *packet) {
    struct hp_strtab strings = {0};
    struct hp_mangled *names = hp_alloc((asked->all.count + 1) * sizeof *names);
    struct hp_texts texts = {0};
    for (size_t i = 0; i < asked->all.count; i++) {
        names[i].linkage = hp_strtab_add(&strings, asked->all.at[i]);
    }
    hp_demangle(&strings, names, asked->all.count);
    for (size_t i = 0; i < asked->all.count; i++) {
        bool is_mangled = names[i].function.n != names[i].linkage.n;
        hp_vec_push(&texts.all, is_mangled ? hp_strtab_span(&strings, names[i].function)
                                           : hp_span_of(""));
    }
    hp_texts_pack(packet, &texts);
    hp_vec_done(&texts.all);
    hp_strtab_done(&strings);
    free(names);
}

static void serve(int sock) {
    struct hp_message message = {0};
    struct hp_packet packet = {0};
    struct hp_texts asked = {0};
    limit_cpu();
    if (hp_wire_receive(sock, &message, HP_REQUEST_LIMIT) &&
        hp_texts_unpack(&message.body, &asked)) {
        answer(&asked, &packet);
        (void)hp_wire_send(sock, HP_SAY_ANSWER, &packet, -1); // else nobody listens
    }
    hp_vec_done(&asked.all);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}

static void take(struct hp_strtab *strings, struct hp_mangled *names, size_t count,
                 const struct hp_message *message) {
    struct hp_texts texts = {0};
    if (message->kind == HP_SAY_ANSWER && hp_texts_unpack(&message->body, &texts) &&
        texts.all.count == count) {
        for (size_t i = 0; i < count; i++) {
            hp_string function = hp_strtab_add(strings, texts.all.at[i]);
            names[i].function = function.n ? function : names[i].linkage;
        }
    }
    hp_vec_done(&texts.all);
}

void hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                       size_t count) {
    struct hp_child child = {0};
    struct hp_texts texts = {0};
    struct hp_packet packet = {0};
    struct hp_message message = {0};
    struct hp_err err;
    for (size_t i = 0; i < count; i++) {
        struct hp_span linkage = hp_strtab_span(strings, names[i].linkage);
        names[i].function = names[i].linkage;
        hp_vec_push(&texts.all,
                    linkage.size < HP_TEXT_LIMIT ? linkage : hp_span_of("")); // no name
    }
    hp_texts_pack(&packet, &texts);
    if (count > 0 && hp_child_start(&child, serve, &err) == HP_OK) {
        if (hp_wire_send(child.sock, HP_SAY_NAMES, &packet, -1) &&
            hp_wire_receive(child.sock, &message, HP_ANSWER_LIMIT)) {
            take(strings, names, count, &message);
        }
        hp_child_stop(&child);
    }
    hp_vec_done(&texts.all);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}
