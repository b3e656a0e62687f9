// Tests of the parent process against children that misbehave ("lie").  Each lies when it
// reads a module with a special extent (LIE_AT), and reads other modules correctly.
#include "sym/image.h"
#include "sym/keeper.h"
#include "sym/symbolizer.h"
#include "sym/worker.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    // Marks an extent: this many bytes plus a multiple of 16, so that all such mappings
    // differ.
    LIE_AT = 7,
};

static char program[4096]; // path of this test program
static char passwd[64];    // a link to a file that a child must not read

// --- profiles --------------------------------------------------------------------------

// Find the path of this program.
static void find_program(void) {
    hp_show_message_codes();
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    cr_assert_gt(size, 0);
}

extern const char __executable_start;

// Add one frame, which is in this function, and the extent of its segment; a lie has a
// special extent.
static void add_frame(struct hp_profile *profile, const struct hp_load *load,
                      bool is_lie) {
    uint64_t address = (uint64_t)((uintptr_t)&add_frame - (uintptr_t)&__executable_start);
    struct hp_frame frame = {.module = {(uint32_t)profile->modules.count}};
    uint64_t start = load->vaddr & ~UINT64_C(4095);
    uint64_t end = (load->vaddr + load->size + 4095) & ~UINT64_C(4095);
    struct hp_extent extent = {start,
                               is_lie ? LIE_AT + 16 * profile->frames.count : end - start,
                               load->offset & ~UINT64_C(4095), false};
    frame.address = address + 1;
    hp_vec_push(&profile->frames, frame);
    hp_vec_push(&profile->extents, extent);
}

// Add a module of this program under a path.
static void add_module_at(struct hp_profile *profile, const char *path, bool is_lie) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    struct hp_module module = {.kind = HP_MODULE_FILE, .extents = 1};
    module.path = hp_strtab_add(&profile->strings, hp_span_of(path));
    module.first_extent = (uint32_t)profile->extents.count;
    cr_assert(hp_image_open(&image, open(program, O_RDONLY | O_CLOEXEC),
                            hp_span_of(program), &diagnostic));
    for (size_t i = 0; i < image.loads.count; i++) {
        if (image.loads.at[i].exec) {
            add_frame(profile, &image.loads.at[i], is_lie);
        }
    }
    hp_vec_push(&profile->modules, module);
    hp_image_done(&image);
}

static void add_module(struct hp_profile *profile, bool is_lie) {
    add_module_at(profile, program, is_lie);
}

// A profile with modules that are lied about, and a good one at the end.
static struct hp_profile profile_of(size_t lies) {
    struct hp_profile profile = {0};
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    for (size_t i = 0; i < lies; i++) {
        add_module(&profile, true);
    }
    add_module(&profile, false);
    return profile;
}

// --- children --------------------------------------------------------------------------

// The misbehaviour of the child.
static void (*lie)(int sock);

// Serve like a worker, but misbehave for special extents.
static void serve(int sock) {
    struct hp_wire wire = {.sock = sock, .limit = HP_REQUEST_LIMIT};
    struct hp_message message = {.fd = -1};
    struct hp_request request = {.span = 0};
    static char bytes[1 << 16];
    uint32_t head[2] = {0, 1};
    ssize_t got = 0;
    while (got < (ssize_t)(sizeof head + head[1])) { // the body follows the head
        got = recv(sock, bytes, sizeof bytes, MSG_PEEK);
        memcpy(head, bytes, sizeof head);
    }
    hp_vec_append(&message.body.bytes, (unsigned char *)bytes + 8, (size_t)got - 8);
    if (hp_request_unpack(&message.body, &request) &&
        request.extents.at[0].size % 16 == LIE_AT) {
        hp_wire_receive(&wire, &message);
        lie(sock);
        _exit(0);
    }
    hp_worker_serve(sock);
}

// The misbehaviours: crash, leave early, use time without end, send too much, or ask for
// files.
static void trap(int sock) {
    (void)sock;
    __builtin_trap();
}

static volatile int *volatile nowhere = (volatile int *)16;

static void fall(int sock) {
    *nowhere = sock;
}

static void do_abort(int sock) {
    (void)sock;
    abort();
}

static void leave(int sock) {
    (void)sock;
    _exit(0);
}

static void spin(int sock) {
    for (volatile unsigned i = (unsigned)sock;; i++) { // may pass 2^31 in a second
    }
}

static void wait_a_little(void) {
    for (volatile int i = 0; i < 3000000; i++) {
    }
}

static void drip(int sock) {
    static const uint32_t head[] = {HP_SAY_ANSWER, 1 << 20};
    send(sock, head, sizeof head, MSG_NOSIGNAL);
    for (;;) {
        send(sock, "x", 1, MSG_NOSIGNAL);
        wait_a_little();
    }
}

static void tick(int sock) {
    static const uint32_t head[] = {HP_SAY_TICK, 0};
    for (;;) {
        send(sock, head, sizeof head, MSG_NOSIGNAL);
    }
}

static void announce(int sock) {
    static const uint32_t head[] = {HP_SAY_ANSWER, HP_ANSWER_LIMIT};
    send(sock, head, sizeof head, MSG_NOSIGNAL);
}

static void flood(int sock) {
    static const uint32_t head[] = {HP_SAY_ANSWER, (1 << 20) - 1};
    static const char zeros[1 << 16];
    send(sock, head, sizeof head, MSG_NOSIGNAL);
    for (;;) {
        send(sock, zeros, sizeof zeros, MSG_NOSIGNAL);
    }
}

// Ask for forbidden files, by name and through a link.  The note contains what was handed
// over.
static void ask(int sock) {
    struct hp_file_requester requester = {
        .wire = {.sock = sock, .limit = HP_REQUEST_LIMIT}};
    const char *const names[] = {"/etc/passwd", passwd, program};

    const enum hp_find finds[] = {HP_FIND_UNIT, HP_FIND_LINK, HP_FIND_ALT};
    struct hp_answer answer = {.status = HP_SYM_DAMAGED, .note = hp_span_of("nothing")};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct hp_wanted wanted = {finds[i], 0, hp_span_of(names[k])};
            struct hp_span text;
            bool is_program = names[k] == program && finds[i] == HP_FIND_ALT;
            if (!is_program && hp_file_request(&requester, &wanted, &text) >= 0) {
                answer.note = hp_span_of(names[k]);
            }
        }
    }
    hp_vec_push(&answer.counts, 0);
    hp_vec_push(&answer.starts, 0);
    hp_vec_push(&answer.codes, 0);
    hp_vec_push(&answer.returns, 0);
    hp_vec_push(&answer.strings, hp_span_of(""));
    hp_answer_pack(&requester.packet, &answer);
    hp_wire_send(&requester.wire, HP_SAY_ANSWER, &requester.packet, -1);
}

// --- results ---------------------------------------------------------------------------

static const int64_t millisecond = 1000000;

// A keeper with limits of half a second of CPU and one second of time for all modules.
static struct hp_keeper keeper(void (*with)(int sock)) {
    struct hp_keeper keeper = {.limits = hp_keeper_usual, .serve = serve};
    keeper.limits.module_cpu = keeper.limits.run_cpu = 500 * millisecond;
    keeper.limits.module_per_byte = keeper.limits.run_per_byte = 0;
    keeper.limits.patience = 2;
    keeper.limits.answer = 1 << 20;
    keeper.limits.answer_per_byte = 0;
    lie = with;
    return keeper;
}

// The note of a module.
static const char *note_of(const struct hp_profile *profile, size_t module) {
    return hp_profile_text(profile, profile->modules.at[module].note);
}

// Largest memory of this process, in KiB.
static long largest(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

// A misbehaviour and its expected result.
struct wanted {
    void (*lie)(int sock);
    enum hp_sym_status status;
    const char *note;
};

// Expect that only the module that was lied about has no names, and that memory stays
// small.
static void check(const struct wanted *wanted) {
    struct hp_profile profile = profile_of(1);
    struct hp_keeper with = keeper(wanted->lie);
    long before = largest();
    hp_symbolize_by(&profile, NULL, &with);
    const struct hp_module *modules = profile.modules.at;
    cr_expect_eq(modules[1].status, wanted->status, "%s: %d", wanted->note,
                 modules[1].status);
    cr_expect_str_eq(note_of(&profile, 1), wanted->note);
    cr_expect_eq(modules[2].status, HP_SYM_DWARF, "after \"%s\": %d %s", wanted->note,
                 modules[2].status, note_of(&profile, 2));
    cr_expect_lt(largest() - before, 32 << 10, "%s: %ld KiB", wanted->note,
                 largest() - before);
    hp_profile_done(&profile);
}

Test(sym_keeper, R08_F6_a_lie_costs_the_names_of_one_module, .timeout = 60,
     .init = find_program) {
    static const struct wanted all[] = {
        {trap, HP_SYM_DAMAGED, "reader-killed: SIGILL 4"},
        {fall, HP_SYM_DAMAGED, "reader-killed: SIGSEGV 11"},
        {leave, HP_SYM_DAMAGED, "reader-ended-early"},
        {announce, HP_SYM_DAMAGED, "answer-too-large"},
        {flood, HP_SYM_DAMAGED, "answer-failed"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check(&all[i]);
    }
}

Test(sym_keeper, R08_an_abort_is_reported, .timeout = 60, .init = find_program) {
    struct hp_profile profile = profile_of(1);
    struct hp_keeper with = keeper(do_abort);
    hp_symbolize_by(&profile, NULL, &with);
    cr_expect_eq(profile.modules.at[1].status, HP_SYM_DAMAGED);
    cr_expect(strstr(note_of(&profile, 1), "reader-killed: SIG"), "%s",
              note_of(&profile, 1));
    cr_expect_eq(profile.modules.at[2].status, HP_SYM_DWARF);
    hp_profile_done(&profile);
}

Test(sym_keeper, R05_R08_F6_files_are_handed_over_that_are_elf_and_beside_the_module,
     .timeout = 60, .init = find_program) {
    struct hp_profile profile = profile_of(1);
    struct hp_keeper with = keeper(ask);
    snprintf(passwd, sizeof passwd, "/tmp/hprof-agg-%d.dwo", (int)getpid());
    cr_assert_eq(symlink("/etc/passwd", passwd), 0);
    hp_symbolize_by(&profile, NULL, &with);
    cr_expect_str_eq(note_of(&profile, 1), "nothing");
    cr_expect_eq(profile.modules.at[2].status, HP_SYM_DWARF);
    unlink(passwd);
    hp_profile_done(&profile);
}

// Expect that 300 slow modules take less than 3 s in total, since the run as a whole is
// limited, and that the first is reported as too slow.
static void check_time(void (*with)(int sock)) {
    struct hp_profile profile = profile_of(300);
    struct hp_keeper slow = keeper(with);
    int64_t start = hp_wire_now();
    hp_symbolize_by(&profile, NULL, &slow);
    int64_t took = hp_wire_now() - start;
    cr_expect_lt(took, 3000 * millisecond, "%d ms", (int)(took / millisecond));
    cr_expect_eq(profile.modules.at[1].status, HP_SYM_OVER_BUDGET, "%d",
                 profile.modules.at[1].status);
    cr_expect_str_eq(note_of(&profile, 1), "answer-slow");
    size_t without = 0;
    for (size_t i = 1; i < profile.modules.count; i++) {
        enum hp_sym_status status = profile.modules.at[i].status;
        without += status == HP_SYM_RUN_OVER || status == HP_SYM_OVER_BUDGET;
    }
    cr_expect_geq(without, profile.modules.count - 2, "all but the one that is no lie");
    hp_profile_done(&profile);
}

Test(sym_keeper, R31_F6_who_spins_drips_or_ticks_takes_the_time_of_a_run_and_no_more,
     .timeout = 60, .init = find_program) {
    check_time(spin);
    check_time(drip);
    check_time(tick);
}

// The worker never finishes a file whose name ends in "-endless", and takes 0.6 s for
// "-slow".
bool __real_hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                          struct hp_sym_diagnostic *why);
bool __wrap_hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                          struct hp_sym_diagnostic *why);

bool __wrap_hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                          struct hp_sym_diagnostic *why) {
    while (hp_span_ends(path, "-endless")) {
    }
    for (clock_t end = clock() + 6 * CLOCKS_PER_SEC / 10;
         hp_span_ends(path, "-slow") && clock() < end;) {
    }
    return __real_hp_image_open(image, fd, path, why);
}

// Copy this program under a name with the ending; returns the path.
static const char *copy_program(int number, const char *ending) {
    static char path[64];
    char command[4200];
    snprintf(path, sizeof path, "/tmp/hprof-agg-%d-%d%s", (int)getpid(), number, ending);
    snprintf(command, sizeof command, "cp '%s' %s", program, path);
    cr_assert_eq(system(command), 0);
    return path;
}

// A keeper with a limit of one second of CPU for all modules, however long that takes on
// a busy machine.
static struct hp_keeper second_of_cpu(void) {
    struct hp_keeper slow = keeper(NULL);
    slow.serve = hp_worker_serve;
    slow.limits.module_cpu = slow.limits.run_cpu = 1000 * millisecond;
    slow.limits.patience = 40;
    return slow;
}

// CPU time of ended children, in nanoseconds.
static int64_t cpu_of_children(void) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return ((int64_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 * millisecond +
           ((int64_t)used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

// Symbolize three modules, each a file of its own; some are endless.  Expect names for
// all others, and little more time than the run is allowed.
static void check_names_of_others(const bool is_endless[3]) {
    struct hp_profile profile = {0};
    struct hp_keeper slow = second_of_cpu();
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    for (int i = 0; i < 3; i++) {
        add_module_at(&profile, copy_program(i, is_endless[i] ? "-endless" : ""), false);
    }
    int64_t before = cpu_of_children();
    hp_symbolize_by(&profile, NULL, &slow);
    int64_t took = cpu_of_children() - before;
    cr_expect_lt(took, 1500 * millisecond, "%d ms", (int)(took / millisecond));
    for (size_t i = 0; i < 3; i++) {
        const struct hp_module *module = &profile.modules.at[i + 1];
        cr_expect_eq(module->status, is_endless[i] ? HP_SYM_OVER_BUDGET : HP_SYM_DWARF,
                     "%d %d %d: %zu is %d", is_endless[0], is_endless[1], is_endless[2],
                     i, module->status);
        cr_expect_str_eq(note_of(&profile, i + 1), is_endless[i] ? "answer-slow" : "");
        unlink(hp_profile_text(&profile, module->path));
    }
    hp_profile_done(&profile);
}

Test(sym_keeper, H4_modules_that_never_end_leave_time_for_the_names_of_others,
     .timeout = 60, .init = find_program) {
    check_names_of_others((const bool[]){true, false, false});
    check_names_of_others((const bool[]){false, true, false});
    check_names_of_others((const bool[]){false, false, true});
    check_names_of_others((const bool[]){true, true, false});
    check_names_of_others((const bool[]){true, false, true});
}

Test(sym_keeper, H4_a_slow_module_alone_has_all_the_time, .timeout = 60,
     .init = find_program) {
    struct hp_profile profile = {0};
    struct hp_keeper slow = second_of_cpu();
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    add_module_at(&profile, copy_program(0, "-slow"), false);
    hp_symbolize_by(&profile, NULL, &slow);
    cr_expect_eq(profile.modules.at[1].status, HP_SYM_DWARF, "%d %s",
                 profile.modules.at[1].status, note_of(&profile, 1));
    unlink(hp_profile_text(&profile, profile.modules.at[1].path));
    hp_profile_done(&profile);
}

// The files of the other modules add more time to the run than the slow module had when
// it was stopped.
Test(sym_keeper, H4_a_module_that_was_stopped_for_others_is_read_again, .timeout = 60,
     .init = find_program) {
    struct hp_profile profile = {0};
    struct hp_keeper slow = second_of_cpu();
    struct stat info;
    cr_assert_eq(stat(program, &info), 0);
    slow.limits.run_cpu = 400 * millisecond;
    slow.limits.run_per_byte =
        // For each byte of all files.
        (uint64_t)(400 * millisecond) / (uint64_t)info.st_size;
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    for (int i = 0; i < 4; i++) {
        add_module_at(&profile, copy_program(i, i == 0 ? "-slow" : ""), false);
    }
    hp_symbolize_by(&profile, NULL, &slow);
    for (size_t i = 1; i <= 4; i++) {
        const struct hp_module *module = &profile.modules.at[i];
        cr_expect_eq(module->status, HP_SYM_DWARF, "%zu: %d %s", i, module->status,
                     note_of(&profile, i));
        unlink(hp_profile_text(&profile, module->path));
    }
    hp_profile_done(&profile);
}

#ifdef __SANITIZE_ADDRESS__
// A fork takes as long as copying the shadow memory.
static const int64_t most_for_crashes = 50000;
#else
static const int64_t most_for_crashes = 10000;
#endif

Test(sym_keeper, R31_many_that_crash_take_little_time, .timeout = 60,
     .init = find_program) {
    struct hp_profile profile = profile_of(300);
    struct hp_keeper with = keeper(trap);
    with.limits = hp_keeper_usual;
    int64_t start = hp_wire_now();
    hp_symbolize_by(&profile, NULL, &with);
    int64_t took = hp_wire_now() - start;
    cr_expect_lt(took, most_for_crashes * millisecond, "%d ms",
                 (int)(took / millisecond));
    cr_expect_eq(profile.modules.at[300].status, HP_SYM_DAMAGED);
    cr_expect_eq(profile.modules.at[301].status, HP_SYM_DWARF);
    hp_profile_done(&profile);
}

// A worker that traps unless it is asked for all 101 names of the file together.
static void serve_whole(int sock) {
    static char bytes[1 << 16];
    uint32_t head[2] = {0, 1};
    ssize_t got = 0;
    while (got < (ssize_t)(sizeof head + head[1])) {
        got = recv(sock, bytes, sizeof bytes, MSG_PEEK);
        memcpy(head, bytes, sizeof head);
    }
    if (got < 101 * 8) { // a request for fewer offsets is smaller
        __builtin_trap();
    }
    hp_worker_serve(sock);
}

Test(sym_keeper, R31_F5_a_file_under_many_names_is_read_once, .timeout = 60,
     .init = find_program) {
    struct hp_profile profile = {0};
    struct hp_keeper with = {.limits = hp_keeper_usual,
                             .serve = serve_whole,
                             .sandbox = HP_SANDBOX_AUTO};
    char path[5000], dots[256];
    for (size_t i = 0; i < sizeof dots; i++) {
        dots[i] = "/."[i % 2];
    }
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    for (size_t i = 0; i < 101; i++) {
        snprintf(path, sizeof path, "%.*s%s", (int)(2 * i), dots, program);
        add_module_at(&profile, path, false);
        profile.frames.at[i].address += i; // each module asks for another address
    }
    hp_symbolize_by(&profile, NULL, &with);
    for (size_t i = 1; i < profile.modules.count; i++) {
        const struct hp_module *module = &profile.modules.at[i];
        cr_expect_eq(module->status, HP_SYM_DWARF, "%zu: %d %s", i, module->status,
                     note_of(&profile, i));
        cr_expect_eq(module->symbols_from.n, module->path.n);
        cr_expect_gt(profile.frames.at[i - 1].lines, 0);
    }
    hp_profile_done(&profile);
}

// A child that waits to be killed.  If another process kills it, that is probably the
// kernel for lack of memory.
static void kill_child(int sock) {
    (void)sock;
    for (;;) {
        wait_a_little();
    }
}

static pid_t killer;

// A hp_progress_fn that starts a process, which kills the other child.
static void start_killer(void *data, const struct hp_progress *progress) {
    (void)data;
    pid_t parent = getpid();
    if (progress->done != 0 || killer > 0 || (killer = fork()) > 0) {
        return;
    }
    for (int i = 0; i < 500; i++) { // wait until there is a second child
        char path[64];
        long pids[2] = {0, 0};
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
        FILE *file = fopen(path, "r");
        int count = file ? fscanf(file, "%ld %ld", &pids[0], &pids[1]) : 0;
        if (file) {
            fclose(file);
        }
        if (count == 2) {
            usleep(50000);
            kill((pid_t)(pids[0] == getpid() ? pids[1] : pids[0]), SIGKILL);
            break;
        }
        usleep(2000);
    }
    _exit(0);
}

Test(sym_keeper, R08_F4_who_was_killed_by_others_may_have_lacked_memory, .timeout = 60,
     .init = find_program) {
    struct hp_profile profile = profile_of(1);
    struct hp_keeper with = keeper(kill_child);
    struct hp_symbol_options options = {.progress = start_killer};
    with.limits = hp_keeper_usual;
    hp_symbolize_by(&profile, &options, &with);
    cr_expect_eq(profile.modules.at[1].status, HP_SYM_KILLED, "%d %s",
                 profile.modules.at[1].status, note_of(&profile, 1));
    cr_expect_eq(profile.modules.at[2].status, HP_SYM_DWARF);
    waitpid(killer, NULL, 0);
    hp_profile_done(&profile);
}
