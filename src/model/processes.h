// Which inputs are dumps of one process, and which dump of a process counts.
//
// Decided by what names and memory maps say, never by values: what is chosen for its value has
// wrong error bars.  Evidence is joined transitively, whatever the order of the inputs; a chain
// that would join two process ids or two maps is cut, so that no process is lost.
#ifndef HP_MODEL_PROCESSES_H
#define HP_MODEL_PROCESSES_H

#include "base/digest.h"
#include "base/sink.h"
#include "base/vec.h"
#include "hprof-agg/hprof-agg.h"

// What tells the process of one input.
struct hp_identity {
    // Where [vdso] begins and [stack] ends, or a digest of where files are; the same in every
    // run of this program.  {0}: nothing there was placed at random.
    struct hp_digest map;
    uint64_t map_start; // where its memory map begins; 0: not at a random place
    uint64_t map_end;   // where it ends; 0: there is none
    uint64_t
        series; // hash of folder, prefix and pid of a jemalloc dump's name; 0: no such name
    uint64_t labels;      // hash of the labels of the input; 0: none
    uint64_t pid;         // from the name, or 0
    uint64_t number;      // from the name, if has_number: which dump of its process it is
    uint64_t nanoseconds; // since 1970, as the content says; 0: it does not
    double
        time; // seconds since 1970, of the file or member; 0: not known; what is asked for,
              // once the processes are found
    uint64_t file;    // hash of device and inode; 0: of none
    uint32_t program; // number of the path of its main executable; 0: no memory map
    bool has_number;
    char kind; // of a jemalloc dump: final, interval, manual, growth (u); 0: not told
    bool is_merged; // of many processes, of which it says itself (process_keys.h)
};

enum hp_process_evidence {
    HP_EVIDENCE_NONE,     // one input, or nothing tells
    HP_EVIDENCE_MAP,      // equal maps, and a name tells the process id
    HP_EVIDENCE_MAP_ONLY, // equal maps alone: forks look the same
    HP_EVIDENCE_NAME,     // names alone, of some of them
    HP_EVIDENCE_ITSELF, // none: it is a merged profile, which says of which processes it is
};

// By what the newest of its dumps is known.
enum hp_newest_by {
    HP_NEWEST_BY_SEQUENCE,
    HP_NEWEST_BY_CONTENT_TIME,
    HP_NEWEST_BY_NUMBER, // the one number in which the names differ
    HP_NEWEST_BY_FILE_TIME,
    HP_NEWEST_BY_NAME,
};

#define HP_NO_INPUT   UINT32_MAX
#define HP_NO_PROCESS UINT32_MAX

struct hp_process {
    struct hp_digest map; // {0}: none tells
    uint64_t pid;         // 0: no name tells
    enum hp_process_evidence evidence;
    enum hp_newest_by newest_by;
    uint32_t first, dumps; // in hp_processes.dumps, the oldest first
    uint32_t chosen;  // number of the input that counts for it; HP_NO_INPUT: each does
    uint32_t exit;    // its exit dump, HP_NO_INPUT: none
    uint32_t fullest; // that with most bytes of the metric
    bool is_base;     // of a diff
    bool is_fork;     // others have its map and another process id
    bool is_untold;   // nothing tells whether it is of one process with others
    bool was_reset;   // an older dump allocated more than the newest
};

// Of all inputs that can be used.  {0} is empty.
struct hp_processes {
    HP_VEC(struct hp_process) all; // by the first of their inputs
    HP_VEC(uint32_t) dumps;        // numbers of inputs, by process
    size_t untold;                 // so many is_untold
    size_t forks, forked;          // processes that are forks, and of how many they are
    size_t largest;                // most dumps of any of them
    // That inputs stand for which partials tell of in groups, beyond those above.
    size_t others, other_dumps;
};

struct hp_input_record;

// Whether two are dumps of one process, by the table in processes.c: of inputs that are compared.
bool hp_identity_is_same(const struct hp_identity *a, const struct hp_identity *b);

// What a dump is known by wherever it is read: 80 bits, of[0] and the low 16 of of[1].  They are
// the first of the digest of its bytes; where its name tells a process id or a number, of these and
// the digest, so that forks which did nothing since are two dumps.  By accident two of a million
// dumps have one with a probability of 4e-13.
struct hp_digest hp_dump_identity(struct hp_digest content,
                                  const struct hp_identity *told);

// The same of its process, by its map and process id; 0 if neither is known.
uint64_t hp_process_identity(const struct hp_identity *told);

// Find the processes of the inputs that are used, and set input.process.
void hp_processes_find(struct hp_processes *processes, struct hp_input_record *inputs,
                       size_t count);
void hp_processes_done(struct hp_processes *processes);

// Choose the dump that counts for each process, by enum hp_snapshots and the kind of metric; none
// where each counts.  What is fullest is said by the inputs' totals.
void hp_processes_choose(struct hp_processes *processes,
                         const struct hp_input_record *inputs,
                         enum hp_snapshots snapshots, enum hp_metric metric);

// Whether an input is the exit dump of a process that has others: what was freed while the program
// ended is not in it, so that it is no point of a series of what is in use.
static inline bool hp_process_is_exit(const struct hp_process *process, uint32_t input) {
    return process->dumps > 1 && process->exit == input;
}

// Its map in hexadecimal, "7f30b314c000-7fff2dd4c000"; "-" if there is none.
void hp_process_write_key(struct hp_sink *out, const struct hp_process *process);

// "memory map and process id"; "the newest before its exit": why its dump was chosen.
const char *hp_process_evidence_text(const struct hp_process *process);
const char *hp_process_why(const struct hp_process *process, enum hp_snapshots snapshots);

// Sort dumps of one process, the oldest first, and say by what they are told apart.
enum hp_newest_by hp_process_sort(uint32_t *dumps, size_t count,
                                  const struct hp_input_record *inputs);

// "file time"
const char *hp_newest_by_text(enum hp_newest_by by);

#endif
