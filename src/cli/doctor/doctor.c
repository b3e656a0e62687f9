#include "cli/doctor/doctor.h"

#include "cli/doctor/doctor_parts.h"
#include "cli/message.h"
#include "cli/status.h"
#include "hprof-agg/hprof-agg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// --- programs --------------------------------------------------------------------------

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

// Say which names there will be.
static void add_names(struct hp_doctor *doctor, const struct hp_doctor_elf *elf) {
    if (elf->build_id[0] == '\0') {
        hp_doctor_add(doctor, HP_DOCTOR_NO_BUILD_ID, "%s", "");
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_BUILD_ID, "%s", elf->build_id);
    }
    if (!elf->has_symbols && !elf->has_debug) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_NAMES, "%s",
                      ".symtab and .debug_info are missing");
    }
    if (elf->functions > 0) {
        hp_doctor_add(doctor, HP_DOCTOR_FRAME_POINTERS, "%u of %u, %u %%",
                      elf->with_frame_pointers, elf->functions,
                      (unsigned)((uint64_t)elf->with_frame_pointers * 100 /
                                 elf->functions));
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
    add_names(doctor, &elf);
}

// --- command line ----------------------------------------------------------------------

static const char usage[] =
    "Usage: hprof-agg doctor [--format=text|json] PID|PROGRAM|DUMP|DIR\n\n"
    "doctor: say why a process, a program, a dump or a folder of dumps gives no profile,\n"
    "and what to do. It reads files and /proc, and runs nothing.\n";

// The process id that a word is, or 0.
static pid_t pid_of(const char *word) {
    char *end;
    long number = strtol(word, &end, 10);
    return word[0] >= '1' && word[0] <= '9' && *end == '\0' && number < 1 << 30
               ? (pid_t)number
               : 0;
}

// Look at a file: a program or a dump.
static void examine_file(struct hp_doctor *doctor, int fd) {
    char head[4] = "";
    bool is_program = pread(fd, head, sizeof head, 0) == sizeof head &&
                      (memcmp(head, "\177ELF", 4) == 0 || memcmp(head, "#!", 2) == 0);
    doctor->kind = is_program ? "program" : "dump";
    if (is_program) {
        hp_doctor_program(doctor, fd);
    } else {
        hp_doctor_dump(doctor, fd, doctor->subject);
    }
}

// Find out what the subject is, and look at it.  A file is meant where there is one of
// the name.
static int examine(struct hp_doctor *doctor, struct hp_err *err) {
    struct stat info;
    pid_t pid = pid_of(doctor->subject);
    if (stat(doctor->subject, &info) != 0 && pid > 0) {
        doctor->kind = "process";
        hp_doctor_process(doctor, "/proc", pid);
        return HP_OK;
    }
    bool is_folder = S_ISDIR(info.st_mode);
    int fd = -1;
    if (is_folder) {
        doctor->kind = "folder";
        fd = open(doctor->subject, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) {
            return hp_cli_fail_errno(err, HP_E_IO, doctor->subject,
                                     HP_MESSAGE("doctor-folder",
                                                "cannot open the folder"));
        }
        hp_doctor_folder(doctor, fd);
    } else {
        fd = hp_open_input(doctor->subject, false, err);
        if (fd < 0) {
            return err->code;
        }
        examine_file(doctor, fd);
    }
    close(fd);
    return HP_OK;
}

int hp_doctor_run(int count, char *const *words) {
    static struct hp_doctor doctor;
    struct hp_err err = {0};
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--help") == 0) {
            return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? HP_CLI_EXIT_OUTPUT
                                                                   : HP_CLI_EXIT_DONE;
        }
        if (strcmp(words[i], "--format=json") == 0) {
            doctor.is_json = true;
        } else if (strcmp(words[i], "--format=text") == 0) {
            doctor.is_json = false;
        } else if (words[i][0] == '-' || doctor.subject != NULL) {
            hp_cli_message(HP_MESSAGE("doctor-word",
                                      "doctor takes one subject and --format: %s"),
                           words[i]);
            return HP_CLI_EXIT_USAGE;
        } else {
            doctor.subject = words[i];
        }
    }
    if (doctor.subject == NULL) {
        fputs(usage, stderr);
        return HP_CLI_EXIT_USAGE;
    }
    if (examine(&doctor, &err) != HP_OK) {
        hp_cli_message_err(&err);
        return HP_CLI_EXIT_INPUT;
    }
    hp_doctor_print(&doctor, stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? HP_CLI_EXIT_DONE : HP_CLI_EXIT_OUTPUT;
}
