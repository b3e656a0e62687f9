// What the name of a dump says of its process.
#ifndef HP_INPUT_DUMP_NAME_H
#define HP_INPUT_DUMP_NAME_H

#include "base/span.h"

// jemalloc's PREFIX.PID.SEQ.f.heap, or with i, m or u and a number for the f: `kind` is the
// letter.  Of gperftools' NAME.NNNN.heap and NAME_PID.NNNN.heap `kind` is NUL; so it is of any
// other name, which says nothing.
struct hp_dump_name {
    struct hp_span series; // of jemalloc, in the path: "PREFIX.PID"
    uint64_t pid;          // 0: not told
    uint64_t number;       // SEQ or NNNN, if has_number
    bool has_number;
    char kind;
};

struct hp_dump_name hp_dump_name_of(const char *path);

#endif
