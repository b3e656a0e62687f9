// Patterns that choose stacks and calls, matched once against all names of a profile.
#ifndef HP_VIEW_FILTER_H
#define HP_VIEW_FILTER_H

#include "model/profile.h"

// Sets of rules are bits.
static inline uint8_t hp_mark_of(enum hp_filter_rule rule) {
    return (uint8_t)(1 << rule);
}

// {0}: there are none.
struct hp_filters {
    struct hp_filter *at; // copies of what was asked for
    size_t count;
    uint8_t rules;            // that there are
    uint8_t *strings;         // which rules match each string of the profile
    uint8_t *frames;          // and each frame, by its offset
    uint8_t truncated, empty; // and the names of what stands for no frame
    bool focuses_picks;       // of stacks only those with a call that HP_PICK matches
};

// HP_E_USAGE: a pattern is none.  HP_E_LIMIT: it takes too many steps.
HP_MUST_CHECK int hp_filters_init(struct hp_filters *filters,
                                  const struct hp_profile *profile,
                                  const struct hp_filter *asked, size_t count,
                                  struct hp_err *err);
void hp_filters_done(struct hp_filters *filters);

// Make HP_PICK look at the own names of functions, as "ns::T::f" of "int ns::T<U>::f<V>(W)", from
// where it may go on in their parameters.
HP_MUST_CHECK int hp_filters_pick_own(struct hp_filters *filters,
                                      const struct hp_profile *profile,
                                      struct hp_err *err);

// Whether any leave something out.
bool hp_filters_any(const struct hp_filters *filters);

// "show-from"; not of HP_PICK, which no option gives.
const char *hp_filter_rule_text(enum hp_filter_rule rule);

#endif
