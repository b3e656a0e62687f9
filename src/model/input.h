// What is known of one input beside its stacks, and of all inputs.
#ifndef HP_MODEL_INPUT_H
#define HP_MODEL_INPUT_H

#include "base/strtab.h"
#include "base/vec.h"
#include "hprof-agg/hprof-agg.h"
#include "model/error.h"
#include "model/process_keys.h"
#include "model/processes.h"

// Who wrote it, as far as the content tells.
enum hp_producer {
    HP_PRODUCER_UNKNOWN,           // some other program
    HP_PRODUCER_JEMALLOC,          // 4.0 and later
    HP_PRODUCER_JEMALLOC_3,        // up to 3.6
    HP_PRODUCER_GPERFTOOLS,        // HEAPPROFILE, HEAPCHECK
    HP_PRODUCER_GPERFTOOLS_SAMPLE, // GetHeapSample()
    HP_PRODUCER_GPERFTOOLS_GROWTH, // GetHeapGrowthStacks()
    HP_PRODUCER_GO,                // as text
    HP_PRODUCER_PPROF,             // protobuf, of whatever program; or of
    HP_PRODUCER_PPROF_GO,
    HP_PRODUCER_PPROF_TCMALLOC,
    HP_PRODUCER_PPROF_JEMALLOC, // jemalloc_pprof
    HP_PRODUCER_PPROF_OURS,     // merge
    HP_PRODUCER_MAP,            // the kernel: no profile, see hp_reader.map_period
};

enum hp_scaling {
    HP_SCALING_NONE_SEEN, // no stack: nothing tells how they are scaled
    HP_SCALING_RAW,      // sampled counts as they are (prof_unbias:false, jemalloc < 5.3)
    HP_SCALING_UNBIASED, // rewritten by jemalloc so that jeprof's formula fits
    HP_SCALING_PER_LINE, // sampled counts, each line of objects of one size
    HP_SCALING_SCALED,   // estimates that its writer made
    HP_SCALING_EXACT,    // every allocation was sampled
};

// What the file's own total says of the sum of its stacks.
enum hp_header_check {
    HP_HEADER_UNCHECKED, // there is none, or it cannot be compared
    HP_HEADER_AGREES,
    HP_HEADER_CONTRADICTS, // by more than rounding explains
};

// How well an allocator's slabs are filled; {0}: not told.
struct hp_slabs {
    uint64_t bytes, used;
};

// How often a thing is wrong, and the line of the first, 0 if it is not known.
struct hp_diagnostic_count {
    uint64_t count, line;
};

static inline void hp_diagnostic_count_add(struct hp_diagnostic_count *found,
                                           uint64_t line) {
    found->line = found->count++ == 0 ? line : found->line;
}

struct __attribute__((packed, aligned(8))) hp_read_sum {
    uint64_t stacks;
    hp_fixed bytes;
};

// There is one for each of many inputs: no room is wasted between its members.
//
// A record owns `err`, `producer_warning`, `keys`, `live` and `made`: they are set by the functions below or allocated for
// it, move with it into profile->inputs, and are freed by hp_input_done() alone.  Its other texts (the name, `archive`
// and `expected`) are borrowed.  They are in the queue of inputs while these are read, and afterwards in
// profile->texts, or they are constants.
struct hp_input_record {
    struct hp_values total; // ours
    hp_fixed large_bytes;   // in use, in objects whose size may be up to 20 % less
    enum hp_large_sizes
        large_sizes; // how these were read; HP_LARGE_AUTO: as nothing tells
    struct hp_read_sum read[HP_READS]; // of what is in use, by how sizes were read
    struct hp_input public;
    struct hp_err *err;  // public.err
    const char *archive; // that it is a member of; or NULL
    uint32_t number;     // in profile->history: the place among all inputs as given
    uint32_t process;    // in profile->processes.all; HP_NO_PROCESS if it is not used
    uint32_t
        name_place; // of its name among all, once it is redacted: numbers in names by size
    uint32_t first_label, labels; // in profile->labels
    enum hp_producer producer;
    enum hp_scaling scaling;
    unsigned missing_metrics; // 1 << each metric that there is no number for
    enum hp_header_check header_check;
    bool is_base;     // of a diff
    bool has_alloc;   // has numbers of what was allocated
    bool has_content; // if it has a `content`
    bool is_added;    // its stacks are in the profile
    bool takes_map;   // it has none of its own, but that of --maps
    bool is_damaged;  // it does not count, or as far as it goes; never if it was no dump
    uint8_t group;    // of dumps, which of HP_REPLICATES: while it is read
    bool is_group;    // of inputs of a partial that does not tell of each
    uint64_t merged_used, merged_all; // as in struct hp_dump
    uint32_t files;                   // mapped ones
    uint32_t source; // the partial it is told of in, from 1 on; 0: it was read itself
    uint64_t addresses, unmapped_addresses;
    uint64_t others; // inputs that are told of as one with it, if it is_group
    uint64_t stacks, threads;
    uint64_t period;        // mean bytes between samples
    uint64_t bytes;         // uncompressed
    uint64_t lines;         // of text; 0 where there is none
    char *producer_warning; // or NULL
    uint64_t producer_warning_line;
    struct hp_diagnostic_count malformed; // lines that fit no grammar, skipped
    const char *expected;                 // in the first of them; NULL if there is none
    uint64_t listed;                      // objects that are listed one by one
    struct hp_slabs slabs;                // of the allocator
    struct hp_diagnostic_count unknown;   // indented lines of a dialect not known
    struct hp_diagnostic_count wrapped;   // counts near 2^64, left out
    uint64_t negative; // values below zero, of a difference of two profiles
    struct hp_diagnostic_count overlaps; // mapping rows that overlap an earlier one
    struct hp_counts header;             // the file's own total, as printed
    uint64_t header_line;
    uint64_t torn_stacks;     // whose threads do not make up their numbers
    struct hp_digest content; // of the whole text
    struct hp_digest samples; // of the text from the first stack to the last
    struct hp_identity identity;
    struct hp_process_keys *keys; // of a merged profile; or NULL
    struct hp_live_samples *live; // if they are kept; or NULL
    struct hp_made_counts *made;  // if they are kept, and tell; or NULL
};

// Whether its numbers are used.
static inline bool hp_input_is_used(const struct hp_input_record *input) {
    return input->public.status <= HP_INPUT_KEPT_DAMAGED;
}

// One was written by us: what was seen once is not known any more.
bool hp_input_is_merged(const struct hp_input_record *input);

// So many dumps are told of as this one: those of a group, or of each process in a merged profile one.
uint64_t hp_input_dumps(const struct hp_input_record *input);

// "jemalloc heap_v2"
const char *hp_producer_text(enum hp_producer producer);

// "jemalloc 5.3 or later": as far as the content tells; NULL if not at all.
const char *hp_writer_text(const struct hp_input_record *input);

// Whether it has numbers of a metric, if only zeros: what no input has is unknown, and not 0.
bool hp_input_has_metric(const struct hp_input_record *input, enum hp_metric metric);

// What of the metric is missing: "what is in use", or NULL.  Where nothing was
// sampled, there is next to nothing.
const char *hp_input_missing(const struct hp_input_record *input, enum hp_metric metric);

// Say why the input does not count, or counts as far as it goes; NULL: it does.
void hp_input_set_err(struct hp_input_record *input, const struct hp_err *err);

// Copy what its producer warns of; "": nothing.
void hp_input_set_producer_warning(struct hp_input_record *input, const char *text);

// Free what the record owns.  It may be called again.
void hp_input_done(struct hp_input_record *input);

// Why an input does not count.
enum hp_input_reason {
    HP_REASON_UNREADABLE,
    HP_REASON_MALFORMED,
    HP_REASON_UNSUPPORTED,
    HP_REASON_LIMIT,
    HP_REASON_REPEATED,
    HP_REASON_PROGRAM,
    HP_REASON_YOUNG,
    HP_REASON_OTHER_MOMENT,
    HP_REASONS,
};

// Of all inputs, or of one side: made once, when they have been read.
struct hp_input_summary {
    size_t all, used;
    size_t left_out[HP_REASONS];
    uint64_t merged_all, merged_used; // each with those that were merged in it
    // Of those that are used:
    HP_VEC(uint64_t) periods; // the different ones, ascending
    const char *producer;     // "several formats"; NULL if there are none
    unsigned metrics;         // 1 << each that some input has numbers of
    bool is_difference;       // one has values below zero
    bool is_jemalloc;  // all are its dumps: it has settings of which reports may speak
    uint64_t unmapped; // addresses in no mapping
    size_t listing;    // list their objects, with ages
    size_t with_pages; // large sizes were read as pages
    bool is_merged;    // one was merged by us: what was seen once is not known any more
};

// Which of the inputs of a comparison.
enum hp_input_side {
    HP_SIDE_ALL,
    HP_SIDE_BASE,
    HP_SIDE_NEW,
    HP_SIDES,
};

void hp_input_summary_init(struct hp_input_summary *summary,
                           const struct hp_input_record *inputs, size_t count,
                           enum hp_input_side side);

// What is no dump, or damaged, or too much: not what was left out for good reason.
size_t hp_input_summary_skipped(const struct hp_input_summary *summary);

// "unreadable"
const char *hp_input_reason_text(enum hp_input_reason reason);

#endif
