// Finds the inputs that are dumps of one process, and chooses the dump of each process
// that is used.
//
// Both are decided by names and memory maps, never by values: a dump that is chosen for
// its value has wrong error bars.  Evidence is transitive and does not depend on the
// order of the inputs.  A chain of evidence that would join two process ids or two maps
// is cut, so that no process is lost.
#ifndef HP_INPUTS_PROCESSES_H
#define HP_INPUTS_PROCESSES_H

#include "base/sink.h"
#include "base/vec.h"
#include "hprof-agg/hprof-agg.h"
#include "inputs/identity.h"

// Why dumps are taken to be of one process.
enum hp_process_evidence {
    HP_EVIDENCE_NONE,     // a single input, or there is no evidence
    HP_EVIDENCE_MAP,      // equal memory maps, and the process id is known from a name
    HP_EVIDENCE_MAP_ONLY, // equal memory maps only, which forks also have
    HP_EVIDENCE_NAME,     // equal names only, for some of the dumps
    HP_EVIDENCE_FACTS,    // equal facts of their sets
    // No evidence is needed: a merged profile lists its processes itself.
    HP_EVIDENCE_ITSELF,
};

// The property by which dumps of a process were sorted, so that the newest is known.
enum hp_newest_by {
    HP_NEWEST_BY_SEQUENCE,     // sequence number in the name of a jemalloc dump
    HP_NEWEST_BY_CONTENT_TIME, // time in the content
    HP_NEWEST_BY_NUMBER,       // the only number that differs between the names
    HP_NEWEST_BY_FILE_TIME,    // modification time of the file
    HP_NEWEST_BY_NAME,         // the name; nothing else differs between all dumps
};

#define HP_NO_INPUT   UINT32_MAX
#define HP_NO_PROCESS UINT32_MAX

// One process and its dumps.
struct hp_process {
    struct hp_digest map; // its memory map, as in struct hp_identity; {0}: unknown
    uint64_t pid;         // process id; 0: no name contains it
    enum hp_process_evidence evidence;
    enum hp_newest_by newest_by;
    uint32_t first, dumps; // range in hp_processes.dumps, oldest first
    uint32_t chosen; // number of the input that is used for it; HP_NO_INPUT: all are used
    uint32_t exit;   // number of its exit dump; HP_NO_INPUT: none
    uint32_t fullest; // number of the dump with the most bytes in use, or allocated
    bool is_base;     // process of the base side of a diff
    bool is_fork;     // other processes have the same map and a different process id
    // It is unknown whether other inputs are dumps of the same process.
    bool is_unidentified;
    // An older dump has more allocated bytes than the newest, so the counters were reset.
    bool was_reset;
};

// All processes of the inputs that can be used.  {0} is empty.
struct hp_processes {
    HP_VEC(struct hp_process) all; // processes in the order of their first inputs
    HP_VEC(uint32_t) dumps;        // numbers of inputs, grouped by process
    size_t unidentified; // number of processes whose other dumps, if any, are unknown
    // Number of processes that are forks, and of memory maps that forks share.
    size_t forks, forked;
    size_t largest; // the largest number of dumps of one process
    // Number of processes and of dumps that have no records of their own but are part of
    // groups of inputs, in addition to those above.
    size_t others, other_dumps;
};

struct hp_input_record;

// Whether two inputs are dumps of one process, by the table in processes.c.  Both must be
// of one side of a diff, with the same labels.
bool hp_identity_is_same(const struct hp_identity *a, const struct hp_identity *b);

// Return the identity of a dump, which is the same wherever the dump is read: 80 bits, in
// of[0] and the low 16 bits of of[1].  It consists of the first bits of the digest of its
// content.  If its name contains a process id or a number, they are included in a second
// digest, so that forks that did nothing since are two dumps.  Among a million dumps the
// probability that any two have the same identity by accident is 4e-13.
struct hp_digest hp_dump_identity(struct hp_digest content,
                                  const struct hp_identity *properties);

// Return the identity of the process of a dump, from its memory map and process id; 0 if
// neither is known.
uint64_t hp_process_identity(const struct hp_identity *properties);

// Find the processes of all used inputs, and set the member `process` of each input.
void hp_processes_find(struct hp_processes *processes, struct hp_input_record *inputs,
                       size_t count);
void hp_processes_done(struct hp_processes *processes);

// Choose the dump that is used for each process, according to `snapshots` and the column
// of the metric; none where all dumps are used.  The fullest dump is found by the totals
// of the inputs.
void hp_processes_choose(struct hp_processes *processes,
                         const struct hp_input_record *inputs,
                         enum hp_snapshots snapshots, enum hp_metric metric);

// Whether an input is the exit dump of a process with other dumps.  Such a dump lacks
// what was freed while the program ended, so that it is no point of a series of memory in
// use.
static inline bool hp_process_is_exit(const struct hp_process *process, uint32_t input) {
    return process->dumps > 1 && process->exit == input;
}

// Write the two numbers that identify the memory map (hp_identity.map) in hexadecimal,
// "7f30b314c000-7fff2dd4c000"; "-" if it is unknown.
void hp_process_write_key(struct hp_sink *out, const struct hp_process *process);

// Return the evidence for a process as text ("memory map and process id"), and a
// description of the dump that is used for it ("the newest before its exit").
const char *hp_process_evidence_text(const struct hp_process *process);
const char *hp_process_choice_text(const struct hp_process *process,
                                   enum hp_snapshots snapshots);

// Sort the dumps of one process, which are numbers of inputs, oldest first.  Returns the
// property by which they were sorted.
enum hp_newest_by hp_process_sort(uint32_t *dumps, size_t count,
                                  const struct hp_input_record *inputs);

// Return the name of the property that dumps were sorted by: "file time".
const char *hp_newest_by_text(enum hp_newest_by by);

#endif
