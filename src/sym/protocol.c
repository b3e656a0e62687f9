// A message is a head of two 32-bit numbers, the kind and the size of the body, followed
// by the body.  A file travels with the head.  Both ends are one program on one machine,
// so numbers are in native byte order.  The layout of each body is the order of the calls
// below.
#include "sym/protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void hp_request_done(struct hp_request *request) {
    hp_vec_done(&request->extents);
    hp_vec_done(&request->addresses);
    *request = (struct hp_request){0};
}

void hp_answer_done(struct hp_answer *answer) {
    hp_vec_done(&answer->strings);
    hp_vec_done(&answer->lines);
    hp_vec_done(&answer->counts);
    hp_vec_done(&answer->starts);
    hp_vec_done(&answer->codes);
    hp_vec_done(&answer->sources);
    hp_vec_done(&answer->returns);
    *answer = (struct hp_answer){0};
}

// --- bodies ----------------------------------------------------------------------------

struct hp_span hp_text_unpack(const struct hp_packet *packet) {
    struct hp_unpacker in = hp_packet_open(packet);
    return hp_packet_text(&in);
}

void hp_texts_pack(struct hp_packet *packet, const struct hp_texts *texts) {
    const struct hp_span *text;
    hp_put_u32(packet, (uint32_t)texts->all.count);
    hp_vec_each (text, &texts->all) {
        hp_text_pack(packet, *text);
    }
}

bool hp_texts_unpack(const struct hp_packet *packet, struct hp_texts *texts) {
    struct hp_unpacker in = hp_packet_open(packet);
    uint32_t count = hp_packet_count(&in, sizeof(uint32_t));
    texts->all.count = 0;
    for (uint32_t i = 0; i < count && !in.bad; i++) {
        hp_vec_push(&texts->all, hp_packet_text(&in));
    }
    return !in.bad && in.at == in.end;
}

void hp_request_pack(struct hp_packet *packet, const struct hp_request *request) {
    hp_text_pack(packet, request->build_id);
    hp_put_u64(packet, request->span);
    hp_put_u32(packet, request->kind);
    hp_put_u32(packet, request->is_proven);
    hp_put_u32(packet, request->wants_code);
    hp_put_u32(packet, (uint32_t)request->extents.count);
    for (size_t i = 0; i < request->extents.count; i++) {
        const struct hp_extent *extent = &request->extents.at[i];
        hp_put_u64(packet, extent->address);
        hp_put_u64(packet, extent->size);
        hp_put_u64(packet, extent->offset);
        hp_put_u32(packet, extent->has_hole);
    }
    hp_put_u32(packet, (uint32_t)request->addresses.count);
    for (size_t i = 0; i < request->addresses.count; i++) {
        hp_put_u64(packet, request->addresses.at[i]);
    }
}

bool hp_request_unpack(const struct hp_packet *packet, struct hp_request *request) {
    struct hp_unpacker in = hp_packet_open(packet);
    request->build_id = hp_packet_text(&in);
    request->span = hp_packet_u64(&in);
    uint32_t kind = hp_packet_u32(&in);
    in.bad |= kind >= HP_ADDRESS_KINDS;
    request->kind = (enum hp_address_kind)kind;
    request->is_proven = hp_packet_u32(&in) != 0;
    request->wants_code = hp_packet_u32(&in) != 0;
    uint32_t extents = hp_packet_count(&in, 28);
    request->extents.count = 0;
    for (uint32_t i = 0; i < extents; i++) {
        struct hp_extent extent = {.address = hp_packet_u64(&in)};
        extent.size = hp_packet_u64(&in);
        extent.offset = hp_packet_u64(&in);
        extent.has_hole = hp_packet_u32(&in) != 0;
        hp_vec_push(&request->extents, extent);
    }
    uint32_t addresses = hp_packet_count(&in, 8);
    request->addresses.count = 0;
    hp_vec_reserve(&request->addresses, addresses);
    for (uint32_t i = 0; i < addresses; i++) {
        hp_vec_push(&request->addresses, hp_packet_u64(&in));
    }
    return !in.bad;
}

bool hp_wanted_unpack(const struct hp_packet *packet, struct hp_wanted *wanted) {
    struct hp_unpacker in = hp_packet_open(packet);
    uint32_t find = hp_packet_u32(&in);
    wanted->n = hp_packet_u32(&in);
    wanted->name = hp_packet_text(&in);
    wanted->find = (enum hp_find)find;
    return !in.bad && in.at == in.end && find < HP_FINDS;
}

static void put_parts(struct hp_packet *packet, struct hp_debug_parts parts) {
    hp_put_u32(packet, parts.all);
    hp_put_u32(packet, parts.foreign);
}

void hp_answer_pack(struct hp_packet *packet, const struct hp_answer *answer) {
    hp_put_u32(packet, answer->status);
    hp_put_u32(packet, answer->lacks_inlines);
    hp_put_u32(packet, answer->lacks_rules);
    hp_put_u32(packet, answer->lacks_sandbox);
    hp_put_u32(packet, answer->has_jemalloc);
    put_parts(packet, answer->units);
    put_parts(packet, answer->line_programs);
    hp_text_pack(packet, answer->note);
    hp_text_pack(packet, answer->build_id);
    hp_text_pack(packet, answer->symbols_from);
    hp_put_u32(packet, (uint32_t)answer->strings.count);
    for (size_t i = 0; i < answer->strings.count; i++) {
        hp_text_pack(packet, answer->strings.at[i]);
    }
    hp_put_u32(packet, (uint32_t)answer->counts.count);
    for (size_t i = 0; i < answer->counts.count; i++) {
        hp_put_u32(packet, answer->counts.at[i]);
        hp_put_u32(packet, answer->starts.at[i]);
        hp_put_u64(packet, answer->codes.at[i]);
    }
    hp_put_u32(packet, (uint32_t)answer->lines.count);
    for (size_t i = 0; i < answer->lines.count; i++) {
        const struct hp_line *line = &answer->lines.at[i];
        hp_put_u32(packet, line->function.n);
        hp_put_u32(packet, line->linkage.n);
        hp_put_u32(packet, line->file.n);
        hp_put_u32(packet, line->line);
        hp_put_u32(packet, line->start_line);
    }
    hp_put_u32(packet, (uint32_t)answer->sources.count);
    for (size_t i = 0; i < answer->sources.count; i++) {
        const struct hp_source_digest *source = &answer->sources.at[i];
        hp_put_u32(packet, source->file.n);
        hp_put_bytes(packet, source->md5, sizeof source->md5);
    }
    hp_put_bytes(packet, answer->returns.at, answer->returns.count);
}

static bool is_hex(struct hp_span text) {
    for (size_t i = 0; i < text.size; i++) {
        if (!strchr("0123456789abcdef", text.at[i]) || text.at[i] == '\0') {
            return false;
        }
    }
    return true;
}

// Read the index of a string; marks the body as bad unless it is below `count`.  0 is
// always valid.
static hp_string get_string(struct hp_unpacker *in, size_t count) {
    uint32_t n = hp_packet_u32(in);
    if (n != 0 && n >= count) {
        in->bad = true;
    }
    return (hp_string){in->bad ? 0 : n};
}

// Read the lines of an answer; the body is bad unless there are `sum`, as its counts
// promise.
static void get_lines(struct hp_unpacker *in, struct hp_answer *answer, uint64_t sum) {
    uint32_t lines = hp_packet_count(in, 20);
    if (lines != sum) {
        in->bad = true;
        return;
    }
    hp_vec_reserve(&answer->lines, lines);
    for (uint32_t i = 0; i < lines; i++) {
        struct hp_line line = {.function = get_string(in, answer->strings.count)};
        line.linkage = get_string(in, answer->strings.count);
        line.file = get_string(in, answer->strings.count);
        line.line = hp_packet_u32(in);
        line.start_line = hp_packet_u32(in);
        hp_vec_push(&answer->lines, line);
    }
}

// Read the digests of source files; their modules are left 0.
static void get_sources(struct hp_unpacker *in, struct hp_answer *answer) {
    uint32_t sources = hp_packet_count(in, 4 + HP_MD5_SIZE);
    for (uint32_t i = 0; i < sources && !in->bad; i++) {
        struct hp_source_digest source = {.file = get_string(in, answer->strings.count)};
        const unsigned char *md5 = hp_packet_take(in, sizeof source.md5);
        if (md5) {
            memcpy(source.md5, md5, sizeof source.md5);
            hp_vec_push(&answer->sources, source);
        }
    }
}

// Read an enum hp_return for each of `offsets` addresses that were asked for.
static void get_returns(struct hp_unpacker *in, struct hp_answer *answer,
                        size_t offsets) {
    const unsigned char *code = hp_packet_take(in, offsets);
    for (size_t i = 0; code && i < offsets; i++) {
        in->bad |= code[i] >= HP_RETURNS;
    }
    hp_vec_append(&answer->returns, code, code ? offsets : 0);
}

// Read three numbers for each of `offsets` addresses that were asked for: members counts,
// starts and codes of the answer.  Adds the counts to `sum`.
static void get_counts(struct hp_unpacker *in, struct hp_answer *answer, size_t offsets,
                       uint64_t *sum) {
    uint32_t counts = hp_packet_count(in, 16);
    in->bad |= counts != offsets;
    for (uint32_t i = 0; i < counts && !in->bad; i++) {
        uint32_t count = hp_packet_u32(in);
        in->bad |= count > HP_CHAIN_LIMIT;
        *sum += count;
        hp_vec_push(&answer->counts, count);
        hp_vec_push(&answer->starts, hp_packet_u32(in));
        hp_vec_push(&answer->codes, hp_packet_u64(in));
    }
}

static struct hp_debug_parts get_parts(struct hp_unpacker *in) {
    struct hp_debug_parts parts = {.all = hp_packet_u32(in)};
    parts.foreign = hp_packet_u32(in);
    in->bad |= parts.foreign > parts.all;
    return parts;
}

bool hp_answer_unpack(const struct hp_packet *packet, size_t offsets,
                      struct hp_answer *answer) {
    struct hp_unpacker in = hp_packet_open(packet);
    uint32_t status = hp_packet_u32(&in);
    answer->status = (enum hp_sym_status)status;
    answer->lacks_inlines = hp_packet_u32(&in) != 0;
    answer->lacks_rules = hp_packet_u32(&in) != 0;
    answer->lacks_sandbox = hp_packet_u32(&in) != 0;
    answer->has_jemalloc = hp_packet_u32(&in) != 0;
    answer->units = get_parts(&in);
    answer->line_programs = get_parts(&in);
    answer->note = hp_packet_text(&in);
    answer->build_id = hp_packet_text(&in);
    answer->symbols_from = hp_packet_text(&in);
    uint32_t strings = hp_packet_count(&in, 4);
    for (uint32_t i = 0; i < strings && !in.bad; i++) {
        hp_vec_push(&answer->strings, hp_packet_text(&in));
    }
    uint64_t sum = 0;
    get_counts(&in, answer, offsets, &sum);
    get_lines(&in, answer, sum);
    get_sources(&in, answer);
    get_returns(&in, answer, offsets);
    return !in.bad && in.at == in.end && is_hex(answer->build_id) &&
           status > HP_SYM_NOT_TRIED && status != HP_SYM_EMBEDDED &&
           status <= HP_SYM_NO_MEMORY; // the child sends no other status
}

// --- the socket ------------------------------------------------------------------------

// The head of a message on the wire.
struct head {
    uint32_t kind, size;
};

// Room for one descriptor, aligned as the kernel wants it.
union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

static int64_t read_clock(clockid_t clock) {
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t hp_wire_now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

// The time until the deadline, in nanoseconds.  CPU time passes no faster than other
// time, so the smaller of both is long enough to wait.
static int64_t time_left(const struct hp_wire *wire) {
    int64_t left = wire->until - hp_wire_now();
    int64_t cpu = wire->cpu_until ? wire->cpu_until - read_clock(wire->cpu_clock) : left;
    return cpu < left ? cpu : left;
}

// The other process since it was last seen to use its CPU.
struct rest {
    int64_t since; // time
    int64_t cpu;   // its CPU time then
};

// The time until the other process has used no CPU for `silence`, in nanoseconds.
static int64_t silence_left(const struct hp_wire *wire, struct rest *rest) {
    static const int64_t least_work = 10000000; // CPU time; a blocked process uses less
    int64_t now = hp_wire_now();
    if (wire->silence == 0) {
        return INT64_MAX;
    }
    if (rest->since == 0 || now - rest->since >= wire->silence) {
        int64_t cpu = read_clock(wire->cpu_clock);
        bool is_blocked = rest->since != 0 && cpu - rest->cpu < least_work;
        *rest = is_blocked ? *rest : (struct rest){now, cpu};
    }
    return wire->silence - (now - rest->since);
}

// Wait until the socket can be read or written, according to `events`.  False at the
// deadline, or if the other process is blocked (EAGAIN), or on an error.  Does not wait if
// there is no deadline.
static bool wait_for(const struct hp_wire *wire, short events) {
    struct pollfd poller = {wire->sock, events, 0};
    struct rest rest = {0};
    while (wire->until) {
        int64_t left = time_left(wire), silent = silence_left(wire, &rest);
        left = silent < left ? silent : left;
        int ready =
            left > 0 ? poll(&poller, 1, (int)(left / 1000000 % INT32_MAX) + 1) : 0;
        if (ready > 0) {
            return true;
        }
        if (left <= 0 || (ready < 0 && errno != EINTR)) {
            errno = left <= 0 ? EAGAIN : errno;
            return false;
        }
    }
    return true;
}

// Whether a call failed for a reason that may be gone at another try.
static bool is_passing(ssize_t got) {
    return got < 0 && (errno == EINTR || errno == EAGAIN);
}

// Flags of send() and recv(): with a deadline they must not block.
static int flags_of(const struct hp_wire *wire) {
    return wire->until ? MSG_DONTWAIT | MSG_NOSIGNAL : MSG_NOSIGNAL;
}

// Send all bytes.  False as for hp_wire_send().
static bool send_bytes(const struct hp_wire *wire, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        if (!wait_for(wire, POLLOUT)) {
            return false;
        }
        ssize_t sent = send(wire->sock, at, size, flags_of(wire));
        if (sent < 0 && !is_passing(sent)) {
            return false;
        }
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

// Send the head, with `fd` attached unless that is -1.  The head is small enough to be
// sent whole.
static bool send_head(const struct hp_wire *wire, struct head head, int fd) {
    union control control = {0};
    struct iovec piece = {&head, sizeof head};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    ssize_t sent = -1;
    do {
        if (!wait_for(wire, POLLOUT)) {
            return false;
        }
        sent = sendmsg(wire->sock, &message, flags_of(wire));
    } while (is_passing(sent));
    return sent == (ssize_t)sizeof head;
}

bool hp_wire_send(const struct hp_wire *wire, uint32_t kind, struct hp_packet *body,
                  int fd) {
    size_t size = body->bytes.count;
    body->bytes.count = 0;
    if (size > UINT32_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    struct head head = {kind, (uint32_t)size};
    return send_head(wire, head, fd) && send_bytes(wire, body->bytes.at, size);
}

bool hp_wire_receive_bytes(const struct hp_wire *wire, void *bytes, size_t size) {
    char *at = bytes;
    while (size) {
        if (!wait_for(wire, POLLIN)) {
            return false;
        }
        ssize_t got = recv(wire->sock, at, size, flags_of(wire));
        if (got == 0) {
            errno = 0;
            return false;
        }
        if (got < 0 && !is_passing(got)) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

// Receive a body in pieces that double what has arrived, so that memory never exceeds
// twice of what was sent.
static bool receive_body(const struct hp_wire *wire, struct hp_packet *body,
                         size_t size) {
    enum {
        FIRST_PIECE = 1 << 16
    };

    while (body->bytes.count < size) {
        size_t have = body->bytes.count, piece = have > FIRST_PIECE ? have : FIRST_PIECE;
        piece = piece < size - have ? piece : size - have;
        hp_vec_reserve(&body->bytes, piece);
        if (!hp_wire_receive_bytes(wire, body->bytes.at + have, piece)) {
            return false;
        }
        body->bytes.count += piece;
    }
    return true;
}

// The file that came along, or -1.  More than one is a violation of the protocol: all are
// closed.
static int descriptor_in(struct msghdr *message) {
    int kept = -1, count = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
         part = CMSG_NXTHDR(message, part)) {
        bool rights = part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS;
        size_t files = rights ? (part->cmsg_len - CMSG_LEN(0)) / sizeof kept : 0;
        for (size_t i = 0; i < files; i++, count++) {
            if (kept >= 0) {
                close(kept);
            }
            memcpy(&kept, CMSG_DATA(part) + i * sizeof kept, sizeof kept);
        }
    }
    if (kept >= 0 && (count > 1 || message->msg_flags & MSG_CTRUNC)) {
        close(kept);
        kept = -1;
    }
    return kept;
}

// Receive the head and the file that came along; `fd` is -1 if there is none.  False as
// for hp_wire_receive().
static bool receive_head(const struct hp_wire *wire, struct head *head, int *fd) {
    union control control;
    struct iovec piece = {head, sizeof *head};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got = -1;
    do {
        if (!wait_for(wire, POLLIN)) {
            return false;
        }
        got = recvmsg(wire->sock, &message, MSG_CMSG_CLOEXEC | flags_of(wire));
    } while (is_passing(got));
    if (got <= 0) {
        errno = got == 0 ? 0 : errno;
        return false;
    }
    *fd = descriptor_in(&message);
    size_t missing = sizeof *head - (size_t)got;
    return hp_wire_receive_bytes(wire, (char *)head + got, missing);
}

bool hp_wire_receive(const struct hp_wire *wire, struct hp_message *message) {
    struct head head = {0};
    message->fd = -1;
    message->body.bytes.count = 0;
    bool good = receive_head(wire, &head, &message->fd);
    if (good && head.size > wire->limit) {
        errno = EMSGSIZE;
        good = false;
    }
    good = good && receive_body(wire, &message->body, head.size);
    message->kind = head.kind;
    if (!good && message->fd >= 0) {
        int saved = errno;
        close(message->fd);
        message->fd = -1;
        errno = saved;
    }
    return good;
}

// --- the child's side ------------------------------------------------------------------

int hp_file_request(struct hp_file_requester *requester, const struct hp_wanted *wanted,
                    struct hp_span *text) {
    struct hp_message *message = &requester->message;
    struct hp_packet *packet = &requester->packet;
    hp_put_u32(packet, wanted->find);
    hp_put_u32(packet, wanted->n);
    hp_text_pack(packet, wanted->name);
    if (!hp_wire_send(&requester->wire, HP_SAY_FIND, packet, -1) ||
        !hp_wire_receive(&requester->wire, message)) {
        _exit(1); // the parent is gone
    }
    *text = hp_text_unpack(&message->body);
    return message->kind == HP_SAY_FILE ? message->fd : -1;
}

void hp_file_request_tick(struct hp_file_requester *requester) {
    int64_t now = hp_wire_now() / 1000000000;
    if (now != requester->last_tick) {
        requester->last_tick = now;
        hp_wire_send(&requester->wire, HP_SAY_TICK, &requester->packet, -1);
    }
}
