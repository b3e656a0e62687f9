// The child's answer has as many texts as the request, "" for a name that is not mangled.
#include "sym/child.h"
#include "sym/demangle.h"
#include "sym/protocol.h"

#include <errno.h>
#include <sys/wait.h>

static const int64_t most_cpu = INT64_C(20000000000); // nanoseconds, for all names
static const int patience = 20; // wall-clock time allowed, as a multiple of CPU time

// In the child: demangle the texts and append the answer to `packet`.
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

// Main loop of the child, for a single request.
static void serve(int sock) {
    struct hp_message message = {0};
    struct hp_packet packet = {0};
    struct hp_texts asked = {0};
    struct hp_wire wire = {.sock = sock, .limit = HP_REQUEST_LIMIT};
    if (hp_wire_receive(&wire, &message) && hp_texts_unpack(&message.body, &asked)) {
        answer(&asked, &packet);
        // Fails only if the parent is gone.
        (void)hp_wire_send(&wire, HP_SAY_ANSWER, &packet, -1);
    }
    hp_vec_done(&asked.all);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}

// Store the demangled names of an answer in `names`.  False if the answer is malformed.
static bool take(struct hp_strtab *strings, struct hp_mangled *names, size_t count,
                 const struct hp_message *message) {
    struct hp_texts texts = {0};
    bool is_answer = message->kind == HP_SAY_ANSWER &&
                     hp_texts_unpack(&message->body, &texts) && texts.all.count == count;
    for (size_t i = 0; is_answer && i < count; i++) {
        hp_string function = hp_strtab_add(strings, texts.all.at[i]);
        names[i].function = function.n ? function : names[i].linkage;
    }
    hp_vec_done(&texts.all);
    return is_answer;
}

// Limit of the answer in bytes: a single name may grow to any size, but not all of them.
static size_t room_for(const struct hp_packet *asked) {
    size_t room = ((size_t)16 << 20) + 64 * asked->bytes.count;
    return room < HP_ANSWER_LIMIT ? room : HP_ANSWER_LIMIT;
}

// Send the names and receive the answer.  False, with errno, if none arrives.
static bool converse(const struct hp_child *child, struct hp_packet *packet,
                     struct hp_message *message) {
    struct hp_wire wire = {.sock = child->sock,
                           .limit = room_for(packet),
                           .until = hp_wire_now() + most_cpu * patience};
    hp_child_limit_cpu(child, most_cpu);
    hp_child_limit_memory(child, 0);
    return hp_wire_send(&wire, HP_SAY_NAMES, packet, -1) &&
           hp_wire_receive(&wire, message);
}

// The reason why the child failed.
static const char *reason_of(const struct hp_child_end *end) {
    int status =
        end->status != -1 && WIFEXITED(end->status) ? WEXITSTATUS(end->status) : 0;
    return status == HP_CHILD_NO_MEMORY
               ? hp_words(HP_WORDS("demangler-memory", "memory ran out"))
           : status == HP_CHILD_NO_SANDBOX
               ? hp_words(HP_WORDS("demangler-no-sandbox", "no sandbox is available"))
               : hp_words(HP_WORDS("demangler-failed", "what reads them failed"));
}

const char *hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                              size_t count, enum hp_sandbox sandbox) {
    const char *why = count > 0
                          ? hp_words(HP_WORDS("demangler-no-process",
                                              "no process could be started for them"))
                          : NULL;
    struct hp_child child = {0};
    struct hp_texts texts = {0};
    struct hp_packet packet = {0};
    struct hp_message message = {0};
    struct hp_err err;
    for (size_t i = 0; i < count; i++) {
        struct hp_span linkage = hp_strtab_span(strings, names[i].linkage);
        names[i].function = names[i].linkage;
        // A name that is too long is sent as "".
        hp_vec_push(&texts.all, linkage.size < HP_TEXT_LIMIT ? linkage : hp_span_of(""));
    }
    hp_texts_pack(&packet, &texts);
    if (count > 0 && hp_child_start(&child, serve, sandbox, &err) == HP_OK) {
        bool heard = converse(&child, &packet, &message);
        bool is_gone = !heard && (errno == 0 || errno == ECONNRESET || errno == EPIPE);
        bool is_done = heard && take(strings, names, count, &message);
        struct hp_child_end end = hp_child_stop(&child, heard || is_gone);
        why = is_done ? NULL : reason_of(&end);
    }
    hp_vec_done(&texts.all);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
    return why;
}
