// A guest in a program: it writes sets, folders with a heap profile and what explains it.
//
// - A thread polls memory in use and the limits of control groups.  It has a table of
//   descriptors of its own, so that it keeps nothing open that the program could close or
//   that a child would inherit.  Signals are blocked in it.  It calls no malloc().
// - The profile goes to memory first (memfd), because allocators write it with their
//   locks held; then it is copied to the disk.
// - A set is written as .tmp-NAME, locked by flock(), and renamed when it is complete.
// - A child of fork() gets a thread of its own.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "hprof_capture.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#    define CAST(type, value) static_cast<type>(value)
#else
#    define CAST(type, value) ((type)(value))
#endif

#define EXPORTED __attribute__((visibility("default")))

static const uint64_t MIB = 1024 * 1024;
static const uint64_t SECOND = 1000000000; // nanoseconds
static const uint64_t UNLIMITED = CAST(uint64_t, 1) << 60;
static const uint64_t PARTS = 10000;                // shares of a limit are 1/10000
static const uint64_t NEAR = 8000, NEAR_STEP = 400; // 80 %, 4 %

// What a program is, from outside: the kernel's futex() and others without a wrapper.
enum {
    FUTEX_WAIT_HERE = 0 | 128, // FUTEX_WAIT | FUTEX_PRIVATE_FLAG
    FUTEX_WAKE_HERE = 1 | 128,
    UNSHARE_TABLE = 2, // CLOSE_RANGE_UNSHARE
    CALL_CLOSE_RANGE = 436,
    CALL_PIDFD_OPEN = 434,
    CALL_PIDFD_GETFD = 438,
    NAME_SIZE = 200,
    GROUPS = 8,
    OPENED = 8,
    MOST_KEPT = 64,
};

typedef int mallctl_fn(const char *name, void *old, size_t *old_size, void *set,
                       size_t size);
typedef void stats_fn(void (*write)(void *, const char *), void *data,
                      const char *options);

// How the profile is made.
enum method {
    BY_NOTHING,
    BY_FUNCTION,
    BY_MALLCTL,
    BY_SAMPLER,
    BY_GPERFTOOLS,
};

// Set at the start and not changed.
static struct hprof_capture_options options;
static char folder[PATH_MAX];
static char program[48];
static enum method method;
static mallctl_fn *mallctl_found;
static stats_fn *stats_found;
static int (*sampler_dump)(int fd);
static char *(*gperftools_profile)(void);
static int (*gperftools_runs)(void);
static const char *root = ""; // before /proc and mount points; tests change it

// Of this process; a child of fork() has its own.
static struct {
    pid_t pid, parent; // parent: the process that this one was forked from, or 0
    uint64_t begun;    // when, on the monotonic clock
    uint64_t start;    // the kernel's start time of the process, in ticks
    int has_forked;
    int has_thread;
    int has_table; // the thread has descriptors of its own
    uint64_t sets; // sets that were tried
    uint64_t rss;  // largest RSS of a set
    uint64_t mark; // largest share of the limit of a set
    uint64_t dump_size, rollup_took, rollup_rss;
    uint64_t quiet_until, next_timer;
    uint64_t last_rss, last_used, last_poll;
    uint64_t groups_read;
    char kept[MOST_KEPT][NAME_SIZE]; // names of own sets, the oldest first
    uint64_t kept_rss[MOST_KEPT];
    uint32_t kept_count;
    int complained; // the last errno that was reported
} self;

static int started;
static int opened[OPENED]; // descriptors + 1 that a child of fork() has to close
static int bell;           // futex: rings for the thread
static int signalled;
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static char asked_reason[32];
static int asked, answered; // futex: numbers of requests
static int answer;
static char copy_buffer[64 * 1024], text_buffer[32 * 1024];

// --- small things ---------------------------------------------------------------------

static uint64_t now_on(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return CAST(uint64_t, time.tv_sec) * SECOND + CAST(uint64_t, time.tv_nsec);
}

static uint64_t now(void) {
    return now_on(CLOCK_MONOTONIC);
}

static int load(const int *word) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void wait_on(int *word, int seen, uint64_t nanoseconds) {
    long time[2] = {CAST(long, nanoseconds / SECOND), CAST(long, nanoseconds % SECOND)};
    syscall(SYS_futex, word, FUTEX_WAIT_HERE, seen, time, NULL, 0);
}

static void wake(int *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE_HERE, INT_MAX, NULL, NULL, 0);
}

// Standard error of the program, for a thread with other descriptors; -1 if there is none.
static int borrow_stderr(void) {
    int process = CAST(int, syscall(CALL_PIDFD_OPEN, getpid(), 0));
    int fd = process < 0 ? -1 : CAST(int, syscall(CALL_PIDFD_GETFD, process, 2, 0));
    if (process >= 0) {
        close(process);
    }
    return fd;
}

// Print a line to standard error of the program.
__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...) {
    char line[768] = "hprof-capture: ";
    size_t begin = strlen(line);
    int error = errno;
    va_list list;
    va_start(list, format);
    int written = vsnprintf(line + begin, sizeof line - begin - 1, format, list);
    va_end(list);
    size_t length = begin + (written < 0 ? 0 : CAST(size_t, written));
    length = length < sizeof line - 2 ? length : sizeof line - 2;
    line[length++] = '\n';
    int fd = STDERR_FILENO;
    int is_own = self.has_table && syscall(SYS_gettid) != getpid();
    if (is_own) {
        fd = borrow_stderr();
    }
    ssize_t ignored = fd < 0 ? 0 : write(fd, line, length);
    (void)ignored;
    if (is_own && fd >= 0) {
        close(fd);
    }
    errno = error;
}

// Remember a descriptor, so that a child of fork() closes it.  Returns it.
static int remember(int fd) {
    for (int i = 0; fd >= 0 && i < OPENED; i++) {
        int unused = 0;
        if (__atomic_compare_exchange_n(&opened[i], &unused, fd + 1, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            break;
        }
    }
    return fd;
}

static int open_at(int dir, const char *name, int flags) {
    return remember(openat(dir, name, flags | O_CLOEXEC | O_NOCTTY, 0600));
}

static void close_fd(int fd) {
    for (int i = 0; i < OPENED; i++) {
        int mine = fd + 1;
        if (__atomic_compare_exchange_n(&opened[i], &mine, 0, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            break;
        }
    }
    close(fd);
}

// /proc/self shows the main thread, which may have ended and has other descriptors.
static const char *proc(const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/proc/thread-self/%s", root, name);
    if (access(path, F_OK) != 0) {
        snprintf(path, PATH_MAX, "%s/proc/self/%s", root, name);
    }
    return path;
}

// Read the first bytes of a file as text.  Returns 0, or -1 if it cannot be read.
static int read_text(const char *path, char *text, size_t size) {
    int fd = open_at(AT_FDCWD, path, O_RDONLY);
    if (fd < 0) {
        return -1;
    }
    size_t length = 0;
    ssize_t got = 1;
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0) {
        length += CAST(size_t, got);
    }
    text[length] = '\0';
    close_fd(fd);
    return got < 0 || length == 0 ? -1 : 0;
}

// The decimal number that begins `text`, at most UNLIMITED; UNLIMITED if there is none.
static uint64_t number_of(const char *text) {
    uint64_t number = 0;
    if (*text < '0' || *text > '9') {
        return UNLIMITED;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number < UNLIMITED / 16 ? number * 10 + CAST(uint64_t, *text - '0')
                                         : UNLIMITED;
    }
    return number;
}

// The number after a key at the beginning of a line; 0 if there is none.
static uint64_t number_after(const char *text, const char *key) {
    size_t length = strlen(key);
    while (text && *text) {
        if (strncmp(text, key, length) == 0 && text[length] == ' ') {
            return number_of(text + length + 1);
        }
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return 0;
}

static uint64_t read_number(const char *directory, const char *name) {
    char path[PATH_MAX], text[64];
    snprintf(path, sizeof path, "%.900s/%s", directory, name);
    return read_text(path, text, sizeof text) == 0 ? number_of(text) : UNLIMITED;
}

// --- limits ---------------------------------------------------------------------------

// A control group above the process that has a limit of memory.
struct group {
    char path[900];
    int is_v2;
};

static struct group groups[GROUPS];
static int group_count;

// Names of one version of control groups.
static const struct version {
    const char *limit, *usage, *inactive, *active;
} versions[2] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
     "total_active_file"},
    {"memory.max", "memory.current", "inactive_file", "active_file"},
};

// Whether a list that commas separate contains a word.
static int lists(const char *list, const char *word) {
    size_t length = strlen(word);
    for (; list; list = strchr(list, ','), list = list ? list + 1 : NULL) {
        if (strncmp(list, word, length) == 0 && strchr(",", list[length])) {
            return 1;
        }
    }
    return 0;
}

// Where control groups are mounted.
struct mount {
    char root[400], point[400];
};

// Read a line of mountinfo: "36 35 98:0 ROOT POINT OPTIONS ... - TYPE SOURCE OPTIONS".
static void read_mount(char *line, struct mount mounts[2]) {
    char *tail = strstr(line, " - "), *save = NULL, *word[6] = {NULL};
    if (!tail || strncmp(tail + 3, "cgroup", 6) != 0) {
        return;
    }
    *tail = '\0';
    for (int i = 0; i < 5; i++) {
        word[i] = strtok_r(i == 0 ? line : NULL, " ", &save);
    }
    char *type = strtok_r(tail + 3, " ", &save);
    strtok_r(NULL, " ", &save);
    char *super = strtok_r(NULL, " ", &save);
    int is_v2 = type && strcmp(type, "cgroup2") == 0;
    if (!word[4] || (!is_v2 && !(super && lists(super, "memory"))) ||
        mounts[is_v2].point[0]) {
        return;
    }
    snprintf(mounts[is_v2].root, sizeof mounts[is_v2].root, "%s", word[3]);
    snprintf(mounts[is_v2].point, sizeof mounts[is_v2].point, "%s", word[4]);
}

// Add the groups with a limit from `path` up to the mount point.
static void add_groups(const struct mount *mount, const char *path, int is_v2) {
    size_t top = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    int is_below = strncmp(path, mount->root, top) == 0 && !strstr(path, "/..");
    char full[900];
    int length = snprintf(full, sizeof full, "%s%s%s", root, mount->point,
                          is_below ? path + top : "");
    size_t shortest = strlen(root) + strlen(mount->point);
    if (length < 0 || CAST(size_t, length) >= sizeof full) {
        return;
    }
    for (char *slash = full + length; slash && group_count < GROUPS;
         slash = strrchr(full, '/')) {
        *slash = '\0';
        if (strlen(full) < shortest) {
            break;
        }
        if (read_number(full, versions[is_v2].limit) < UNLIMITED) {
            memcpy(groups[group_count].path, full, sizeof full);
            groups[group_count++].is_v2 = is_v2;
        }
    }
}

// Find the groups with a limit.
static void find_groups(void) {
    static char text[256 * 1024];
    struct mount mounts[2];
    char path[PATH_MAX], *save = NULL;
    memset(mounts, 0, sizeof mounts);
    group_count = 0;
    int error = read_text(proc("mountinfo", path), text, sizeof text);
    for (char *line = error ? NULL : strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        read_mount(line, mounts);
    }
    error = read_text(proc("cgroup", path), text, sizeof text);
    for (char *line = error ? NULL : strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *names = strchr(line, ':'), *at = names ? strchr(names + 1, ':') : NULL;
        if (at) {
            *at = '\0';
            int is_v2 = names[1] == '\0';
            if ((is_v2 || lists(names + 1, "memory")) && mounts[is_v2].point[0]) {
                add_groups(&mounts[is_v2], at + 1, is_v2);
            }
        }
    }
}

// Memory in use at one time.
struct reading {
    uint64_t rss, size;   // of the process
    uint64_t limit, used; // the limit that is the nearest, and what is in use below it
    uint64_t mine;        // this process's part of `used`
    const char *kind;     // of the limit
};

static uint64_t share(uint64_t used, uint64_t limit) {
    return used / (limit / PARTS + 1);
}

// Compare with a limit that may be nearer.
static void consider(struct reading *r, uint64_t limit, uint64_t used, uint64_t mine,
                     const char *kind) {
    if (limit < UNLIMITED && limit > 0 &&
        (!r->kind || share(used, limit) > share(r->used, r->limit))) {
        r->limit = limit;
        r->used = used;
        r->mine = mine;
        r->kind = kind;
    }
}

// Consider a group.  Pages of files are not in use: the kernel takes them first.
static void consider_group(struct reading *r, const struct group *group) {
    const struct version *version = &versions[group->is_v2];
    uint64_t limit = read_number(group->path, version->limit);
    uint64_t used = read_number(group->path, version->usage);
    char path[PATH_MAX];
    if (limit >= UNLIMITED || used >= UNLIMITED) {
        return;
    }
    snprintf(path, sizeof path, "%.900s/memory.stat", group->path);
    if (share(used, limit) > PARTS / 4 &&
        read_text(path, text_buffer, sizeof text_buffer) == 0) {
        uint64_t files = number_after(text_buffer, version->inactive) +
                         number_after(text_buffer, version->active);
        used -= files < used ? files : used;
    }
    consider(r, limit, used, r->rss, group->is_v2 ? "cgroup2" : "cgroup");
}

static void read_memory(struct reading *r) {
    char path[PATH_MAX], text[128], *rest = NULL;
    uint64_t page = CAST(uint64_t, sysconf(_SC_PAGESIZE));
    memset(r, 0, sizeof *r);
    if (read_text(proc("statm", path), text, sizeof text) == 0) {
        r->size = strtoull(text, &rest, 10) * page;
        r->rss = strtoull(rest, NULL, 10) * page;
    }
    if (options.limit) {
        consider(r, options.limit, r->rss, r->rss, "number");
        return;
    }
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        consider(r, space.rlim_cur, r->size, r->size, "RLIMIT_AS");
    }
    if (!self.groups_read || now() - self.groups_read > 10 * SECOND) {
        find_groups();
        self.groups_read = now();
    }
    for (int i = 0; i < group_count; i++) {
        consider_group(r, &groups[i]);
    }
}

// --- when -----------------------------------------------------------------------------

// The reason to write a set now, or NULL.
static const char *reason_for(const struct reading *r, uint64_t time) {
    uint64_t reached = r->kind ? share(r->used, r->limit) : 0;
    reached -= reached % NEAR_STEP;
    if (__atomic_exchange_n(&signalled, 0, __ATOMIC_SEQ_CST)) {
        return "signal";
    }
    int is_quiet = time < self.quiet_until;
    if (!is_quiet && reached + 2 * NEAR_STEP < self.mark) {
        self.mark = reached; // memory was freed: the way up is new
    }
    if (reached >= NEAR && reached > self.mark && r->mine >= r->limit / 20) {
        self.mark = reached;
        return "limit";
    }
    if (is_quiet) {
        return NULL;
    }
    if (r->rss >= 64 * MIB && r->rss >= self.rss + self.rss / 20 * 3) {
        return "growth";
    }
    return options.every && time >= self.next_timer ? "timer" : NULL;
}

// Nanoseconds until the next poll: less than what the growth seen last needs for 2 % of
// the limit, and for a quarter of that near the limit; and what idling may cost.
static uint64_t pause_after(const struct reading *r, uint64_t time) {
    uint64_t used = r->kind ? r->used : r->rss;
    uint64_t most =
        r->kind ? r->limit / 50 : (r->rss > 64 * MIB ? r->rss : 64 * MIB) / 20;
    uint64_t passed = time - self.last_poll, grown = 0, pause = SECOND / 4;
    if (r->kind) {
        uint64_t left = r->limit / PARTS * NEAR;
        left = left > used ? left - used : 0;
        pause = left / 2; // at a GB/s this is the time to half of the way
        most = share(used, r->limit) + 300 > NEAR ? most / 8 : most;
    }
    pause = pause > SECOND / 4 ? SECOND / 4 : pause < SECOND / 20 ? SECOND / 20 : pause;
    if (self.last_poll && used > self.last_used) {
        grown = used - self.last_used;
        double enough = CAST(double, most) / CAST(double, grown) * CAST(double, passed);
        pause = enough < CAST(double, pause) ? CAST(uint64_t, enough) : pause;
    }
    self.last_poll = time;
    self.last_used = used;
    return pause < SECOND / 200 ? SECOND / 200 : pause;
}

// --- the profile ----------------------------------------------------------------------

static void *find_symbol(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

// Function pointers are not object pointers in C; their bytes are alike.
static int found(void *symbol, void *function) {
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

// What is searched in the symbol table of the program.
struct wanted {
    const char *name;
    uintptr_t address;
};

// Search one section of an ELF file that is `size` bytes long.
static void search_table(const char *file, size_t size, const ElfW(Shdr) * table,
                         const ElfW(Shdr) * names, struct wanted *wanted, int count) {
    if (table->sh_offset > size || table->sh_size > size - table->sh_offset ||
        names->sh_offset > size || names->sh_size > size - names->sh_offset ||
        names->sh_size == 0 || file[names->sh_offset + names->sh_size - 1] != '\0') {
        return;
    }
    size_t symbols = table->sh_size / sizeof(ElfW(Sym));
    for (size_t i = 0; i < symbols; i++) {
        ElfW(Sym) symbol;
        memcpy(&symbol, file + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if ((symbol.st_info & 15) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_name >= names->sh_size) {
            continue;
        }
        for (int k = 0; k < count; k++) {
            if (strcmp(file + names->sh_offset + symbol.st_name, wanted[k].name) == 0) {
                wanted[k].address = symbol.st_value;
            }
        }
    }
}

// Search the sections of an ELF file of this machine.
static void search_file(const char *file, size_t size, struct wanted *wanted, int count) {
    ElfW(Ehdr) header;
    memcpy(&header, file, sizeof header);
    ElfW(Shdr) table, names;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof table || header.e_shoff > size ||
        CAST(size_t, header.e_shnum) * sizeof table > size - header.e_shoff) {
        return;
    }
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&table, file + header.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type == SHT_SYMTAB && table.sh_link < header.e_shnum) {
            memcpy(&names, file + header.e_shoff + table.sh_link * sizeof names,
                   sizeof names);
            search_table(file, size, &table, &names, wanted, count);
        }
    }
}

// The address at which the program was loaded, less the one that its file says.
static uintptr_t load_bias(void) {
    uintptr_t at = getauxval(AT_PHDR);
    const char *headers;
    memcpy(&headers, &at, sizeof headers);
    for (size_t i = 0; at && i < getauxval(AT_PHNUM); i++) {
        ElfW(Phdr) header;
        memcpy(&header, headers + i * sizeof header, sizeof header);
        if (header.p_type == PT_PHDR) {
            return at - header.p_vaddr;
        }
    }
    return 0;
}

// Find functions that are linked into the program and not exported.
static void find_linked_in(struct wanted *wanted, int count) {
    struct stat status;
    int fd = open_at(AT_FDCWD, "/proc/self/exe", O_RDONLY);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &status) == 0 && status.st_size > CAST(off_t, sizeof(ElfW(Ehdr)))) {
        size_t size = CAST(size_t, status.st_size);
        void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            search_file(CAST(const char *, file), size, wanted, count);
            munmap(file, size);
        }
    }
    close_fd(fd);
    for (int i = 0; i < count; i++) {
        wanted[i].address += wanted[i].address ? load_bias() : 0;
    }
}

// Whether this mallctl() makes profiles; if not, *why says the reason.
static int profiles(mallctl_fn *control, const char **why) {
    unsigned char is_on = 0;
    size_t size = sizeof is_on;
    if (control("opt.prof", &is_on, &size, NULL, 0) != 0) {
        *why = "this jemalloc was built without --enable-prof";
        return 0;
    }
    if (!is_on) {
        *why = "profiling is off: set prof:true in MALLOC_CONF (Rust: _RJEM_MALLOC_CONF)";
    }
    return is_on;
}

// Find jemalloc's functions by one of their three names.
static int find_jemalloc(const char **why) {
    static const char *const names[3][2] = {
        {"mallctl", "malloc_stats_print"},
        {"je_mallctl", "je_malloc_stats_print"},
        {"_rjem_mallctl", "_rjem_malloc_stats_print"},
    };
    for (int i = 0; i < 3; i++) {
        if (found(find_symbol(names[i][0]), &mallctl_found) &&
            profiles(mallctl_found, why)) {
            found(find_symbol(names[i][1]), &stats_found);
            return 1;
        }
    }
    struct wanted wanted[6];
    for (int i = 0; i < 6; i++) {
        wanted[i].name = names[i / 2][i % 2];
        wanted[i].address = 0;
    }
    find_linked_in(wanted, 6);
    for (int i = 0; i < 6; i += 2) {
        if (wanted[i].address) {
            memcpy(&mallctl_found, &wanted[i].address, sizeof mallctl_found);
            memcpy(&stats_found, &wanted[i + 1].address, sizeof stats_found);
            if (profiles(mallctl_found, why)) {
                return 1;
            }
        }
    }
    return 0;
}

// Find what makes the profile; if nothing does, *why says the reason.
static enum method find_method(const char **why) {
    *why = "no allocator of this program makes heap profiles";
    if (options.dump) {
        return BY_FUNCTION;
    }
    if (find_jemalloc(why)) {
        return BY_MALLCTL;
    }
    stats_found = NULL;
    if (found(find_symbol("hprof_sampler_dump_fd"), &sampler_dump)) {
        return BY_SAMPLER;
    }
    if (found(find_symbol("GetHeapProfile"), &gperftools_profile) &&
        found(find_symbol("IsHeapProfilerRunning"), &gperftools_runs)) {
        return BY_GPERFTOOLS;
    }
    return BY_NOTHING;
}

// Write all bytes.  Returns 0 or an errno.
static int write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written < 0 ? errno : EIO;
        }
        bytes += written;
        length -= CAST(size_t, written);
    }
    return 0;
}

// gperftools returns the profile as memory of its own.
static int dump_by_gperftools(int fd) {
    char *text = gperftools_runs() ? gperftools_profile() : NULL;
    if (!text) {
        return EAGAIN;
    }
    int error = write_all(fd, text, strlen(text));
    free(text);
    return error;
}

// Write the profile to an open file.  Returns 0 or an errno.
static int dump_to(int fd) {
    char path[64];
    const char *name = path;
    snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
    if (access(path, W_OK) != 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    switch (method) {
    case BY_FUNCTION:
        return options.dump(path, options.data) == 0 ? 0 : EIO;
    case BY_MALLCTL:
        return mallctl_found("prof.dump", NULL, NULL, &name, sizeof name);
    case BY_SAMPLER:
        return sampler_dump(fd) == 0 ? 0 : errno;
    case BY_GPERFTOOLS:
        return dump_by_gperftools(fd);
    case BY_NOTHING:
        break;
    }
    return ENOTSUP;
}

// --- files of a set -------------------------------------------------------------------

// A set under construction.
struct set {
    int folder, dir;      // descriptors of the folder and of the set
    char name[NAME_SIZE]; // its name when it is complete
    char temporary[NAME_SIZE + 8];
    char stem[NAME_SIZE]; // of the files that hprof-agg reads together
    uint64_t wall;        // when, by the clock of the wall
    uint64_t dumped;      // when the dump was complete, by the clock of jitdumps
    uint64_t dump_took, files_took;
    const char *reason;
};

// Copy up to `most` bytes of one file to another, from its beginning.
static int copy_fd(int from, int to, uint64_t most) {
    uint64_t copied = 0;
    ssize_t got;
    while ((got = read(from, copy_buffer, sizeof copy_buffer)) > 0 && copied < most) {
        int error = write_all(to, copy_buffer, CAST(size_t, got));
        if (error) {
            return error;
        }
        copied += CAST(uint64_t, got);
    }
    return got < 0 ? errno : 0;
}

static int create(const struct set *set, const char *name) {
    return open_at(set->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
}

// A file in memory.
static int open_memory(void) {
#ifdef SYS_memfd_create
    return remember(
        CAST(int, syscall(SYS_memfd_create, "hprof-capture", 1 /* MFD_CLOEXEC */)));
#else
    return -1;
#endif
}

// Write the profile: to memory first, unless little of it is left.
static int write_dump(const struct set *set, const struct reading *r) {
    char name[NAME_SIZE + 8];
    struct stat status;
    snprintf(name, sizeof name, "%s.heap", set->stem);
    int to = create(set, name);
    if (to < 0) {
        return errno;
    }
    uint64_t left = !r->kind ? UNLIMITED : r->limit > r->used ? r->limit - r->used : 0;
    int memory = self.dump_size > left / 4 ? -1 : open_memory();
    int error = memory < 0 ? EIO : dump_to(memory);
    if (!error) {
        error = lseek(memory, 0, SEEK_SET) < 0 ? errno : copy_fd(memory, to, UNLIMITED);
    } else {
        error = ftruncate(to, 0) < 0 ? errno : dump_to(to);
    }
    if (memory >= 0) {
        close_fd(memory);
    }
    if (!error && fstat(to, &status) == 0) {
        self.dump_size = CAST(uint64_t, status.st_size);
        error = status.st_size == 0 ? ENODATA : 0;
    }
    close_fd(to);
    return error;
}

// Copy a file that the set may lack; it lacks it then rather than having a part.
static void copy_or_remove(const struct set *set, const char *name, int from, int to) {
    if (copy_fd(from, to, 64 * MIB) != 0) {
        unlinkat(set->dir, name, 0);
    }
    close_fd(to);
}

// Copy a file that the set may lack, as /proc or a map of names.
static void copy_file(const struct set *set, const char *path, const char *name,
                      int flags) {
    struct stat status;
    int from = open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | flags);
    if (from < 0) {
        return;
    }
    int to = -1;
    if (fstat(from, &status) == 0 && S_ISREG(status.st_mode) &&
        (flags == 0 || status.st_uid == geteuid() || status.st_uid == 0)) {
        to = create(set, name);
    }
    if (to >= 0) {
        copy_or_remove(set, name, from, to);
    }
    close_fd(from);
}

// What the allocator's statistics are written to.
static void write_stats_part(void *data, const char *text) {
    int *fd = CAST(int *, data);
    if (*fd >= 0 && write_all(*fd, text, strlen(text)) != 0) {
        *fd = -1;
    }
}

// Write the statistics of jemalloc: to memory, as its locks may be held.
static void write_stats(const struct set *set) {
    char name[NAME_SIZE + 8];
    if (!stats_found) {
        return;
    }
    int memory = open_memory();
    if (memory < 0) {
        return;
    }
    int fd = memory;
    stats_found(write_stats_part, &fd, "J");
    snprintf(name, sizeof name, "%s.json", set->stem);
    int to = fd >= 0 && lseek(memory, 0, SEEK_SET) == 0 ? create(set, name) : -1;
    if (to >= 0) {
        copy_or_remove(set, name, memory, to);
    }
    close_fd(memory);
}

// Write smaps_rollup, if reading it will hardly stop the program's mmap() for 50 ms.
static void write_rollup(const struct set *set, const struct reading *r) {
    char name[NAME_SIZE + 8];
    uint64_t expected = r->rss / MIB * 25000; // 25 ms for each GiB in small pages
    if (self.rollup_rss > MIB) {
        uint64_t last = self.rollup_took / (self.rollup_rss / MIB) * (r->rss / MIB);
        expected = last > expected / 4 ? last : expected / 4;
    }
    if (expected > (strcmp(set->reason, "limit") == 0 ? SECOND / 200 : SECOND / 20)) {
        return;
    }
    uint64_t begun = now();
    snprintf(name, sizeof name, "%s.smaps", set->stem);
    copy_file(set, "/proc/self/smaps_rollup", name, 0);
    self.rollup_took = now() - begun;
    self.rollup_rss = r->rss;
}

// Copy the jitdump jit-PID.dump.  It is in a folder that only its writer knows; writers map
// it into memory, as perf asks for, and children inherit that: so `maps` has its path.
static void write_jitdump(const struct set *set, pid_t pid, const char *maps,
                          size_t size) {
    char line[64], path[PATH_MAX];
    int length = snprintf(line, sizeof line, "/jit-%d.dump\n", CAST(int, pid));
    const void *found = memmem(maps, size, line, CAST(size_t, length));
    if (!found) {
        return;
    }
    const char *name = CAST(const char *, found), *begin = name;
    while (begin > maps && begin[-1] != '\n') {
        begin--;
    }
    while (*begin != '/') {
        begin++;
    }
    int before = CAST(int, name - begin);
    snprintf(path, sizeof path, "%.*s%.*s", before, begin, length - 1, name);
    copy_file(set, path, path + before + 1, O_NOFOLLOW);
}

// Copy the names of code that a just-in-time compiler made, of the process and its parent.
static void write_names(const struct set *set) {
    pid_t pids[2] = {self.pid, self.parent};
    struct stat status;
    int fd = open_at(set->dir, "maps", O_RDONLY | O_NOFOLLOW);
    void *maps = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        maps = mmap(NULL, CAST(size_t, status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    }
    for (int i = 0; i < 2 && pids[i] > 0; i++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/perf-%d.map", CAST(int, pids[i]));
        copy_file(set, path, path + strlen("/tmp/"), O_NOFOLLOW);
        if (maps != MAP_FAILED) {
            write_jitdump(set, pids[i], CAST(const char *, maps),
                          CAST(size_t, status.st_size));
        }
    }
    if (maps != MAP_FAILED) {
        munmap(maps, CAST(size_t, status.st_size));
    }
    if (fd >= 0) {
        close_fd(fd);
    }
}

// Keep letters that need no escape, anywhere.
static void clean_name(char *to, size_t size, const char *from) {
    size_t i = 0;
    for (; i < size - 1 && from[i] && from[i] != '\n'; i++) {
        char c = from[i];
        int is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '+';
        to[i] = is_good ? c : '_';
    }
    to[i] = '\0';
}

// Read a file of one word.
static void read_word(const char *path, char *word, size_t size) {
    char text[256] = "";
    read_text(path, text, sizeof text);
    clean_name(word, size, text);
}

// Whether jemalloc takes samples now: 1, 0, or -1 if that is unknown.
static int is_sampling(void) {
    unsigned char is_on = 0;
    size_t size = sizeof is_on;
    if (method != BY_MALLCTL ||
        mallctl_found("prof.active", &is_on, &size, NULL, 0) != 0) {
        return -1;
    }
    return is_on != 0;
}

// Write what is known of the process, as JSON.
static int write_facts(const struct set *set, const struct reading *r) {
    static const char *const words[] = {"nothing", "function", "jemalloc", "sampler",
                                        "gperftools"};
    char boot[64], host[80], reason[40];
    read_word("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    read_word("/proc/sys/kernel/hostname", host, sizeof host);
    clean_name(reason, sizeof reason, set->reason);
    int sampling = is_sampling();
    int length = snprintf(
        text_buffer, sizeof text_buffer,
        "{\"version\": 1,\n \"program\": \"%s\",\n \"pid\": %d,\n \"start\": %llu,\n"
        " \"parent\": %d,\n \"host\": \"%s\",\n \"boot\": \"%s\",\n"
        " \"time_ns\": %llu,\n \"monotonic_ns\": %llu,\n \"reason\": \"%s\",\n \"profiler\": \"%s\",\n"
        " \"sampling\": %s,\n \"number\": %llu,\n \"rss\": %llu,\n \"limit\": %llu,\n"
        " \"used\": %llu,\n \"limit_kind\": \"%s\",\n \"dump_ns\": %llu,\n"
        " \"files_ns\": %llu,\n \"smaps_ns\": %llu}\n",
        program, CAST(int, self.pid), CAST(unsigned long long, self.start),
        CAST(int, self.parent), host, boot, CAST(unsigned long long, set->wall),
        CAST(unsigned long long, set->dumped), reason, words[method],
        sampling < 0 ? "null"
        : sampling   ? "true"
                     : "false",
        CAST(unsigned long long, self.sets), CAST(unsigned long long, r->rss),
        CAST(unsigned long long, r->limit), CAST(unsigned long long, r->used),
        r->kind ? r->kind : "none", CAST(unsigned long long, set->dump_took),
        CAST(unsigned long long, set->files_took),
        CAST(unsigned long long, self.rollup_took));
    int fd = create(set, "facts.json");
    if (fd < 0) {
        return errno;
    }
    int error = write_all(fd, text_buffer, CAST(size_t, length < 0 ? 0 : length));
    close_fd(fd);
    return error;
}

// --- the folder -----------------------------------------------------------------------

// Read a directory without opendir(), which allocates.  `each` gets the names.
static void each_name(int dir, void (*each)(int dir, const char *name, void *data),
                      void *data) {
    char bytes[4096]; // struct linux_dirent64: inode, offset, length (2), type (1), name
    long got;
    while ((got = syscall(SYS_getdents64, dir, bytes, sizeof bytes)) > 0) {
        for (long at = 0; at < got;) {
            unsigned short length;
            memcpy(&length, bytes + at + 16, sizeof length);
            const char *name = bytes + at + 19;
            if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
                each(dir, name, data);
            }
            at += length;
        }
    }
}

static void unlink_one(int dir, const char *name, void *data) {
    (void)data;
    unlinkat(dir, name, 0);
}

// Remove an incomplete set, whose lock the caller has.
static void remove_locked(int in, int dir, const char *name) {
    lseek(dir, 0, SEEK_SET);
    each_name(dir, unlink_one, NULL);
    unlinkat(in, name, AT_REMOVEDIR);
}

// Remove an incomplete set, unless a process has its lock.
static void remove_left_over(int in, const char *name, void *data) {
    (void)data;
    if (strncmp(name, ".tmp-", 5) != 0) {
        return;
    }
    int dir = open_at(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (dir < 0) {
        return;
    }
    if (flock(dir, LOCK_EX | LOCK_NB) == 0) {
        remove_locked(in, dir, name);
    }
    close_fd(dir);
}

// Remove a complete set: it gets the name of an incomplete one first.
static void remove_set(int in, const char *name) {
    char old[NAME_SIZE + 8];
    snprintf(old, sizeof old, ".tmp-%s", name);
    if (renameat(in, name, in, old) == 0) {
        remove_left_over(in, old, NULL);
    }
}

// One complete set in the folder.
struct entry {
    char name[NAME_SIZE];
    uint64_t bytes;
    int order; // 0: its process ended, 1: unknown, 2: its process runs
};

// The sets in the folder.
static struct census {
    struct entry entries[1024];
    uint32_t count;
    uint64_t bytes;
} census;

static void add_size(int dir, const char *name, void *data) {
    struct stat status;
    if (fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        *CAST(uint64_t *, data) += CAST(uint64_t, status.st_blocks) * 512;
    }
}

// The third field of PROGRAM.PID.TIME.RSS, or NULL.
static const char *time_in(const char *name) {
    for (int i = 0; i < 2; i++) {
        name = name ? strchr(name, '.') : NULL;
        name = name ? name + 1 : NULL;
    }
    return name && strlen(name) > 20 && name[8] == 'T' && name[15] == '-' ? name : NULL;
}

static void count_set(int in, const char *name, void *data) {
    (void)data;
    if (name[0] == '.' || !time_in(name) || strlen(name) >= NAME_SIZE ||
        census.count == sizeof census.entries / sizeof census.entries[0]) {
        return;
    }
    int dir = open_at(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (dir < 0) {
        return;
    }
    struct entry *entry = &census.entries[census.count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->bytes = 0;
    each_name(dir, add_size, &entry->bytes);
    census.bytes += entry->bytes;
    close_fd(dir);
}

// The kernel's start time of a process, in ticks since the machine started; 0: unknown.
static uint64_t start_of(long pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const char *at = read_text(path, text, sizeof text) == 0 ? strrchr(text, ')') : NULL;
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at + 1, ' ');
    }
    return at ? number_of(at + 1) : 0;
}

// Find out whether the process of a set runs, by its facts.  PIDs of other hosts are
// unknown: containers have host names of their own.
static int order_of(int in, const char *name) {
    char path[NAME_SIZE + 16], text[2048], host[80], boot[64], line[192];
    snprintf(path, sizeof path, "%s/facts.json", name);
    int fd = open_at(in, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return 0;
    }
    ssize_t got = read(fd, text, sizeof text - 1);
    close_fd(fd);
    text[got < 0 ? 0 : got] = '\0';
    read_word("/proc/sys/kernel/hostname", host, sizeof host);
    read_word("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    snprintf(line, sizeof line, "\"host\": \"%s\",\n \"boot\": \"%s\"", host, boot);
    const char *pid = strstr(text, "\"pid\": "), *start = strstr(text, "\"start\": ");
    if (!strstr(text, line) || !pid || !start) {
        return 1;
    }
    uint64_t runs = start_of(strtol(pid + 7, NULL, 10));
    return runs != 0 && runs == number_of(start + 9) ? 2 : 0;
}

// Remove sets until the folder has at most as many and as large ones as it may: first
// those of processes that ended, and the oldest first.
static void limit_folder(int in) {
    lseek(in, 0, SEEK_SET);
    census.count = 0;
    census.bytes = 0;
    each_name(in, count_set, NULL);
    if (census.count <= options.most_sets && census.bytes <= options.most_bytes) {
        return;
    }
    for (uint32_t i = 0; i < census.count; i++) {
        census.entries[i].order = order_of(in, census.entries[i].name);
    }
    uint32_t count = census.count;
    while (count > 1 &&
           (count > options.most_sets || census.bytes > options.most_bytes)) {
        struct entry *first = NULL;
        for (uint32_t i = 0; i < census.count; i++) {
            struct entry *entry = &census.entries[i];
            if (entry->name[0] &&
                (!first || entry->order < first->order ||
                 (entry->order == first->order &&
                  strcmp(time_in(entry->name), time_in(first->name)) < 0))) {
                first = entry;
            }
        }
        if (!first) {
            break;
        }
        remove_set(in, first->name);
        census.bytes -= first->bytes;
        first->name[0] = '\0';
        count--;
    }
}

// Note an own set, and remove the one that it replaces: not the newest N, not the largest.
static void keep_newest(int in, const char *name, uint64_t rss) {
    uint32_t most = options.keep + 1;
    if (self.kept_count == most) {
        uint32_t largest = 0, oldest = 0;
        for (uint32_t i = 1; i < most; i++) {
            largest = self.kept_rss[i] >= self.kept_rss[largest] ? i : largest;
        }
        oldest = largest == 0 && self.kept_rss[0] > rss ? 1 : 0;
        remove_set(in, self.kept[oldest]);
        for (uint32_t i = oldest; i + 1 < most; i++) {
            memcpy(self.kept[i], self.kept[i + 1], NAME_SIZE);
            self.kept_rss[i] = self.kept_rss[i + 1];
        }
        self.kept_count--;
    }
    snprintf(self.kept[self.kept_count], NAME_SIZE, "%s", name);
    self.kept_rss[self.kept_count++] = rss;
}

// --- a set ----------------------------------------------------------------------------

// Write a time as 20261130T154434-123Z, in UTC.
static void format_time(char *text, size_t size, uint64_t wall) {
    uint64_t seconds = wall / SECOND, days = seconds / 86400 + 719468;
    uint64_t era = days / 146097, day = days % 146097;
    uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    uint64_t month = (5 * day + 2) / 153;
    snprintf(text, size, "%04d%02d%02dT%02d%02d%02d-%03dZ",
             CAST(int, year + era * 400 + (month >= 10)),
             CAST(int, month < 10 ? month + 3 : month - 9),
             CAST(int, day - (153 * month + 2) / 5 + 1), CAST(int, seconds / 3600 % 24),
             CAST(int, seconds / 60 % 60), CAST(int, seconds % 60),
             CAST(int, wall / (SECOND / 1000) % 1000));
}

// Make and lock the folder of a set.  Another process may take it for a left-over before
// it is locked; then there is no such folder after.
static int begin_set(struct set *set, const struct reading *r) {
    char when[64];
    for (int tries = 0; tries < 100; tries++, set->wall += SECOND / 1000) {
        struct stat here, there;
        format_time(when, sizeof when, set->wall);
        snprintf(set->name, sizeof set->name, "%s.%d.%.24s.%lluM", program,
                 CAST(int, self.pid), when, CAST(unsigned long long, r->rss / MIB));
        snprintf(set->temporary, sizeof set->temporary, ".tmp-%s", set->name);
        if (faccessat(set->folder, set->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
            continue;
        }
        if (mkdirat(set->folder, set->temporary, 0700) != 0) {
            if (errno == EEXIST) {
                continue;
            }
            return errno;
        }
        set->dir =
            open_at(set->folder, set->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (set->dir < 0) {
            continue;
        }
        if (flock(set->dir, LOCK_EX | LOCK_NB) == 0 && fstat(set->dir, &here) == 0 &&
            fstatat(set->folder, set->temporary, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
            here.st_ino == there.st_ino) {
            return 0;
        }
        close_fd(set->dir);
    }
    return EEXIST;
}

// Write the files of a set.
static int fill_set(struct set *set, const struct reading *r) {
    char path[PATH_MAX];
    uint64_t begun = now();
    // Readers know by jemalloc's names which dump is the last, and which was made at exit.
    int is_last = strcmp(set->reason, "exit") == 0;
    char number[32] = "f";
    if (!is_last) {
        snprintf(number, sizeof number, "m%llu", CAST(unsigned long long, self.sets));
    }
    snprintf(set->stem, sizeof set->stem, "%s.%d.%llu.%s", program, CAST(int, self.pid),
             CAST(unsigned long long, self.sets), number);
    int error = write_dump(set, r);
    uint64_t dumped = now();
    if (error) {
        return error;
    }
    write_stats(set);
    copy_file(set, proc("status", path), "status", 0);
    copy_file(set, proc("maps", path), "maps", 0);
    write_names(set);
    write_rollup(set, r);
    set->dumped = dumped;
    set->dump_took = dumped - begun;
    set->files_took = now() - dumped;
    return write_facts(set, r);
}

static int open_folder(void) {
    return open_at(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
}

// Write one set.  Returns 0 or an errno.
static int write_set(const char *reason, const struct reading *r) {
    struct set set;
    memset(&set, 0, sizeof set);
    set.reason = reason;
    set.wall = now_on(CLOCK_REALTIME);
    set.folder = open_folder();
    if (set.folder < 0) {
        return errno;
    }
    int error = begin_set(&set, r);
    if (!error) {
        error = fill_set(&set, r);
        if (!error && renameat(set.folder, set.temporary, set.folder, set.name) != 0) {
            error = errno;
        }
        if (error) {
            remove_locked(set.folder, set.dir, set.temporary);
        } else {
            keep_newest(set.folder, set.name, r->rss);
            limit_folder(set.folder);
        }
        close_fd(set.dir);
    }
    close_fd(set.folder);
    return error;
}

// Write a set, and note what the next one depends on.
static int make_set(const char *reason, const struct reading *r) {
    uint64_t begun = now();
    if (!self.start) {
        self.start = start_of(CAST(long, self.pid));
    }
    int error = write_set(reason, r);
    uint64_t took = now() - begun;
    __atomic_fetch_add(&self.sets, 1, __ATOMIC_SEQ_CST); // at_exit() reads it
    self.rss = r->rss > self.rss ? r->rss : self.rss;
    // Sets that are not urgent take at most 1 % of the time.
    self.quiet_until = begun + took * 100;
    self.next_timer = begun + options.every * SECOND;
    if (error && error != self.complained) {
        complain("no set in '%s': %s", folder, strerror(error));
        self.complained = error;
    }
    return error;
}

// --- thread ---------------------------------------------------------------------------

// Give the thread a table of descriptors of its own, with 0 to 2 in use.  A function of
// the program may need the program's descriptors, and so does libunwind below gperftools:
// it has a pipe.
static void take_table(void) {
    if (method == BY_FUNCTION || method == BY_GPERFTOOLS ||
        syscall(CALL_CLOSE_RANGE, 0, ~0U, UNSHARE_TABLE) != 0) {
        return;
    }
    self.has_table = 1;
    for (int i = 0; i < 3; i++) {
        if (open("/dev/null", O_RDWR | O_CLOEXEC) != i) {
            break;
        }
    }
}

static void *run(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "hprof-capture", 0, 0, 0);
    if (self.parent) { // most children end or call exec() at once
        wait_on(&bell, 0, SECOND / 20);
    }
    take_table();
    if (!self.parent) {
        int in = open_folder();
        if (in >= 0) {
            each_name(in, remove_left_over, NULL);
            close_fd(in);
        }
    }
    for (;;) {
        int rung = load(&bell);
        struct reading r;
        read_memory(&r);
        uint64_t time = now();
        int request = load(&asked);
        if (request != load(&answered)) {
            answer = make_set(asked_reason, &r);
            store(&answered, request);
            syscall(SYS_futex, &answered, FUTEX_WAKE_HERE, INT_MAX, NULL, NULL, 0);
            continue;
        }
        const char *reason = reason_for(&r, time);
        if (reason) {
            make_set(reason, &r);
        }
        wait_on(&bell, rung, pause_after(&r, time));
    }
    return NULL;
}

// Start the thread, with all signals blocked.
static int start_thread(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    self.has_thread = 1;
    int error = pthread_create(&thread, &attributes, run, NULL);
    if (error == EINVAL) { // the program's thread-local variables need more
        pthread_attr_setstacksize(&attributes, 8 * MIB);
        error = pthread_create(&thread, &attributes, run, NULL);
    }
    self.has_thread = !error;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

// Forget what belongs to another process.
static void begin_process(pid_t parent) {
    memset(&self, 0, sizeof self);
    self.pid = getpid();
    self.parent = parent;
    self.begun = now();
    self.mark = NEAR - 1;
    self.next_timer = self.begun + options.every * SECOND;
}

static void after_fork_in_parent(void) {
    self.has_forked = 1;
}

// A child of fork() has neither the thread nor a right to its parent's sets.
static void after_fork_in_child(void) {
    int error = errno;
    int had_table = self.has_table;
    for (int i = 0; i < OPENED; i++) {
        if (opened[i] && !had_table) {
            close(opened[i] - 1);
        }
        opened[i] = 0;
    }
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    memcpy(&asking, &unlocked, sizeof asking);
    bell = signalled = asked = answered = 0;
    begin_process(self.pid);
    if (!options.no_thread) {
        start_thread();
    }
    errno = error;
}

static void on_signal(int number) {
    (void)number;
    int error = errno;
    store(&signalled, 1);
    wake(&bell);
    errno = error;
}

// Write a set on a signal, unless the program handles it.
static void handle_signal(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    if (sigaction(options.signal, NULL, &before) != 0 ||
        (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) {
        complain("signal %d is in use or invalid; no set is written on it",
                 options.signal);
        return;
    }
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(options.signal, &action, NULL);
}

// Ask the thread for a set, and wait for it at most as long.
static int ask_thread(const char *reason, uint64_t most) {
    uint64_t end = now() + most;
    snprintf(asked_reason, sizeof asked_reason, "%s", reason);
    int request = load(&asked) + 1;
    store(&asked, request);
    wake(&bell);
    for (int seen; (seen = load(&answered)) != request;) {
        uint64_t time = now();
        if (time >= end) {
            return ETIMEDOUT;
        }
        wait_on(&answered, seen, end - time);
    }
    return answer;
}

static int write_now(const char *reason, uint64_t most) {
    if (self.has_thread) {
        return ask_thread(reason, most);
    }
    struct reading r;
    read_memory(&r);
    return make_set(reason, &r);
}

EXPORTED int hprof_capture_now(const char *reason) {
    if (!started) {
        return EINVAL;
    }
    int before = errno;
    pthread_mutex_lock(&asking);
    int error = write_now(reason ? reason : "call", 86400 * SECOND);
    pthread_mutex_unlock(&asking);
    errno = before;
    return error;
}

// Write a set at exit, but not of children of fork() that end at once, nor of programs
// that go on in a child.
static void at_exit(void) {
    int is_part = self.parent != 0 ||
                  (self.has_forked && __atomic_load_n(&self.sets, __ATOMIC_SEQ_CST) == 0);
    int is_brief = is_part && now() - self.begun < 10 * SECOND;
    if (!options.no_exit && !is_brief && self.pid == getpid() &&
        pthread_mutex_trylock(&asking) == 0) {
        write_now("exit", 5 * SECOND);
        pthread_mutex_unlock(&asking);
    }
}

// --- start ----------------------------------------------------------------------------

// Name sets by the process: this is the script's name where an interpreter runs one.
static void set_program(void) {
    char name[64] = "program";
    read_text("/proc/self/comm", name, sizeof name);
    clean_name(program, sizeof program, name);
}

// Create the folder and check that other users cannot replace its contents.
static int prepare_folder(void) {
    struct stat status;
    if (mkdir(folder, 0700) == 0) {
        if (options.shared && chmod(folder, 01777) != 0) {
            return errno;
        }
    } else if (errno != EEXIST) {
        return errno;
    }
    int fd = open_folder();
    if (fd < 0) {
        return errno;
    }
    int error = fstat(fd, &status) != 0 ? errno : 0;
    int is_open = (status.st_mode & 0022) != 0, is_sticky = (status.st_mode & 01000) != 0;
    if (!error && ((is_open && !is_sticky) ||
                   (!is_sticky && status.st_uid != geteuid() && status.st_uid != 0))) {
        error = EPERM;
    }
    close_fd(fd);
    return error;
}

// Make the folder's path absolute, as programs change their working directory.
static int set_folder(const char *path) {
    char here[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here)) {
        return errno;
    }
    int length =
        snprintf(folder, sizeof folder, "%s%s%s", here, here[0] ? "/" : "", path);
    return length < 0 || CAST(size_t, length) >= sizeof folder ? ENAMETOOLONG : 0;
}

static void set_defaults(void) {
    options.keep = options.keep ? options.keep : 3;
    options.keep = options.keep < MOST_KEPT ? options.keep : MOST_KEPT - 1;
    options.most_sets = options.most_sets ? options.most_sets : 256;
    options.most_sets = options.most_sets < 1000 ? options.most_sets : 1000;
    options.most_bytes = options.most_bytes ? options.most_bytes : 1024 * MIB;
}

// Start, when options are read.
static int begin(const char *path) {
    const char *why = NULL;
    set_program();
    method = find_method(&why);
    if (method == BY_NOTHING) {
        complain("%s: no sets: %s", program, why);
        return ENOTSUP;
    }
    int error = set_folder(path);
    error = error ? error : prepare_folder();
    if (error) {
        complain("%s: no sets in '%s': %s", program, folder,
                 error == EPERM ? "it belongs to another user or all may write to it"
                                : strerror(error));
        return error;
    }
    begin_process(0);
    // The allocator's handlers have to be registered first, so that they run first in a
    // child.  It registers them when it is called first.
    void *volatile first = malloc(1);
    free(first);
    pthread_atfork(NULL, after_fork_in_parent, after_fork_in_child);
    started = 1;
    if (options.signal && !options.no_thread) {
        handle_signal();
    }
    atexit(at_exit);
    return options.no_thread ? 0 : start_thread();
}

EXPORTED int hprof_capture_start(const struct hprof_capture_options *given) {
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST)) {
        return EALREADY;
    }
    int before = errno;
    if (given) {
        options = *given;
    }
    set_defaults();
    int error = begin(options.folder ? options.folder : "hprof-sets");
    errno = before;
    return error;
}
