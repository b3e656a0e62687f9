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

// A dump that is open, and a folder of dumps or sets.
void hp_doctor_dump(struct hp_doctor *doctor, int fd, const char *where);
void hp_doctor_folder(struct hp_doctor *doctor, int fd);

#endif
