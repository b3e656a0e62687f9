// The data of jeprof's reports: all stacks of the dumps, or of their difference to a
// base.  Stacks have every frame at first; hp_jeprof_stacks_reduce() removes those that
// jeprof skips or the options exclude.
#ifndef HP_CLI_JEPROF_STACKS_H
#define HP_CLI_JEPROF_STACKS_H

#include "cli/jeprof/jeprof_options.h"

// A set of byte strings, numbered from 0 in the order in which they were added.  {0} is
// empty.
struct hp_jeprof_set {
    struct hp_jeprof_bytes { // owned; a NUL follows the bytes
        char *at;
        size_t size;
    } * items;

    size_t count;
    size_t *slots; // hash table: number + 1, or 0 for an empty slot
    size_t slot_count;
};

// Returns the number of the bytes; adds a copy if they are new.
size_t hp_jeprof_set_add(struct hp_jeprof_set *set, const void *bytes, size_t size);
void hp_jeprof_set_done(struct hp_jeprof_set *set);

// One call at one address, with names in the form that jeprof prints.  All strings are
// owned and safe for a terminal.
struct hp_jeprof_frame {
    char *name;       // short name; "libfoo.so+0x1234" without symbols
    char *full;       // name with its parameters
    char *file;       // "??" if unknown
    char *place;      // "FILE:LINE"; "??:0" if unknown
    char *address;    // "libfoo.so+0x1234"
    size_t row;       // number of its row (function, line ...) in hp_jeprof_stacks.rows
    bool is_inlined;  // inlined into the next frame of the stack
    bool has_name;    // false: there is no symbol, `name` is a module and an address
    bool is_skipped;  // the allocator's: removed together with all that it called
    unsigned matches; // bits of options whose pattern matches it, see bit_of()
};

// One distinct stack.
struct hp_jeprof_stack {
    uint32_t *frames; // numbers of frames, leaf first; owned
    size_t count;
    double value; // bytes or objects, in the metric of the options
};

// All stacks.  Start with {.options = options}.
struct hp_jeprof_stacks {
    const struct hp_jeprof_options *options;
    const struct hp_profile *profiles[2]; // profiles whose stacks were added; borrowed
    size_t profile_count;
    struct hp_jeprof_set places, rows; // keys that distinguish frames; texts of rows
    struct hp_jeprof_frame *frames;    // one for each of places
    struct hp_jeprof_set keys;         // keys that distinguish stacks
    struct hp_jeprof_stack *stacks;    // one for each of keys
    double total;    // sum of all stacks, set by hp_jeprof_stacks_reduce()
    bool has_warned; // the warning about long names was printed
};

// Add the stacks of a symbolized profile, with their values times `sign` (1, or -1 for a
// base).  The profile must outlive `stacks`.
int hp_jeprof_stacks_add(struct hp_jeprof_stacks *stacks,
                         const struct hp_profile *profile, double sign,
                         struct hp_err *err);

// After all profiles were added: set negative values of stacks to 0 if --drop_negative
// was given, compute the total, and remove from stacks the frames that jeprof skips or
// that --retain and --exclude remove.
void hp_jeprof_stacks_reduce(struct hp_jeprof_stacks *stacks);

// Set the row of each frame for rows of the granularity `by`.
void hp_jeprof_stacks_group(struct hp_jeprof_stacks *stacks, enum hp_granularity by);

void hp_jeprof_stacks_done(struct hp_jeprof_stacks *stacks);

// Whether the stack passes the options --focus and --ignore.
bool hp_jeprof_stack_is_shown(const struct hp_jeprof_stacks *stacks,
                              const struct hp_jeprof_stack *stack);

// Mark the frames that `pattern` matches with the bit of option `as`, and clear the bit
// in all others.  A NULL pattern matches no frame.  HP_E_USAGE if the pattern is invalid.
int hp_jeprof_stacks_match(struct hp_jeprof_stacks *stacks, const char *pattern,
                           enum hp_jeprof_option as, struct hp_err *err);

// Shorten a function's name in place, as ShortFunctionName() of jeprof does.
void hp_jeprof_short_name(char *name);

// Return the part of a path after its last '/', or the path if that part is empty.
const char *hp_jeprof_basename(const char *path);

#endif
