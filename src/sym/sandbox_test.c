// Self-test of the sandbox: makes system calls by number in children that have entered
// the sandbox as those that read binaries do, one call in each child.  A call must be
// refused by the filter, which counts, and not for another reason.
#include "base/memory.h"
#include "base/vec.h"
#include "sym/child.h"
#include "sym/protocol.h"
#include "sym/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// --- what is missing -------------------------------------------------------------------

// Main loop of a child: send the restrictions that could not be applied.
static void send_lack(int sock) {
    const char *lack = hp_sandbox_lack();
    send(sock, lack, strlen(lack), MSG_NOSIGNAL);
}

// Start a child to find out which restrictions of the sandbox cannot be applied on this
// system.  Returns their names, "" if none is missing; the text is static.
const char *hp_sandbox_missing(void) {
    static char text[400];
    struct hp_child child;
    struct hp_err err;
    const char *parent = hp_sandbox_parent_lack();
    int used = snprintf(text, sizeof text, "%s", parent);
    if (hp_sandbox_is_instrumented()) {
        return "seccomp and Landlock (built for sanitizers)";
    }
    if (hp_child_start(&child, send_lack, HP_SANDBOX_AUTO, &err) != HP_OK) {
        snprintf(text, sizeof text, "a process (%s)", strerror(err.sys));
        return text;
    }
    char lack[300];
    ssize_t got = recv(child.sock, lack, sizeof lack, MSG_WAITALL);
    if (got != 0) {
        snprintf(text + used, sizeof text - (size_t)used, "%s%.*s", used ? ", " : "",
                 got > 0 ? (int)got : 7, got > 0 ? lack : "answers");
    }
    hp_child_stop(&child, true);
    return text;
}

// --- single calls ----------------------------------------------------------------------

// A system call to be tried.
struct call {
    const char *name;
    long number, arguments[6]; // number of the call
};

// The result of a call, as the child reports it.
struct finding {
    long result; // what the call returned
    int error;   // errno, or 0
    struct hp_refusals refusals;
};

// The call for the next child, and whether it is made by int 0x80; set before fork().
static struct call tried;
static bool by_interrupt;

// Main loop of a child: make the call and report the result.
static void try_call(int sock) {
    const long *a = tried.arguments;
    struct finding finding = {0, 0, {0, 0}};
    hp_sandbox_refusals();
#ifdef __x86_64__
    if (by_interrupt) { // as a 32-bit program does
        __asm__ volatile("int $0x80"
                         : "=a"(finding.result)
                         : "a"(tried.number), "b"(a[0]), "c"(a[1]), "d"(a[2])
                         : "memory");
    } else
#endif
    {
        finding.result = syscall(tried.number, a[0], a[1], a[2], a[3], a[4], a[5]);
        finding.error = finding.result == -1 ? errno : 0;
    }
    finding.refusals = hp_sandbox_refusals();
    send(sock, &finding, sizeof finding, MSG_NOSIGNAL);
}

// What happened when a child made a system call.
enum outcome {
    REFUSED, // by the filter
    KILLED,  // the process was killed for the call
    UNKNOWN, // failed as if the kernel had no such call
    LET_BY,  // not filtered, or no child could be started
};

// Whether refusals of a call are not counted: libraries make it, and its result is not
// needed.
static bool is_of_no_weight(long number) {
    bool is_name = number == SYS_readlinkat;
#ifdef SYS_readlink
    is_name |= number == SYS_readlink;
#endif
    return is_name || number == SYS_sysinfo;
}

// Try a call in a new child.
static enum outcome outcome_of(const struct call *call, bool interrupt) {
    struct hp_child child;
    struct hp_err err;
    struct finding finding = {0, 0, {0, 0}};
    tried = *call;
    by_interrupt = interrupt;
    if (hp_child_start(&child, try_call, HP_SANDBOX_REQUIRE, &err) != HP_OK) {
        return LET_BY;
    }
    struct hp_wire wire = {child.sock, sizeof finding, hp_wire_now() + 2000000000};
    bool is_received = hp_wire_receive_bytes(&wire, &finding, sizeof finding);
    struct hp_child_end end = hp_child_stop(&child, true);
    bool counted = finding.refusals.count == 1 && finding.refusals.first == call->number;
    if (is_received && finding.result == -1 && finding.error == EPERM &&
        (counted || is_of_no_weight(call->number))) {
        return REFUSED;
    }
    if (is_received && finding.error == ENOSYS) {
        return UNKNOWN;
    }
    return !is_received && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSYS
               ? KILLED
               : LET_BY;
}

// --- all of them -----------------------------------------------------------------------

// The text of the test and the number of its faults.
struct report {
    HP_VEC(char) text;
    int faults;
};

// Append a line about a call; `good`: the outcome is the expected one.
static void add_result(struct report *report, const char *name, const char *how,
                       enum outcome outcome, bool good) {
    static const char *const words[] = {"refused", "killed", "unknown", "let by"};
    char *line =
        hp_printed("%s %s%s: %s\n", good ? "ok" : "FAULT", name, how, words[outcome]);
    hp_vec_append(&report->text, line, strlen(line));
    report->faults += !good;
    free(line);
}

#define POINTER(to) ((long)(intptr_t)(to))

// Try calls that would have an effect without the filter.
static void try_dangerous(struct report *report) {
    static const char self[] = "/proc/self/exe", none[] = "";
    static char room[256];
    static struct rlimit limit;
    const long parent = getpid(), page = sysconf(_SC_PAGESIZE);
    const struct call calls[] = {
#ifdef __x86_64__
        {"open", SYS_open, {POINTER("/")}},
        {"fork", SYS_fork, {0}},
        {"vfork", SYS_vfork, {0}},
#endif
        {"openat", SYS_openat, {AT_FDCWD, POINTER("/")}},
        {"openat2", SYS_openat2, {AT_FDCWD, POINTER("/"), POINTER(room), 24}},
        {"open_by_handle_at", SYS_open_by_handle_at, {AT_FDCWD, POINTER(room), 0}},
        {"newfstatat", SYS_newfstatat, {AT_FDCWD, POINTER("/"), POINTER(room), 0}},
        {"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}},
        {"connect", SYS_connect, {3, POINTER(room), 16}},
        {"execve", SYS_execve, {POINTER(self), 0, 0}},
        {"execveat", SYS_execveat, {AT_FDCWD, POINTER(self), 0, 0, 0}},
        {"clone", SYS_clone, {SIGCHLD}},
        {"ptrace", SYS_ptrace, {0}},
        {"kill", SYS_kill, {parent, 0}},
        {"process_vm_readv", SYS_process_vm_readv, {parent}},
        {"prlimit64", SYS_prlimit64, {0, RLIMIT_CPU, 0, POINTER(&limit)}},
        {"io_uring_setup", SYS_io_uring_setup, {1, POINTER(room)}},
        {"bpf", SYS_bpf, {0, POINTER(room), 0}},
        {"userfaultfd", SYS_userfaultfd, {1}},
        {"memfd_create", SYS_memfd_create, {POINTER(none), 0}},
        {"fcntl F_SETOWN", SYS_fcntl, {0, F_SETOWN, parent}},
        {"mmap PROT_EXEC",
         SYS_mmap,
         {0, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
        {"mprotect PROT_EXEC", SYS_mprotect, {0, page, PROT_READ | PROT_EXEC}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        enum outcome outcome = outcome_of(&calls[i], false);
        add_result(report, calls[i].name, "", outcome, outcome == REFUSED);
    }
}

// Try call numbers of other machines, by each way into the kernel.
static void try_foreign(struct report *report) {
#ifdef __x86_64__
    static const struct call getpid_of_32_bits = {"getpid", 20, {0}};
    static const struct call x32 = {"getpid", 0x40000000 + 39, {0}};
    enum outcome outcome = outcome_of(&getpid_of_32_bits, true);
    add_result(report, "getpid", " by int 0x80", outcome, outcome == KILLED);
    outcome = outcome_of(&x32, false);
    add_result(report, "getpid", " of x32", outcome, outcome == KILLED);
#else
    (void)report;
#endif
}

// Whether the filter allows a call with arguments of zeros; clone, newfstatat and fcntl
// are refused then.
static bool may_go_by(long number) {
    static const long let[] = {
        SYS_pread64,
        SYS_mmap,
        SYS_mprotect,
        SYS_munmap,
        SYS_mremap,
        SYS_brk,
        SYS_madvise,
        SYS_futex,
        SYS_fstat,
        SYS_close,
        SYS_exit,
        SYS_exit_group,
        SYS_rt_sigaction,
        SYS_rt_sigreturn,
        SYS_rt_sigprocmask,
        SYS_clock_gettime,
        SYS_sendmsg,
        SYS_recvmsg,
        SYS_sendto,
        SYS_recvfrom,
        SYS_rseq,
        SYS_set_robust_list,
#ifdef __x86_64__
        // The calls uretprobe and uprobe: the kernel does not filter them, and they have
        // no effect unless they are called from a trampoline of the kernel.
        335,
        336,
#endif
    };
    for (size_t i = 0; i < sizeof let / sizeof *let; i++) {
        if (let[i] == number) {
            return true;
        }
    }
    return false;
}

// Try all call numbers; only exceptions are listed in the report.
static void try_numbers(struct report *report) {
    enum {
        LAST = 600
    };

    unsigned refused = 0;
    for (long number = 0; number <= LAST; number++) {
        struct call call = {"?", number, {0}};
        enum outcome outcome = outcome_of(&call, false);
        enum outcome wanted = number == SYS_clone3 ? UNKNOWN
                              : may_go_by(number)  ? LET_BY
                                                   : REFUSED;
        refused += outcome == REFUSED;
        if (outcome != wanted || outcome != REFUSED) {
            char name[32], how[32];
            hp_sandbox_call_name((int)number, name);
            snprintf(how, sizeof how, " (%ld)", number);
            add_result(report, name, how, outcome, outcome == wanted);
        }
    }
    char *line = hp_printed("ok %u of %d numbers refused\n", refused, LAST + 1);
    hp_vec_append(&report->text, line, strlen(line));
    free(line);
}

int hp_sandbox_selftest(char **text) {
    struct report report = {.faults = 0};
    const char *missing = hp_sandbox_missing();
    *text = NULL;
    if (hp_sandbox_is_instrumented()) {
        *text = hp_printed("no filter: this program was built for sanitizers\n");
        return 0;
    }
    if (*missing) {
        *text = hp_printed("FAULT the sandbox lacks %s\n", missing);
        return 1;
    }
    try_dangerous(&report);
    try_foreign(&report);
    try_numbers(&report);
    hp_vec_push(&report.text, '\0');
    *text = report.text.at;
    return report.faults;
}
