// One dump, as the file says it: raw addresses, its own mappings, raw counts.
#ifndef HP_MODEL_DUMP_H
#define HP_MODEL_DUMP_H

#include "base/err.h"
#include "base/span.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/annotations.h"
#include "model/input.h"
#include "model/module.h"
#include "model/tags.h"
#include "model/values.h"

// A row of the process's memory map.
struct hp_mapping {
    uint64_t start, end; // [start, end)
    uint64_t offset;     // in the file
    bool lacks_offset;   // that is not told, and 0
    struct hp_span path; // in the dump's text or strings; without " (deleted)"
    struct hp_file_id file;
    hp_string build_id; // as it was told, in dump->strings; "" if it was not
    bool executable;
    bool reserved; // "---p": addresses without memory
    bool deleted;
    bool
        is_unloaded; // it had been when the dump was made: other dumps of the process show it
    bool has_elf_addresses; // addresses are those of the ELF headers, not of a process
    unsigned char resolved; // as in struct hp_module
};

// The share of one thread in one stack.
struct hp_thread_line {
    uint64_t thread;
    struct hp_counts counts;
};

// A sampled object that lives, where a dump lists them one by one.
struct hp_listed {
    uint64_t size, thread;
    uint64_t age; // in ns, when the dump was made
};

// What few dumps tell of a stack.
struct hp_stack_extra {
    size_t first_listed; // in dump->listed
    uint32_t listed;
    hp_string tags;       // its labels, in dump->tag_sets
    uint64_t object_size; // of each of its objects, as a label tells; 0: none does
    size_t
        behind_values; // of its further values in dump->values, where they end; 0: none
};

// Of further values, which are taken as they are; in dump->strings.
struct hp_dump_type {
    hp_string type, unit;
    bool is_space; // in bytes
};

struct hp_thread {
    uint64_t number;
    hp_string name; // in dump->strings
};

struct hp_dump_stack {
    struct hp_counts counts; // of all threads: the "t*" line
    size_t first_frame;      // in dump->frames, leaf first
    size_t first_line;       // in dump->thread_lines
    uint32_t depth;
    uint32_t lines; // 0 also when a single thread has all of it
};

// A symbol embedded in the dump: one call at an address; in dump->strings.
struct hp_embedded_call {
    hp_string function, file; // "" if unknown
    hp_string linkage; // as the linker knows the function; "" if it has no other name
    uint32_t line;     // 0 if unknown
    uint32_t start_line, column; // the same, as in struct hp_line
};

// The symbols that a dump has of an address within a call instruction.
struct hp_embedded_address {
    uint64_t address;           // its number in dump->addresses, if dump->has_rows
    uint32_t first_call, calls; // in dump->embedded_calls, innermost first
};

// What is wrong with an input, and the line of the file it is in.
struct hp_diagnostic {
    const char *what; // a constant; NULL for none
    uint64_t line;
};

enum {
    HP_PRODUCER_WARNING_SIZE = 512, // longer ones are cut
};

// Vectors keep their memory from one dump to the next.  {0} is empty.
struct hp_dump {
    enum hp_producer producer;
    enum hp_scaling scaling;  // as the format tells; NONE_SEEN: the numbers must
    unsigned missing_metrics; // 1 << each metric that the format has no number for
    bool is_first_version;    // "heap/N": jeprof has another formula for it
    uint64_t period;          // mean bytes between samples, as the header says
    bool has_totals;          // the file says what its stacks add up to:
    struct hp_counts header;
    uint64_t header_line;
    uint64_t header_threads;
    HP_VEC(uint64_t) addresses; // the distinct ones (nearly: "0x1" and "0x01" are two)
    HP_VEC(uint32_t) frames;    // in `addresses`
    HP_VEC(struct hp_dump_stack) stacks;
    HP_VEC(struct hp_thread_line) thread_lines;
    HP_VEC(struct hp_stack_extra) extras; // of the first stacks; the others have none
    HP_VEC(struct hp_listed) listed;
    HP_VEC(struct hp_thread) threads; // those that have a name
    struct hp_strtab tag_sets;        // of which the texts are in `strings`
    HP_VEC(struct hp_dump_type) types;
    HP_VEC(int64_t) values; // of stacks that have further ones: one of each type
    struct hp_annotations annotations; // of which the texts are in `strings`
    struct hp_slabs slabs;
    HP_VEC(struct hp_mapping) mappings; // by start, disjoint
    HP_VEC(uint32_t) rows; // of each address if has_rows: the mapping, + 1; 0 for none
    bool has_rows;         // then mappings are in any order and may overlap
    struct hp_span
        program_path; // path of the main executable, or ""; as those of mappings
    HP_VEC(struct hp_embedded_address) embedded; // in order once they are settled
    HP_VEC(struct hp_embedded_call) embedded_calls;
    struct hp_strtab strings; // what is not in the dump's text as it stands

    struct hp_err cut; // damage of the compressed data it was in, and its line at the end
    struct hp_diagnostic damage; // why the dump may be short
    bool
        lacks_map; // that it ends without a memory map is the damage, and there is no other
    char producer_warning[HP_PRODUCER_WARNING_SIZE]; // in one line
    uint64_t producer_warning_line;
    const char *expected; // and what follows: as in struct hp_input_record
    struct hp_diagnostic_count malformed, unknown, wrapped, overlaps;
    uint64_t negative;
    uint64_t tagged; // addresses that had more bits than places have
    uint64_t bytes, lines;
    struct hp_digest content, samples;
    struct hp_digest map; // and what follows: as in struct hp_identity
    uint64_t map_start, map_end;
    bool is_merged; // of many processes, of which it says itself:
    struct hp_process_keys process_keys;
    uint32_t merged_used, merged_all; // of so many inputs; 0: it is one itself
};

void hp_dump_clear(struct hp_dump *dump); // keeps the memory
void hp_dump_done(struct hp_dump *dump);

// The writer warns, perhaps over several lines.
void hp_dump_producer_warning(struct hp_dump *dump, struct hp_span text, uint64_t line);

// A line that does not fit: count it, and keep what was expected in the first.
void hp_dump_malformed(struct hp_dump *dump, const char *expected, uint64_t line);

// Of addresses of a dump whether they are in jemalloc's own library, once somebody asked: what most stacks begin
// with.  {0} is of none.
struct hp_dump_owners {
    HP_VEC(unsigned char) of;
};

// The first frame that is not in jemalloc's own library, in dump->addresses; UINT32_MAX of an
// empty stack.
uint32_t hp_dump_site(const struct hp_dump *dump, struct hp_dump_owners *owners,
                      const struct hp_dump_stack *stack);

// Of the stack that comes next, to fill in; and of stack i: {0} if it has none.
struct hp_stack_extra *hp_dump_next_extra(struct hp_dump *dump);
// One of each of dump->types; NULL if all are 0.
const int64_t *hp_dump_values(const struct hp_dump *dump, size_t i);

void hp_dump_drop_extra(
    struct hp_dump *dump); // of the stack that does not come after all

static inline struct hp_stack_extra hp_dump_extra(const struct hp_dump *dump, size_t i) {
    static const struct hp_stack_extra none;
    return i < dump->extras.count ? dump->extras.at[i] : none;
}

// The calls pushed to dump->embedded_calls since the last time are those at `address`, around
// any embedded just before of the same.
void hp_dump_embed(struct hp_dump *dump, uint64_t address);

// Bring the embedded symbols into order; of one address the first holds.
void hp_dump_settle_embedded(struct hp_dump *dump);

// The symbols of the call that returns to dump->addresses.at[i], else of the address
// itself, or NULL.
const struct hp_embedded_address *hp_dump_embedded(const struct hp_dump *dump, size_t i);

#endif
