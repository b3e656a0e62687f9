// A module: a file (or pseudo file) that code was mapped from, independently of the
// addresses at which each process had mapped it.
#ifndef HP_MODEL_MODULE_H
#define HP_MODEL_MODULE_H

#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

// Kinds of modules.
enum hp_module_kind {
    HP_MODULE_NONE,   // frames in no mapping: their offset is the absolute address
    HP_MODULE_FILE,   // mapped from the file `path`
    HP_MODULE_PSEUDO, // "[vdso]", "[anon]", ...: there is no file to open
};

// Path of the module of generated code, and name of its frame: calc/generated.h.
#define HP_GENERATED_MODULE "[jit]"

// Identity of a file on one host; {0} if unknown.
struct hp_file_id {
    uint64_t device; // major << 32 | minor
    uint64_t inode;
};

// How places in a file are numbered.  The memory map gives the virtual address of the ELF
// headers, which addr2line, nm and debuggers also use, if it shows where the image
// begins.  Profiles of 32-bit processes, and pprof profiles without the first row of a
// file, give only the offset in the file.
enum hp_address_kind {
    HP_ADDRESS_VIRTUAL, // address of the ELF headers
    HP_ADDRESS_OFFSET,  // offset in the file
    HP_ADDRESS_KINDS,
};

// A contiguous range of executable code as the process had mapped it, with adjacent rows
// of the memory map joined.  It has `size` bytes, begins at `address` (of the address
// kind of the module) and at `offset` in the file.
struct hp_extent {
    uint64_t address, size, offset;
    bool has_hole; // part of the code had been moved to anonymous (huge) pages
};

// Result of symbolizing a module: why its frames have names, or why they have none.
enum hp_sym_status {
    HP_SYM_NOT_TRIED,    // symbolization was not requested
    HP_SYM_DWARF,        // functions, inlined calls and lines, from debug information
    HP_SYM_SYMTAB,       // only function names, from the symbol table
    HP_SYM_EMBEDDED,     // names embedded in the dumps
    HP_SYM_NO_FILE,      // no file at the path, or not a regular file
    HP_SYM_UNREADABLE,   // no permission to open or read the file
    HP_SYM_OTHER_BUILD,  // the file at the path is not the one that was mapped
    HP_SYM_NOT_COMPARED, // no part of the code that ran can be compared with the file
    HP_SYM_STRIPPED,     // the file has neither debug information nor symbols
    HP_SYM_DAMAGED,      // not an ELF file, or its structure contradicts itself
    HP_SYM_UNSUPPORTED,  // a machine, class or format that is not supported
    HP_SYM_OVER_BUDGET,  // needed more steps or time than any valid file needs
    HP_SYM_NO_MEMORY,    // memory ran out while the file was read
    HP_SYM_NO_PROCESS,   // no process could be started to read the file in
    HP_SYM_KILLED,       // the process that read the file was killed from outside
    HP_SYM_RUN_OVER,     // the time budget of all modules together was used up before
    HP_SYM_NOT_BUILT,    // this program was built without a reader of binaries
};

// Bit flags: the parts of a mapping that a pprof profile claims to have resolved.
enum hp_resolved {
    HP_RESOLVED_FUNCTIONS = 1 << 0,
    HP_RESOLVED_FILES = 1 << 1,
    HP_RESOLVED_LINES = 1 << 2,
    HP_RESOLVED_INLINES = 1 << 3,
    HP_RESOLVED_ALL = (1 << 4) - 1,
};

// Whether the file that holds the code that ran was found.  Each dump is compared
// separately.
enum hp_proof {
    // Nothing was compared: names were not requested, or the input has the build id.
    HP_PROOF_NONE,
    HP_PROOF_NO_FILE, // there is no file to compare with
    // No code can be compared, but the layout of the file is that of the dump.
    HP_PROOF_UNCHECKED,
    HP_PROOF_OPEN, // there are files, and none of them fits
    // A partial records which file its dumps ran, and that file is not available.
    HP_PROOF_STAMPED,
    // All return addresses of the dump follow calls in the file, or their callers excuse
    // them.
    HP_PROOF_FITS,
};

// How well the file that provides the names matches the one that ran.  With a prover the
// verdict follows from the proof, and is HP_BUILD_FITS, HP_BUILD_ODD_ONE, HP_BUILD_OTHER
// or HP_BUILD_UNCHECKED.  Without a prover, as in jeprof mode, the return addresses of
// all inputs together decide.
enum hp_build_verdict {
    HP_BUILD_UNCHECKED, // nothing could be checked, or the build id decided
    HP_BUILD_FITS,      // every return address that was checked follows a call
    // One address does not fit, or several do not whose callers are hand-written code.
    HP_BUILD_ODD_ONE,
    // One of few addresses does not fit, or there is other evidence against the file.
    HP_BUILD_DOUBTED,
    HP_BUILD_DIFFERS, // several addresses do not fit
    // Too many addresses do not fit: names would be wrong, so none are used.
    HP_BUILD_OTHER,
};

// Result of checking distinct return addresses of a module: in the dump that fits worst,
// or without a prover in all inputs together.
struct hp_return_check {
    enum hp_build_verdict verdict;
    // Call instructions of its machine are unknown, so nothing can be checked.
    bool lacks_rules;
    // Number of addresses checked, and of those that follow no call in the file.
    uint32_t checked, failed;
};

// Number of parts (DWARF units, or line programs) of a module's debug information that
// were needed.
struct hp_debug_parts {
    uint32_t all;     // number of all parts that were needed
    uint32_t foreign; // number of those that libdw had to read instead of our own reader
};

// One module of a profile.  Its identity is (kind, path, deleted, build id, addresses,
// span, extents, proof, builds, stamp): two builds at one path remain two modules.
struct hp_module {
    enum hp_module_kind kind;
    enum hp_address_kind addresses; // address kind of its extents and frames
    hp_string path;                 // without " (deleted)"
    bool deleted; // the file had been unlinked or replaced when the dump was made
    // Build id in lower-case hex, as the inputs give it, or "".
    hp_string recorded_build_id;
    // Bytes of address space from its first mapped byte to its last; 0: unknown.
    uint64_t span;
    uint32_t first_extent, extents; // range in profile->extents, by address
    enum hp_proof proof;
    // For HP_PROOF_FITS and HP_PROOF_UNCHECKED: ids of the files that fit, each a build
    // id or a digest of its code, sorted and separated by ','.  There are several only if
    // their code is identical wherever the dumps have an address.
    hp_string builds;
    // Id of the one file that the dumps of a partial were proven to have run, in the form
    // of `builds`; "": not proven, or there is not exactly one id.
    hp_string stamp;
    unsigned resolved; // enum hp_resolved: what every input claims to have resolved in it

    // The smallest and the largest file identity that the inputs give.
    struct hp_file_id lowest_file, highest_file;

    uint32_t dumps; // number of dumps of this build that were compared with files
    // Partials of several dumps also have this module; their dumps are not included in
    // `dumps`.
    bool has_partials;
    // No file fits all of its dumps: it has only stacks of partials, each of which fits.
    bool is_by_stacks;
    // The check of the dump in which most addresses do not fit the best file.
    struct hp_return_check misfits;

    enum hp_sym_status status; // this and all members below were found by sym/
    hp_string note;            // one more sentence about the status, or ""
    // Build id of the file in lower-case hex, or the one of the inputs, or "".
    hp_string build_id;
    hp_string symbols_from;         // path of the file whose symbols are used, or ""
    struct hp_return_check returns; // result of the check of return addresses
    // Parts of the debug information that were needed.
    struct hp_debug_parts units, line_programs;
    // The file promises inlined calls or lines that could not be read in this run.  For
    // HP_SYM_EMBEDDED: the file may have them.
    bool lacks_inlines;
    // The file has no symbols, but texts of jemalloc: the allocator is linked into it.
    bool has_jemalloc;
    // The number of addresses in functions whose start is known, but not their name.
    uint32_t nameless;
    // Another build has the same file name.  This is only determined where functions are
    // identified by their start address.
    bool shares_name;
    bool is_at_own_path; // the file was found at the path of the inputs, not elsewhere
    // Modification time of the file, in seconds since 1970; 0 if there is none.
    int64_t modified;
};

// Whether part of the code that ran can be compared with files: return addresses, or the
// layout.
bool hp_module_is_compared(const struct hp_module *module);

// Whether names of the build that ran are available.
static inline bool hp_proof_has_names(enum hp_proof proof) {
    return proof >= HP_PROOF_STAMPED || proof == HP_PROOF_UNCHECKED;
}

// Compare by device, then inode.  Returns a number below, above or equal to 0.
int hp_file_id_compare(struct hp_file_id a, struct hp_file_id b);

// Compare lists of extents: by length, then by address, size and offset of each; holes
// are ignored.  Returns a number below, above or equal to 0.
int hp_extents_compare(const struct hp_extent *a, uint32_t a_count,
                       const struct hp_extent *b, uint32_t b_count);

// Keep in `known` the check of the dump with the most misfits, independently of the order
// of dumps.
void hp_return_check_join(struct hp_return_check *known,
                          const struct hp_return_check *other);

// Return the id of the build: the build id, else the stamp, else the ids of `builds`; ""
// if unknown.
hp_string hp_module_build(const struct hp_module *module);

// Return a short description for reports: "file not found".
const char *hp_sym_status_text(enum hp_sym_status status);

// Whether the failure was caused by lack of resources in this run, not by the file:
// another run may succeed.
bool hp_sym_is_of_this_run(enum hp_sym_status status);

#endif
