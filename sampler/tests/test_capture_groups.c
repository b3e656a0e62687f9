// Tests of how the capture finds limits of memory: in planted trees of control groups.
#include "capture/hprof_capture.c"

#include <criterion/criterion.h>

static char planted[] = "/tmp/hprof-capture-XXXXXX";

// Write a file below the planted root; its folders are made.
static void plant(const char *path, const char *text) {
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s/%s", planted, path);
    for (char *slash = full + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(full, 0700);
    }
    FILE *file = fopen(full, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

static void begin_tree(const char *mountinfo, const char *cgroup) {
    cr_assert(mkdtemp(planted));
    root = planted;
    plant("proc/self/mountinfo", mountinfo);
    plant("proc/self/cgroup", cgroup);
    plant("proc/self/statm",
          "25600 12800 100 1 0 5000 0\n"); // 100 MiB, 50 MiB in pages of 4 KiB
}

static void end_tree(void) {
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -r %s", planted);
    cr_assert(system(command) == 0);
}

static void plant_v2(const char *group, const char *max, const char *current,
                     const char *stat) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "cg%s/memory.max", group);
    plant(path, max);
    snprintf(path, sizeof path, "cg%s/memory.current", group);
    plant(path, current);
    snprintf(path, sizeof path, "cg%s/memory.stat", group);
    plant(path, stat);
}

static const char V2_MOUNT[] =
    "24 1 8:1 / / rw shared:1 - ext4 /dev/sda rw\n"
    "30 24 0:26 / /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

Test(capture_groups, v2_takes_the_group_that_is_nearest_to_its_limit, .fini = end_tree) {
    begin_tree(V2_MOUNT, "0::/a/b/c\n");
    plant_v2("/a", "400000000\n", "390000000\n", "anon 1\ninactive_file 1000\n");
    plant_v2("/a/b", "max\n", "100000000\n", "inactive_file 0\n");
    plant_v2("/a/b/c", "200000000\n", "100000000\n", "inactive_file 0\n");
    struct reading r;
    read_memory(&r);
    cr_assert(group_count == 2);
    cr_assert(r.limit == 400000000);
    cr_assert(r.used == 390000000 - 1000);
    cr_assert_str_eq(r.kind, "cgroup2");
    cr_assert(r.rss == 12800 * (uint64_t)sysconf(_SC_PAGESIZE) && r.mine == r.rss);
}

Test(capture_groups, pages_of_files_are_not_in_use, .fini = end_tree) {
    begin_tree(V2_MOUNT, "0::/\n");
    plant_v2("", "300000000\n", "298000000\n",
             "anon 4000000\nfile 294000000\ninactive_file 190000000\nactive_file "
             "104000000\nslab 5\n");
    struct reading r;
    read_memory(&r);
    cr_assert(r.limit == 300000000 && r.used == 4000000);
    cr_assert(reason_for(&r, 0) == NULL);
}

Test(capture_groups, v1_of_a_container_is_below_the_root_of_its_mount, .fini = end_tree) {
    begin_tree(
        "24 1 8:1 / / rw - ext4 /dev/sda rw\n"
        "31 24 0:27 /docker/x /cg/cpu rw - cgroup cgroup rw,cpu\n"
        "32 24 0:28 /docker/x /cg/memory rw - cgroup cgroup rw,memory\n",
        "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x/inner\n0::/\n");
    plant("cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
    plant("cg/memory/memory.usage_in_bytes", "5\n");
    plant("cg/memory/inner/memory.limit_in_bytes", "1000000\n");
    plant("cg/memory/inner/memory.usage_in_bytes", "900000\n");
    plant("cg/memory/inner/memory.stat",
          "active_file 1\ntotal_inactive_file 100000\ntotal_active_file 50000\n");
    struct reading r;
    read_memory(&r);
    cr_assert(group_count == 1);
    cr_assert(r.limit == 1000000 && r.used == 750000);
    cr_assert_str_eq(r.kind, "cgroup");
}

Test(capture_groups, a_limit_that_vanishes_is_no_limit, .fini = end_tree) {
    begin_tree(V2_MOUNT, "0::/a\n");
    plant_v2("/a", "1000000\n", "900000\n", "");
    struct reading r;
    read_memory(&r);
    cr_assert(r.limit == 1000000);
    plant_v2("/a", "max\n", "900000\n", "");
    read_memory(&r);
    cr_assert(r.kind == NULL);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cg/a/memory.max", planted);
    unlink(path);
    read_memory(&r);
    cr_assert(r.kind == NULL);
}

Test(capture_groups, damaged_files_are_no_limit, .fini = end_tree) {
    begin_tree("30 24 0:26 / /cg\n - cgroup2\n30 24\n\n1 2 3 4 5 6 - cgroup2 x y\n",
               "\n0\n0:\nx:memory\n4:memory:/../..\n0::/a\n");
    plant_v2("/a", "-1\n", "900000\n", "");
    struct reading r;
    read_memory(&r);
    cr_assert(group_count == 0 && r.kind == NULL);
}

Test(capture_groups, each_step_near_the_limit_is_a_reason_once) {
    begin_process(0);
    struct reading r = {.rss = 60 * MIB, .limit = 100 * MIB, .kind = "number"};

    static const struct {
        uint64_t used;
        bool is_reason;
    } steps[] = {{79, false}, {81, true}, {83, false}, {85, true}, {82, false},
                 {87, false}, {89, true}, {97, true},  {99, false}};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        r.used = steps[i].used * MIB;
        r.mine = r.used;
        cr_assert((reason_for(&r, 1) != NULL) == steps[i].is_reason, "%zu", i);
    }
    r.used = 60 * MIB;
    reason_for(&r, 1); // memory was freed
    r.used = 81 * MIB;
    cr_assert(reason_for(&r, 1) != NULL);
    r.used = 90 * MIB;
    r.mine = 4 * MIB; // a process of less than 5 % of the limit
    cr_assert(reason_for(&r, 1) == NULL);
}

Test(capture_groups, growth_is_a_reason_above_64_mib_and_15_percent) {
    begin_process(0);
    options.every = 0;
    struct reading r = {.rss = 63 * MIB};
    cr_assert(reason_for(&r, 1) == NULL);
    r.rss = 64 * MIB;
    cr_assert_str_eq(reason_for(&r, 1), "growth");
    self.rss = 100 * MIB;
    r.rss = 114 * MIB;
    cr_assert(reason_for(&r, 1) == NULL);
    r.rss = 115 * MIB;
    self.quiet_until = 10;
    cr_assert(reason_for(&r, 1) == NULL); // the last set took too long
    cr_assert(reason_for(&r, 10) != NULL);
}

Test(capture_groups, polls_are_closer_when_memory_grows) {
    begin_process(0);
    struct reading r = {.limit = 1000 * MIB, .used = 100 * MIB, .kind = "number"};
    uint64_t idle = pause_after(&r, SECOND);
    cr_assert(idle >= SECOND / 20);
    r.used = 200 * MIB; // 100 MiB in 100 ms: 20 MiB, 2 %, need 20 ms
    uint64_t busy = pause_after(&r, SECOND + SECOND / 10);
    cr_assert(busy > SECOND / 60 && busy <= SECOND / 50);
    r.used = 900 * MIB;
    cr_assert(pause_after(&r, SECOND + SECOND / 5) == SECOND / 200);
}

// Begin a folder without a planted /proc; returns its descriptor.
static int begin_folder(void) {
    cr_assert(mkdtemp(planted));
    int fd = open(planted, O_RDONLY | O_DIRECTORY);
    cr_assert(fd >= 0);
    return fd;
}

Test(capture_groups, smaps_rollup_is_read_only_if_it_is_quick, .fini = end_tree) {
    begin_process(0);
    struct set set = {.dir = begin_folder(), .reason = "timer"};

    static const struct {
        const char *reason;
        uint64_t mib, last_ms; // last_ms: what the last one took, at 1 GiB
        bool is_read;
    } cases[] = {
        {"timer", 1024, 0, true},    {"timer", 3000, 0, false},
        {"timer", 1024, 70, false},  {"timer", 6000, 1, true},
        {"limit", 1024, 0, false},   {"limit", 100, 0, true},
        {"timer", 100000, 1, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[64];
        snprintf(set.stem, sizeof set.stem, "%zu", i);
        snprintf(name, sizeof name, "%zu.smaps", i);
        set.reason = cases[i].reason;
        self.rollup_rss = cases[i].last_ms ? 1024 * MIB : 0;
        self.rollup_took = cases[i].last_ms * (SECOND / 1000);
        struct reading r = {.rss = cases[i].mib * MIB};
        write_rollup(&set, &r);
        cr_assert((faccessat(set.dir, name, F_OK, 0) == 0) == cases[i].is_read, "%zu", i);
    }
}

Test(capture_groups, sets_of_a_process_id_that_was_used_again_go_first,
     .fini = end_tree) {
    char host[80], boot[64], text[512];
    int in = begin_folder();
    uint64_t start = start_of(getpid());
    read_word("/proc/sys/kernel/hostname", host, sizeof host);
    read_word("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    cr_assert(start > 0);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "{\"version\": 1,\n \"pid\": %d,\n \"start\": %llu,\n"
                 " \"host\": \"%s\",\n \"boot\": \"%s\"}\n",
                 (int)getpid(), (unsigned long long)(start - (i == 0)), host,
                 i == 1 ? "other" : boot);
        plant("set/facts.json", text);
        // 0: ended, 1: of another boot or container, 2: runs
        cr_assert(order_of(in, "set") == i, "%d", i);
    }
}

Test(capture_groups, times_are_dates) {
    static const struct {
        uint64_t seconds;
        const char *text;
    } known[] = {{0, "19700101T000000-000Z"},
                 {951782399, "20000228T235959-000Z"},
                 {951782400, "20000229T000000-000Z"},
                 {1709251200, "20240301T000000-000Z"},
                 {4102444799, "20991231T235959-000Z"}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[64];
        format_time(text, sizeof text, known[i].seconds * SECOND);
        cr_assert_str_eq(text, known[i].text);
    }
}
