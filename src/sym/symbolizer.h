// Symbolize a profile: give functions, inlined calls, files and lines to its addresses,
// from the ELF and DWARF of binaries.
//
// Map of this folder:
//   symbolizer.h  entry point: hp_symbolize() asks about one module after another, and
//                 applies the answers once all of them are in
//   builds.h      entry point: hp_prover_new() finds the builds that dumps ran, while
//                 these are read (candidates.h, fits.h, chains.h, stack_fits.h)
//   keeper.h      the parent's side: budgets, retries, and opening files (finder.h)
//   protocol.h    messages between parent and child (packet.h)
//   child.h       the forked child in its sandbox (sandbox.h, starved.h)
//   worker.h      the child's side: image.h, verify.h, symtab.h, demangle.h
//   dwarf.h       functions and inlined calls (debug_info.h, entry.h, scopes.h, names.h),
//                 files and lines (line_program.h)
//   calls.h       whether machine code has a call before a return address
// Terms:
//   code (of a file)      the places in its executable segments that calls return to, and
//                         a digest of these segments: file_code.h
//   code (of a function)  a digest of its instructions: function_code.h
//   code (in DWARF)       the number of an abbreviation: debug_info.h
//   build        files with the same code; one path can have several builds over time
//   stamp        the identity of the build that the dumps of a partial ran
//   fit          a file fits a dump if the return addresses of the dump follow calls
//                in the file
//   misfit       a return address that follows no call in a file
//   candidate    a file that a module may have run; a trial compares it with one dump
//   stranger     a file of --symbol-dir with another name, outside .build-id folders
//   question     the modules, addresses and stacks of a dump that a prover is asked about
//   layout       addresses, sizes and offsets of the executable segments of a module
//   call pair    the return addresses of a frame and of its caller: call_pairs.h
//   DWARF unit   a part of the debug information, mostly of one compiled source file
//   code unit    the alignment of instructions in bytes: file_code.h, calls.h
//   text         executable segments; of a file's code, the places that calls return to
//   row          an entry of a line table: address, source file and line
//   debug file   a file with the debug information of a binary, but without its code
// Data structures: hp_task (the frames of one module), hp_request and hp_answer (what
// crosses the socket), hp_image (an open ELF file), hp_lookup (a module's DWARF query).
// Invariants: every byte of a binary is read in a forked child, which is handed open
// files and opens none itself.  Whatever the child sends is checked before it is used.
// A missing or damaged binary never fails the run: its module gets a status and a note.
// Read protocol.h first, then symbolizer.c, keeper.h and worker.c; the rest as needed.
#ifndef HP_SYM_SYMBOLIZER_H
#define HP_SYM_SYMBOLIZER_H

#include "base/err.h"
#include "model/profile.h"

// Give functions and source lines to every frame of a file module, and a status, build id
// and note to every module.  Never fails: a module that stays without names has the
// reason in its status and note.  `options` may be NULL.
void hp_symbolize(struct hp_profile *profile, const struct hp_symbol_options *options);

// Create a prover, which finds out while dumps are read which builds they are of.
// Returns NULL where the program is built without the symbolizer.  The caller ends it by
// prover->done().  `options` must outlive it.  `programs` are files of any name that the
// dumps may have run; their paths are copied.
struct hp_prover *hp_prover_new(const struct hp_symbol_options *options,
                                const char *const *programs, size_t program_count);

struct hp_keeper;

// Symbolize as hp_symbolize() does, with a copy of `keeper`, which has only its limits,
// sandbox and `serve` set.  The copy is ended here.
void hp_symbolize_by(struct hp_profile *profile, const struct hp_symbol_options *options,
                     const struct hp_keeper *keeper);

#endif
