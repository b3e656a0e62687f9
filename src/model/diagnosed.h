// What is said of single inputs that are used: which kinds there are, and of which inputs each is, where
// nobody tells of these one by one.
#ifndef HP_MODEL_DIAGNOSED_H
#define HP_MODEL_DIAGNOSED_H

#include "model/input.h"

// In the order of warnings.
enum hp_diagnostic_kind {
    HP_DIAGNOSTIC_DAMAGED,          // and used as far as it goes
    HP_DIAGNOSTIC_PRODUCER_WARNING, // it comes with one
    HP_DIAGNOSTIC_MALFORMED,
    HP_DIAGNOSTIC_WRAPPED,
    HP_DIAGNOSTIC_NEGATIVE,
    HP_DIAGNOSTIC_HEADER_CONTRADICTS,
    HP_DIAGNOSTIC_TORN,
    HP_DIAGNOSTIC_NO_PERIOD,
    HP_DIAGNOSTIC_NO_OBJECTS,
    HP_DIAGNOSTIC_OVERLAPS,
    HP_DIAGNOSTIC_UNKNOWN,
    HP_DIAGNOSTICS,
};

enum {
    HP_DIAGNOSED_NAMED = 3, // inputs of one kind that are told of
};

// "header-contradicts"
const char *hp_diagnostic_name(enum hp_diagnostic_kind kind);

// How often it is in an input, and in which line first.
struct hp_diagnostic_count hp_diagnostic_in(const struct hp_input_record *input,
                                            enum hp_diagnostic_kind kind);

// Whether there is anything to say of an input that is used.
bool hp_input_has_diagnostic(const struct hp_input_record *input);

// Inputs with one kind: how many, and the smallest of their identities.  {0} are none.
struct hp_diagnosed {
    uint64_t inputs;
    uint32_t named;
    struct hp_digest of[HP_DIAGNOSED_NAMED]; // as hp_dump_identity() says, in order
};

void hp_diagnosed_name(struct hp_diagnosed *diagnosed, struct hp_digest id);
void hp_diagnosed_join(struct hp_diagnosed *diagnosed, const struct hp_diagnosed *other);

struct hp_profile;

// Of one side of a diff: what is known of its records, and what partials tell beside these.
struct hp_diagnosed hp_profile_diagnosed(const struct hp_profile *profile, bool is_base,
                                         enum hp_diagnostic_kind kind);

// What the input of an identity is called, the first of its names; NULL: that is not known.
const char *hp_profile_name_of(const struct hp_profile *profile, struct hp_digest id);

#endif
