// Write heap profiles of a process before it is killed: a vendored file for programs, and
// the library libhprof-capture.so for LD_PRELOAD.  To use it in a program, copy
// hprof_capture.c and this header, compile them as C11 or C++17, and link with -pthread
// -ldl.  No other file is needed.
//
//     struct hprof_capture_options options = {0};
//     options.folder = "/var/tmp/dumps";
//     hprof_capture_start(&options);
//
// A thread then writes sets: folders with a heap profile, statistics and files of /proc.
// The allocator makes the profile, so its profiling has to be on.
#ifndef HPROF_CAPTURE_H
#define HPROF_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The options; zeroed members have the default in parentheses.
struct hprof_capture_options {
    const char *folder; // where to write sets (the working directory's hprof-sets)
    // Write a heap profile to `path`; 0 if it is complete (a function of the allocator).
    // With it, the program needs no function that this library could find.
    int (*dump)(const char *path, void *data);
    void *data;     // argument of `dump`
    uint64_t limit; // bytes of memory at which the process is killed (from the system)
    uint32_t every; // seconds between two sets (0: none)
    int signal;     // write a set on this signal (0: none)
    uint32_t keep;  // newest sets of each process to keep, besides the largest (3)
    uint32_t most_sets;  // largest number of sets in the folder (256)
    uint64_t most_bytes; // largest size of all sets in the folder (1 GiB)
    int no_thread; // not 0: sets are written by hprof_capture_now() and at exit only
    int no_exit;   // not 0: write no set at exit
    int shared;    // not 0: the folder belongs to all users, for workers that change user
};

// Start to capture; NULL: with defaults.  Returns 0 or a number of errno: EALREADY after a
// start, ENOTSUP if nothing can make a heap profile.
int hprof_capture_start(const struct hprof_capture_options *options);

// Write a set now, and wait until it is complete.  Not for signal handlers.  Returns 0 or
// a number of errno.
int hprof_capture_now(const char *reason);

#ifdef __cplusplus
}
#endif

#endif
