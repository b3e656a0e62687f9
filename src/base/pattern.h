// PCRE2 patterns from the user, matched against names and paths from inputs.
//
// A hostile name can make an ordinary pattern slow: \w+::alloc scans a long word once for
// each of its letters.  PCRE2 limits the steps of one match, but does not count these
// scans.  A limited pattern therefore looks only at the first 16 KiB of a text, and all
// matches of a profile share 20 s of CPU time.
#ifndef HP_BASE_PATTERN_H
#define HP_BASE_PATTERN_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

enum {
    // Bytes that are matched at the beginning of a longer text.
    HP_MATCHED_BYTES = 16 << 10,
};

// CPU time spent on matching; the patterns of a profile share one such struct.  {0}: no
// time so far.
struct hp_match_time {
    int64_t spent;    // nanoseconds
    int64_t cpu_time; // CPU time of the process when it was last read, in nanoseconds
};

struct hp_pattern {
    const char *text; // the pattern itself; borrowed from the caller
    // Time shared with other patterns.  NULL: a built-in pattern, which is limited only
    // in its number of steps.
    struct hp_match_time *time;
    // Objects of PCRE2; owned.
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *match;
    struct pcre2_real_match_context_8 *limits;
    // Whether some match ran into a limit and was reported as not found.
    bool is_out_of_steps, is_out_of_time;
};

// Compile `text`.  HP_E_USAGE says where the pattern is wrong.  The text and the time
// must outlive the pattern.
HP_MUST_CHECK int hp_pattern_init(struct hp_pattern *pattern, const char *text,
                                  struct hp_match_time *time, struct hp_err *err);
void hp_pattern_done(struct hp_pattern *pattern);

// Returns HP_E_LIMIT, with the limit in the message, if any match ran into one: the
// results so far are then incomplete and must not be used.
HP_MUST_CHECK int hp_pattern_check(const struct hp_pattern *pattern, struct hp_err *err);

// Whether the pattern matches somewhere in `subject`; its groups can be read afterwards.
// If the text is cut at HP_MATCHED_BYTES, a match must also hold with more text after it,
// so that $ and \b do not match at the cut.
bool hp_pattern_matches(struct hp_pattern *pattern, const char *subject);

// Store the text of a group of the last match, numbered from 1; false if there is no such
// group or it did not take part.  The text points into `subject`.
bool hp_pattern_group(const struct hp_pattern *pattern, const char *subject,
                      uint32_t number, struct hp_span *text);

// Store the name and number of the i-th named group, in the order of names; false after
// the last.
bool hp_pattern_name(const struct hp_pattern *pattern, uint32_t i, const char **name,
                     uint32_t *number);

#endif
