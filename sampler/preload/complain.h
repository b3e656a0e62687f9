// Messages of the preloaded library.
#ifndef HPS_PRELOAD_COMPLAIN_H
#define HPS_PRELOAD_COMPLAIN_H

// Print "hprof-sampler: WHAT 'WHICH': WHY" to standard error with one system call.
// `which` and `why` may be NULL.  Keeps errno.
void hps_complain(const char *what, const char *which, const char *why);

#endif
