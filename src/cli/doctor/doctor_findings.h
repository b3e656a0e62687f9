// Findings of the doctor: each is a row of a table, and evidence.
#ifndef HP_CLI_DOCTOR_FINDINGS_H
#define HP_CLI_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum hp_doctor_kind {
    HP_DOCTOR_NO_PROGRAM,
    HP_DOCTOR_OTHER_MACHINE,
    HP_DOCTOR_STATIC,
    HP_DOCTOR_SECURE,
    HP_DOCTOR_OTHER_LIBC,
    HP_DOCTOR_JEMALLOC,
    HP_DOCTOR_NO_PROFILING,
    HP_DOCTOR_NO_SYMBOLS_OF_JEMALLOC,
    HP_DOCTOR_GPERFTOOLS,
    HP_DOCTOR_OWN_MALLOC,
    HP_DOCTOR_OTHER_MALLOC,
    HP_DOCTOR_NO_NAMES,
    HP_DOCTOR_DEBUG_FILE,
    HP_DOCTOR_NO_BUILD_ID,
    HP_DOCTOR_BUILD_ID,
    HP_DOCTOR_FRAME_POINTERS,
    HP_DOCTOR_SETTING,
    HP_DOCTOR_PROF_OFF,
    HP_DOCTOR_PROF_INACTIVE,
    HP_DOCTOR_UNKNOWN_KEY,
    HP_DOCTOR_NO_PAIR,
    HP_DOCTOR_WRONG_VARIABLE,
    HP_DOCTOR_NO_DUMPS,
    HP_DOCTOR_ONLY_FINAL,
    HP_DOCTOR_NO_FOLDER,
    HP_DOCTOR_NOT_WRITABLE,
    HP_DOCTOR_NO_ROOM,
    HP_DOCTOR_ACTIVE_UNKNOWN,
    HP_DOCTOR_CAPTURED,
    HP_DOCTOR_SAMPLED,
    HP_DOCTOR_NOT_READABLE,
    HP_DOCTOR_NO_ENVIRONMENT,
    HP_DOCTOR_ENDED,
    HP_DOCTOR_NO_PROC,
    HP_DOCTOR_EMPTY_FILE,
    HP_DOCTOR_NOTHING_SAMPLED,
    HP_DOCTOR_FEW_SAMPLES,
    HP_DOCTOR_SET_INACTIVE,
    HP_DOCTOR_CUT_STACKS,
    HP_DOCTOR_NO_MAP,
    HP_DOCTOR_OTHER_DUMP,
    HP_DOCTOR_DUMP,
    HP_DOCTOR_NO_SETS,
    HP_DOCTOR_SETS,
    HP_DOCTOR_LEFT_OVERS,
    HP_DOCTOR_KINDS
};

struct hp_doctor {
    bool is_json;
    const char *subject; // what the user named
    const char *kind;    // program, process, dump or folder
    size_t count;

    struct hp_doctor_finding {
        enum hp_doctor_kind kind;
        char evidence[640];
    } findings[64]; // more are dropped
};

// Add a finding; the evidence says where it was found, and may be "".
__attribute__((format(printf, 3, 4))) void hp_doctor_add(struct hp_doctor *doctor,
                                                         enum hp_doctor_kind kind,
                                                         const char *evidence, ...);

// Whether there is a finding of the kind.
bool hp_doctor_has(const struct hp_doctor *doctor, enum hp_doctor_kind kind);

// Print all findings, the problems first.
void hp_doctor_print(const struct hp_doctor *doctor, FILE *out);

#endif
