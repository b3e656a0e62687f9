// A program is its file: what can be loaded into it, its allocator, and its names.
#include "cli/doctor/doctor_parts.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

void hp_doctor_allocator(struct hp_doctor *doctor, const struct hp_doctor_elf *elf,
                         const char *where) {
    const char *space = elf->version[0] ? " " : "";
    if (elf->prefix != NULL && elf->has_profiling) {
        hp_doctor_add(doctor, HP_DOCTOR_JEMALLOC, "%s: %smallctl%s%s", where, elf->prefix,
                      space, elf->version);
    } else if (elf->prefix != NULL || (elf->has_text && !elf->has_profiling)) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_PROFILING, "%s%s%s", where, space,
                      elf->version);
    } else if (elf->has_text) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_SYMBOLS_OF_JEMALLOC, "%s%s%s", where, space,
                      elf->version);
    } else if (elf->has_gperftools) {
        hp_doctor_add(doctor, HP_DOCTOR_GPERFTOOLS, "%s: GetHeapProfile", where);
    } else if (elf->has_malloc) {
        hp_doctor_add(doctor, HP_DOCTOR_OWN_MALLOC, "%s", where);
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_OTHER_MALLOC, "%s", where);
    }
}

// Say what the allocator can do that the program loads.  It is searched where the loader
// searches by default.
static void add_library(struct hp_doctor *doctor, const char *name) {
    static const char *const folders[] = {"/lib/x86_64-linux-gnu",
                                          "/usr/lib/x86_64-linux-gnu",
                                          "/lib/aarch64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu",
                                          "/usr/local/lib",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/usr/lib"};
    struct hp_doctor_elf elf = {0};
    char path[PATH_MAX] = "";
    int fd = -1;
    for (size_t i = 0;
         fd < 0 && !strchr(name, '/') && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (fd >= 0) {
        hp_doctor_elf_read(&elf, fd);
        close(fd);
    }
    if (elf.is_elf) {
        hp_doctor_allocator(doctor, &elf, path);
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_OTHER_MALLOC, "%s", name);
    }
}

// Say which names there will be of an open program.
static void add_names(struct hp_doctor *doctor, const struct hp_doctor_elf *elf, int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    path[length > 0 ? length : 0] = '\0';
    hp_doctor_names(doctor, elf, root, path);
    if (root >= 0) {
        close(root);
    }
}

void hp_doctor_program(struct hp_doctor *doctor, int fd) {
    struct hp_doctor_elf elf;
    struct stat info;
    hp_doctor_elf_read(&elf, fd);
    if (!elf.is_elf || elf.is_other_machine) {
        hp_doctor_add(doctor, elf.is_elf ? HP_DOCTOR_OTHER_MACHINE : HP_DOCTOR_NO_PROGRAM,
                      "%s", "");
        return;
    }
    if (fstat(fd, &info) == 0 && ((info.st_mode & (S_ISUID | S_ISGID)) != 0 ||
                                  fgetxattr(fd, "security.capability", NULL, 0) > 0)) {
        hp_doctor_add(doctor, HP_DOCTOR_SECURE, "mode %04o", info.st_mode & 07777);
    }
    if (!elf.is_dynamic && !elf.is_library) {
        hp_doctor_add(doctor, HP_DOCTOR_STATIC, "%s", "no PT_INTERP");
    } else if (elf.is_dynamic && strstr(elf.loader, "/ld-linux") == NULL) {
        hp_doctor_add(doctor, HP_DOCTOR_OTHER_LIBC, "%s", elf.loader);
    }
    if (elf.allocator[0] && elf.prefix == NULL && !elf.has_malloc) {
        add_library(doctor, elf.allocator);
    } else {
        hp_doctor_allocator(doctor, &elf, doctor->subject);
    }
    if (elf.malloc_conf[0] != '\0') {
        hp_doctor_add(doctor, HP_DOCTOR_SETTING, "malloc_conf: %s", elf.malloc_conf);
    }
    add_names(doctor, &elf, fd);
}
