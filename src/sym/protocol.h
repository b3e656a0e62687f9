// Messages between the symbolizer (parent) and the child that reads binaries.  The
// receiver checks every length and number.
//
//     parent                                child
//     MODULE extents, addresses      ->
//                                   <-      FIND what, n, name        any number of times
//     FILE path (and the file)      ->
//     or NONE reason
//                                   <-      TICK                      "still at work"
//                                   <-      ANSWER status, strings, lines, returns
//
//     CODE what (and the file)      ->
//                                   <-      ANSWER code, see file_code.h
//
//     PAIRS calls (and the file)    ->
//                                   <-      ANSWER answers, see call_pairs.h
//
//     NAMES texts                   ->                              to a child of its own
//                                   <-      ANSWER texts
//
// The child opens no files, with or without the sandbox; finder.c decides which files it
// may have.  libdw is not asked for split DWARF, which it would open itself, see split.c.
#ifndef HP_SYM_PROTOCOL_H
#define HP_SYM_PROTOCOL_H

#include "model/profile.h"
#include "sym/calls.h"
#include "sym/packet.h"

// A received message.
struct hp_message {
    uint32_t kind; // an enum hp_say
    struct hp_packet body;
    int fd; // an open file that came along, for the receiver to close; -1: none
};

// Kinds of messages between the symbolizer (the parent) and its child, each with its
// sender and the content of its body.
enum hp_say {
    HP_SAY_MODULE, // parent: struct hp_request
    HP_SAY_FILE,   // parent: a path, and the open file
    HP_SAY_NONE,   // parent: the reason why there is no such file
    HP_SAY_FIND,   // child: struct hp_wanted
    HP_SAY_TICK,   // child, as a sign that it is at work: no body
    HP_SAY_ANSWER, // child: struct hp_answer, or what the request asks for
    HP_SAY_NAMES,  // parent: struct hp_texts
    HP_SAY_CODE,   // parent: see hp_file_code_ask()
    HP_SAY_PAIRS,  // parent: see hp_call_pairs_ask()
};

// The note of a child that found a debug file instead of a binary.
#define HP_NOTE_NO_CODE "a debug file in place of the binary: not compared by code"

// The kinds of files that the child asks for.  A file may be in several places:
// hp_wanted.n numbers those that can be opened.
enum hp_find {
    HP_FIND_MODULE,   // the mapped file itself
    HP_FIND_BUILD_ID, // a debug file; `name` is the build id in hex
    HP_FIND_LINK,     // a debug file; `name` from .gnu_debuglink
    HP_FIND_ALT,      // shared debug information; `name` from .gnu_debugaltlink
    // A .dwo file; `name` is absolute, or relative to the file that names it.
    HP_FIND_UNIT,
    // A .dwp file; `name` is the build id of the file that it belongs to, or "".
    HP_FIND_PACKAGE,
    HP_FINDS,
};

// Upper bounds for the numbers in messages; a message that exceeds one is refused.
enum {
    HP_CHAIN_LIMIT = 1 << 10,     // inlined calls at one address
    HP_FIND_LIMIT = 1 << 14,      // FIND questions for one module
    HP_ANSWER_LIMIT = 1 << 30,    // largest body of an answer, in bytes
    HP_REQUEST_LIMIT = INT32_MAX, // largest body of a request, in bytes
};

// The body of a message MODULE: the parent asks for the names of addresses in a module.
struct hp_request {
    struct hp_span build_id; // "" if unknown
    uint64_t span;           // as in struct hp_module
    enum hp_address_kind kind;
    bool is_proven;  // a prover has compared the file: the child need not
    bool wants_code; // the answer must contain `codes`
    HP_VEC(struct hp_extent) extents;
    HP_VEC(uint64_t) addresses; // ascending; addresses of calls, not return addresses
};

// The body of a message FIND: the child asks for a file.
struct hp_wanted {
    enum hp_find find;   // the kind of file
    uint32_t n;          // number of the file among those that can be opened, from 0
    struct hp_span name; // as enum hp_find says
};

// The body of the ANSWER to a message MODULE: the lines of the addresses asked for.  The
// lines of address i follow those of address i - 1; the strings of a line are indexes
// into `strings`.
struct hp_answer {
    enum hp_sym_status status;
    bool lacks_inlines;                          // as in struct hp_module
    bool lacks_rules;                            // as in struct hp_return_check
    bool lacks_sandbox;                          // some part of the sandbox is missing
    bool has_jemalloc;                           // as in struct hp_module
    struct hp_debug_parts units, line_programs;  // as in struct hp_module
    struct hp_span note, build_id, symbols_from; // as in struct hp_module
    HP_VEC(struct hp_span) strings;              // [0] is ""
    HP_VEC(struct hp_line) lines;
    HP_VEC(uint32_t) counts; // number of lines, for each address asked for
    // For each address: bytes from the start of its function, plus 1, if it has no lines;
    // 0: unknown.
    HP_VEC(uint32_t) starts;
    // For each address the digest of its function, from hp_function_code(); 0: not asked
    // for, or unknown.
    HP_VEC(uint64_t) codes;
    // Digests of source files; `module` is not set.
    HP_VEC(struct hp_source_digest) sources;
    // For each address: enum hp_return of the code that its call returns to.
    HP_VEC(unsigned char) returns;
};

void hp_request_done(struct hp_request *request);
void hp_answer_done(struct hp_answer *answer);

// Return the text in the body of a message FILE or NONE, which points into the packet; ""
// if it is missing or longer than HP_TEXT_LIMIT.
struct hp_span hp_text_unpack(const struct hp_packet *packet);

// The texts in the body of a message NAMES (names to be demangled), or of the ANSWER to
// it.  The spans point into the packet.
struct hp_texts {
    HP_VEC(struct hp_span) all;
};

// Append texts to a packet.
void hp_texts_pack(struct hp_packet *packet, const struct hp_texts *texts);
// Read the texts of a packet.  False if it is malformed.
bool hp_texts_unpack(const struct hp_packet *packet, struct hp_texts *texts);

// Encoders and decoders of the other bodies.  A decoder returns false if the body is
// malformed; spans point into the packet.
void hp_request_pack(struct hp_packet *packet, const struct hp_request *request);
bool hp_request_unpack(const struct hp_packet *packet, struct hp_request *request);
bool hp_wanted_unpack(const struct hp_packet *packet, struct hp_wanted *wanted);
void hp_answer_pack(struct hp_packet *packet, const struct hp_answer *answer);

// Decode the answer to a request for `addresses` addresses.  False unless it is complete
// and all its numbers are in range.  The spans point into the packet.
bool hp_answer_unpack(const struct hp_packet *packet, size_t addresses,
                      struct hp_answer *answer);

// One end of the socket between parent and child, and the limits of its operations.
struct hp_wire {
    int sock;
    size_t limit;  // largest body that is received, in bytes
    int64_t until; // deadline of each operation on the clock of hp_wire_now(); 0: none
    // Limit of the CPU time of the other end, in nanoseconds on `cpu_clock`; 0: none.
    int64_t cpu_until;
    clockid_t cpu_clock;
    int64_t
        silence; // time without a message and without CPU time of the other end; 0: any
};

// The monotonic clock, in nanoseconds.
int64_t hp_wire_now(void);

// Send a message and empty its body; `fd` stays the caller's, -1 for no file.  False if
// the other end is gone or the time is over (EAGAIN).
bool hp_wire_send(const struct hp_wire *wire, uint32_t kind, struct hp_packet *body,
                  int fd);

// Receive the next message into `message`, whose body is reused.  Memory is allocated as
// bytes arrive, not by the announced size.  False if there is no message: the other end
// is gone (errno 0), the time is over (EAGAIN), or the announced body is too large
// (EMSGSIZE).
bool hp_wire_receive(const struct hp_wire *wire, struct hp_message *message);

// Receive `size` bytes without a message head.  False as for hp_wire_receive().
bool hp_wire_receive_bytes(const struct hp_wire *wire, void *bytes, size_t size);

// The child's side of the socket: asking the parent for files, and a sign of life.

struct hp_file_requester {
    struct hp_wire wire;
    struct hp_message message; // the last message received
    struct hp_packet packet;   // body of the message that is sent
    int64_t last_tick;         // when the last TICK was sent, in seconds
};

// Ask the parent for the n-th existing file that `wanted` describes.  Returns an open
// file, or -1 if there is none.  `text` is its name, or the reason why there is none, and
// is valid until the next request.  Ends the process if the parent is gone.
int hp_file_request(struct hp_file_requester *requester, const struct hp_wanted *wanted,
                    struct hp_span *text);

// Send TICK, at most once a second.
void hp_file_request_tick(struct hp_file_requester *requester);

#endif
