// What a merged profile says of the processes in it, so that none is counted twice when it is
// merged again.
//
// Only memory maps are known again in another place: of processes that names alone tell apart
// there is but a number.  So it is the same however the inputs were called.
#ifndef HP_MODEL_PROCESS_KEYS_H
#define HP_MODEL_PROCESS_KEYS_H

#include "base/span.h"
#include "model/processes.h"

struct hp_process_key {
    struct hp_digest map;
    uint64_t pid; // 0: no name told
};

// {0} is of nothing.
struct hp_process_keys {
    HP_VEC(struct hp_process_key) all; // in order, each once
    uint64_t untold;                   // processes without a map
    unsigned snapshots; // 1 << each enum hp_snapshots by which dumps were chosen
    unsigned columns;   // 1 << each enum hp_column they were chosen for
    size_t repeated;    // so many more were in the text: two profiles have been made one
};

void hp_process_keys_done(struct hp_process_keys *keys);
void hp_process_keys_free(struct hp_process_keys *keys); // malloc()ed; NULL is fine

// Of all inputs that are used: of the processes that were found, and of merged profiles what these
// say themselves.
void hp_process_keys_collect(struct hp_process_keys *keys,
                             const struct hp_processes *processes,
                             const struct hp_input_record *inputs, size_t count,
                             enum hp_snapshots snapshots, enum hp_metric metric);

// Write them as a line of text, to be freed, from number *next on; several lines if there are many,
// that is until *next is all.count.
char *hp_process_keys_text(const struct hp_process_keys *keys, size_t *next);

// Whether a text claims to be such a line; and add what one says.  False if it is damaged, or of a
// later version.
bool hp_process_keys_is_text(struct hp_span text);
bool hp_process_keys_read(struct hp_process_keys *keys, struct hp_span text);

// A process that is in two inputs, one of which at least is a merged profile, from which nothing
// can be taken away.
struct hp_process_clash {
    uint32_t first, again; // numbers of inputs
    size_t processes;      // so many are in several; 0: there is none, nor inputs
};

struct hp_process_clash hp_process_keys_clash(const struct hp_processes *processes,
                                              const struct hp_input_record *inputs,
                                              size_t count);

// How many processes are among the inputs of the base that are used and among the others: two times of
// them.  Of merged profiles what these say themselves.
size_t hp_process_keys_shared(const struct hp_input_record *inputs, size_t count);

#endif
