// Has binaries read by a child process, which is not believed, and has so much time, memory
// and room for answers as sound files need.
#ifndef HP_SYM_KEEPER_H
#define HP_SYM_KEEPER_H

#include "sym/call_pairs.h"
#include "sym/child.h"
#include "sym/file_code.h"
#include "sym/finder.h"
#include "sym/image.h"
#include "sym/protocol.h"

// Times are in nanoseconds.
struct hp_keeper_limits {
    int64_t module_cpu, run_cpu; // for one module, and for all
    uint64_t module_per_byte,
        run_per_byte; // and so much more for each byte of their files
    int64_t silence;  // after which a child is given up
    int patience;     // times as much by the clock as of CPU
    uint64_t answer;  // bytes of one answer
    uint64_t answer_per_byte, answer_per_offset;
};

// For modules of a dump.
extern const struct hp_keeper_limits hp_keeper_usual;

struct hp_keeper {
    struct hp_keeper_limits limits;
    enum hp_sandbox sandbox;
    void (*serve)(int sock); // what the child does
    bool lacks_sandbox;      // some child told so
    bool do_others_wait;     // a module may use half of the time that is left for all

    struct hp_child child;
    struct hp_packet packet;
    struct hp_message message;

    // Of all modules so far: what they took, and what is known of their files.
    int64_t cpu, clock;
    uint64_t files, answers, offsets;
    struct hp_strtab seen; // each struct hp_file_id once

    // Of the module at work.
    int64_t cpu_before, started;
    uint64_t module_files, module_offsets;
    bool is_proven; // the child is new, or has spoken
};

// Have `request` answered with files that `finder` finds.  The answer points into the
// keeper until the next call; if there is none, `why` says so.
bool hp_keeper_ask(struct hp_keeper *keeper, const struct hp_request *request,
                   struct hp_finder *finder, struct hp_answer *answer,
                   struct hp_sym_diagnostic *why);

// Have this part of an open file read; the path is for messages.  False with `why` if it cannot be.
// Nothing points into the keeper.
bool hp_keeper_ask_code(struct hp_keeper *keeper, int fd, struct hp_span path,
                        enum hp_code_part part, struct hp_file_code *code,
                        struct hp_sym_diagnostic *why);

// Have pairs of calls looked at in an open file: an enum hp_call_answer of each.  False if that cannot be told.
bool hp_keeper_ask_pairs(struct hp_keeper *keeper, int fd, struct hp_span path,
                         const struct hp_call_pairs *pairs, unsigned char *answers);
void hp_keeper_done(struct hp_keeper *keeper);

#endif
