// What the preloaded library says to people.
#ifndef HP_SAMPLER_COMPLAIN_H
#define HP_SAMPLER_COMPLAIN_H

// "hprof-sampler: WHAT'WHICH': WHY" on standard error, by one plain system call.  `which` and
// `why` may be NULL.
void hp_complain(const char *what, const char *which, const char *why);

#endif
