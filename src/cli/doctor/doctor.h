// hprof-agg doctor: say why a process, a program, a dump or a folder gives no profile.  It
// reads files and /proc; it attaches to nothing and runs nothing.  A map of this folder:
//
// - doctor.c: entry point hp_doctor_run(); finds out what the subject is.
// - doctor_findings.h: the table of all findings with their remedies; prints them.
// - doctor_elf.h: what a binary contains: allocator, profiling, names, frame pointers.
// - doctor_conf.h: what a setting of jemalloc (MALLOC_CONF) does, and what is wrong in it.
// - doctor_program.c: a program.  doctor_process.c: a process, by /proc.  doctor_dumps.c:
//   dumps and folders of sets.
//
// Everything that is read is hostile: sizes are limited before memory is allocated, and
// texts are escaped when they are printed.
//
// Read doctor.c, doctor_findings.h, doctor_process.c in this order.
#ifndef HP_CLI_DOCTOR_H
#define HP_CLI_DOCTOR_H

// Run the command line `words`, which are argv after the word doctor.  Returns the exit
// status.
int hp_doctor_run(int count, char *const *words);

#endif
