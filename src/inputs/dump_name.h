// Process and sequence number in the file name of a dump.
#ifndef HP_INPUTS_DUMP_NAME_H
#define HP_INPUTS_DUMP_NAME_H

#include "base/span.h"

// The facts that the file name of a dump contains. jemalloc's names are
// PREFIX.PID.SEQ.f.heap, or have i, m or u and a number instead of the f: `kind` is that
// letter. gperftools' names are NAME.NNNN.heap and NAME_PID.NNNN.heap; for these `kind`
// is NUL. For a name of unknown form all members are 0.
struct hp_dump_name {
    struct hp_span series; // within the path, jemalloc only: "PREFIX.PID"
    uint64_t pid;          // 0: not in the name
    uint64_t number;       // SEQ or NNNN, if has_number is set
    bool has_number;
    char kind;
};

// Parse the last component of a path. The result points into `path`.
struct hp_dump_name hp_dump_name_of(const char *path);

#endif
