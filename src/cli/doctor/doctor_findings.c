#include "cli/doctor/doctor_findings.h"

#include "cli/safetext.h"
#include "hprof-agg/hprof-agg.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum level {
    PROBLEM,
    NOTE,
    GOOD,
    LEVELS
};

static const char *const levels[LEVELS] = {"problem", "note", "ok"};

// A kind of finding: its sentence with its code, and what to do, or NULL.
static const struct row {
    enum level level;
    const char *finding, *remedy;
} rows[HP_DOCTOR_KINDS] = {
    [HP_DOCTOR_NO_PROGRAM] = {PROBLEM,
                              HP_MESSAGE("doctor-no-program", "no program in ELF format"),
                              "name the program that a script starts"},
    [HP_DOCTOR_OTHER_MACHINE] = {PROBLEM,
                                 HP_MESSAGE("doctor-other-machine",
                                            "a program of another machine or word size"),
                                 "run the doctor on the machine of the program"},
    [HP_DOCTOR_STATIC] = {PROBLEM,
                          HP_MESSAGE("doctor-static",
                                     "static: no library can be preloaded"),
                          "build hprof_capture.c into it: see hprof-capture(3)"},
    [HP_DOCTOR_SECURE] = {PROBLEM,
                          HP_MESSAGE("doctor-secure",
                                     "set-user-ID or with capabilities: "
                                     "LD_PRELOAD and MALLOC_CONF are "
                                     "ignored"),
                          "start a copy without these, as the user that it runs as"},
    [HP_DOCTOR_OTHER_LIBC] = {NOTE,
                              HP_MESSAGE("doctor-other-libc", "its libc is not glibc"),
                              "preload libraries that were built for this libc"},
    [HP_DOCTOR_JEMALLOC] =
        {GOOD, HP_MESSAGE("doctor-jemalloc", "jemalloc that can make profiles"), NULL},
    [HP_DOCTOR_NO_PROFILING] = {PROBLEM,
                                HP_MESSAGE("doctor-no-profiling",
                                           "jemalloc was built without profiling"),
                                "build it with --enable-prof (Rust: the feature "
                                "profiling of tikv-jemallocator)"},
    [HP_DOCTOR_NO_SYMBOLS_OF_JEMALLOC] =
        {NOTE,
         HP_MESSAGE("doctor-stripped-jemalloc",
                    "jemalloc is linked in, and its functions have no symbols"),
         "keep the symbol table, or pass mallctl to hprof_capture_start()"},
    [HP_DOCTOR_GPERFTOOLS] = {GOOD,
                              HP_MESSAGE("doctor-gperftools",
                                         "gperftools with its heap profiler"),
                              "set HEAPPROFILE=/path/prefix"},
    [HP_DOCTOR_OWN_MALLOC] = {PROBLEM,
                              HP_MESSAGE("doctor-own-malloc",
                                         "the program defines malloc: a preloaded "
                                         "allocator or sampler is not used"),
                              "link it with jemalloc that has --enable-prof, or without "
                              "its own malloc"},
    [HP_DOCTOR_OTHER_MALLOC] = {NOTE,
                                HP_MESSAGE("doctor-other-malloc",
                                           "the allocator makes no profiles"),
                                "start it with hprof-record"},
    [HP_DOCTOR_NO_NAMES] = {NOTE,
                            HP_MESSAGE("doctor-no-names",
                                       "no symbols: functions will be offsets"),
                            "install the package, or run debuginfod-find and use "
                            "--symbol-dir=~/.cache/debuginfod_client"},
    [HP_DOCTOR_DEBUG_FILE] =
        {GOOD, HP_MESSAGE("doctor-debug-file", "the names are in a debug file"), NULL},
    [HP_DOCTOR_NO_BUILD_ID] = {NOTE, HP_MESSAGE("doctor-no-build-id", "no build id"),
                               "link with -Wl,--build-id, so that names are of the "
                               "right build"},
    [HP_DOCTOR_BUILD_ID] = {GOOD, HP_MESSAGE("doctor-build-id", "build id"), NULL},
    [HP_DOCTOR_FRAME_POINTERS] = {GOOD,
                                  HP_MESSAGE("doctor-frame-pointers",
                                             "functions that begin with a frame pointer"),
                                  NULL},
    [HP_DOCTOR_SETTING] = {GOOD, HP_MESSAGE("doctor-setting", "jemalloc's setting"),
                           NULL},
    [HP_DOCTOR_PROF_OFF] = {PROBLEM,
                            HP_MESSAGE("doctor-prof-off",
                                       "profiling is off: the setting lacks prof:true"),
                            "set prof:true in the variable that is read, and restart"},
    [HP_DOCTOR_PROF_INACTIVE] = {PROBLEM,
                                 HP_MESSAGE("doctor-prof-inactive",
                                            "prof_active:false: no samples are taken "
                                            "until the program sets prof.active"),
                                 "remove prof_active:false"},
    [HP_DOCTOR_UNKNOWN_KEY] = {PROBLEM,
                               HP_MESSAGE("doctor-unknown-key",
                                          "jemalloc has no such option"),
                               "correct it; names of options are in jemalloc(3), as "
                               "opt.NAME"},
    [HP_DOCTOR_NO_PAIR] = {PROBLEM,
                           HP_MESSAGE("doctor-no-pair",
                                      "no KEY:VALUE: jemalloc ignores the rest"),
                           "write KEY:VALUE,KEY:VALUE without blanks"},
    [HP_DOCTOR_WRONG_VARIABLE] = {PROBLEM,
                                  HP_MESSAGE("doctor-wrong-variable",
                                             "a variable that this jemalloc does not "
                                             "read"),
                                  "set the variable with its prefix"},
    [HP_DOCTOR_NO_DUMPS] = {PROBLEM,
                            HP_MESSAGE("doctor-no-dumps",
                                       "profiling is on, and nothing asks for a dump"),
                            "start it with hprof-record, or add lg_prof_interval:30"},
    [HP_DOCTOR_ONLY_FINAL] = {NOTE,
                              HP_MESSAGE("doctor-only-final",
                                         "only an exit dump: none if the process is "
                                         "killed"),
                              "start it with hprof-record, or add lg_prof_interval:30"},
    [HP_DOCTOR_NO_FOLDER] = {PROBLEM,
                             HP_MESSAGE("doctor-no-folder",
                                        "the folder of the dumps does not exist"),
                             "make it, or set prof_prefix to a folder that exists"},
    [HP_DOCTOR_NOT_WRITABLE] = {PROBLEM,
                                HP_MESSAGE("doctor-not-writable",
                                           "the process may not write to the folder of "
                                           "the dumps"),
                                "change its owner or mode, or set prof_prefix"},
    [HP_DOCTOR_NO_ROOM] = {PROBLEM,
                           HP_MESSAGE("doctor-no-room",
                                      "less than 1 MiB is free in the folder of the "
                                      "dumps"),
                           "make room, or use another folder"},
    [HP_DOCTOR_ACTIVE_UNKNOWN] = {NOTE,
                                  HP_MESSAGE("doctor-active-unknown",
                                             "prof.active is in the memory of the "
                                             "process: unknown from outside"),
                                  "have hprof-record write a set, and run the doctor on "
                                  "it"},
    [HP_DOCTOR_CAPTURED] =
        {GOOD, HP_MESSAGE("doctor-captured", "libhprof-capture.so is loaded"), NULL},
    [HP_DOCTOR_SAMPLED] = {GOOD,
                           HP_MESSAGE("doctor-sampled", "libhprof-sampler.so is loaded"),
                           NULL},
    [HP_DOCTOR_NOT_READABLE] = {PROBLEM,
                                HP_MESSAGE("doctor-not-readable", "it cannot be read"),
                                "run the doctor as the user of the process, or with "
                                "CAP_SYS_PTRACE"},
    [HP_DOCTOR_NO_ENVIRONMENT] =
        {NOTE,
         HP_MESSAGE("doctor-no-environment",
                    "the program replaced its environment by a title, so settings of "
                    "its start are unknown"),
         "look at what starts it"},
    [HP_DOCTOR_ENDED] = {PROBLEM, HP_MESSAGE("doctor-ended", "the process has ended"),
                         "run the doctor on its program or on its dumps"},
    [HP_DOCTOR_NO_PROC] = {PROBLEM,
                           HP_MESSAGE("doctor-no-proc",
                                      "no /proc is mounted: nothing is known of "
                                      "processes"),
                           "mount it, or run the doctor on the program or on its dumps"},
    [HP_DOCTOR_EMPTY_FILE] = {PROBLEM,
                              HP_MESSAGE("doctor-empty-file",
                                         "an empty file: the process was killed before "
                                         "the dump was written, or the disk was full"),
                              "use an older dump, or start the program with "
                              "hprof-record, whose dumps are complete"},
    [HP_DOCTOR_NOTHING_SAMPLED] = {PROBLEM,
                                   HP_MESSAGE("doctor-nothing-sampled",
                                              "a dump without samples: prof.active was "
                                              "off, or less than about one sample "
                                              "period was allocated"),
                                   "set a smaller lg_prof_sample, and remove "
                                   "prof_active:false"},
    [HP_DOCTOR_FEW_SAMPLES] = {NOTE,
                               HP_MESSAGE("doctor-few-samples",
                                          "few samples: the total is not known within "
                                          "20 %"),
                               "use a finer period; hprof-agg plan shows its cost"},
    [HP_DOCTOR_SET_INACTIVE] = {PROBLEM,
                                HP_MESSAGE("doctor-set-inactive",
                                           "prof.active was off when the set was "
                                           "written"),
                                "remove prof_active:false, or set prof.active in the "
                                "program"},
    [HP_DOCTOR_CUT_STACKS] = {NOTE,
                              HP_MESSAGE("doctor-cut-stacks",
                                         "stacks have 127 frames or more: jemalloc cut "
                                         "their outermost frames"),
                              "expect callers to be missing; use names of inner "
                              "functions"},
    [HP_DOCTOR_NO_MAP] = {PROBLEM,
                          HP_MESSAGE("doctor-no-map",
                                     "the dump ends before its memory map: it is "
                                     "truncated"),
                          "use an older dump; --damaged=use reads what is left"},
    [HP_DOCTOR_OTHER_DUMP] =
        {NOTE,
         HP_MESSAGE("doctor-other-dump",
                    "packed by zstd, or not a dump of jemalloc or gperftools"),
         "hprof-agg info says what it is"},
    [HP_DOCTOR_DUMP] = {GOOD, HP_MESSAGE("doctor-dump", "a dump with samples"), NULL},
    [HP_DOCTOR_NO_SETS] = {PROBLEM,
                           HP_MESSAGE("doctor-no-sets", "no dump and no set here"),
                           "run the doctor on the process: it says what hinders dumps"},
    [HP_DOCTOR_SETS] = {GOOD, HP_MESSAGE("doctor-sets", "complete sets"), NULL},
    [HP_DOCTOR_LEFT_OVERS] = {NOTE,
                              HP_MESSAGE("doctor-left-overs",
                                         "sets that are being written, or were when "
                                         "their process was killed"),
                              "nothing: the next start in this folder removes them"},
};

void hp_doctor_add(struct hp_doctor *doctor, enum hp_doctor_kind kind,
                   const char *evidence, ...) {
    if (doctor->count == sizeof doctor->findings / sizeof doctor->findings[0]) {
        return;
    }
    struct hp_doctor_finding *finding = &doctor->findings[doctor->count++];
    finding->kind = kind;
    va_list list;
    va_start(list, evidence);
    vsnprintf(finding->evidence, sizeof finding->evidence, evidence, list);
    va_end(list);
}

bool hp_doctor_has(const struct hp_doctor *doctor, enum hp_doctor_kind kind) {
    for (size_t i = 0; i < doctor->count; i++) {
        if (doctor->findings[i].kind == kind) {
            return true;
        }
    }
    return false;
}

// Print a text without control characters; in quotes for JSON, which needs no more
// escapes than of \ and ".
static void put(const struct hp_doctor *doctor, const char *text, FILE *out) {
    char *safe = hp_cli_safe(text);
    if (!doctor->is_json) {
        fputs(safe, out);
    } else {
        fputc('"', out);
        for (const char *c = safe; *c; c++) {
            if (*c == '"' || *c == '\\') {
                fputc('\\', out);
            }
            fputc(*c, out);
        }
        fputc('"', out);
    }
    free(safe);
}

static void put_field(const struct hp_doctor *doctor, const char *name, const char *text,
                      FILE *out) {
    fprintf(out, doctor->is_json ? "\"%s\": " : "           %s: ", name);
    put(doctor, text, out);
    fputs(doctor->is_json ? ", " : "\n", out);
}

static void put_finding(const struct hp_doctor *doctor,
                        const struct hp_doctor_finding *finding, FILE *out) {
    const struct row *row = &rows[finding->kind];
    char room[HP_MESSAGE_FORMAT_SIZE], code[64];
    const char *end = strchr(row->finding, '\2'); // \1CODE\2SENTENCE
    snprintf(code, sizeof code, "%.*s", (int)(end - row->finding - 1), row->finding + 1);
    if (!doctor->is_json) {
        fprintf(out, "%-9s  ", levels[row->level]);
        put(doctor, hp_message_format(row->finding, room), out);
        fputc('\n', out);
        if (finding->evidence[0]) {
            put_field(doctor, "found", finding->evidence, out);
        }
        if (row->remedy) {
            put_field(doctor, "remedy", row->remedy, out);
        }
        return;
    }
    fputs("  {", out);
    put_field(doctor, "level", levels[row->level], out);
    put_field(doctor, "code", code, out);
    put_field(doctor, "finding", hp_message_format(row->finding, room), out);
    put_field(doctor, "evidence", finding->evidence, out);
    fputs("\"remedy\": ", out);
    if (row->remedy) {
        put(doctor, row->remedy, out);
    } else {
        fputs("null", out);
    }
    fputc('}', out);
}

void hp_doctor_print(const struct hp_doctor *doctor, FILE *out) {
    bool is_first = true;
    if (doctor->is_json) {
        fputs("{\"schema\": \"hprof-agg.doctor/1\", ", out);
        put_field(doctor, "subject", doctor->subject, out);
        put_field(doctor, "kind", doctor->kind, out);
        fputs("\"findings\": [\n", out);
    }
    for (int level = 0; level < LEVELS; level++) {
        for (size_t i = 0; i < doctor->count; i++) {
            if ((int)rows[doctor->findings[i].kind].level == level) {
                fputs(doctor->is_json && !is_first ? ",\n" : "", out);
                put_finding(doctor, &doctor->findings[i], out);
                is_first = false;
            }
        }
    }
    fputs(doctor->is_json ? "\n]}\n" : "", out);
}
