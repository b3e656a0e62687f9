// What the preloaded library says to people.
#ifndef HPS_PRELOAD_COMPLAIN_H
#define HPS_PRELOAD_COMPLAIN_H

// "hprof-sampler: WHAT'WHICH': WHY" on standard error, by one plain system call.  `which` and
// `why` may be NULL.
void hps_complain(const char *what, const char *which, const char *why);

#endif
