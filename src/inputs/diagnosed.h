// Defects of inputs that are used: the kinds of defects, and how many inputs have each
// kind, with the identities of some, for inputs that have no record of their own.
#ifndef HP_INPUTS_DIAGNOSED_H
#define HP_INPUTS_DIAGNOSED_H

#include "inputs/input.h"

// Kinds of defects of inputs, in the order of the warnings.
enum hp_diagnostic_kind {
    HP_DIAGNOSTIC_DAMAGED,          // the input is damaged and used up to the damage
    HP_DIAGNOSTIC_PRODUCER_WARNING, // the writer printed a warning
    HP_DIAGNOSTIC_MALFORMED,        // lines that fit no grammar
    HP_DIAGNOSTIC_WRAPPED,          // counts that fell below zero, and so are near 2^64
    HP_DIAGNOSTIC_NEGATIVE,         // values below zero
    // The total of the file differs from the sum of its stacks.
    HP_DIAGNOSTIC_HEADER_CONTRADICTS,
    HP_DIAGNOSTIC_INCONSISTENT, // threads of a stack that do not add up to its numbers
    HP_DIAGNOSTIC_NO_PERIOD,    // the sample period is missing
    HP_DIAGNOSTIC_NO_OBJECTS,   // numbers of objects are missing
    HP_DIAGNOSTIC_OVERLAPS,     // rows of the memory map that overlap
    HP_DIAGNOSTIC_UNKNOWN,      // indented lines that no known writer prints
    HP_DIAGNOSTICS,
};

enum {
    HP_DIAGNOSED_NAMED = 3, // maximum number of inputs recorded by identity for one kind
};

// Return the keyword of a kind for machine-readable output: "header-contradicts".
const char *hp_diagnostic_name(enum hp_diagnostic_kind kind);

// Return how often a defect occurs in an input, and the line of its first occurrence.
struct hp_diagnostic_count hp_diagnostic_in(const struct hp_input_record *input,
                                            enum hp_diagnostic_kind kind);

// Whether an input, which must be one that is used, has a defect of any kind.
bool hp_input_has_diagnostic(const struct hp_input_record *input);

// The inputs with one kind of defect: their number, and the HP_DIAGNOSED_NAMED smallest
// of their identities.  {0}: there are none.
struct hp_diagnosed {
    uint64_t inputs;
    uint32_t named;                          // length of `of`
    struct hp_digest of[HP_DIAGNOSED_NAMED]; // results of hp_dump_identity(), ascending
};

// Insert the identity of an input into `of`, and keep only the smallest
// HP_DIAGNOSED_NAMED identities.  The number of inputs is unchanged.
void hp_diagnosed_name(struct hp_diagnosed *diagnosed, struct hp_digest id);
// Add the inputs of `other`.
void hp_diagnosed_join(struct hp_diagnosed *diagnosed, const struct hp_diagnosed *other);

#endif
