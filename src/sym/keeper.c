// One child serves module after module.  If it dies during one, that module stays without
// an answer and the next module gets a new child.
//
// A module gets 20 seconds of CPU, and a second more for each 8 MB of files, which is far
// more than any sound module takes.  The total of a run grows with the files of its
// modules, each file counted once.  While other modules wait, a module gets at most half
// of what is left, so that one that never ends leaves time for the names of all others.
#include "sym/keeper.h"

#include "sym/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t second = 1000000000;
// Most bytes of one file that are counted for the budgets.
static const uint64_t largest_file = UINT64_C(1) << 40;

// A child of a process with threads blocks now and then under AddressSanitizer of gcc 12,
// whose allocator another thread may have locked at fork().
#ifdef __SANITIZE_ADDRESS__
#    define SILENCE 10
#else
#    define SILENCE 60
#endif

const struct hp_keeper_limits hp_keeper_usual = {
    .module_cpu = 20 * second,
    .run_cpu = 20 * second,
    .module_per_byte = 120, // 1 second for 8 MB
    .run_per_byte = 240,
    .silence = SILENCE * second,
    .patience = 20, // other processes may use the CPUs as well
    .answer = 16 << 20,
    .answer_per_byte = 4,
    .answer_per_offset = 16 << 10,
};

// --- what is left ----------------------------------------------------------------------

// CPU time allowed for the current module, by the size of its files, in nanoseconds.
static int64_t module_cpu(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    return limits->module_cpu + (int64_t)(self->module_files * limits->module_per_byte);
}

// CPU time allowed for the whole run, by the sizes of all files, in nanoseconds.
static int64_t run_cpu(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    return limits->run_cpu + (int64_t)(self->files * limits->run_per_byte);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Whether the run has used up its CPU time, or `patience` times as much wall-clock time.
static bool is_run_over(const struct hp_keeper *self) {
    return self->cpu >= run_cpu(self) ||
           self->clock >= run_cpu(self) * self->limits.patience;
}

static int64_t share_of(const struct hp_keeper *self, int64_t left) {
    return self->do_others_wait ? left / 2 : left;
}

// The time by which the current module must be done: here on the wall clock, in
// cpu_deadline() on the CPU clock of the child.
static int64_t deadline(const struct hp_keeper *self) {
    int patience = self->limits.patience;
    int64_t run = run_cpu(self) * patience - self->clock;
    return self->started + least(module_cpu(self) * patience, share_of(self, run));
}

static int64_t cpu_deadline(const struct hp_keeper *self) {
    int64_t run = run_cpu(self) - self->cpu;
    return self->cpu_before + least(module_cpu(self), share_of(self, run));
}

// Largest answer that is accepted now, in bytes, by the files and addresses of the module
// and of the run.
static size_t room_for_answer(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    uint64_t room = limits->answer + limits->answer_per_byte * self->module_files +
                    limits->answer_per_offset * self->module_offsets;
    uint64_t run = 4 * limits->answer + limits->answer_per_byte * self->files +
                   limits->answer_per_offset * self->offsets - self->answers;
    room = room < run ? room : run;
    return room < HP_ANSWER_LIMIT ? (size_t)room : HP_ANSWER_LIMIT;
}

// The socket with the limits of size and time that the current module has left, for one
// operation.
static struct hp_wire wire_of(const struct hp_keeper *self) {
    return (struct hp_wire){.sock = self->child.sock,
                            .limit = room_for_answer(self),
                            .until = deadline(self),
                            .silence = self->limits.silence,
                            .cpu_until = cpu_deadline(self),
                            .cpu_clock = hp_child_clock(&self->child)};
}

// Have the kernel enforce the limits as well, in case this process cannot; the kernel
// counts whole seconds.
static void limit_child(const struct hp_keeper *self) {
    hp_child_limit_cpu(&self->child, cpu_deadline(self));
    hp_child_limit_memory(&self->child, self->module_files);
}

// Raise all budgets by the size of a file that is handed over.
static void count_file(struct hp_keeper *self, int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return;
    }
    struct hp_file_id id = {.device = info.st_dev, .inode = info.st_ino};
    size_t known = self->seen.strings.count;
    uint64_t size = (uint64_t)info.st_size;
    size = size < largest_file ? size : largest_file; // a sparse file may claim any size
    hp_strtab_add(&self->seen, (struct hp_span){(const char *)&id, sizeof id});
    self->files += self->seen.strings.count > known ? size : 0;
    self->module_files += size;
    limit_child(self);
}

// --- the end of a child ----------------------------------------------------------------

// The name of a signal that often ends a child.
static const char *signal_name(int number) {
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},  {SIGABRT, "SIGABRT"},
                 {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},  {SIGTRAP, "SIGTRAP"},
                 {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == number) {
            return names[i].name;
        }
    }
    return "a signal";
}

// Set the reason why a signal ended the child.
static void diagnose_signal(const struct hp_child_end *end,
                            struct hp_sym_diagnostic *why) {
    int number = WTERMSIG(end->status);
    if (number == SIGXCPU) {
        hp_sym_diagnose(why, HP_SYM_OVER_BUDGET,
                        HP_MESSAGE("reader-slow", "reading it took too long"));
    } else if (number == SIGKILL && !end->is_our_kill) {
        hp_sym_diagnose(why, HP_SYM_KILLED, "%s", "");
    } else if (end->is_our_kill) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED,
                        HP_MESSAGE("reader-failed", "reading it failed"));
    } else {
        hp_sym_diagnose(why, HP_SYM_DAMAGED,
                        HP_MESSAGE("reader-killed",
                                   "reading it ended with %s (signal %d)"),
                        signal_name(number), number);
    }
}

// Set the reason why the child exited, from its exit status.
static void diagnose_exit(int status, struct hp_sym_diagnostic *why) {
    switch (status) {
    case HP_CHILD_NO_MEMORY:
        hp_sym_diagnose(why, HP_SYM_NO_MEMORY, "%s", "");
        break;
    case HP_CHILD_NO_SANDBOX:
        hp_sym_diagnose(why, HP_SYM_NO_PROCESS,
                        HP_MESSAGE("reader-no-sandbox", "no sandbox is available: %s"),
                        hp_sandbox_missing());
        break;
    default:
        hp_sym_diagnose(why, HP_SYM_DAMAGED,
                        HP_MESSAGE("reader-ended-early",
                                   "reading it ended before it was done"));
    }
}

// Stop the child, and add the CPU time that it used since the module was begun to the
// total.  With `heard` the child may end by itself first.
static void finish(struct hp_keeper *self, bool heard, struct hp_child_end *end) {
    *end = hp_child_stop(&self->child, heard);
    self->cpu += end->cpu > self->cpu_before ? end->cpu - self->cpu_before : 0;
    self->cpu_before = 0;
}

// Stop a child that is gone or not worth listening to any more, and set `why` from
// `reason`, an errno.
static void give_up(struct hp_keeper *self, int reason, struct hp_sym_diagnostic *why) {
    bool gone = reason == 0 || reason == ECONNRESET || reason == EPIPE;
    struct hp_child_end end;
    finish(self, gone, &end);
    if (reason == EAGAIN) {
        hp_sym_diagnose(why, HP_SYM_OVER_BUDGET,
                        HP_MESSAGE("answer-slow", "reading it took too long"));
    } else if (reason == EMSGSIZE) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED,
                        HP_MESSAGE("answer-too-large",
                                   "reading it gave more than a file can hold"));
    } else if (!gone || end.status == -1) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED,
                        HP_MESSAGE("answer-failed", "reading it failed"));
    } else if (WIFSIGNALED(end.status)) {
        diagnose_signal(&end, why);
    } else {
        diagnose_exit(WEXITSTATUS(end.status), why);
    }
}

// --- the conversation ------------------------------------------------------------------

// Answer the child's question for a file.  False, with errno, if the question is
// malformed or the answer cannot be sent.
static bool reply(struct hp_keeper *self, struct hp_finder *finder) {
    struct hp_wanted wanted;
    if (!hp_wanted_unpack(&self->message.body, &wanted)) {
        errno = EPROTO;
        return false;
    }
    int fd = hp_finder_open(finder, &wanted);
    hp_text_pack(&self->packet, hp_span_of(fd >= 0 ? finder->shown : finder->reason));
    if (fd >= 0) {
        count_file(self, fd);
    }
    struct hp_wire wire = wire_of(self);
    bool sent =
        hp_wire_send(&wire, fd >= 0 ? HP_SAY_FILE : HP_SAY_NONE, &self->packet, fd);
    if (fd >= 0) {
        close(fd);
    }
    return sent;
}

// Answer the child's questions until it has answered ours.  Without a finder the child
// may not ask any.  False, with errno, if the answer does not arrive.
static bool converse(struct hp_keeper *self, struct hp_finder *finder) {
    for (int questions = 0; questions < HP_FIND_LIMIT;) {
        struct hp_wire wire = wire_of(self);
        if (!hp_wire_receive(&wire, &self->message)) {
            return false;
        }
        self->is_child_responsive = true;
        if (self->message.fd >= 0) {
            close(self->message.fd); // the child has no files to hand over
        }
        if (self->message.kind == HP_SAY_ANSWER) {
            self->answers += self->message.body.bytes.count;
            return true;
        }
        if (self->message.kind == HP_SAY_FIND && finder) {
            questions++;
            if (!reply(self, finder)) {
                return false;
            }
        } else if (self->message.kind != HP_SAY_TICK) {
            break;
        }
    }
    errno = EPROTO;
    return false;
}

// Begin the work for a module with `offsets` addresses: start a child if there is none,
// and reset the counters of the module.  False, with `why`, if the run's time is over or
// no child can be started.
static bool start(struct hp_keeper *self, size_t offsets, struct hp_sym_diagnostic *why) {
    struct hp_err err;
    if (is_run_over(self)) {
        return hp_sym_diagnose(why, HP_SYM_RUN_OVER, "%s", "");
    }
    self->is_child_responsive = !self->child.pid;
    if (!self->child.pid &&
        hp_child_start(&self->child, self->serve, self->sandbox, &err) != HP_OK) {
        return hp_sym_diagnose(why, HP_SYM_NO_PROCESS, "%s", strerror(err.sys));
    }
    self->started = hp_wire_now();
    self->cpu_before = hp_child_cpu(&self->child);
    self->module_files = 0;
    self->module_offsets = offsets;
    self->offsets += offsets;
    limit_child(self);
    return true;
}

// Send the request for a module and receive its answer.  False, with errno, if none
// arrives.
static bool exchange(struct hp_keeper *self, const struct hp_request *request,
                     struct hp_finder *finder, struct hp_answer *answer) {
    struct hp_wire wire = wire_of(self);
    hp_request_pack(&self->packet, request);
    errno = 0;
    if (!hp_wire_send(&wire, HP_SAY_MODULE, &self->packet, -1) ||
        !converse(self, finder)) {
        return false;
    }
    errno = EPROTO;
    return hp_answer_unpack(&self->message.body, request->addresses.count, answer);
}

// A request about an open file, for its code or for pairs of calls.
struct file_request {
    int fd;
    struct hp_span path;
    enum hp_code_part part;    // the part to read, if `code` is not NULL
    struct hp_file_code *code; // where the code is stored; NULL: pairs are asked for
    const struct hp_call_pairs *pairs;
    unsigned char *answers; // where the answers for `pairs` are stored
};

static bool send_file(struct hp_keeper *self, const struct file_request *request) {
    count_file(self, request->fd);
    struct hp_wire wire = wire_of(self);
    if (request->code) {
        hp_file_code_ask(&self->packet, request->path, request->part);
    } else {
        hp_call_pairs_ask(&self->packet, request->path, request->pairs);
    }
    return hp_wire_send(&wire, request->code ? HP_SAY_CODE : HP_SAY_PAIRS, &self->packet,
                        request->fd);
}

// Send a request about a file and receive its answer.  False, with errno, if none
// arrives.
static bool exchange_file(struct hp_keeper *self, const struct file_request *request,
                          struct hp_sym_diagnostic *why) {
    const struct hp_packet *body = &self->message.body;
    errno = 0;
    return send_file(self, request) && converse(self, NULL) &&
           (request->pairs
                ? hp_call_pairs_unpack(body, request->answers, request->pairs->all.count)
                : hp_file_code_unpack(body, request->code, why));
}

// End the work for a module: count its time, and stop the child unless it has answered;
// `errno` must then have the reason.
static void end(struct hp_keeper *self, bool is_answered, struct hp_sym_diagnostic *why) {
    if (is_answered) {
        int64_t now = hp_child_cpu(&self->child);
        self->cpu += now - self->cpu_before;
        self->cpu_before = now;
    } else {
        give_up(self, errno, why);
    }
    self->clock += hp_wire_now() - self->started;
}

// Ask the child once about a module.  False, with `why`, if there is no answer.
static bool ask(struct hp_keeper *self, const struct hp_request *request,
                struct hp_finder *finder, struct hp_answer *answer,
                struct hp_sym_diagnostic *why) {
    if (!start(self, request->addresses.count, why)) {
        return false;
    }
    bool good = exchange(self, request, finder, answer);
    self->lacks_sandbox |= good && answer->lacks_sandbox;
    end(self, good, why);
    return good;
}

// Ask the child once about an open file.  False, with `why`, if there is no answer or the
// file cannot be read.
static bool ask_of_file(struct hp_keeper *self, const struct file_request *request,
                        struct hp_sym_diagnostic *why) {
    size_t answers = request->pairs ? request->pairs->all.count : 0;
    if (!start(self, answers, why)) {
        return false;
    }
    bool good = exchange_file(self, request, why);
    end(self, good, why);
    return good && why->status == HP_SYM_NOT_TRIED;
}

// Get the answer of the child to a request.  If the child fails before it says anything,
// an earlier module may have damaged it: ask a new child once more.
bool hp_keeper_ask(struct hp_keeper *self, const struct hp_request *request,
                   struct hp_finder *finder, struct hp_answer *answer,
                   struct hp_sym_diagnostic *why) {
    self->is_child_responsive = true;
    return ask(self, request, finder, answer, why) ||
           (!self->is_child_responsive && ask(self, request, finder, answer, why));
}

bool hp_keeper_ask_code(struct hp_keeper *self, int fd, struct hp_span path,
                        enum hp_code_part part, struct hp_file_code *code,
                        struct hp_sym_diagnostic *why) {
    struct file_request request = {fd, path, part, .code = code};
    self->is_child_responsive = true;
    return ask_of_file(self, &request, why) ||
           (!self->is_child_responsive && ask_of_file(self, &request, why));
}

bool hp_keeper_ask_pairs(struct hp_keeper *self, int fd, struct hp_span path,
                         const struct hp_call_pairs *pairs, unsigned char *answers) {
    struct file_request request = {fd, path, .pairs = pairs, .answers = answers};
    struct hp_sym_diagnostic why = {.status = HP_SYM_NOT_TRIED};
    self->is_child_responsive = true;
    return ask_of_file(self, &request, &why) ||
           (!self->is_child_responsive && ask_of_file(self, &request, &why));
}

void hp_keeper_done(struct hp_keeper *self) {
    hp_child_stop(&self->child, true);
    hp_packet_done(&self->packet);
    hp_packet_done(&self->message.body);
    hp_strtab_done(&self->seen);
}
