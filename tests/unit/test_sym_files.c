#include "base/files.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A sysroot with a file, and a secret beside it.
static char top[] = "/tmp/hprof-agg-files-XXXXXX";
static char root[64];

static void write_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *file = fopen(path, "w");
    fputs(name, file);
    fclose(file);
}

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
    const char *path, *content; // NULL if it must not open
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
