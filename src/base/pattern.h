// PCRE2 patterns that users give, matched against names and paths that inputs give.
//
// A hostile name can make an ordinary pattern slow: \w+::alloc looks at a long word once for each of its
// letters.  PCRE2 limits the steps of one match, but does not count these.  So a limited pattern looks at
// the first 16 KiB of a text alone, and all matches of a profile share 20 s of CPU time.
#ifndef HP_BASE_PATTERN_H
#define HP_BASE_PATTERN_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

enum {
    HP_MATCHED_BYTES = 16 << 10, // of a text that is longer
};

// The CPU time that matching has taken, shared by the patterns of a profile.  {0}: none.
struct hp_match_time {
    int64_t spent;    // nanoseconds
    int64_t cpu_time; // of the process, when it was last read
};

struct hp_pattern {
    const char *text; // the caller's
    struct hp_match_time
        *time; // NULL: the pattern is ours, and has no limits but that of steps
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *match;
    struct pcre2_real_match_context_8 *limits;
    bool is_out_of_steps, is_out_of_time; // of some match, which was then not found
};

// HP_E_USAGE says where the pattern is wrong.  The text and the time have to outlive the pattern.
HP_MUST_CHECK int hp_pattern_init(struct hp_pattern *pattern, const char *text,
                                  struct hp_match_time *time, struct hp_err *err);
void hp_pattern_done(struct hp_pattern *pattern);

// HP_E_LIMIT, and which limit it was, if a match was given up: what was found so far is worth nothing.
HP_MUST_CHECK int hp_pattern_check(const struct hp_pattern *pattern, struct hp_err *err);

// Whether it matches somewhere; then its groups can be asked for.  In a text that is cut at
// HP_MATCHED_BYTES, a match also has to be one if more text follows: so $ and \b do not match at the cut.
bool hp_pattern_matches(struct hp_pattern *pattern, const char *subject);

// Of the last match, from 1 on; false if the group is not there or took no part.  The text is
// the subject's.
bool hp_pattern_group(const struct hp_pattern *pattern, const char *subject,
                      uint32_t number, struct hp_span *text);

// The i-th of the groups that have names, by name; false behind the last.
bool hp_pattern_name(const struct hp_pattern *pattern, uint32_t i, const char **name,
                     uint32_t *number);

#endif
