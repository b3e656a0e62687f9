// A message is a head of two 32-bit numbers, kind and size of the body, and the body.  A
// file travels with the head.  Both ends are one program on one machine, so numbers are
// in its own byte order.
#include "sym/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct head {
    uint32_t kind, size;
};

// Room for one descriptor, aligned as the kernel wants it.
union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

void hp_packet_done(struct hp_packet *packet) {
    hp_vec_done(&packet->bytes);
}

static void put(struct hp_packet *packet, const void *bytes, size_t size) {
    hp_vec_reserve(&packet->bytes, size);
    if (size) {
        memcpy(packet->bytes.at + packet->bytes.count, bytes, size);
    }
    packet->bytes.count += size;
}

void hp_put_u32(struct hp_packet *packet, uint32_t value) {
    put(packet, &value, sizeof value);
}

void hp_put_u64(struct hp_packet *packet, uint64_t value) {
    put(packet, &value, sizeof value);
}

void hp_put_text(struct hp_packet *packet, struct hp_span text) {
    hp_put_u32(packet, (uint32_t)text.size);
    put(packet, text.at, text.size);
}

struct hp_unpacker hp_unpack(const struct hp_packet *packet) {
    const unsigned char *at = packet->bytes.at;
    return (struct hp_unpacker){at, at ? at + packet->bytes.count : NULL, false};
}

static const unsigned char *take(struct hp_unpacker *in, size_t size) {
    if (in->bad || size > (size_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    return at;
}

uint32_t hp_get_u32(struct hp_unpacker *in) {
    uint32_t value = 0;
    const unsigned char *at = take(in, sizeof value);
    if (at) {
        memcpy(&value, at, sizeof value);
    }
    return value;
}

uint64_t hp_get_u64(struct hp_unpacker *in) {
    uint64_t value = 0;
    const unsigned char *at = take(in, sizeof value);
    if (at) {
        memcpy(&value, at, sizeof value);
    }
    return value;
}

uint32_t hp_get_count(struct hp_unpacker *in, size_t item_size) {
    uint32_t count = hp_get_u32(in);
    if (in->bad || count > (size_t)(in->end - in->at) / item_size) {
        in->bad = true;
        return 0;
    }
    return count;
}

struct hp_span hp_get_text(struct hp_unpacker *in, size_t limit) {
    uint32_t size = hp_get_u32(in);
    if (size > limit) {
        in->bad = true;
    }
    const unsigned char *at = take(in, size);
    return at ? (struct hp_span){(const char *)at, size} : (struct hp_span){"", 0};
}

static bool send_bytes(int sock, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        ssize_t sent = send(sock, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

// The head is small enough to go in one piece.
static bool send_head(int sock, struct head head, int fd) {
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
    ssize_t sent;
    do {
        sent = sendmsg(sock, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof head;
}

bool hp_wire_send(int sock, uint32_t kind, const struct hp_packet *body, int fd) {
    if (body->bytes.count > UINT32_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    struct head head = {kind, (uint32_t)body->bytes.count};
    return send_head(sock, head, fd) &&
           send_bytes(sock, body->bytes.at, body->bytes.count);
}

static bool receive_bytes(int sock, void *bytes, size_t size) {
    char *at = bytes;
    while (size) {
        ssize_t got = recv(sock, at, size, 0);
        if (got == 0) {
            errno = 0;
            return false;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

// The file that came along; -1 if there was none.  More than one is against the rules:
// all are closed.
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

static bool receive_head(int sock, struct head *head, int *fd) {
    union control control;
    struct iovec piece = {head, sizeof *head};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do {
        got = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        errno = got == 0 ? 0 : errno;
        return false;
    }
    *fd = descriptor_in(&message);
    size_t missing = sizeof *head - (size_t)got;
    return receive_bytes(sock, (char *)head + got, missing);
}

bool hp_wire_receive(int sock, struct hp_message *message, size_t limit) {
    struct head head = {0};
    message->fd = -1;
    message->body.bytes.count = 0;
    bool good = receive_head(sock, &head, &message->fd);
    if (good && head.size > limit) {
        errno = EMSGSIZE;
        good = false;
    }
    if (good) {
        hp_vec_reserve(&message->body.bytes, head.size);
        good = receive_bytes(sock, message->body.bytes.at, head.size);
        message->body.bytes.count = good ? head.size : 0;
        message->kind = head.kind;
    }
    if (!good && message->fd >= 0) {
        int saved = errno;
        close(message->fd);
        message->fd = -1;
        errno = saved;
    }
    return good;
}
