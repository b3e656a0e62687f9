// Restrictions are applied in this order: capabilities, including those that a program
// could get back, no new privileges, Landlock, seccomp.  Each works for root, for
// ordinary users, and in a user namespace.
//
// Landlock gets a rule set that handles every right the kernel knows and allows none: no
// file or port can be opened, and no process outside can be signalled or connected to.
//
// seccomp gets a list of the calls that libdw, the demangler and the protocol need.  Any
// other call raises SIGSYS, whose handler counts it and makes it fail with EPERM.  While
// SIGSYS is blocked, or has another handler, the process dies.  A call made as for
// another machine (int 0x80, x32), which a filter by numbers would mistake, kills it at
// once.
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

// Restrictions that could not be applied, as hp_sandbox_lack() returns them.
static char lack[256];

// Append a restriction that could not be applied, with the reason.
static void lacks(const char *what, const char *why) {
    size_t used = strlen(lack);
    snprintf(lack + used, sizeof lack - used, "%s%s (%s)", used ? ", " : "", what, why);
}

const char *hp_sandbox_lack(void) {
    return lack;
}

// Whether the sandbox cannot filter system calls because of sanitizers.  True also for an
// instrumented program that the library is linked into: the sanitizer's runtime makes
// system calls of its own.
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

// Drop all capabilities.  A process without capabilities cannot make some of these calls
// and does not need to, so their failure is ignored.
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

// Copied from linux/landlock.h, because the installed header may be newer or older than
// the running kernel.
enum {
    CREATE_RULESET = 444, // numbers of the calls landlock_create_ruleset(2)
    RESTRICT_SELF = 446,  // and landlock_restrict_self(2)
    ASK_VERSION = 1,      // LANDLOCK_CREATE_RULESET_VERSION
};

// struct landlock_ruleset_attr: a bit for each right that is handled.
struct ruleset {
    uint64_t files, network, scopes;
};

// All rights that a version of the interface knows; later versions know at least these.
static struct ruleset rights_of(int version) {
    static const unsigned char files[] = {0, 13, 14, 15, 15, 16};
    int last = (int)sizeof files - 1;
    unsigned count = files[version < last ? version : last];
    return (struct ruleset){.files = (UINT64_C(1) << count) - 1,
                            .network = version >= 4 ? 3 : 0,
                            .scopes = version >= 6 ? 3 : 0};
}

// Deny all file access, network ports and signals by Landlock.
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

// Number of refused calls since the last query, and the first of them.
static volatile sig_atomic_t refused, first_refused;

#    if defined(__x86_64__)
#        define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#    elif defined(__aarch64__)
#        define RESULT(context) ((context)->uc_mcontext.regs[0])
#    elif defined(__riscv)
#        define RESULT(context) ((context)->uc_mcontext.__gregs[REG_A0])
#    else
#        error "of this machine it is not known where a call returns its result"
#    endif

// Handler of SIGSYS: count the call and make it return -EPERM.
static void on_refused(int signal, siginfo_t *info, void *data) {
    (void)signal;
    ucontext_t *context = data;
    first_refused = refused == 0 ? info->si_syscall : first_refused;
    refused++;
    RESULT(context) = -EPERM;
}

// --- seccomp ---------------------------------------------------------------------------

// A call that is allowed: always (`argument` is -1), or if the bits `mask` of one
// argument are `value`.
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
    ANY(fstat), // the C library implements fstat() by this call or the next
    {SCMP_SYS(newfstatat), 3, UINT32_MAX, AT_EMPTY_PATH},
    // Other commands can have signals sent to other processes.
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFD},
    ANY(close),
    ANY(clock_gettime), // used where the vDSO has no clock
    ANY(exit),
    ANY(exit_group),
    ANY(rt_sigaction),
    ANY(rt_sigprocmask),
    ANY(rt_sigreturn),
    ANY(sendmsg),
    ANY(recvmsg),
    ANY(sendto),
    ANY(recvfrom),
    // The demangler's thread.
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

// Refuse a call without counting it.
static int refuse_quietly(scmp_filter_ctx filter, int number, uint32_t error) {
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), number, 0);
}

// Build and load the filter.  Returns 0 or -errno.
static int load(scmp_filter_ctx filter) {
    int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    // The process reads only its own memory, so it need not pay for the mitigation of
    // speculative store bypass.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    // The C library creates a thread by clone3, or else by clone, whose flags a filter
    // can check.
    error = error ? error : refuse_quietly(filter, SCMP_SYS(clone3), ENOSYS);
    // qsort() asks how much memory there is, and works without the answer.
    error = error ? error : refuse_quietly(filter, SCMP_SYS(sysinfo), EPERM);
    // libdw reads the path of an open file to find others beside it, which is not needed
    // here.
#    ifdef SYS_readlink
    error = error ? error : refuse_quietly(filter, SCMP_SYS(readlink), EPERM);
#    endif
    error = error ? error : refuse_quietly(filter, SCMP_SYS(readlinkat), EPERM);
    for (size_t i = 0; error == 0 && i < sizeof calls / sizeof *calls; i++) {
        error = allow(filter, &calls[i]);
    }
    return error ? error : seccomp_load(filter);
}

// Whether the kernel can filter system calls.
static bool can_filter(void) {
    uint32_t action = SECCOMP_RET_TRAP;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void catch_refused(void) {
    struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
}

// Load the filter of system calls and its handler.
static void drop_calls(void) {
    catch_refused();
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    int error = filter ? load(filter) : -ENOMEM;
    seccomp_release(filter);
    if (error) {
        lacks("seccomp", strerror(error == -ECANCELED ? EPERM : -error));
    }
}

// Apply Landlock and seccomp, or record why not.
static void confine(void) {
    if (hp_sandbox_is_instrumented()) {
        lacks("seccomp and Landlock", "for the runtime of a sanitizer");
        return;
    }
    deny_files();
    if (can_filter()) {
        drop_calls();
    } else {
        lacks("seccomp", strerror(errno));
    }
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

static void confine(void) {
    if (!hp_sandbox_is_instrumented()) {
        lacks("seccomp and Landlock", "built without libseccomp");
    }
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
        return true;
    }
    drop_capabilities();
    confine();
    return mode == HP_SANDBOX_AUTO || lack[0] == '\0';
}
