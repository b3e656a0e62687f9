// Tests of the memory limit, with trees of /proc and /sys as kernels and container
// engines provide them.
#include "cli/memorylimit.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES = 12,
};

#define MiB  ((uint64_t)1 << 20)
#define NONE "9223372036854771712\n" // of cgroup v1, with pages of 4 KiB

// A machine with 64 GiB and no swap.  The process has 4 MiB: 2 MiB are resident, and 0.5
// MiB are data.
#define MACHINE                                                                 \
    {"/proc/meminfo", "MemTotal:       67108864 kB\nSwapTotal:      0 kB\n"}, { \
        "/proc/self/statm", "1024 512 100 200 0 128 0\n"                        \
    }

#define V1_MOUNT(root) "35 31 0:32 " root " /cg/memory rw - cgroup cgroup rw,memory\n"
#define V2_MOUNT(root) "30 23 0:26 " root " /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"

// Files of a system, and the limit that has to be found.
struct tree {
    const char *name;

    struct {
        const char *path, *text;
    } files[FILES];

    uint64_t room;      // bytes before a reserve is kept free
    const char *source; // NULL: no limit
};

// clang-format off
static const struct tree trees[] = {
    {"nothing is known", {{NULL, NULL}}, 0, NULL},
    {"the machine", {MACHINE}, 65536 * MiB, "this machine"},
    {"the machine with swap",
     {{"/proc/meminfo", "MemTotal: 1048576 kB\nMemFree: 1 kB\nSwapTotal: 524288 kB\n"}},
     1536 * MiB, "this machine"},
    {"v2: the own group",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "209715200\n"}, {"/cg/a/memory.current", "1000\n"}},
     200 * MiB, "this container"},
    {"v2: max is none",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "max\n"}}, 65536 * MiB, "this machine"},
    {"v2: a group around it allows less",
     {MACHINE, {"/proc/self/cgroup", "0::/a/b/c\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/b/c/memory.max", "max\n"}, {"/cg/a/b/memory.max", "314572800\n"},
      {"/cg/a/memory.max", "104857600\n"}},
     100 * MiB, "this container"},
    {"v2: the folder of a group in between is not there",
     {MACHINE, {"/proc/self/cgroup", "0::/a/b/c\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "104857600\n"}},
     100 * MiB, "this container"},
    {"v2: others hold 60 MiB, of which 10 can be dropped, and we 2",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "209715200\n"}, {"/cg/a/memory.current", "65011712\n"},
      {"/cg/a/memory.stat", "anon 1\nfile 2\nactive_file 4194304\ninactive_file 6291456\n"}},
     150 * MiB, "this container"},
    {"v2: others hold more than there is",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "1000\n"}, {"/cg/a/memory.current", "65011712\n"}},
     1, "this container"},
    {"v2: a namespace of groups",
     {MACHINE, {"/proc/self/cgroup", "0::/\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/memory.max", "209715200\n"}}, 200 * MiB, "this container"},
    {"v2: a namespace of groups, mounted outside of it",
     {MACHINE, {"/proc/self/cgroup", "0::/\n"}, {"/proc/self/mountinfo", V2_MOUNT("/../..")},
      {"/cg/memory.max", "209715200\n"}}, 200 * MiB, "this container"},
    {"v2: the process was moved out of its namespace",
     {MACHINE, {"/proc/self/cgroup", "0::/../other\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/memory.max", "209715200\n"}, {"/other/memory.max", "1048576\n"}},
     200 * MiB, "this container"},
    {"v2: a service of systemd in a slice",
     {MACHINE, {"/proc/self/cgroup", "0::/system.slice/x.service\n"},
      {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/system.slice/x.service/memory.max", "1073741824\n"},
      {"/cg/system.slice/memory.max", "max\n"}, {"/cg/system.slice/memory.current", "9999999\n"}},
     1024 * MiB, "this container"},
    {"v1: the own group among other controllers",
     {MACHINE, {"/proc/self/cgroup", "9:name=memory:/x\n8:cpu,cpuacct:/y\n4:hugetlb,memory:/a\n"},
      {"/proc/self/mountinfo", "34 31 0:31 / /cg/cpu rw - cgroup cgroup rw,cpu\n" V1_MOUNT("/")},
      {"/cg/memory/a/memory.limit_in_bytes", "209715200\n"},
      {"/cg/memory/memory.limit_in_bytes", NONE}, {"/cg/memory/x/memory.limit_in_bytes", "1\n"}},
     200 * MiB, "this container"},
    {"v1: none",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a\n"}, {"/proc/self/mountinfo", V1_MOUNT("/")},
      {"/cg/memory/a/memory.limit_in_bytes", NONE}}, 65536 * MiB, "this machine"},
    {"v1: Docker, whose mount begins at the own group",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/docker/1f\n"},
      {"/proc/self/mountinfo", V1_MOUNT("/docker/1f")},
      {"/cg/memory/memory.limit_in_bytes", "209715200\n"}}, 200 * MiB, "this container"},
    {"v1: a group within Docker's",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/docker/1f/job\n"},
      {"/proc/self/mountinfo", V1_MOUNT("/docker/1f")},
      {"/cg/memory/memory.limit_in_bytes", "209715200\n"},
      {"/cg/memory/job/memory.limit_in_bytes", "104857600\n"}}, 100 * MiB, "this container"},
    {"v1: the mount is of a neighbour whose name begins alike",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/docker/1ff\n"},
      {"/proc/self/mountinfo", V1_MOUNT("/docker/1f")},
      {"/cg/memory/f/memory.limit_in_bytes", "1048576\n"},
      {"/cg/memory/memory.limit_in_bytes", "209715200\n"}}, 200 * MiB, "this container"},
    {"v1: usage of a tree of groups",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a\n"}, {"/proc/self/mountinfo", V1_MOUNT("/")},
      {"/cg/memory/a/memory.limit_in_bytes", "209715200\n"},
      {"/cg/memory/a/memory.usage_in_bytes", "65011712\n"},
      {"/cg/memory/a/memory.stat", "inactive_file 5\ntotal_inactive_file 6291456\ntotal_active_file 4194304\n"}},
     150 * MiB, "this container"},
    {"v1: a group around it whose limit holds for none but its own processes",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a/b\n"}, {"/proc/self/mountinfo", V1_MOUNT("/")},
      {"/cg/memory/a/b/memory.limit_in_bytes", "209715200\n"},
      {"/cg/memory/a/memory.limit_in_bytes", "104857600\n"},
      {"/cg/memory/a/memory.use_hierarchy", "0\n"}}, 200 * MiB, "this container"},
    {"v1: a group around it whose limit holds",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a/b\n"}, {"/proc/self/mountinfo", V1_MOUNT("/")},
      {"/cg/memory/a/b/memory.limit_in_bytes", "209715200\n"},
      {"/cg/memory/a/memory.limit_in_bytes", "104857600\n"},
      {"/cg/memory/a/memory.use_hierarchy", "1\n"}}, 100 * MiB, "this container"},
    {"both: memory is v1's, and v2 has no controller",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a\n0::/b\n"},
      {"/proc/self/mountinfo", "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n" V1_MOUNT("/")},
      {"/cg/memory/a/memory.limit_in_bytes", "209715200\n"}, {"/cg/unified/b/cgroup.procs", "1\n"}},
     200 * MiB, "this container"},
    {"both: v1 has a limit and v2 a lesser one",
     {MACHINE, {"/proc/self/cgroup", "4:memory:/a\n0::/b\n"},
      {"/proc/self/mountinfo", "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n" V1_MOUNT("/")},
      {"/cg/memory/a/memory.limit_in_bytes", "209715200\n"},
      {"/cg/unified/b/memory.max", "104857600\n"}}, 100 * MiB, "this container"},
    {"a mount point with a space, and options behind it",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n"},
      {"/proc/self/mountinfo", "30 23 0:26 / /c\\040g rw shared:4 master:1 - cgroup2 none rw\n"},
      {"/c g/a/memory.max", "209715200\n"}}, 200 * MiB, "this container"},
    {"lines of mountinfo that are cut",
     {MACHINE, {"/proc/self/cgroup", "0::/a\n:\n\n4:\n"},
      {"/proc/self/mountinfo", "30 23 - cgroup2 cgroup2 rw\n30\n\n - \n - cgroup\n" V2_MOUNT("/")},
      {"/cg/a/memory.max", "209715200\n"}}, 200 * MiB, "this container"},
    {"ulimit -d",
     {MACHINE, {"/proc/self/limits", "Max data size             104857600  unlimited  bytes\n"}},
     100 * MiB, "ulimit -d"},
    {"ulimit -v, of which 3.5 MiB are no data",
     {MACHINE, {"/proc/self/limits", "Max data size             unlimited  unlimited  bytes\n"
                                     "Max address space         104857600  unlimited  bytes\n"}},
     100 * MiB - 3584 * 1024, "ulimit -v"},
    {"ulimit is more than the container has",
     {MACHINE, {"/proc/self/limits", "Max address space         419430400  unlimited  bytes\n"},
      {"/proc/self/cgroup", "0::/a\n"}, {"/proc/self/mountinfo", V2_MOUNT("/")},
      {"/cg/a/memory.max", "209715200\n"}}, 200 * MiB, "this container"},
};
// clang-format on

static char root[] = "/tmp/hprof-agg-limits-XXXXXX";

// Write a file below the root, with its folders.
static void write_below(const char *path, const char *text) {
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert_not_null(file, "%s", whole);
    fputs(text, file);
    fclose(file);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

// The part of the room that may be data: 94 %, and at least 4 MiB are kept free.
static uint64_t of_room(uint64_t room) {
    uint64_t share = room / 100 * 94, rest = room > 4 * MiB ? room - 4 * MiB : 0;
    uint64_t least = share < rest ? share : rest;
    return room <= 1 ? room : least < room / 2 ? room / 2 : least;
}

// Make the tree and compare the limit.
static void check(const struct tree *tree) {
    struct hp_cli_memory_limit limit;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    for (size_t i = 0; i < FILES && tree->files[i].path; i++) {
        write_below(tree->files[i].path, tree->files[i].text);
    }
    hp_cli_memory_limit_find(root, &limit);
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cr_expect_eq(limit.bytes, of_room(tree->room), "%s: %llu bytes, of %s", tree->name,
                 (unsigned long long)limit.bytes, limit.source ? limit.source : "none");
    cr_expect(tree->source ? limit.source && !strcmp(limit.source, tree->source)
                           : !limit.source,
              "%s: of %s", tree->name, limit.source ? limit.source : "none");
}

Test(memorylimit, R35_F3_is_the_least_of_what_groups_ulimits_and_the_machine_leave) {
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        check(&trees[i]);
    }
}

Test(memorylimit, R35_is_less_than_what_there_is) {
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        cr_expect(trees[i].room <= 1 || of_room(trees[i].room) < trees[i].room);
    }
    cr_expect_eq(of_room(50 * MiB), 46 * MiB);
    cr_expect_eq(of_room(1000 * MiB), 1000 * MiB / 100 * 94);
    cr_expect_eq(of_room(5 * MiB), 5 * MiB / 2);
}

Test(memorylimit, R35_counts_data_of_this_process) {
    uint64_t before = hp_cli_memory_used();
    // Volatile: compilers must not remove the allocation.
    char *volatile more = malloc(64 * MiB);
    cr_assert_not_null(more);
    uint64_t after = hp_cli_memory_used();
    free(more);
    cr_expect(after >= before + 64 * MiB && after < before + 66 * MiB);
}
