// Split the stacks of a dump by thread.
//
// A thread is identified by two labels, as in pprof profiles: "thread", its name if it
// has one, and "thread_id".
#ifndef HP_CALC_THREADS_H
#define HP_CALC_THREADS_H

#include "model/dump.h"

// Replace each stack whose threads are known by one stack for each thread.  by_list:
// memory in use is taken from the objects that a stack lists, if there are any; else from
// its counts.
void hp_threads_split(struct hp_dump *dump, bool by_list);

// Drop the stacks of all threads except one, given by name or number ("7" or "t7").  Call
// it after hp_threads_split().
void hp_threads_keep(struct hp_dump *dump, const char *thread);

#endif
