// The parent's side of symbolizing: has a child process read binaries.  The child is not
// trusted; it gets as much time, memory and room for answers as sound files need.
#ifndef HP_SYM_KEEPER_H
#define HP_SYM_KEEPER_H

#include "sym/call_pairs.h"
#include "sym/child.h"
#include "sym/file_code.h"
#include "sym/finder.h"
#include "sym/image.h"
#include "sym/protocol.h"

// Limits for a child process that reads binaries: CPU time and wall-clock time, in
// nanoseconds, and the size of its answers.  hp_child_limit_memory() limits its memory.
struct hp_keeper_limits {
    int64_t module_cpu, run_cpu; // CPU time for one module, and for the whole run
    // Additional CPU time for each byte of the files of a module, and of the whole run.
    uint64_t module_per_byte, run_per_byte;
    int64_t silence; // time without a message and without CPU time; then it is killed
    int patience;    // wall-clock time allowed, as a multiple of CPU time
    uint64_t answer; // largest answer in bytes
    // Additional bytes of an answer for each byte of a file, and for each address.
    uint64_t answer_per_byte, answer_per_offset;
};

// The limits for symbolizing the modules of dumps.
extern const struct hp_keeper_limits hp_keeper_usual;

// Keeps one child at work on module after module.  Ended by hp_keeper_done().
struct hp_keeper {
    struct hp_keeper_limits limits;
    enum hp_sandbox sandbox; // whether the child needs a sandbox
    void (*serve)(int sock); // main loop of the child
    bool lacks_sandbox;      // some child reported a missing part of its sandbox
    // Other modules wait: the current one may use only half of the time that is left.
    bool do_others_wait;

    // The running child and the buffers of the conversation with it.
    struct hp_child child;
    struct hp_packet packet;
    struct hp_message message;

    // Totals over all modules so far: CPU and wall-clock time used in nanoseconds, bytes
    // of distinct files, bytes of answers, and addresses asked for.
    int64_t cpu, clock;
    uint64_t files, answers, offsets;
    // The struct hp_file_id of each file that was handed over, once.
    struct hp_strtab seen;

    // The current module: readings of both clocks at its start, bytes of its files, and
    // addresses asked for.
    int64_t cpu_before, started;
    uint64_t module_files, module_offsets;
    // The child was started for this module, or has sent something since then.
    bool is_child_responsive;
};

// Get an answer to `request`, with the files that `finder` finds.  The answer points into
// the keeper until the next call.  Returns false, with the reason in `why`, if there is
// no answer.
bool hp_keeper_ask(struct hp_keeper *keeper, const struct hp_request *request,
                   struct hp_finder *finder, struct hp_answer *answer,
                   struct hp_sym_diagnostic *why);

// Have the part `part` of an open file read into `code`; the path is for messages.  `fd`
// stays the caller's.  Returns false, with the reason in `why`, if it cannot be read.
// `code` owns its memory.
bool hp_keeper_ask_code(struct hp_keeper *keeper, int fd, struct hp_span path,
                        enum hp_code_part part, struct hp_file_code *code,
                        struct hp_sym_diagnostic *why);

// Have the child examine call pairs in an open file: `answers` gets an enum
// hp_call_answer for each pair.  `fd` stays the caller's.  Returns false if the child has
// no answer.
bool hp_keeper_ask_pairs(struct hp_keeper *keeper, int fd, struct hp_span path,
                         const struct hp_call_pairs *pairs, unsigned char *answers);
// Stop the child and free the keeper's memory.
void hp_keeper_done(struct hp_keeper *keeper);

#endif
