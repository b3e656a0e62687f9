// A file (or pseudo file) that code was mapped from, wherever each process had it.
#ifndef HP_MODEL_MODULE_H
#define HP_MODEL_MODULE_H

#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

enum hp_module_kind {
    HP_MODULE_NONE,   // frames in no mapping: their offset is the absolute address
    HP_MODULE_FILE,   // mapped from `path`
    HP_MODULE_PSEUDO, // "[vdso]", "[anon]", ...: nothing to open
};

// A file of one host; {0} if it is not known.
struct hp_file_id {
    uint64_t device; // major << 32 | minor
    uint64_t inode;
};

// How places in a file are named.  The memory map gives the virtual address that ELF headers have, and
// that addr2line, nm and debuggers take, if it shows where the image begins.  Profiles of 32-bit
// processes, and pprof profiles that leave out the first row of a file, give the offset in the file alone.
enum hp_address_kind {
    HP_ADDRESS_VIRTUAL,
    HP_ADDRESS_OFFSET,
    HP_ADDRESS_KINDS,
};

// A run of executable text as the process had it mapped, neighboring rows joined: `size` bytes at an address
// of the module's kind, and at an offset in the file.
struct hp_extent {
    uint64_t address, size, offset;
    bool has_hole; // part of it had been moved to anonymous (huge) pages
};

// Why the frames of a module have, or have no, names.
enum hp_sym_status {
    HP_SYM_NOT_TRIED,
    HP_SYM_DWARF,       // functions, inlined calls and lines
    HP_SYM_SYMTAB,      // function names only
    HP_SYM_EMBEDDED,    // symbols embedded in the dumps
    HP_SYM_NO_FILE,     // nothing at the path, or not a regular file
    HP_SYM_UNREADABLE,  // the system does not let it be opened or read
    HP_SYM_OTHER_BUILD, // the file there is not the one that was mapped
    HP_SYM_NOT_COMPARED, // nothing of the code that ran can be compared with the file there
    HP_SYM_STRIPPED,     // neither debug information nor symbols
    HP_SYM_DAMAGED,      // not ELF, or its structure contradicts itself
    HP_SYM_UNSUPPORTED, // a machine, class or form that is not read
    HP_SYM_OVER_BUDGET, // took more steps or time than any honest file needs
    HP_SYM_NO_MEMORY,   // it ran out while the file was read
    HP_SYM_NO_PROCESS,  // the system gave no process to read it in
    HP_SYM_KILLED,      // somebody else has killed the process that read it
    HP_SYM_RUN_OVER,    // the time for all modules was used up before
    HP_SYM_NOT_BUILT,   // this program reads none
};

// What a pprof profile says it has resolved of a mapping; bits.
enum hp_resolved {
    HP_RESOLVED_FUNCTIONS = 1 << 0,
    HP_RESOLVED_FILES = 1 << 1,
    HP_RESOLVED_LINES = 1 << 2,
    HP_RESOLVED_INLINES = 1 << 3,
    HP_RESOLVED_ALL = (1 << 4) - 1,
};

// Which files hold the code that ran.  Each dump is compared for itself.
enum hp_proof {
    HP_PROOF_NONE, // nothing was compared: no names are asked for, or the input has the build id
    HP_PROOF_NO_FILE, // there is no file to compare with
    HP_PROOF_UNCHECKED, // nothing of the code can be compared: the layout of the file is that of the dump
    HP_PROOF_OPEN,    // there are files, and none fits
    HP_PROOF_STAMPED, // a partial tells of the file that its dumps were proven to have run, and it is not at hand
    HP_PROOF_FITS, // all return addresses of the dump follow calls in the file, or their callers excuse them
};

// How far the file that names come from is the one that ran.  With a prover this follows from the proof:
// HP_BUILD_FITS, HP_BUILD_ODD_ONE, HP_BUILD_OTHER or HP_BUILD_UNCHECKED.  Without, as in jeprof, the return
// addresses of all inputs together decide.
enum hp_build_verdict {
    HP_BUILD_UNCHECKED, // nothing could be checked, or a build id has told
    HP_BUILD_FITS,
    HP_BUILD_ODD_ONE, // one address does not fit, or some that callers excuse: made by hand
    HP_BUILD_DOUBTED, // one of few, or something else speaks against the file as well
    HP_BUILD_DIFFERS, // several do not fit
    HP_BUILD_OTHER,   // so many that names would be wrong: there are none
};

// Distinct return addresses of a module: of the dump that misfits most, or without a prover of all inputs.
struct hp_return_check {
    enum hp_build_verdict verdict;
    bool lacks_rules;         // its machine is one of which no calls are known
    uint32_t checked, failed; // that follow no call, in the file
};

// Parts of its debug information that were needed.
struct hp_debug_parts {
    uint32_t all;
    uint32_t foreign; // that libdw has read, and not we
};

// Identity is (kind, path, deleted, told_id, addresses, span, extents, proof, builds, stamp): two builds at one path
// stay two.
struct hp_module {
    enum hp_module_kind kind;
    enum hp_address_kind addresses; // of its extents and frames
    hp_string path;                 // without " (deleted)"
    bool deleted;      // the file had been unlinked or replaced when the dump was made
    hp_string told_id; // the build id as inputs tell it, or ""
    uint64_t span;     // from its first mapped byte to its last, in the address space
    uint32_t first_extent, extents; // in profile->extents, by address
    enum hp_proof proof;
    // The files of HP_PROOF_FITS and HP_PROOF_UNCHECKED: what their code is known by, in order, with ',' between;
    // several only if the same code is in all of them wherever the dumps have an address.
    hp_string builds;
    // The one file that the dumps of a partial were proven to have run, by its build id, or the digest of its
    // code, as in `builds`; "": it was not proven, or is not known by one id.
    hp_string stamp;
    unsigned resolved; // enum hp_resolved: what all inputs say that they have of it

    // The first and last in order of those that inputs tell.
    struct hp_file_id lowest_file, highest_file;

    uint32_t dumps; // dumps of this build that were compared with files
    bool
        has_partials; // partials of several dumps have it, too: their dumps are not counted
    // Of the dump in which most addresses misfit the file that fits best.
    struct hp_return_check misfits;

    enum hp_sym_status status; // the rest is what sym/ found
    hp_string note;            // one sentence more on the status, or ""
    hp_string build_id;        // the file's in lower-case hex, or what was told, or ""
    hp_string symbols_from;    // the file whose symbols are used, or ""
    struct hp_return_check returns;
    struct hp_debug_parts units, line_programs;
    // Calls that were inlined, or lines, that the file promises; of HP_SYM_EMBEDDED, that it may have,
    // but could not be read in this run.
    bool lacks_inlines;
    // Another build has this file name; only looked for where functions are known by where they begin.
    bool shares_name;
    bool is_at_own_path; // the file was found where the inputs say
    int64_t modified;    // its mtime, seconds since 1970; 0 if there is none
};

// Whether something of the code that ran can be compared with files: where calls returned to, or the layout.
bool hp_module_is_compared(const struct hp_module *module);

// Whether names are those of the build that ran.
static inline bool hp_proof_has_names(enum hp_proof proof) {
    return proof >= HP_PROOF_STAMPED || proof == HP_PROOF_UNCHECKED;
}

int hp_file_id_compare(struct hp_file_id a, struct hp_file_id b);

// Below, above or equal to 0: by address, size and offset, holes apart, the shorter first.
int hp_extents_compare(const struct hp_extent *a, uint32_t a_count,
                       const struct hp_extent *b, uint32_t b_count);

// The build id, or else the digest of the code; "": not known.
hp_string hp_module_build(const struct hp_module *module);

const char *hp_sym_status_text(enum hp_sym_status status);

// It is not the file's fault: another run, with more of what there was too little of, names it.
bool hp_sym_is_of_this_run(enum hp_sym_status status);

#endif
