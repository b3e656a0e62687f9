// Tests of opening files: paths stay inside a sysroot, and inputs have an end.
#include "base/files.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A sysroot with files, and a secret file outside of it.
static char top[] = "/tmp/hprof-agg-files-XXXXXX";
static char root[64];

// Write a file whose content is its name.
static void write_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *file = fopen(path, "w");
    fputs(name, file);
    fclose(file);
}

// Make a symbolic link in the sysroot.
static void link_to(const char *target, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    cr_assert_eq(symlink(target, path), 0);
}

static void set_up(void) {
    char path[128];
    cr_assert_not_null(mkdtemp(top));
    snprintf(root, sizeof root, "%s/root", top);
    mkdir(root, 0700);
    snprintf(path, sizeof path, "%s/usr", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/fifo", root);
    mkfifo(path, 0600);
    write_file("secret");
    write_file("root/usr/binary");
    write_file("root/binary");
    link_to("usr/binary", "relative");
    link_to("/usr/binary", "absolute");
    link_to("../secret", "escape");
    link_to("../../../../../usr/binary", "climbing");
    link_to("loop", "loop");
    link_to("nowhere", "dangling");
    link_to("usr", "folder");
}

static void tear_down(void) {
    static const char *const names[] = {
        "secret",        "root/usr/binary",
        "root/binary",   "root/relative",
        "root/absolute", "root/escape",
        "root/climbing", "root/loop",
        "root/dangling", "root/folder",
        "root/fifo",     "root/usr",
        "root",          "",
    };
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        remove(path);
    }
}

TestSuite(sym_files, .init = set_up, .fini = tear_down, .timeout = 10);

static const struct {
    const char *path, *content; // content: NULL: opening has to fail
} cases[] = {
    {"binary", "root/binary"},
    {"/binary", "root/binary"},
    {"/usr/binary", "root/usr/binary"},
    {"//usr/.//binary", "root/usr/binary"},
    {"/usr/../binary", "root/binary"},
    {"/../../binary", "root/binary"},
    {"relative", "root/usr/binary"},
    {"absolute", "root/usr/binary"},
    {"folder/binary", "root/usr/binary"},
    {"folder/../binary", "root/binary"},
    {"climbing", "root/usr/binary"},
    {"escape", NULL},
    {"/../secret", NULL},
    {"../secret", NULL},
    {"loop", NULL},
    {"dangling", NULL},
    {"fifo", NULL},
    {"usr", NULL},
    {"", NULL},
    {"/", NULL},
    {"binary/", NULL},
    {"binary/x", NULL},
    {"missing", NULL},
};

// Expect that the file has this content, or could not be opened.
static void check(int fd, const char *path, const char *content) {
    char text[64] = "";
    cr_expect_eq(fd >= 0, content != NULL, "%s", path);
    if (fd >= 0) {
        cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        cr_expect_gt(read(fd, text, sizeof text - 1), 0);
        close(fd);
    }
    cr_expect_str_eq(text, content ? content : "", "%s", path);
}

Test(sym_files, stay_inside_the_sysroot) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(hp_open_file(root, cases[i].path), cases[i].path, cases[i].content);
    }
}

Test(sym_files, stay_inside_the_sysroot_without_openat2) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(hp_open_walk(root, cases[i].path), cases[i].path, cases[i].content);
    }
}

// Make openat2() fail with this error from now on.
static void deny_openat2(int error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    cr_assert_eq(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0), -1);
    cr_assert_eq(errno, error);
}

// Check all paths with this error.
static void open_all_without_openat2(int error) {
    char path[128];
    deny_openat2(error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(hp_open_file(root, cases[i].path), cases[i].path, cases[i].content);
    }
    snprintf(path, sizeof path, "%s/binary", root);
    check(hp_open_file(NULL, path), path, "root/binary");
}

Test(sym_files, R03_F8_are_found_where_filters_deny_openat2) {
    open_all_without_openat2(EPERM);
}

Test(sym_files, R03_are_found_where_the_kernel_has_no_openat2) {
    open_all_without_openat2(ENOSYS);
}

Test(sym_files, R03_are_found_where_openat2_is_always_interrupted) {
    open_all_without_openat2(EINTR);
}

Test(sym_files, R03_are_found_where_openat2_always_wants_another_try) {
    open_all_without_openat2(EAGAIN);
}

// The reason why an input cannot be opened, or "".  Nothing is read from a FIFO.
static const char *why_not(const char *path, bool waits) {
    hp_show_message_codes();
    static struct hp_err err;
    err = (struct hp_err){0};
    int fd = hp_open_input(path, waits, &err);
    if (fd >= 0) {
        cr_expect_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, 0, "%s", path);
        close(fd);
    }
    return fd >= 0 ? "" : err.message;
}

Test(sym_files, R02_named_as_inputs_are_not_waited_for) {
    char fifo[128], text[8] = "";
    struct hp_err err = {0};
    snprintf(fifo, sizeof fifo, "%s/fifo", root);
    cr_expect(strstr(why_not(fifo, false), "fifo-no-writer"), "%s", why_not(fifo, false));
    int both = open(fifo, O_RDWR);
    cr_expect_str_eq(why_not(fifo, false), "");
    cr_assert_eq(write(both, "text", 4), 4);
    int fd = hp_open_input(fifo, false, &err);
    close(both);
    cr_expect_eq(read(fd, text, sizeof text), 4);
    cr_expect_str_eq(text, "text");
    cr_expect_eq(read(fd, text, sizeof text), 0);
    close(fd);
}

Test(sym_files, R02_named_as_inputs_are_no_devices) {
    static const char *const paths[][2] = {{"/dev/zero", "file-device"},
                                           {"/dev/full", "file-device"},
                                           {"/dev/random", "file-device"},
                                           {"/proc/kmsg", "file-of-proc"},
                                           {"/proc/self/maps", "file-of-proc"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        bool is_there = access(paths[i][0], R_OK) == 0;
        for (int waits = 0; is_there && waits < 2; waits++) {
            cr_expect_str_eq(why_not(paths[i][0], waits), paths[i][1], "%s", paths[i][0]);
        }
    }
    cr_expect_str_eq(why_not("/dev/null", false), "");
    int zero = open("/dev/zero", O_RDONLY);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", zero);
    // The process that opened it may know its end.
    cr_expect_str_eq(why_not(path, false), "");
}

Test(sym_files, are_regular) {
    static const char *const paths[] = {"/dev/zero",        "/dev/tty",
                                        "/proc/self/mem",   "/proc/self/exe",
                                        "/proc/kmsg",       "/",
                                        "/proc/self/maps",  "/dev/null",
                                        "/sys/kernel/notes"};
    char path[128];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_expect_lt(hp_open_file(NULL, paths[i]), 0, "%s", paths[i]);
    }
    snprintf(path, sizeof path, "%s/fifo", root);
    cr_expect_lt(hp_open_file(NULL, path), 0);
    cr_expect_eq(errno, EINVAL);
    snprintf(path, sizeof path, "%s/binary", root);
    check(hp_open_file(NULL, path), path, "root/binary");
}
