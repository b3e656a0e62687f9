// The stacks of a dump, each thread apart.
//
// A thread is two labels, as in pprof's profiles: "thread", its name if it has one, and
// "thread_id".
#ifndef HP_CALC_THREADS_H
#define HP_CALC_THREADS_H

#include "model/dump.h"

// Make of each stack whose threads are told one for each.  What is in use is taken from the
// objects that it lists, if there are some and `by_list`, else from the counts.
void hp_threads_split(struct hp_dump *dump, bool by_list);

// Of a dump that is split drop the stacks of all threads but those of one name or number ("7"
// or "t7").
void hp_threads_keep(struct hp_dump *dump, const char *thread);

#endif
