// Programs whose stacks contain addresses that are no return addresses.  The argument
// chooses:
//
//     signals   a timer's handler allocates while functions of the program run
//     contexts  makecontext() and swapcontext()
//     fiber     entered by a return address that was pushed by hand
//     replaced  dumps after it has read a line, which is when its file has been replaced
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum {
    KEPT = 4096,
    TICKS = 300,
};

static void *volatile kept[KEPT];
static volatile sig_atomic_t ticks;
static volatile unsigned sum;

APART static void keep(size_t size) {
    static unsigned n;
    kept[n++ % KEPT] = malloc(size);
}

// --- signals ------------------------------------------------------------------------------

static void on_tick(int number) {
    (void)number;
    keep(100);
    ticks++;
}

#define WORK(name, step)                                    \
    APART static unsigned name(unsigned n) {                \
        for (unsigned i = 0; i < 2000; i++) {               \
            n = (n ^ (i * step)) * 2654435761u + (n >> 13); \
            sum += n % (step + 1);                          \
        }                                                   \
        return n;                                           \
    }
WORK(one, 3)
WORK(two, 5)
WORK(three, 7)

APART static unsigned all(unsigned n) {
    return one(n) + two(n ^ 1) * three(n ^ 2);
}

static int interrupted(void) {
    struct sigaction action = {.sa_handler = on_tick};
    struct itimerval each = {{0, 1000}, {0, 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    for (unsigned i = 0; ticks < TICKS; i++) {
        sum += all(i);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    return 0;
}

// --- contexts -----------------------------------------------------------------------------

static ucontext_t home, other;
static char stack[1 << 18];

static void in_context(void) {
    for (int i = 0; i < 20; i++) {
        keep(200);
        swapcontext(&other, &home);
    }
}

static int contexts(void) {
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    other.uc_link = &home;
    makecontext(&other, in_context, 0);
    for (int i = 0; i < 20; i++) {
        swapcontext(&home, &other);
    }
    return 0;
}

// --- fibers -------------------------------------------------------------------------------

static jmp_buf back;

// The function to which fibers return: there is no call before its address.
__attribute__((used, noinline)) static void leave(void) {
    longjmp(back, 1);
}

__attribute__((used, noinline)) static void in_fiber(void) {
    keep(300);
    __asm__ volatile("");
}

static int fiber(void) {
    if (setjmp(back) == 0) {
#if defined __x86_64__
        __asm__ volatile("mov %0, %%rsp\n\tpush $0\n\tpush $0\n\tpush %1\n\tjmp *%2"
                         :
                         : "r"(stack + sizeof stack - 64), "r"(leave), "r"(in_fiber)
                         : "memory");
#elif defined __aarch64__
        __asm__ volatile("mov sp, %0\n\tmov x29, #0\n\tmov x30, %1\n\tbr %2"
                         :
                         : "r"(stack + sizeof stack - 64), "r"(leave), "r"(in_fiber)
                         : "memory", "x30");
#endif
    }
    return 0;
}

// --- replaced -----------------------------------------------------------------------------

#ifdef EDITED
APART static unsigned edited(unsigned n) {
    keep(n % 7 + 1);
    return sum * n;
}
#else
#    define edited(n) (n)
#endif

#define STEP(name, next, size)                 \
    APART static unsigned name(unsigned n) {   \
        keep(size);                            \
        return next(n + size) * 3 + edited(n); \
    }

APART static unsigned last(unsigned n) {
    keep(n % 5 + 10);
    return n;
}
STEP(fourth, last, 400)
STEP(third, fourth, 500)
STEP(second, third, 600)
STEP(first, second, 700)

static int replaced(const char *path) {
    char line[8];
    int (*mallctl)(const char *, void *, size_t *, void *, size_t) =
        (int (*)(const char *, void *, size_t *, void *, size_t))dlsym(RTLD_DEFAULT,
                                                                       "mallctl");
    sum += first(sum);
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin) || !mallctl) {
        return 1;
    }
    return mallctl("prof.dump", NULL, NULL, &path, sizeof path);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && strcmp(what, "replaced") == 0) {
        return replaced(argv[2]);
    }
    return strcmp(what, "signals") == 0    ? interrupted()
           : strcmp(what, "contexts") == 0 ? contexts()
           : strcmp(what, "fiber") == 0    ? fiber()
                                           : 2;
}
