// How the process of an input is recognised: by the properties of one dump, or by the
// list of processes that a merged profile contains.  processes.h and process_keys.h use
// these.
#ifndef HP_INPUTS_IDENTITY_H
#define HP_INPUTS_IDENTITY_H

#include "base/digest.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Properties of an input that identify its process.
struct hp_identity {
    // The start of [vdso] and the end of [stack], or a digest of the addresses of files;
    // the same in every run of this program.  {0}: the kernel placed nothing at random.
    struct hp_digest map;
    uint64_t map_start; // start of the memory map; 0: not at a random address
    uint64_t map_end;   // end of the memory map; 0: there is no map
    // Hash of the folder, prefix and process id in the name of a jemalloc dump; 0: not
    // such a name.  In a set of the capture it is `captured`.
    uint64_t series;
    // The process by the facts of the set (struct hp_set_facts); 0: not in a set.
    uint64_t captured;
    uint64_t labels; // hash of the labels of the input; 0: it has none
    uint64_t pid;    // process id from the name, or 0
    uint64_t number; // sequence number of the dump from the name, if has_number
    // Time of the dump, in nanoseconds since 1970, from the content, or from the facts of
    // its set; 0: unknown.
    uint64_t nanoseconds;
    // Modification time of the file or archive member, in seconds since 1970; 0: unknown.
    // Once the processes are found, it is replaced by the time that an option selects.
    double time;
    uint64_t file; // hash of the device and inode of the file; 0: not a file
    // Index of the path of its main executable in profile->inputs.programs; 0: no memory
    // map.
    uint32_t program;
    bool has_number;
    // Cause of a jemalloc dump: f(inal), i(nterval), m(anual), u (growth); 0: unknown.
    char kind;
    bool is_merged; // a merged profile, which lists its processes itself (process_keys.h)
};

// One process: its memory map, as in struct hp_identity, and its process id.
struct hp_process_key {
    struct hp_digest map;
    uint64_t pid; // 0: no name contained the process id
};

// The processes of a merged profile.  {0} is empty.
struct hp_process_keys {
    HP_VEC(struct hp_process_key) all; // ascending, without duplicates
    uint64_t unidentified;             // number of processes without a memory map
    unsigned snapshots; // 1 << each enum hp_snapshots by which dumps were chosen
    unsigned columns;   // 1 << each enum hp_column for which they were chosen
    // Number of keys that were twice in the text: another program has joined two profiles
    // to one.
    size_t repeated;
};

static inline void hp_process_keys_done(struct hp_process_keys *keys) {
    hp_vec_done(&keys->all);
}

// Free a list of process keys that is from malloc(), or NULL.
static inline void hp_process_keys_free(struct hp_process_keys *keys) {
    if (keys) {
        hp_process_keys_done(keys);
    }
    free(keys);
}

#endif
