// A PCRE2 pattern, matched against paths and names.
#ifndef HP_BASE_PATTERN_H
#define HP_BASE_PATTERN_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

struct hp_pattern {
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *match;
    struct pcre2_real_match_context_8 *limits;
    bool gave_up; // some match would have taken too many steps, and was not found
};

// HP_E_USAGE says where the pattern is wrong.
HP_MUST_CHECK int hp_pattern_init(struct hp_pattern *pattern, const char *text,
                                  struct hp_err *err);
void hp_pattern_done(struct hp_pattern *pattern);

// Whether it matches somewhere; then its groups can be asked for.
bool hp_pattern_matches(struct hp_pattern *pattern, const char *subject);

// Of the last match, from 1 on; false if the group is not there or took no part.  The text is
// the subject's.
bool hp_pattern_group(const struct hp_pattern *pattern, const char *subject,
                      uint32_t number, struct hp_span *text);

// The i-th of the groups that have names, by name; false behind the last.
bool hp_pattern_name(const struct hp_pattern *pattern, uint32_t i, const char **name,
                     uint32_t *number);

#endif
