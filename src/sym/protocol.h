// What the symbolizer and its child say to one another, with every length and number
// checked on the way in.
//
//     parent                                child
//     MODULE extents, addresses      ->
//                                   <-      FIND what, n, name        any number of times
//     FILE path, real path (and the file)  ->
//     or NONE reason
//                                   <-      TICK                      "still at work"
//                                   <-      ANSWER status, strings, lines, returns
//
//     CODE what (and the file)      ->
//                                   <-      ANSWER code, see code.h
//
//     NAMES texts                   ->                                 to a child of its own
//                                   <-      ANSWER texts
//
// The child opens nothing by itself; what it may have is decided by finder.c.  Where
// there is no sandbox libdw opens split DWARF, see split.h.
#ifndef HP_SYM_PROTOCOL_H
#define HP_SYM_PROTOCOL_H

#include "model/profile.h"
#include "sym/calls.h"
#include "sym/packet.h"

// A message that was received.
struct hp_message {
    uint32_t kind; // an enum hp_say
    struct hp_packet body;
    int fd; // at most one open file; -1 for none; the receiver's to close
};

enum hp_say {
    HP_SAY_MODULE,
    HP_SAY_FILE,
    HP_SAY_NONE,
    HP_SAY_FIND,
    HP_SAY_TICK,
    HP_SAY_ANSWER,
    HP_SAY_NAMES,
    HP_SAY_CODE,
    HP_SAY_PAIRS,
};

// The note of a child that found a debug file in place of a binary.
#define HP_NOTE_NO_CODE "a debug file in place of the binary: not compared by code"

// What is looked for.  Each may be in several places: `n` counts those that can be opened.
enum hp_find {
    HP_FIND_MODULE,   // the mapped file itself
    HP_FIND_BUILD_ID, // a debug file; `name` is the build id in hex
    HP_FIND_LINK,     // a debug file; `name` from .gnu_debuglink
    HP_FIND_ALT,      // shared debug information; `name` from .gnu_debugaltlink
    HP_FIND_UNIT,     // a .dwo file; `name` is absolute, or beside the file that tells it
    HP_FIND_PACKAGE, // a .dwp file; `name` is the build id of the file that it is of, or ""
    HP_FINDS,
};

// Bounds on what is believed.
enum {
    HP_CHAIN_LIMIT = 1 << 10,     // of inlined calls at one address
    HP_FIND_LIMIT = 1 << 14,      // of questions for one module
    HP_ANSWER_LIMIT = 1 << 30,    // of bytes
    HP_REQUEST_LIMIT = INT32_MAX, // of bytes
};

struct hp_request {
    struct hp_span build_id; // "" if unknown
    uint64_t span;           // as in struct hp_module
    enum hp_address_kind kind;
    bool is_proven;  // the file is the right one: it need not be compared
    bool wants_code; // the answer has `codes`
    HP_VEC(struct hp_extent) extents;
    HP_VEC(uint64_t) addresses; // ascending; of the calls, not of the return addresses
};

struct hp_wanted {
    enum hp_find find;
    uint32_t n;
    struct hp_span name;
};

// Lines of query i follow those of i - 1; their strings are numbers in `strings`.
struct hp_answer {
    enum hp_sym_status status;
    bool lacks_inlines; // as in struct hp_module
    bool lacks_rules;   // as in struct hp_return_check
    bool lacks_sandbox; // in some part
    struct hp_debug_parts units, line_programs;
    struct hp_span note, build_id, symbols_from;
    HP_VEC(struct hp_span) strings; // [0] is ""
    HP_VEC(struct hp_line) lines;
    HP_VEC(uint32_t) counts; // of lines, for each address asked for
    HP_VEC(uint32_t)
    starts; // for each: how far behind where its function begins it is, and
            // one more, if it has no lines; 0: unknown
    HP_VEC(uint64_t) codes; // for each: hp_function_code(); 0: not asked for, or unknown
    HP_VEC(struct hp_source_digest) sources; // their modules are not told
    HP_VEC(unsigned char) returns; // enum hp_return of what each call returns to
};

void hp_request_done(struct hp_request *request);
void hp_answer_done(struct hp_answer *answer);

// Of FILE and NONE; "" if there is none, or too long a one.  It points into the packet.
struct hp_span hp_text_unpack(const struct hp_packet *packet);

// Of NAMES and what answers that; they point into the packet.
struct hp_texts {
    HP_VEC(struct hp_span) all;
};

void hp_texts_pack(struct hp_packet *packet, const struct hp_texts *texts);
bool hp_texts_unpack(const struct hp_packet *packet, struct hp_texts *texts);

void hp_request_pack(struct hp_packet *packet, const struct hp_request *request);
bool hp_request_unpack(const struct hp_packet *packet, struct hp_request *request);
bool hp_wanted_unpack(const struct hp_packet *packet, struct hp_wanted *wanted);
void hp_answer_pack(struct hp_packet *packet, const struct hp_answer *answer);

// False unless it is a complete answer to `addresses` addresses with all numbers in range.
// The spans point into the packet.
bool hp_answer_unpack(const struct hp_packet *packet, size_t addresses,
                      struct hp_answer *answer);

// One end of the socket.
struct hp_wire {
    int sock;
    size_t limit;  // no body that is received is larger
    int64_t until; // nothing takes longer; as of hp_wire_now(), 0 for no end
    // The CPU time that the other end may have used by then; 0: any.
    int64_t cpu_until;
    clockid_t cpu_clock;
};

// Nanoseconds since some moment.
int64_t hp_wire_now(void);

// Send a message and empty its body; `fd` stays the caller's.  False if the other end is
// gone or the time is over (EAGAIN).
bool hp_wire_send(const struct hp_wire *wire, uint32_t kind, struct hp_packet *body,
                  int fd);

// Receive the next message into `message`, whose body is reused; memory is taken as bytes
// come, not as they are announced.  False if there is none: the other end is gone (errno
// 0), the time is over (EAGAIN), or it claims too large a body (EMSGSIZE).
bool hp_wire_receive(const struct hp_wire *wire, struct hp_message *message);

// So many bytes that are no message; false as above.
bool hp_wire_receive_bytes(const struct hp_wire *wire, void *bytes, size_t size);

// The child's side of the socket: asking the parent for files, and a sign of life.

struct hp_file_requester {
    struct hp_wire wire;
    struct hp_message message; // the last one received
    struct hp_packet packet;   // the last one sent
    int64_t last_tick;         // second
};

// The n-th file of that description that there is.  Its name, or why there is none, is in
// `text` until the next question; -1 if there is none.
int hp_file_request(struct hp_file_requester *requester, const struct hp_wanted *wanted,
                    struct hp_span *text);

// "Still at work": at most once a second.
void hp_file_request_tick(struct hp_file_requester *requester);

#endif
