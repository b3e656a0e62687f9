// What the environment variable HPROF_SAMPLER asks for: KEY:VALUE,KEY:VALUE, as in MALLOC_CONF.
#ifndef HPS_PRELOAD_PREFERENCES_H
#define HPS_PRELOAD_PREFERENCES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct hps_preferences {
    char name
        [PATH_MAX];  // name:PATH         of dumps, absolute; %p is the process (hprof.%p)
    uint64_t period; // lg_sample:N       2^N bytes between samples (19)
    uint64_t seed;   // seed:N            of the random numbers (from the system)
    int signal;      // signal:N|NAME     dump on this signal (none: 0)
    bool unbias;     // unbias:BOOL       as jemalloc's prof_unbias (true)
    bool accum;      // accum:BOOL        tell also of what was freed (false)
    bool truth;      // truth:BOOL        dump also every object (false)
    bool final;      // final:BOOL        dump at exit (true)
    bool thread_name;   // thread_name:BOOL  the system's names of threads (false)
    bool frame_pointer; // unwind:frame-pointer, or unwinder (unwinder)
};

// Each setting that makes no sense is told on standard error and left at its default.  `text`
// may be NULL.
void hps_preferences_read(struct hps_preferences *preferences, const char *text);

#endif
