// Patterns that choose stacks and calls (--focus, --ignore, --hide, --show, --show-from),
// and functions (the rule HP_PICK: the pattern of a peek or list report).
//
// Each pattern is matched once against all names of a profile.  The result is a byte of
// marks for each string: the set of the rules that have a matching pattern, one bit for
// each rule.
#ifndef HP_VIEW_FILTER_H
#define HP_VIEW_FILTER_H

#include "model/profile.h"

// Return the bit of a rule in a set of rules.
static inline uint8_t hp_mark_of(enum hp_filter_rule rule) {
    return (uint8_t)(1 << rule);
}

// The filters of a view, and the names and frames that each of them matches.  {0}: there
// are no filters.
struct hp_filters {
    struct hp_filter *at; // owned copies of the filters asked for
    size_t count;
    uint8_t rules;    // set of the rules that the filters have
    uint8_t *strings; // marks of each string of the profile
    // Marks of each frame from patterns that match its address, or the start of its
    // function, in hex.
    uint8_t *frames;
    uint8_t truncated, empty; // marks of "[truncated]", "[empty stack]"
    bool focuses_picks;       // keep only stacks with a call that HP_PICK matches
};

enum {
    HP_PLACE_SIZE = 512, // bytes of a place, the NUL included
};

// Write the place of a frame without a name: "libfoo.so.1+0x1234", or "libfoo.so.1@0x1234"
// if only the offset in the file is known.  A longer text is truncated.
void hp_write_place(char place[HP_PLACE_SIZE], const struct hp_module *module,
                    const char *path, uint64_t address);

// Match `count` filters, which are copied, against the names of a profile.  HP_E_USAGE: a
// pattern is invalid.  HP_E_LIMIT: matching takes too many steps.  Free with
// hp_filters_done(), also after a failure.
HP_MUST_CHECK int hp_filters_init(struct hp_filters *filters,
                                  const struct hp_profile *profile,
                                  const struct hp_filter *asked, size_t count,
                                  struct hp_err *err);
void hp_filters_done(struct hp_filters *filters);

// Let the filters ignore stacks with one frame of another profile, and match nothing else;
// the patterns stay, for the report to name.  `frame`: its number.
void hp_filters_only_ignore(struct hp_filters *filters, const struct hp_profile *profile,
                            size_t frame);

// Restrict HP_PICK to matches that begin in the function's own name, as "ns::T::f" for
// "int ns::T<U>::f<V>(W)"; they may extend into its parameters.  Fails like
// hp_filters_init().
// Whether peek finds functions by their own names: it does, unless a pattern has "<" and
// so asks for template arguments.
bool hp_filters_pick_by_own_name(const struct hp_filters *filters,
                                 enum hp_granularity by);
// Whether a pattern matches a function's name without template arguments, parameters and
// returned type, or this name with the parameters if the match begins in the name.
bool hp_picks_own_name(struct hp_pattern *pattern, struct hp_span full);
HP_MUST_CHECK int hp_filters_pick_own(struct hp_filters *filters,
                                      const struct hp_profile *profile,
                                      struct hp_err *err);

// Whether a filter can exclude stacks or calls; HP_PICK alone does not.
bool hp_filters_any(const struct hp_filters *filters);

// Return the name of a rule's option: "show-from".  HP_PICK has none, as no option sets
// it.
const char *hp_filter_rule_text(enum hp_filter_rule rule);

#endif
