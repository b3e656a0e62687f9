// The subjects of the doctor.
#ifndef HP_CLI_DOCTOR_PARTS_H
#define HP_CLI_DOCTOR_PARTS_H

#include "cli/doctor/doctor_elf.h"
#include "cli/doctor/doctor_findings.h"

#include <sys/types.h>

// A process, by its id and the place of /proc (for tests).
void hp_doctor_process(struct hp_doctor *doctor, const char *proc, pid_t pid);

// A program that is open.
void hp_doctor_program(struct hp_doctor *doctor, int fd);

// Say what the allocator of a binary can do; `where` is its path.
void hp_doctor_allocator(struct hp_doctor *doctor, const struct hp_doctor_elf *elf,
                         const char *where);

// Say which names there will be of a program, and what would give names.  `root`: the
// folder that is / for the program, or -1; `path`: its path there.
void hp_doctor_names(struct hp_doctor *doctor, const struct hp_doctor_elf *elf, int root,
                     const char *path);

// Open a path below a folder: links do not lead out of it.  Returns -1 with errno.
int hp_doctor_open_below(int root, const char *path, uint64_t flags);

// A dump that is open, and a folder of dumps or sets.
void hp_doctor_dump(struct hp_doctor *doctor, int fd, const char *where);
void hp_doctor_folder(struct hp_doctor *doctor, int fd);

#endif
