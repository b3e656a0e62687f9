// One dump, as its file describes it: addresses of the process, its memory map, and the
// counts as printed.
#ifndef HP_MODEL_DUMP_H
#define HP_MODEL_DUMP_H

#include "base/err.h"
#include "base/span.h"
#include "base/strtab.h"
#include "base/values.h"
#include "base/vec.h"
#include "inputs/annotations.h"
#include "inputs/input.h"
#include "model/module.h"
#include "model/tags.h"

// One row of the memory map of a process.
struct hp_mapping {
    uint64_t start, end; // [start, end)
    uint64_t offset;     // offset in the mapped file
    bool lacks_offset;   // the file does not say the offset, which is then 0
    // Points into the text or the strings of the dump; without " (deleted)".
    struct hp_span path;
    struct hp_file_id file;
    hp_string build_id; // as the file says, in dump->strings; "" if it does not
    bool executable;
    bool reserved;  // "---p": addresses without memory
    bool deleted;   // the file was unlinked before the dump was made
    bool is_shared; // writes are seen by other mappings: "r-xs"
    // Unmapped before the dump was made; known from other dumps of the process.
    bool is_unloaded;
    // Addresses are those of the ELF headers, not those of a process.
    bool has_elf_addresses;
    unsigned char resolved; // as in struct hp_module
};

// The printed counts of one thread in one stack: a line such as "t3".
struct hp_thread_line {
    uint64_t thread;
    struct hp_counts counts;
};

// One live sampled object, as some dumps list it in addition to the counts of its stack.
struct hp_listed {
    uint64_t size, thread;
    uint64_t age; // nanoseconds since its allocation, when the dump was made
};

// Rare properties of a stack, which few dumps contain.
struct hp_stack_extra {
    size_t first_listed;  // index in dump->listed
    uint32_t listed;      // number of listed objects
    hp_string tags;       // set of labels of the stack, in dump->tag_sets
    uint64_t object_size; // bytes of each of its objects, if a label says so; 0: unknown
    size_t values_end;    // index after its last value in dump->values; 0: all are 0
};

// Name of a further sample type, in dump->strings.  Its values are used without scaling.
struct hp_dump_type {
    hp_string type, unit;
    bool is_space; // its unit is bytes
};

// A thread that has a name.
struct hp_thread {
    uint64_t number;
    hp_string name; // string in dump->strings
};

// One stack: its counts, and where its frames and threads are.
struct hp_dump_stack {
    struct hp_counts counts; // counts of all threads: the "t*" line
    size_t first_frame;      // index in dump->frames, leaf first
    size_t first_line;       // index in dump->thread_lines
    uint32_t depth;
    uint32_t lines; // number of lines of threads; may be 0 if a single thread has all
};

// A symbol embedded in the dump: one call at an address.  All texts are in dump->strings.
struct hp_embedded_call {
    hp_string function, file; // "" if unknown
    hp_string linkage; // name that the linker uses; "" if the function has no other name
    uint32_t line;     // 0 if unknown
    uint32_t start_line, column; // 0 if unknown; as in struct hp_line
};

// The embedded symbols of one address within a call instruction.
struct hp_embedded_address {
    uint64_t address; // the address, or its index in dump->addresses if dump->has_rows
    uint32_t first_call, calls; // range in dump->embedded_calls, innermost call first
    bool is_generated;          // from a map of generated code
    bool is_disputed;           // that map has several names for it
};

// A defect of an input, and the line of the file that has it.
struct hp_diagnostic {
    const char *what; // a string constant; NULL: no defect
    uint64_t line;
};

enum {
    HP_PRODUCER_WARNING_SIZE = 512, // bytes; longer warnings are truncated
};

// One dump.  Vectors keep their memory from one dump to the next, so that reading many
// dumps allocates little.  {0} is empty.
struct hp_dump {
    enum hp_producer producer;
    // Scaling that the format implies; HP_SCALING_NONE_SEEN: only the numbers show it.
    enum hp_scaling scaling;
    unsigned missing_metrics; // 1 << each metric for which the format has no number
    bool is_first_version; // written as "heap/N", which jeprof scales by another formula
    uint64_t period;       // mean bytes between samples, from the header
    // The file has a total of its stacks: `header` and the two members after it.
    bool has_totals;
    struct hp_counts header;
    uint64_t header_line;       // line of the file with the total
    uint64_t header_threads;    // number of threads, from the header
    HP_VEC(uint64_t) addresses; // distinct addresses (nearly: "0x1" and "0x01" are two)
    HP_VEC(uint32_t) frames;    // indices in `addresses`
    HP_VEC(struct hp_dump_stack) stacks;
    HP_VEC(struct hp_thread_line) thread_lines;
    HP_VEC(struct hp_stack_extra) extras; // by stack; stacks beyond its end have none
    HP_VEC(struct hp_listed) listed;
    HP_VEC(struct hp_thread) threads; // only threads that have a name
    struct hp_strtab tag_sets; // sets of labels (tags.h); their texts are in `strings`
    HP_VEC(struct hp_dump_type) types;
    HP_VEC(int64_t) values; // for stacks that have further values: one of each of `types`
    struct hp_annotations annotations; // their texts are in `strings`
    struct hp_slabs slabs; // fill of the allocator's slabs, if the dump shows it
    HP_VEC(struct hp_mapping) mappings; // rows of the map, by start, disjoint
    // If has_rows: for each address, 1 + the index of its mapping; 0: no mapping.
    HP_VEC(uint32_t) rows;
    bool has_rows; // `rows` is set; mappings are then in any order and may overlap
    // Path of the main executable, or ""; owned like the paths of mappings.
    struct hp_span program_path;
    // Sorted once hp_dump_settle_embedded() was called.
    HP_VEC(struct hp_embedded_address) embedded;
    HP_VEC(struct hp_embedded_call) embedded_calls;
    // Texts that are not contained literally in the text of the dump.
    struct hp_strtab strings;

    // Error in the compressed data, after which the rest of the dump is missing, with the
    // last line before it; code HP_OK: none.
    struct hp_err cut;
    struct hp_diagnostic damage; // why the dump may be incomplete
    bool lacks_map; // the only damage is that the dump ends before its memory map
    char producer_warning[HP_PRODUCER_WARNING_SIZE]; // as one line; "" if there is none
    uint64_t producer_warning_line;
    // This and `malformed` ... `negative`: as in struct hp_input_record.
    const char *expected;
    struct hp_diagnostic_count malformed, unknown, wrapped, overlaps;
    uint64_t negative;
    uint64_t tagged;       // number of addresses with more bits than an address can have
    uint64_t bytes, lines; // size of the uncompressed text
    struct hp_digest content, samples;
    struct hp_digest map; // this, `map_start` and `map_end`: as in struct hp_identity
    uint64_t map_start, map_end;
    bool is_merged; // it merges several processes, and names them in `process_keys`
    struct hp_process_keys process_keys;
    // Number of inputs it was merged from, used and in all; 0: it is a single dump.
    uint32_t merged_used, merged_all;
};

void hp_dump_clear(struct hp_dump *dump); // empties the dump; vectors keep their memory
void hp_dump_done(struct hp_dump *dump);  // frees all memory

// Record a warning that the writer printed.  Several lines are joined by a space.
void hp_dump_producer_warning(struct hp_dump *dump, struct hp_span text, uint64_t line);

// Count a malformed line.  The first one also records what was expected instead;
// `expected` must be a constant.
void hp_dump_malformed(struct hp_dump *dump, const char *expected, uint64_t line);

// For each address of a dump, whether it is in jemalloc's own library, where the leaf
// frames of most stacks are.  The answers are computed on demand and cached.  {0} is an
// empty cache; it must not be used for another dump.
struct hp_dump_owners {
    HP_VEC(unsigned char) of;
};

// Return the first frame from the leaf that is outside jemalloc's own library, as an
// index in dump->addresses, or UINT32_MAX for an empty stack.  If all frames are in that
// library, the root is returned.
uint32_t hp_dump_site(const struct hp_dump *dump, struct hp_dump_owners *owners,
                      const struct hp_dump_stack *stack);

// Return the extra properties of the stack that is pushed next to dump->stacks, for the
// caller to fill in.  The pointer is valid until the next call.
struct hp_stack_extra *hp_dump_next_extra(struct hp_dump *dump);
// Return the further values of stack i, one for each of dump->types, or NULL if all are
// 0.
const int64_t *hp_dump_values(const struct hp_dump *dump, size_t i);

// Undoes hp_dump_next_extra() if the stack is not pushed after all.
void hp_dump_drop_extra(struct hp_dump *dump);

// Return the extra properties of stack i, or {0} if it has none.
static inline struct hp_stack_extra hp_dump_extra(const struct hp_dump *dump, size_t i) {
    static const struct hp_stack_extra none;
    return i < dump->extras.count ? dump->extras.at[i] : none;
}

// Assign the calls that were pushed to dump->embedded_calls since the last call to
// `address`.  If the last call was for the same address, they are appended to its calls:
// they are callers of the inlined calls before.
void hp_dump_embed(struct hp_dump *dump, uint64_t address);

// Sort the embedded symbols by address.  If an address has symbols more than once, the
// first are kept.
void hp_dump_settle_embedded(struct hp_dump *dump);

// Return the symbols of the call that returns to dump->addresses.at[i], otherwise those
// of the address itself, or NULL.
const struct hp_embedded_address *hp_dump_embedded(const struct hp_dump *dump, size_t i);

#endif
