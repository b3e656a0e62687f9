// In this order: capabilities, with those that a program could get back, no new privileges,
// Landlock, seccomp.  Each works for root, for anybody, and in a user namespace.
//
// Landlock has a rule set that handles every right the kernel knows and allows none: no
// file can be opened, no port, and no process outside be signalled or spoken to.
//
// seccomp has a list of what libdw, the demangler and the protocol need.  Any other call
// raises SIGSYS, whose handler counts it and has it fail with EPERM; while SIGSYS is blocked,
// or has another handler, the process dies.  A call made as for another machine, which a
// filter by numbers would mistake (int 0x80, x32), kills it at once.
//
// Of a process that is to have no sandbox libdw's calls that open files are answered as in one, by
// a filter that lets all else by, so that names are the same.
//
// Without the filter nobody answers libdw's calls that open files, so Landlock would cost
// names: then there is neither.
#include "sym/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef HP_WITH_SECCOMP
#    include <linux/seccomp.h>
#    include <seccomp.h>
#endif

static char lack[256];

static void lacks(const char *what, const char *why) {
    size_t used = strlen(lack);
    snprintf(lack + used, sizeof lack - used, "%s%s (%s)", used ? ", " : "", what, why);
}

const char *hp_sandbox_lack(void) {
    return lack;
}

// Of a program that the library is linked into, too: its runtime asks the kernel for things.
bool hp_sandbox_is_instrumented(void) {
#ifdef HP_INSTRUMENTED
    return true;
#else
    extern void __asan_init(void) __attribute__((weak));
    extern void __tsan_init(void) __attribute__((weak));
    return __asan_init != NULL || __tsan_init != NULL;
#endif
}

const char *hp_sandbox_parent_lack(void) {
    static char text[64];
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how);
    text[0] = '\0';
    if (fd >= 0) {
        close(fd);
    } else {
        snprintf(text, sizeof text, "openat2 (%s)", strerror(errno));
    }
    return text;
}

// --- capabilities ----------------------------------------------------------------------

// Who has none is refused some of these, and need not give them up.
static void drop_capabilities(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    for (unsigned long i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++) {
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &head, none) < 0) {
        lacks("capset", strerror(errno));
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        lacks("no_new_privs", strerror(errno));
    }
}

#if defined(HP_WITH_SECCOMP) && !defined(HP_INSTRUMENTED)

// --- Landlock --------------------------------------------------------------------------

// As in the kernel's linux/landlock.h, which may be younger or older than what we run on.
enum {
    CREATE_RULESET = 444,
    RESTRICT_SELF = 446,
    ASK_VERSION = 1,
};

struct ruleset {
    uint64_t files, network, scopes;
};

// How many rights each version of the interface knows; later ones at least as many.
static struct ruleset rights_of(int version) {
    static const unsigned char files[] = {0, 13, 14, 15, 15, 16};
    int last = (int)sizeof files - 1;
    unsigned count = files[version < last ? version : last];
    return (struct ruleset){.files = (UINT64_C(1) << count) - 1,
                            .network = version >= 4 ? 3 : 0,
                            .scopes = version >= 6 ? 3 : 0};
}

static void deny_files(void) {
    int version = (int)syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    if (version <= 0) {
        lacks("Landlock", strerror(errno));
        return;
    }
    struct ruleset all = rights_of(version);
    int fd = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
    if (fd < 0 || syscall(RESTRICT_SELF, fd, 0) < 0) {
        lacks("Landlock", strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}

// --- refused calls ---------------------------------------------------------------------

static const struct hp_sandbox_names *answers;
static volatile sig_atomic_t refused, first_refused;
static bool is_filtered, is_hooked;

#    if defined(__x86_64__)
static const int argument_registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
#        define REGISTER(context, i) ((context)->uc_mcontext.gregs[argument_registers[i]])
#        define RESULT(context)      ((context)->uc_mcontext.gregs[REG_RAX])
#    elif defined(__aarch64__)
#        define REGISTER(context, i) ((context)->uc_mcontext.regs[i])
#        define RESULT(context)      ((context)->uc_mcontext.regs[0])
#    elif defined(__riscv)
#        define REGISTER(context, i) ((context)->uc_mcontext.__gregs[REG_A0 + (i)])
#        define RESULT(context)      ((context)->uc_mcontext.__gregs[REG_A0])
#    else
#        error "of this machine it is not known where a call finds its arguments"
#    endif

// The i-th argument, which is a pointer.
static void *pointer_in(const ucontext_t *context, int i) {
    return (void *)(uintptr_t)REGISTER(context, i);
}

static long answer_call(int number, const ucontext_t *context) {
    switch (number) {
#    ifdef SYS_open
    case SYS_open:
        return answers->open(pointer_in(context, 0));
#    endif
    case SYS_openat:
        return answers->open(pointer_in(context, 1));
#    ifdef SYS_readlink
    case SYS_readlink:
        return answers->read_link(pointer_in(context, 0), pointer_in(context, 1),
                                  (size_t)REGISTER(context, 2));
#    endif
    case SYS_readlinkat:
        return answers->read_link(pointer_in(context, 1), pointer_in(context, 2),
                                  (size_t)REGISTER(context, 3));
    default:
        return -EPERM;
    }
}

// The filter of a process without a sandbox lets a call by that says so.
static const uint64_t pass = 0x68706167;

static long open_really(int number, const ucontext_t *context) {
    long result = -1;
    if (number == SYS_openat) {
        result = syscall(SYS_openat, REGISTER(context, 0), REGISTER(context, 1),
                         REGISTER(context, 2), REGISTER(context, 3), 0, pass);
    }
#    ifdef SYS_open
    if (number == SYS_open) {
        result = syscall(SYS_open, REGISTER(context, 0), REGISTER(context, 1),
                         REGISTER(context, 2), 0, 0, pass);
    }
#    endif
    return result < 0 ? -errno : result;
}

static void on_refused(int signal, siginfo_t *info, void *data) {
    (void)signal;
    int saved = errno;
    ucontext_t *context = data;
    long result = answers ? answer_call(info->si_syscall, context) : -EPERM;
    if (result == -EPERM && is_hooked) {
        result = open_really(info->si_syscall, context);
    } else if (result == -EPERM) {
        first_refused = refused == 0 ? info->si_syscall : first_refused;
        refused++;
    }
    RESULT(context) = (__typeof__(RESULT(context)))result;
    errno = saved;
}

// --- seccomp ---------------------------------------------------------------------------

// An allowed call: any, or one where these bits of one argument have that value.
struct allowed {
    int number, argument;
    uint64_t mask, value;
};

#    define ANY(name) \
        { SCMP_SYS(name), -1, 0, 0 }

static const struct allowed calls[] = {
    ANY(pread64),
    {SCMP_SYS(mmap), 2, PROT_EXEC, 0},
    {SCMP_SYS(mprotect), 2, PROT_EXEC, 0},
    ANY(munmap),
    ANY(mremap),
    ANY(brk),
    ANY(madvise),
    ANY(futex),
    ANY(fstat), // either this or the other is fstat() of the C library
    {SCMP_SYS(newfstatat), 3, UINT32_MAX, AT_EMPTY_PATH},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFD}, // others have signals sent to anybody
    ANY(close),
    ANY(clock_gettime), // where the vDSO has none
    ANY(exit),
    ANY(exit_group),
    ANY(rt_sigaction),
    ANY(rt_sigprocmask),
    ANY(rt_sigreturn),
    ANY(sendmsg),
    ANY(recvmsg),
    ANY(sendto),
    ANY(recvfrom),
    // the demangler's thread
    {SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD},
    ANY(set_robust_list),
    ANY(rseq),
};

static int allow(scmp_filter_ctx filter, const struct allowed *call) {
    bool any = call->argument < 0;
    struct scmp_arg_cmp is = {.arg = any ? 0 : (unsigned)call->argument,
                              .op = SCMP_CMP_MASKED_EQ,
                              .datum_a = call->mask,
                              .datum_b = call->value};
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call->number, any ? 0 : 1, &is);
}

// 0, or -errno.
static int load(scmp_filter_ctx filter) {
    int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    // Who reads nobody's memory but its own need not go slower for fear of speculation.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    // The C library makes a thread by clone3, or else by clone, whose flags can be seen.
    error = error ? error
                  : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    // qsort() asks how much memory there is, and does without; nothing is missed.
    error = error ? error
                  : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(sysinfo), 0);
    for (size_t i = 0; error == 0 && i < sizeof calls / sizeof *calls; i++) {
        error = allow(filter, &calls[i]);
    }
    return error ? error : seccomp_load(filter);
}

// Is there a filter to be had?
static bool can_filter(void) {
    uint32_t action = SECCOMP_RET_TRAP;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void catch_refused(void) {
    struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
}

// No sandbox: that libdw gets the files that it asks for from us, as in one.
static void hook_open(void) {
    catch_refused();
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    struct scmp_arg_cmp is_of_others = SCMP_A5(SCMP_CMP_NE, pass);
    bool good =
        filter &&
        seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW) == 0 &&
        seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(openat), 1, is_of_others) == 0;
#    ifdef SYS_open
    good = good &&
           seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(open), 1, is_of_others) == 0;
#    endif
    is_hooked = good && can_filter() && seccomp_load(filter) == 0;
    seccomp_release(filter);
}

static void drop_calls(void) {
    catch_refused();
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    int error = filter ? load(filter) : -ENOMEM;
    seccomp_release(filter);
    is_filtered = error == 0;
    if (error) {
        lacks("seccomp", strerror(error == -ECANCELED ? EPERM : -error));
    }
}

static void confine(void) {
    if (hp_sandbox_is_instrumented()) {
        lacks("seccomp and Landlock", "for the runtime of a sanitizer");
    } else if (can_filter()) {
        deny_files();
        drop_calls();
    } else {
        lacks("seccomp and Landlock", strerror(errno));
    }
}

void hp_sandbox_answer(const struct hp_sandbox_names *names) {
    answers = names;
}

bool hp_sandbox_answers(void) {
    return is_filtered || is_hooked;
}

struct hp_refusals hp_sandbox_refusals(void) {
    struct hp_refusals since = {(uint32_t)refused, first_refused};
    refused = 0;
    return since;
}

void hp_sandbox_call_name(int number, char name[32]) {
    char *known = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    snprintf(name, 32, "%s", known ? known : "?");
    free(known);
}

#else

static void hook_open(void) {}

static void confine(void) {
    if (!hp_sandbox_is_instrumented()) {
        lacks("seccomp and Landlock", "built without libseccomp");
    }
}

void hp_sandbox_answer(const struct hp_sandbox_names *names) {
    (void)names;
}

bool hp_sandbox_answers(void) {
    return false;
}

struct hp_refusals hp_sandbox_refusals(void) {
    return (struct hp_refusals){0, 0};
}

void hp_sandbox_call_name(int number, char name[32]) {
    (void)number;
    strcpy(name, "?");
}

#endif

bool hp_sandbox_enter(enum hp_sandbox mode) {
    lack[0] = '\0';
    if (mode == HP_SANDBOX_OFF) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        hook_open();
        return true;
    }
    drop_capabilities();
    confine();
    return mode == HP_SANDBOX_AUTO || lack[0] == '\0';
}
