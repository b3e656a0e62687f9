// Read the environment variable HPROF_SAMPLER: KEY:VALUE,KEY:VALUE, as in MALLOC_CONF.
#ifndef HPS_PRELOAD_PREFERENCES_H
#define HPS_PRELOAD_PREFERENCES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

// The settings.  Comments show key and values, the effect, and the default in
// parentheses.
struct hps_preferences {
    // name:PATH  absolute path of dumps; %p is the process id (hprof.%p)
    char name[PATH_MAX];
    uint64_t period;    // lg_sample:N       2^N bytes between samples (19)
    uint64_t seed;      // seed:N            seed of the random numbers (from the system)
    int signal;         // signal:N|NAME     write a dump on this signal (0: none)
    bool unbias;        // unbias:BOOL       like jemalloc's prof_unbias (true)
    bool accum;         // accum:BOOL        also write sums with freed objects (false)
    bool truth;         // truth:BOOL        also write a dump of all objects (false)
    bool final;         // final:BOOL        write a dump at exit (true)
    bool thread_name;   // thread_name:BOOL  use the system's names of threads (false)
    bool frame_pointer; // unwind:frame-pointer, or unwinder (unwinder)
};

// Read the settings from `text`, which may be NULL.  A message is printed for each one
// that is invalid; it keeps its default.
void hps_preferences_read(struct hps_preferences *preferences, const char *text);

#endif
