// Tests of the messages between parent and child.
#include "sym/call_pairs.h"
#include "sym/protocol.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct hp_answer sample(void) {
    struct hp_answer answer = {.status = HP_SYM_DWARF,
                               .note = hp_span_of("a note"),
                               .build_id = hp_span_of("00ff"),
                               .symbols_from = hp_span_of("/bin/x")};
    hp_vec_push(&answer.strings, ((struct hp_span){"", 0}));
    hp_vec_push(&answer.strings, hp_span_of("main"));
    hp_vec_push(&answer.strings, hp_span_of("main.c"));
    hp_vec_push(&answer.counts, 0);
    hp_vec_push(&answer.counts, 2);
    hp_vec_push(&answer.starts, 17);
    hp_vec_push(&answer.codes, 17);
    hp_vec_push(&answer.starts, 0);
    hp_vec_push(&answer.codes, 0);
    struct hp_line line = {{1}, {1}, {2}, 7, 5};
    hp_vec_push(&answer.lines, line);
    hp_vec_push(&answer.lines, line);
    hp_vec_push(&answer.sources,
                ((struct hp_source_digest){{2}, {0}, "0123456789abcde"}));
    hp_vec_push(&answer.returns, HP_RETURN_OF_CALL);
    hp_vec_push(&answer.returns, HP_RETURN_OF_SIGNAL);
    answer.lacks_inlines = answer.has_jemalloc = true;
    answer.units = (struct hp_debug_parts){7, 1};
    answer.line_programs = (struct hp_debug_parts){9, 2};
    return answer;
}

// Whether a packet is a valid answer about a number of offsets.
static bool unpacks(const struct hp_packet *packet, size_t offsets) {
    struct hp_answer answer = {0};
    bool good = hp_answer_unpack(packet, offsets, &answer);
    hp_answer_done(&answer);
    return good;
}

// Whether a changed answer is accepted.
static bool accepted(const struct hp_answer *changed, size_t offsets) {
    struct hp_packet packet = {0};
    hp_answer_pack(&packet, changed);
    bool good = unpacks(&packet, offsets);
    hp_packet_done(&packet);
    return good;
}

Test(sym_protocol, an_answer_comes_back_as_it_was) {
    struct hp_answer answer = sample(), back = {0};
    struct hp_packet packet = {0};
    hp_answer_pack(&packet, &answer);
    cr_assert(hp_answer_unpack(&packet, 2, &back));
    cr_expect(hp_span_is(back.note, "a note"));
    cr_expect(hp_span_is(back.build_id, "00ff"));
    cr_expect_eq(back.lines.count, 2);
    cr_expect(hp_span_is(back.strings.at[back.lines.at[1].file.n], "main.c"));
    cr_expect_eq(back.lines.at[1].line, 7);
    cr_expect_eq(back.lines.at[1].start_line, 5);
    cr_expect_eq(back.starts.at[0], 17);
    cr_expect_eq(back.codes.at[0], 17);
    cr_expect_eq(back.sources.count, 1);
    cr_expect_eq(back.sources.at[0].file.n, 2);
    cr_expect_arr_eq(back.sources.at[0].md5, "0123456789abcde", HP_MD5_SIZE);
    cr_expect_eq(back.returns.at[1], HP_RETURN_OF_SIGNAL);
    cr_expect(back.lacks_inlines);
    cr_expect_eq(back.units.all, 7);
    cr_expect_eq(back.units.foreign, 1);
    cr_expect_eq(back.line_programs.all, 9);
    cr_expect_eq(back.line_programs.foreign, 2);
    cr_expect_not(back.lacks_rules);
    cr_expect(back.has_jemalloc);
    hp_packet_done(&packet);
    hp_answer_done(&answer);
    hp_answer_done(&back);
}

Test(sym_protocol, an_answer_cut_anywhere_is_refused) {
    struct hp_answer answer = sample();
    struct hp_packet packet = {0};
    hp_answer_pack(&packet, &answer);
    size_t size = packet.bytes.count;
    for (size_t i = 0; i < size; i++) {
        packet.bytes.count = i;
        cr_expect_not(unpacks(&packet, 2), "%zu", i);
    }
    packet.bytes.count = size;
    cr_expect(unpacks(&packet, 2));
    hp_vec_push(&packet.bytes, 0);
    cr_expect_not(unpacks(&packet, 2));
    hp_packet_done(&packet);
    hp_answer_done(&answer);
}

Test(sym_protocol, an_answer_with_any_byte_changed_is_safe_to_read) {
    struct hp_answer answer = sample();
    struct hp_packet packet = {0};
    hp_answer_pack(&packet, &answer);
    for (size_t i = 0; i < packet.bytes.count * 256; i++) {
        unsigned char *byte = &packet.bytes.at[i / 256], kept = *byte;
        *byte = (unsigned char)i;
        unpacks(&packet, 2);
        *byte = kept;
    }
    hp_packet_done(&packet);
    hp_answer_done(&answer);
}

Test(sym_protocol, an_answer_out_of_bounds_is_refused) {
    struct hp_answer answer = sample();
    cr_expect(accepted(&answer, 2));
    cr_expect_not(accepted(&answer, 1), "an offset more than was asked for");
    cr_expect_not(accepted(&answer, 3), "an offset less");
    answer.lines.at[1].file.n = 3;
    cr_expect_not(accepted(&answer, 2), "no such string");
    answer.lines.at[1].file.n = 2;
    answer.sources.at[0].file.n = 3;
    cr_expect_not(accepted(&answer, 2), "no such file");
    answer.sources.at[0].file.n = 2;
    answer.counts.at[1] = 1;
    cr_expect_not(accepted(&answer, 2), "a line that belongs to no offset");
    answer.counts.at[1] = HP_CHAIN_LIMIT + 1;
    cr_expect_not(accepted(&answer, 2), "too many lines");
    answer.counts.at[1] = 2;
    answer.returns.at[1] = HP_RETURNS;
    cr_expect_not(accepted(&answer, 2), "an address that returns to something unknown");
    answer.returns.at[1] = HP_RETURN_OF_NONE;
    answer.status = HP_SYM_NOT_TRIED;
    cr_expect_not(accepted(&answer, 2), "no status");
    answer.status = (enum hp_sym_status)99;
    cr_expect_not(accepted(&answer, 2), "an unknown status");
    answer.status = HP_SYM_DWARF;
    answer.build_id = hp_span_of("../../x");
    cr_expect_not(accepted(&answer, 2), "a build id that is none");
    answer.build_id = hp_span_of("");
    cr_expect(accepted(&answer, 2));
    char *large = hp_alloc(HP_TEXT_LIMIT + 1);
    answer.strings.at[1] = (struct hp_span){large, HP_TEXT_LIMIT + 1};
    cr_expect_not(accepted(&answer, 2), "too long a string");
    answer.strings.at[1].size--;
    cr_expect(accepted(&answer, 2));
    free(large);
    hp_answer_done(&answer);
}

Test(sym_protocol, a_request_comes_back_as_it_was) {
    struct hp_request request = {.build_id = hp_span_of("ab"),
                                 .span = 1,
                                 .kind = HP_ADDRESS_OFFSET},
                      back = {0};
    struct hp_packet packet = {0};
    struct hp_extent extent = {4096, 8192, 1000, true};
    hp_vec_push(&request.extents, extent);
    hp_vec_push(&request.addresses, 5000);
    hp_request_pack(&packet, &request);
    cr_assert(hp_request_unpack(&packet, &back));
    cr_expect(hp_span_is(back.build_id, "ab"));
    cr_expect_eq(back.extents.at[0].size, 8192);
    cr_expect_eq(back.extents.at[0].offset, 1000);
    cr_expect_eq(back.kind, HP_ADDRESS_OFFSET);
    cr_expect(back.extents.at[0].has_hole);
    cr_expect_eq(back.addresses.at[0], 5000);
    hp_packet_done(&packet);
    hp_request_done(&request);
    hp_request_done(&back);
}

// Connect two ends; the first accepts bodies of at most `limit` bytes.
static void open_pair(struct hp_wire pair[2], size_t limit) {
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pair[0] = (struct hp_wire){.sock = ends[0], .limit = limit};
    pair[1] = (struct hp_wire){.sock = ends[1]};
}

// Set a time limit of 50 ms.
static void wait_a_twentieth(struct hp_wire *wire) {
    wire->until = hp_wire_now() + 50000000;
}

Test(sym_wire, a_message_carries_a_file) {
    struct hp_packet packet = {0};
    struct hp_message message = {.fd = -1};
    struct hp_wire pair[2];
    int ends[2];
    open_pair(pair, 100);
    cr_assert_eq(pipe(ends), 0);
    hp_text_pack(&packet, hp_span_of("hello"));
    cr_assert(hp_wire_send(&pair[1], 3, &packet, ends[1]));
    cr_assert(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(message.kind, 3);
    cr_expect(hp_span_is(hp_text_unpack(&message.body), "hello"));
    cr_expect_eq(write(message.fd, "x", 1), 1);
    close(message.fd);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}

Test(sym_wire, silence_hanging_up_and_size_are_distinguished, .timeout = 10) {
    struct hp_packet packet = {0};
    struct hp_message message = {.fd = -1};
    struct hp_wire pair[2];
    open_pair(pair, 403);
    wait_a_twentieth(&pair[0]);
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, EAGAIN);
    pair[0].until = 0;
    for (int i = 0; i < 404; i++) {
        hp_vec_push(&packet.bytes, 0);
    }
    cr_expect(hp_wire_send(&pair[1], 1, &packet, -1));
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, EMSGSIZE);
    close(pair[0].sock);
    open_pair(pair, 403);
    cr_assert_eq(send(pair[1].sock, "abc", 3, 0), 3);
    close(pair[1].sock);
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, 0);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}

// Another process that works for a third of a second before it sends a message, and then
// waits.
static pid_t start_worker(int sock) {
    static const uint32_t head[] = {HP_SAY_TICK, 0};
    pid_t pid = fork();
    if (pid == 0) {
        clock_t end = clock() + CLOCKS_PER_SEC / 3;
        while (clock() < end) {
        }
        send(sock, head, sizeof head, MSG_NOSIGNAL);
        pause();
        _exit(0);
    }
    return pid;
}

// The other end may be silent for 0.1 seconds while it uses no CPU.
Test(sym_wire, a_silent_end_that_works_is_waited_for, .timeout = 20) {
    struct hp_message message = {.fd = -1};
    struct hp_wire pair[2];
    open_pair(pair, 100);
    pid_t pid = start_worker(pair[1].sock);
    cr_assert_gt(pid, 0);
    cr_assert_eq(clock_getcpuclockid(pid, &pair[0].cpu_clock), 0);
    pair[0].until = hp_wire_now() + INT64_C(20000000000);
    pair[0].silence = 100000000;
    cr_expect(hp_wire_receive(&pair[0], &message), "%d", errno);
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, EAGAIN);
    cr_expect_lt(hp_wire_now(), pair[0].until);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    hp_packet_done(&message.body);
}

// An announced gigabyte takes no memory before it arrives.
Test(sym_wire, memory_is_taken_as_bytes_come, .timeout = 10) {
    static const uint32_t head[] = {HP_SAY_ANSWER, HP_ANSWER_LIMIT};
    struct hp_message message = {.fd = -1};
    struct hp_wire pair[2];
    open_pair(pair, HP_ANSWER_LIMIT);
    wait_a_twentieth(&pair[0]);
    cr_assert_eq(send(pair[1].sock, head, sizeof head, 0), (ssize_t)sizeof head);
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, EAGAIN);
    cr_expect_leq(message.body.bytes.capacity, 1 << 18);
    hp_packet_done(&message.body);
}

// A message that is sent or received in small pieces ends at the time limit.
Test(sym_wire, drops_end_with_the_time, .timeout = 10) {
    struct hp_packet packet = {0};
    struct hp_message message = {.fd = -1};
    struct hp_wire pair[2];
    open_pair(pair, 1 << 20);
    pid_t child = fork();
    if (child == 0) {
        static const uint32_t head[] = {HP_SAY_ANSWER, 1 << 20};
        send(pair[1].sock, head, sizeof head, MSG_NOSIGNAL);
        while (send(pair[1].sock, "x", 1, MSG_NOSIGNAL) == 1) {
            usleep(5000);
        }
        _exit(0);
    }
    wait_a_twentieth(&pair[0]);
    cr_expect_not(hp_wire_receive(&pair[0], &message));
    cr_expect_eq(errno, EAGAIN);
    hp_vec_reserve(&packet.bytes, 8 << 20);
    memset(packet.bytes.at, 0, packet.bytes.count = 8 << 20);
    wait_a_twentieth(&pair[0]);
    // The other end does not read.
    cr_expect_not(hp_wire_send(&pair[0], HP_SAY_FILE, &packet, -1));
    cr_expect_eq(errno, EAGAIN);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    hp_packet_done(&packet);
    hp_packet_done(&message.body);
}

// The answer has exactly one byte for each pair.
Test(sym_protocol, an_answer_about_pairs_has_as_many_as_were_asked) {
    for (uint32_t count = 0; count < 4; count++) {
        for (size_t size = 0; size < 4; size++) {
            static const unsigned char bytes[4] = {1, 0, 7, 1};
            unsigned char matches[4] = {9, 9, 9, 9};
            struct hp_packet packet = {0};
            hp_put_u32(&packet, count);
            hp_put_bytes(&packet, bytes, size);
            bool good = hp_call_pairs_unpack(&packet, matches, 2);
            cr_expect_eq(good, count == 2 && size == 2);
            cr_expect_eq(matches[0], good ? 1 : 9);
            cr_expect_eq(matches[1], good ? 0 : 9);
            hp_packet_done(&packet);
        }
    }
}
