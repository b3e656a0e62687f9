#include "cli/doctor/doctor.h"

#include "cli/doctor/doctor_parts.h"
#include "cli/message.h"
#include "cli/status.h"
#include "hprof-agg/hprof-agg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- command line ----------------------------------------------------------------------

static const char usage[] =
    "Usage: hprof-agg doctor [--format=text|json] PID|PROGRAM|DUMP|DIR\n\n"
    "doctor: say why a process, a program, a dump or a folder of dumps gives no\n"
    "profile, and what to do. It reads files and /proc, and runs nothing.\n";

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
