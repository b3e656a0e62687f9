// Records of inputs: the properties of each input except its stacks, and sums over all
// inputs.
#ifndef HP_INPUTS_INPUT_H
#define HP_INPUTS_INPUT_H

#include "base/error.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "hprof-agg/hprof-agg.h"
#include "inputs/identity.h"

// The writer of an input, as far as its content shows.
enum hp_producer {
    HP_PRODUCER_UNKNOWN,           // any other program
    HP_PRODUCER_JEMALLOC,          // 4.0 and later
    HP_PRODUCER_JEMALLOC_3,        // up to 3.6
    HP_PRODUCER_GPERFTOOLS,        // HEAPPROFILE, HEAPCHECK
    HP_PRODUCER_GPERFTOOLS_SAMPLE, // GetHeapSample()
    HP_PRODUCER_GPERFTOOLS_GROWTH, // GetHeapGrowthStacks()
    HP_PRODUCER_GO,                // Go, in text format
    HP_PRODUCER_PPROF,             // protobuf, of any program except the following
    HP_PRODUCER_PPROF_GO,
    HP_PRODUCER_PPROF_TCMALLOC,
    HP_PRODUCER_PPROF_JEMALLOC, // jemalloc_pprof
    HP_PRODUCER_PPROF_OURS,     // written by our own merge
    // The kernel: the file is only a memory map (/proc/PID/maps), which is read as a dump
    // without stacks if hp_reader.map_period is not 0; that is then its sample period.
    HP_PRODUCER_MAP,
    HP_PRODUCER_FOLDED, // folded stacks, of any program
};

// How the numbers of an input are scaled.
enum hp_scaling {
    HP_SCALING_NONE_SEEN, // the input has no stack, so the scaling is unknown
    HP_SCALING_RAW, // sampled counts without scaling (prof_unbias:false, jemalloc < 5.3)
    // Sampled counts that jemalloc 5.3 or later changed before printing (prof_unbias), so
    // that the formula of jeprof gives the estimate.
    HP_SCALING_UNBIASED,
    HP_SCALING_PER_LINE, // sampled counts; each line has objects of one size
    HP_SCALING_SCALED,   // estimates that the writer computed
    HP_SCALING_EXACT,    // every allocation was sampled
};

// Result of comparing the total in the header of a file with the sum of its stacks.
enum hp_header_check {
    HP_HEADER_UNCHECKED, // there is no total, or it cannot be compared
    HP_HEADER_AGREES,
    HP_HEADER_CONTRADICTS, // they differ by more than rounding explains
};

// Bytes of the slabs of an allocator, and the bytes in use in them; {0}: unknown.
struct hp_slabs {
    uint64_t bytes, used;
};

// How often a defect occurs, and the line of its first occurrence, 0 if unknown.
struct hp_diagnostic_count {
    uint64_t count, line;
};

// Count one more occurrence; the first one sets the line.
static inline void hp_diagnostic_count_add(struct hp_diagnostic_count *found,
                                           uint64_t line) {
    found->line = found->count++ == 0 ? line : found->line;
}

// Number and bytes in use of the stacks of an input whose object sizes were recovered in
// one way (enum hp_read).
struct __attribute__((packed, aligned(8))) hp_read_sum {
    uint64_t stacks;
    hp_fixed bytes;
};

// How the total in the header of a dump changes the sum of its stacks, in one column.
// The stacks stay as they are.
struct hp_header_gain {
    int64_t bytes; // to be added to the sum of the stacks
    // To be subtracted from the bounds of its error: hidden_bytes_max, excess_bytes_max.
    int64_t hidden, excess;
};

// The version of the jemalloc in a file, such as "5.3.0-0-g54eaed1": the release, the
// number of later commits, and the commit.  "": unknown.
struct hp_jemalloc_version {
    char text[24];
};

// The record of one input.  There may be millions of records, so the members are ordered
// without padding.
//
// A record owns `err`, `producer_warning`, `keys`, `live` and `made`.  They are set by
// the functions below or allocated for the record, move with it into
// profile->inputs.records, and are freed by hp_input_done() only.  All other texts (the
// name, `archive` and `expected`) are borrowed.  They belong to the queue of inputs while
// inputs are read, and to profile->inputs.texts afterwards, or they are constants.
struct hp_input_record {
    struct hp_values total;                 // our estimate of the sum of its stacks
    struct hp_header_gain gain[HP_COLUMNS]; // by the header; {0} if that is not used
    // Bytes in use in objects whose size may be up to 20 % smaller than assumed.
    hp_fixed large_bytes;
    // Rounding of large sizes that the input shows; HP_LARGE_AUTO: it shows none.
    enum hp_large_sizes large_sizes;
    // Stacks and their bytes in use, by the way the object sizes were recovered.
    struct hp_read_sum read[HP_READS];
    struct hp_input public; // the part of the record that the library API shows
    struct hp_err *err;     // the same as public.err, or NULL
    const char *archive;    // name of the archive that contains the input; NULL: none
    // Position in the list of all inputs as given; its number in profile->history.
    uint32_t number;
    // Index of its process in profile->inputs.processes.all; HP_NO_PROCESS: it was not
    // used when the processes were found.
    uint32_t process;
    // Rank of the original name among all names before names were redacted, with numbers
    // in names compared by value.
    uint32_t name_place;
    uint32_t first_label, labels; // range in profile->inputs.labels
    enum hp_producer producer;
    enum hp_scaling scaling;
    unsigned missing_metrics; // 1 << each metric for which the input has no number
    enum hp_header_check header_check;
    bool is_base;     // input of the base side of a diff
    bool has_alloc;   // has numbers of allocated memory
    bool has_content; // `content` is set
    bool has_gain;    // `gain` is known; in a group, the gain of every dump is
    bool is_added;    // its stacks have been added to the profile
    bool takes_map;   // it has no memory map and uses the one given by --maps
    // It is a damaged dump, which is excluded, or used up to the damage; false for files
    // that are no dump.
    bool is_damaged;
    uint8_t group; // number of its replicate (between.h); set while the input is read
    // This record represents a group of inputs that have no records of their own.
    bool is_group;
    uint64_t merged_used, merged_all; // as in struct hp_dump
    uint32_t files;                   // number of files in its memory map
    // Number of the partial that records it, from 1; 0: the input itself was read.
    uint32_t source;
    // Number of distinct addresses, and of those in no mapping.
    uint64_t addresses, unmapped_addresses;
    // If is_group: number of inputs that this record represents, minus 1; otherwise 0.
    uint64_t others;
    uint64_t stacks, threads; // number of stacks and of threads
    uint64_t period;          // mean bytes between samples; 0: unknown
    uint64_t bytes;           // uncompressed size of the input
    uint64_t lines;           // lines of text; 0 for binary formats
    char *producer_warning;   // text that the writer printed as a warning, or NULL
    uint64_t producer_warning_line;
    // Lines that do not fit the grammar and were skipped.
    struct hp_diagnostic_count malformed;
    // Expected content of the first malformed line; NULL if there is none.
    const char *expected;
    uint64_t listed;       // number of objects that the dump lists individually
    struct hp_slabs slabs; // fill of the slabs of the allocator
    struct hp_diagnostic_count unknown; // indented lines that no known writer prints
    struct hp_diagnostic_count wrapped; // counts near 2^64, which were skipped
    uint64_t negative; // number of values below zero, as in a difference of two profiles
    struct hp_diagnostic_count overlaps; // mapping rows that overlap an earlier row
    struct hp_counts header;             // the total of the file, as printed
    uint64_t header_line;                // line of that total
    // Number of stacks whose threads do not add up to the numbers of the stack.
    uint64_t inconsistent_stacks;
    // Version of jemalloc in the file that ran, if the file was found.
    struct hp_jemalloc_version jemalloc;
    struct hp_digest content; // digest of the whole text
    struct hp_digest samples; // digest of the text from the first stack to the last
    struct hp_identity identity;
    // Processes of a merged profile; NULL: not a merged profile.
    struct hp_process_keys *keys;
    struct hp_live_samples *live; // live samples by size; NULL if they are not kept
    // Counts of allocated objects that show whether samples were discarded, as in
    // made_counts.h; NULL if they are not kept, or not available.
    struct hp_made_counts *made;
};

// Whether the numbers of an input with this status are used in the profile, perhaps only
// those before its damage.
static inline bool hp_status_is_used(enum hp_input_status status) {
    return status <= HP_INPUT_KEPT_DAMAGED;
}

static inline bool hp_input_is_used(const struct hp_input_record *input) {
    return hp_status_is_used(input->public.status);
}

// Whether the input is a profile that this program merged.  It has no errors: how many
// samples its numbers are based on is unknown.
bool hp_input_is_merged(const struct hp_input_record *input);

// Return the number of dumps that the record represents: several if it represents a group
// of inputs, or one for each process of a merged profile.
uint64_t hp_input_dumps(const struct hp_input_record *input);

// Return the estimate of all memory of an input: the sum of its stacks with its gain.
struct hp_values hp_input_whole(const struct hp_input_record *input);

// Add the gain of an input to `bytes`, a sum of its stacks that contains all of them, and
// to the error of that sum.
void hp_input_add_gain(const struct hp_input_record *input, enum hp_column column,
                       hp_fixed *bytes, struct hp_error *error);

// Return the name of the format that a writer uses: "jemalloc heap_v2".
const char *hp_producer_text(enum hp_producer producer);

// Return the writer, as far as the content shows it: "jemalloc 5.3 or later"; NULL if
// unknown.
const char *hp_writer_text(const struct hp_input_record *input);

// Whether the input has numbers of a metric, even if all are 0.  A metric that no input
// has is unknown, and must not be shown as 0.
bool hp_input_has_metric(const struct hp_input_record *input, enum hp_metric metric);

// Return what the input lacks for a metric, as a phrase ("what is in use"), or NULL if it
// has the metric.  An input without stacks lacks nothing if its sample period is known:
// almost nothing was in use then.
const char *hp_input_missing(const struct hp_input_record *input, enum hp_metric metric);

// Set why the input is excluded, or used only up to its damage.  Copies `err`; NULL: no
// failure.
void hp_input_set_err(struct hp_input_record *input, const struct hp_err *err);

// Set the warning of the writer.  Copies `text`; "": no warning.
void hp_input_set_producer_warning(struct hp_input_record *input, const char *text);

// Free what the record owns.  It may be called twice.
void hp_input_done(struct hp_input_record *input);

// Why an input is excluded.
enum hp_input_reason {
    HP_REASON_UNREADABLE,   // it could not be read
    HP_REASON_MALFORMED,    // it is no valid dump
    HP_REASON_UNSUPPORTED,  // its format is not supported
    HP_REASON_LIMIT,        // it exceeds a limit
    HP_REASON_REPEATED,     // it is a copy of another input
    HP_REASON_PROGRAM,      // it is a program, not a dump
    HP_REASON_YOUNG,        // it was written to a moment ago and may be incomplete
    HP_REASON_OTHER_MOMENT, // another dump of its process is used
    HP_REASONS,
};

// Sums over all inputs, or over one side of a diff.  Computed once, when all inputs have
// been read.
struct hp_input_summary {
    size_t all, used;            // number of inputs, and of those that are used
    size_t left_out[HP_REASONS]; // number of excluded inputs by reason
    // As `all` and `used`, but instead of a merged profile the inputs that it was merged
    // from, all and used ones.
    uint64_t merged_all, merged_used;
    // The members below cover used inputs only.
    HP_VEC(uint64_t) periods; // distinct sample periods, ascending
    // Name of the common format, or "several formats"; NULL if there are no inputs.
    const char *producer;
    unsigned metrics;   // 1 << each metric for which an input has numbers
    bool is_difference; // an input has values below zero
    // Number of inputs that are folded stacks, which say nothing about their sampling.
    size_t folded;
    // All inputs are dumps of jemalloc, so that reports may mention its settings.
    bool is_jemalloc;
    uint64_t unmapped; // number of addresses in no mapping
    size_t listing;    // number of inputs that list their objects, with ages
    // Number of inputs whose large sizes are taken to be rounded to pages.
    size_t with_pages;
    bool is_merged; // an input was merged by this program, see hp_input_is_merged()
};

// The inputs that a sum or a comparison covers; HP_SIDE_BASE and HP_SIDE_NEW are the two
// sides of a diff.
enum hp_input_side {
    HP_SIDE_ALL,
    HP_SIDE_BASE,
    HP_SIDE_NEW,
    HP_SIDES,
};

// Compute the summary of the inputs of one side of a diff, or of all inputs.  The caller
// frees `periods`.
void hp_input_summary_init(struct hp_input_summary *summary,
                           const struct hp_input_record *inputs, size_t count,
                           enum hp_input_side side);

// Return the number of inputs that could not be used: unreadable, no dump, damaged, not
// supported, or over a limit.  Inputs that were excluded on purpose are not included.
size_t hp_input_summary_skipped(const struct hp_input_summary *summary);

// Return why an input is excluded; the input must be one that is not used.
enum hp_input_reason hp_input_reason(const struct hp_input_record *record);

// Return the keyword of a reason for machine-readable output: "unreadable".
const char *hp_input_reason_text(enum hp_input_reason reason);

#endif
