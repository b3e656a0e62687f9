// The list of processes that a merged profile contains, so that no process is counted
// twice when the profile is merged again.
//
// Only processes with a memory map can be recognized in another place, so only these are
// listed; for processes that are known by name only there is a number.  The list
// therefore does not depend on the names of the inputs.
#ifndef HP_INPUTS_PROCESS_KEYS_H
#define HP_INPUTS_PROCESS_KEYS_H

#include "base/span.h"
#include "inputs/processes.h"

// Collect the processes of all used inputs: those that were found, and those that merged
// profiles list.
void hp_process_keys_collect(struct hp_process_keys *keys,
                             const struct hp_processes *processes,
                             const struct hp_input_record *inputs, size_t count,
                             enum hp_snapshots snapshots, enum hp_metric metric);

// Write the list of processes as a line of text, starting with key *next, which is
// advanced.  The caller frees the text.  A long list takes several lines: call it until
// *next is all.count.
char *hp_process_keys_text(const struct hp_process_keys *keys, size_t *next);

// Whether a text claims to be a line of a list of processes, as hp_process_keys_text()
// writes it.  hp_process_keys_read() adds the keys of a line, and returns false if it is
// damaged or has a later version.
bool hp_process_keys_is_text(struct hp_span text);
bool hp_process_keys_read(struct hp_process_keys *keys, struct hp_span text);

// Processes that two inputs contain.  At least one of the two is a merged profile, from
// which the common processes cannot be removed.
struct hp_process_clash {
    uint32_t first, again; // numbers of two inputs with a common process
    // Number of processes in several inputs; 0: none, and the inputs are not set.
    size_t processes;
};

// Find processes that merged profiles have in common with other inputs, on the same side
// of a diff and with the same labels.
struct hp_process_clash hp_process_keys_clash(const struct hp_processes *processes,
                                              const struct hp_input_record *inputs,
                                              size_t count);

// Return how many processes have dumps on both sides of a diff, made at two times.  The
// processes of a merged profile are those of its list.
size_t hp_process_keys_shared(const struct hp_input_record *inputs, size_t count);

#endif
