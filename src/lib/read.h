// Read many inputs into one profile, with several threads.
//
// Map of src/lib, the part of the library that knows the order of steps; src/lib.c is the
// public API on top of it:
//
//  read.h           hp_read_inputs(), the entry point; read.c has all steps in order
//  workers.h        threads that read and merge inputs: struct hp_job; they write stacks
//                   to files when memory is limited
//  input_queue.h    files and members of archives, one after the other
//  dump_check.h     is a dump usable?   cut_dumps.h: truncated dumps
//  given_map.h      --maps              unloaded.h: libraries that were unloaded
//  perf_maps.h      --perf-map          names of generated code
//  metadata.h       times, labels, processes of inputs
//  input_groups.h, lone_inputs.h        inputs that are counted, not listed
//  partial_inputs.h partials; also partial_overlaps.c, partial_proof.h
//  file_names.h, restore_names.c        function names for partials and pprof
//  accounts.h, recents.h                entry points for dumps with statistics
//  warnings.h       sentences for the reader; moments.c, module_warnings.c
//  redact.h, dump_lists.c               further parts of the public API
//
// Terms (see also model/profile.h):
//   job            one read of many inputs by several threads (workers), struct hp_job
//   group          inputs without records of their own: one record has their sums
//   lone input     an input that shares its process and its content with no other input
//   moment         a time at which a process wrote a dump; of several moments of a
//                  process only one is used, unless options say otherwise
//   shard set      partials that share the stacks of one profile, one shard each or more
//   given map      the memory map of --maps, for inputs that have none
//
// Invariants: workers change only their own profile, and shared parts of the job only
// under its lock.  Results do not depend on the number of threads or on the order of
// inputs.  Records of inputs (inputs/input.h) are in profile->inputs.records once they
// have been read, except for inputs that are only part of a group.
#ifndef HP_LIB_READ_H
#define HP_LIB_READ_H

#include "model/profile.h"

// Read inputs as hp_profile_read() does, but leave it to the caller to sort the profile
// and to write the warnings about inputs.
HP_MUST_CHECK int hp_read_inputs(struct hp_profile *profile, const char *const *paths,
                                 size_t count, const struct hp_read_options *options,
                                 struct hp_err *err);

// Replace short function names of pprof inputs by full ones where they follow from the
// linker's names.  Mangled names are demangled in a child process in the sandbox; on
// failure they stay, and a warning says so.
void hp_restore_names(struct hp_profile *profile, enum hp_sandbox sandbox);

#endif
