// Names for frames: functions, inlined calls, files and lines, from ELF and DWARF.
//
// Every byte of a binary is read in a forked child that is handed open files and answers
// on a socket; what it says is checked here before it is believed.  See child.h.
#ifndef HP_SYM_SYMBOLIZER_H
#define HP_SYM_SYMBOLIZER_H

#include "base/err.h"
#include "model/profile.h"

// Give lines to every frame of a file module, and a status, build id and note to every
// module.  Nothing is a failure here: a module may go without names, and says why.
void hp_symbolize(struct hp_profile *profile, const struct hp_symbol_options *options);

// Finds out which builds dumps are of while they are read; NULL where no binaries are read.  The options must outlive
// it.  `programs` are files of any name that may be what the dumps have run; they are copied.
struct hp_prover *hp_prover_new(const struct hp_symbol_options *options,
                                const char *const *programs, size_t program_count);

struct hp_keeper;

// The same with a keeper whose limits, sandbox and child are set, and nothing else.
void hp_symbolize_by(struct hp_profile *profile, const struct hp_symbol_options *options,
                     const struct hp_keeper *keeper);

#endif
