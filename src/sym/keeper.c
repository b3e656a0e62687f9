// One child serves module after module.  When it dies over one, that module stays without
// an answer and the next gets a new child.
//
// A second of CPU for each 8 MiB of files and 20 more is far more than any sound module
// takes, and what a run may take in all grows with what its modules hold, each file
// counted once.  A module that others wait for gets half of what is left, so that one
// that never ends leaves time for the names of all others.
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
static const uint64_t largest_file = UINT64_C(1) << 40; // what counts of a file, at most

const struct hp_keeper_limits hp_keeper_usual = {
    .module_cpu = 20 * second,
    .run_cpu = 20 * second,
    .module_per_byte = 120, // a second for 8 MB
    .run_per_byte = 240,
    .silence = 60 * second,
    .patience = 3, // others may be at work, too
    .answer = 16 << 20,
    .answer_per_byte = 4,
    .answer_per_offset = 16 << 10,
};

// --- what is left ----------------------------------------------------------------------

static int64_t module_cpu(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    return limits->module_cpu + (int64_t)(self->module_files * limits->module_per_byte);
}

static int64_t run_cpu(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    return limits->run_cpu + (int64_t)(self->files * limits->run_per_byte);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static bool is_run_over(const struct hp_keeper *self) {
    return self->cpu >= run_cpu(self) ||
           self->clock >= run_cpu(self) * self->limits.patience;
}

static int64_t share_of(const struct hp_keeper *self, int64_t left) {
    return self->do_others_wait ? left / 2 : left;
}

// When the module is to be done, by the clock, and by the CPU time of the child.
static int64_t deadline(const struct hp_keeper *self) {
    int patience = self->limits.patience;
    int64_t run = run_cpu(self) * patience - self->clock;
    return self->started + least(module_cpu(self) * patience, share_of(self, run));
}

static int64_t cpu_deadline(const struct hp_keeper *self) {
    int64_t run = run_cpu(self) - self->cpu;
    return self->cpu_before + least(module_cpu(self), share_of(self, run));
}

static size_t room_for_answer(const struct hp_keeper *self) {
    const struct hp_keeper_limits *limits = &self->limits;
    uint64_t room = limits->answer + limits->answer_per_byte * self->module_files +
                    limits->answer_per_offset * self->module_offsets;
    uint64_t run = 4 * limits->answer + limits->answer_per_byte * self->files +
                   limits->answer_per_offset * self->offsets - self->answers;
    room = room < run ? room : run;
    return room < HP_ANSWER_LIMIT ? (size_t)room : HP_ANSWER_LIMIT;
}

static struct hp_wire wire_of(const struct hp_keeper *self) {
    return (struct hp_wire){.sock = self->child.sock,
                            .limit = room_for_answer(self),
                            .until = least(deadline(self),
                                           hp_wire_now() + self->limits.silence),
                            .cpu_until = cpu_deadline(self),
                            .cpu_clock = hp_child_clock(&self->child)};
}

// The kernel keeps these, should we not be there to do so; it counts whole seconds.
static void limit_child(const struct hp_keeper *self) {
    hp_child_limit_cpu(&self->child, cpu_deadline(self));
    hp_child_limit_memory(&self->child, self->module_files);
}

// A file that is handed over gives the child more of all.
static void count_file(struct hp_keeper *self, int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return;
    }
    struct hp_file_id id = {.device = info.st_dev, .inode = info.st_ino};
    size_t known = self->seen.strings.count;
    uint64_t size = (uint64_t)info.st_size;
    size = size < largest_file ? size : largest_file; // a sparse one may say anything
    hp_strtab_add(&self->seen, (struct hp_span){(const char *)&id, sizeof id});
    self->files += self->seen.strings.count > known ? size : 0;
    self->module_files += size;
    limit_child(self);
}

// --- the end of a child ----------------------------------------------------------------

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

static void tell_signal(const struct hp_child_end *end, struct hp_sym_diagnostic *why) {
    int number = WTERMSIG(end->status);
    if (number == SIGXCPU) {
        hp_sym_diagnose(why, HP_SYM_OVER_BUDGET, "reading it took too long");
    } else if (number == SIGKILL && !end->is_our_kill) {
        hp_sym_diagnose(why, HP_SYM_KILLED, "%s", "");
    } else if (end->is_our_kill) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED, "reading it failed");
    } else {
        hp_sym_diagnose(why, HP_SYM_DAMAGED, "reading it ended with %s (signal %d)",
                        signal_name(number), number);
    }
}

static void tell_exit(int status, struct hp_sym_diagnostic *why) {
    switch (status) {
    case HP_CHILD_NO_MEMORY:
        hp_sym_diagnose(why, HP_SYM_NO_MEMORY, "%s", "");
        break;
    case HP_CHILD_NO_SANDBOX:
        hp_sym_diagnose(why, HP_SYM_NO_PROCESS, "there is no sandbox to be had: %s",
                        hp_sandbox_missing());
        break;
    default:
        hp_sym_diagnose(why, HP_SYM_DAMAGED, "reading it ended before it was done");
    }
}

// What it took since the module was begun, or since that was counted.
static void finish(struct hp_keeper *self, bool heard, struct hp_child_end *end) {
    *end = hp_child_stop(&self->child, heard);
    self->cpu += end->cpu > self->cpu_before ? end->cpu - self->cpu_before : 0;
    self->cpu_before = 0;
}

// The child is gone, or not worth listening to any more: why, from errno.
static void give_up(struct hp_keeper *self, int reason, struct hp_sym_diagnostic *why) {
    bool gone = reason == 0 || reason == ECONNRESET || reason == EPIPE;
    struct hp_child_end end;
    finish(self, gone, &end);
    if (reason == EAGAIN) {
        hp_sym_diagnose(why, HP_SYM_OVER_BUDGET, "reading it took too long");
    } else if (reason == EMSGSIZE) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED, "reading it gave more than a file can hold");
    } else if (!gone || end.status == -1) {
        hp_sym_diagnose(why, HP_SYM_DAMAGED, "reading it failed");
    } else if (WIFSIGNALED(end.status)) {
        tell_signal(&end, why);
    } else {
        tell_exit(WEXITSTATUS(end.status), why);
    }
}

// --- the conversation ------------------------------------------------------------------

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

// Answer the child's questions until it has answered ours; without a finder it has none to ask.
// False, with errno, if the answer does not come.
static bool converse(struct hp_keeper *self, struct hp_finder *finder) {
    for (int questions = 0; questions < HP_FIND_LIMIT;) {
        struct hp_wire wire = wire_of(self);
        if (!hp_wire_receive(&wire, &self->message)) {
            return false;
        }
        self->is_proven = true;
        if (self->message.fd >= 0) {
            close(self->message.fd); // it has none to give
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

static bool start(struct hp_keeper *self, size_t offsets, struct hp_sym_diagnostic *why) {
    struct hp_err err;
    if (is_run_over(self)) {
        return hp_sym_diagnose(why, HP_SYM_RUN_OVER, "%s", "");
    }
    self->is_proven = !self->child.pid;
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

// An open file, of which the child is asked for its code or for pairs of calls.
struct file_request {
    int fd;
    struct hp_span path;
    enum hp_code_part part;
    struct hp_file_code *code; // the answer; NULL: pairs are asked for
    const struct hp_call_pairs *pairs;
    unsigned char *answers; // the answer
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

static bool exchange_file(struct hp_keeper *self, const struct file_request *request,
                          struct hp_sym_diagnostic *why) {
    const struct hp_packet *body = &self->message.body;
    errno = 0;
    return send_file(self, request) && converse(self, NULL) &&
           (request->code ? hp_file_code_unpack(body, request->code, why)
                          : hp_call_pairs_unpack(body, request->answers,
                                                 request->pairs->all.count));
}

// The child has answered, or errno tells why not.
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

// Who has gone over another module, and says nothing of this one, is replaced.
bool hp_keeper_ask(struct hp_keeper *self, const struct hp_request *request,
                   struct hp_finder *finder, struct hp_answer *answer,
                   struct hp_sym_diagnostic *why) {
    self->is_proven = true;
    return ask(self, request, finder, answer, why) ||
           (!self->is_proven && ask(self, request, finder, answer, why));
}

bool hp_keeper_ask_code(struct hp_keeper *self, int fd, struct hp_span path,
                        enum hp_code_part part, struct hp_file_code *code,
                        struct hp_sym_diagnostic *why) {
    struct file_request request = {fd, path, part, .code = code};
    self->is_proven = true;
    return ask_of_file(self, &request, why) ||
           (!self->is_proven && ask_of_file(self, &request, why));
}

bool hp_keeper_ask_pairs(struct hp_keeper *self, int fd, struct hp_span path,
                         const struct hp_call_pairs *pairs, unsigned char *answers) {
    struct file_request request = {fd, path, .pairs = pairs, .answers = answers};
    struct hp_sym_diagnostic why = {.status = HP_SYM_NOT_TRIED};
    self->is_proven = true;
    return ask_of_file(self, &request, &why) ||
           (!self->is_proven && ask_of_file(self, &request, &why));
}

void hp_keeper_done(struct hp_keeper *self) {
    hp_child_stop(&self->child, true);
    hp_packet_done(&self->packet);
    hp_packet_done(&self->message.body);
    hp_strtab_done(&self->seen);
}
