// What jeprof's reports are made of: all stacks of a dump, or of a dump less another, with
// every frame, out of which go those that jeprof skips, and what the options leave out.
#ifndef HP_CLI_JEPROF_STACKS_H
#define HP_CLI_JEPROF_STACKS_H

#include "cli/jeprof/jeprof_options.h"

// A set of byte strings with a number each, from 0 on.
struct hp_jeprof_set {
    struct hp_jeprof_bytes {
        char *at;
        size_t size;
    } * items;

    size_t count;
    size_t *slots; // number + 1
    size_t slot_count;
};

size_t hp_jeprof_set_add(struct hp_jeprof_set *set, const void *bytes, size_t size);
void hp_jeprof_set_done(struct hp_jeprof_set *set);

// One call.  Names are as jeprof has them.
struct hp_jeprof_frame {
    char *name;      // short; "libfoo.so+0x1234" if there is none
    char *full;      // with parameters
    char *file;      // "??" if not known
    char *place;     // "FILE:LINE", "??:0" if not known
    char *address;   // "libfoo.so+0x1234"
    size_t row;      // of the granularity, in `rows`
    bool is_inlined; // into the next
    bool has_name;
    bool is_skipped;  // the allocator's, and with it all that it called
    unsigned matches; // which patterns
};

struct hp_jeprof_stack {
    uint32_t *frames; // leaf first
    size_t count;
    double value;
};

struct hp_jeprof_stacks {
    const struct hp_jeprof_options *options;
    const struct hp_profile *profiles[2]; // added, borrowed
    size_t profile_count;
    struct hp_jeprof_set places, rows; // what frames are told apart by, and shown as
    struct hp_jeprof_frame *frames;    // as many as places
    struct hp_jeprof_set keys;
    struct hp_jeprof_stack *stacks; // as many as keys
    double total;                   // of all that was read
    bool has_warned;                // about names that patterns do not see whole
};

// Stacks of a profile that was symbolized, times `sign`.  HP_E_USAGE if a pattern is wrong.
int hp_jeprof_stacks_add(struct hp_jeprof_stacks *stacks,
                         const struct hp_profile *profile, double sign,
                         struct hp_err *err);

// Once all are added: drop what is negative, if asked for, take the total, and leave the frames
// out that jeprof leaves out.
void hp_jeprof_stacks_reduce(struct hp_jeprof_stacks *stacks);

// Rows of another granularity.
void hp_jeprof_stacks_group(struct hp_jeprof_stacks *stacks, enum hp_granularity by);

void hp_jeprof_stacks_done(struct hp_jeprof_stacks *stacks);

// Whether a stack is to be shown with the options' focus and ignore.
bool hp_jeprof_stack_is_shown(const struct hp_jeprof_stacks *stacks,
                              const struct hp_jeprof_stack *stack);

// Mark the frames that a pattern of the option matches, and no others.  NULL matches none.
int hp_jeprof_stacks_match(struct hp_jeprof_stacks *stacks, const char *pattern,
                           enum hp_jeprof_option as, struct hp_err *err);

// As ShortFunctionName() of jeprof, in place.
void hp_jeprof_short_name(char *name);

#endif
