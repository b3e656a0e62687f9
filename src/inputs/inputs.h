// The inputs: which there are, whose dumps they are, which of them are used, and what is
// wrong with each.
//
// Map of src/inputs, in the order in which to read it:
//
//  input.h          struct hp_input_record: everything about one input except its stacks;
//                   hp_input_is_used() is the only place that says whether it is used
//  dump_name.h      what the name of a dump says    identity.h: what identifies a process
//  processes.h      which dumps are of one process, and the dump of each that is used
//  process_keys.h   the processes that a merged profile lists
//  duplicates.h     equal contents, and equal samples
//  diagnosed.h      defects of inputs, by kind
//  account.h        statistics of allocator and kernel; recent.h: recent allocations
//  annotations.h    comments and links of pprof profiles
//  this file        the table of all inputs
//
// An input is represented in four ways:
//   1. struct hp_input_record, in `records`: each input that a report may show.  With
//      is_group it represents many inputs, which are only counted.  The library API shows
//      its member `public`.
//   2. A packed row of such a record, while it is not known whether the input is lone:
//      lib/lone_inputs.h.
//   3. struct hp_known_dump, in `known`: the identity of a dump that must not be added
//      again, but has no record.
//   4. struct hp_named_dump, in `named`: the name of such a dump.
// Lists that are sorted to find equal inputs refer to one of these.
//
// Invariants: records are sorted by name once all inputs have been read, and refer to
// labels, processes and programs by number.  Sums over inputs do not depend on their
// order.
#ifndef HP_INPUTS_INPUTS_H
#define HP_INPUTS_INPUTS_H

#include "base/strtab.h"
#include "base/vec.h"
#include "inputs/account.h"
#include "inputs/annotations.h"
#include "inputs/diagnosed.h"
#include "inputs/input.h"
#include "inputs/process_keys.h"
#include "inputs/processes.h"
#include "inputs/recent.h"

// One label of an input; key and value are in the strings of the profile.
struct hp_label {
    hp_string key, value;
};

// A dump that a partial contains, as identified by hp_dump_identity() and
// hp_process_identity().
struct hp_known_dump {
    uint64_t process; // identity of its process; 0: unknown
    uint64_t id[2];   // identity of the dump: 64 bits and 16 bits
    // Digest of its bytes; 0: unknown, because an older version wrote the partial.
    uint64_t content;
    uint32_t pid;    // hash of the process id in its name; 0: the name has none
    uint32_t source; // number of that partial, as in struct hp_input_record
    bool is_base;    // dump of the base side of a diff
};

// A dump that has no record of its own, but a known name.  The texts are in the blocks of
// the profile.
struct hp_named_dump {
    uint64_t id[2];
    const char *name, *archive; // archive: "" if the file is in none
};

// Pairs of two inputs with identical samples: number of pairs, and names of one pair.
struct hp_equal_samples {
    size_t pairs;
    const char *first, *second; // names in `texts` of struct hp_inputs
};

// Processes that ran one after another, and the dump of the newest process that is used.
struct hp_consecutive {
    size_t count;    // number of processes; 0: they are not known to be consecutive
    uint32_t newest; // number of the input with that dump
    hp_fixed bytes;  // bytes of that dump
};

// Everything that is known about the inputs except their stacks: which there are, whose
// dumps they are, which of them are used, and what is wrong with them.
struct hp_inputs {
    HP_VEC(struct hp_input_record) records; // records of all inputs, sorted by name
    HP_VEC(char *) texts;           // names of inputs and archives, from malloc(); owned
    struct hp_strtab programs;      // paths of the main executables of the inputs
    HP_VEC(struct hp_label) labels; // labels of the inputs, indexed by their records
    struct hp_processes processes;  // processes of the inputs
    struct hp_consecutive consecutive[HP_SIDES];
    size_t exits[HP_SIDES]; // number of dumps that are used and known to be made at exit
    struct hp_input_summary summary[HP_SIDES];
    // The rounding of large sizes that is known for each input, as enum hp_large_sizes,
    // by the number of the input; HP_LARGE_AUTO beyond its end.
    HP_VEC(unsigned char) known_large_sizes;
    // Identities of the dumps in partials, and of dumps without a record of their own.
    HP_VEC(struct hp_known_dump) known;
    // Names of the dumps with the largest and smallest totals.
    HP_VEC(struct hp_named_dump) named;
    // Number of lone inputs, which have no records but are part of groups: each is the
    // only dump of its process.
    size_t lone;
    size_t lone_exits; // number of exit dumps among `lone`
    // Defects of the dumps in partials that have no record of their own: how many dumps
    // have each kind of defect, [0] on the new side and [1] on the base side.
    struct hp_diagnosed diagnosed[2][HP_DIAGNOSTICS];
    // [0]: pairs whose inputs are of one process, or of unknown processes; [1]: pairs of
    // inputs of two processes.
    struct hp_equal_samples equal_samples[2];
    // Allocator and kernel statistics of inputs that have them.
    HP_VEC(struct hp_account) accounts;
    // Recent allocations of the only input, if they were requested.
    struct hp_recent recent;
    struct hp_annotations annotations;
    // identity.time of each used input is the time of its dump: from an option, or from
    // its content.
    bool have_times;
    bool have_alloc; // some input has totals of allocated memory (prof_accum)
    // Number of a section of a partial that only later versions know, and the name of that
    // partial; 0: there is none.
    unsigned later_section;
    const char *later_name;
    bool lack_identities; // an input is a partial without the identities of its dumps
    // Number of addresses of dumps with more bits than an address can have
    // (input/address_tags.h).
    uint64_t tagged_addresses;
    // Number of addresses of dumps in libraries that had been unloaded.
    uint64_t unloaded_addresses;
    // Number of addresses of generated code that no name was found for.
    uint64_t generated_addresses;
};

// Free everything that is in *inputs, but not the struct.
void hp_inputs_done(struct hp_inputs *inputs);

// Compute the summaries of the inputs: of all, and of each side of a diff.  To be called
// when the records of all inputs are complete.
void hp_inputs_summarize(struct hp_inputs *inputs);

// Copy a text to inputs->texts, which owns the copy.
const char *hp_inputs_keep_text(struct hp_inputs *inputs, struct hp_span text);

// Return the number of used inputs of one side of a diff that have one kind of defect,
// and the identities of some: inputs that have a record, and dumps that are only counted
// in inputs->diagnosed.
struct hp_diagnosed hp_inputs_diagnosed(const struct hp_inputs *inputs, bool is_base,
                                        enum hp_diagnostic_kind kind);

// Return what identifies the dump of a record.
struct hp_known_dump hp_known_dump_of(const struct hp_input_record *input);

// Return the name of the input with an identity (hp_dump_identity()); NULL if it is
// unknown.  If several inputs have the identity, the first name in byte order is
// returned.
const char *hp_inputs_name_of(const struct hp_inputs *inputs, struct hp_digest id);

#endif
