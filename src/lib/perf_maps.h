// Finds the maps of generated code that fit a dump, perf-PID.map: which files are tried,
// and which of them is used.
//
// A map that the user names is used for a dump of its process, and for other dumps if it
// has at least half of the names that are missing.  Maps beside a dump and in folders of
// binaries are used without being named, if only the owner of the dump or root can have
// written them and the process had random addresses.
#ifndef HP_LIB_PERF_MAPS_H
#define HP_LIB_PERF_MAPS_H

#include "model/jit_addresses.h"
#include "model/profile.h"

#include <pthread.h>

// Reasons why a map was not used, or only partly.
enum hp_map_note {
    HP_MAP_HOLDS_NOTHING, // no entry contains an address of the dump
    HP_MAP_UNTRUSTED,     // another user can have written it, or it is no plain file
    HP_MAP_FIXED,         // the process had no random addresses
    HP_MAP_UNREADABLE,    // it cannot be opened or read
    HP_MAP_DAMAGED,       // it has lines that are no entries, or ends within one
    HP_MAP_OFFERED,       // it is in /tmp, where maps are not read without being named
    HP_MAP_NOTES,
};

// The number of maps with a note, and the path of the first in byte order.
struct hp_map_notes {
    size_t count;
    char first[512], reason[512];
};

// The maps of one read.  {0} has none.
struct hp_perf_maps {
    const struct hp_read_options *options;
    bool *is_file;        // for each map that was given: it is a file, not a folder
    pthread_mutex_t lock; // protects the rest
    bool *is_used;        // for each map that was given: it has named an address
    bool was_asked;       // some dump lacks names
    struct hp_map_notes notes[HP_MAP_NOTES];
};

// One dump, whose generated code a thread names.  `path`: the file of the dump; NULL: it
// is in no file of its own.  `pid` is 0 if it is not known.
struct hp_dump_namer {
    struct hp_jit_namer base;
    struct hp_perf_maps *maps;
    const char *path;
    uint64_t pid;
};

// Begin a read.  HP_E_IO if a map that was given does not exist, HP_E_USAGE if it is
// neither a plain file nor a folder.
HP_MUST_CHECK int hp_perf_maps_init(struct hp_perf_maps *maps,
                                    const struct hp_read_options *options,
                                    struct hp_err *err);

// Make the namer of one dump.  It must not outlive `maps`.
struct hp_dump_namer hp_perf_maps_namer(struct hp_perf_maps *maps, const char *path,
                                        uint64_t pid);

// Forget what was noted: dumps are read again.
void hp_perf_maps_forget(struct hp_perf_maps *maps);

// Warn about maps that were not used, and about generated code without names.
void hp_perf_maps_warn(const struct hp_perf_maps *maps, struct hp_profile *profile);

void hp_perf_maps_done(struct hp_perf_maps *maps);

#endif
