#include "base/pattern.h"

#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>
#include <time.h>

enum {
    // Steps of one match: endless backtracking stops after about 10 ms.
    STEPS_MAX = 1000000,
    SECONDS_MAX = 20, // seconds of CPU time for all matches that share their time
};

int hp_pattern_init(struct hp_pattern *pattern, const char *text,
                    struct hp_match_time *time, struct hp_err *err) {
    int number;
    PCRE2_SIZE offset;
    *pattern = (struct hp_pattern){.text = text, .time = time};
    pattern->code =
        pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &number, &offset, NULL);
    if (!pattern->code && number == PCRE2_ERROR_HEAP_FAILED) {
        hp_out_of_memory(0);
    }
    if (!pattern->code) {
        char why[128];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("pattern-wrong", "pattern %s: %s at %zu"), text, why,
                       (size_t)offset);
    }
    pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    pattern->limits = pcre2_match_context_create(NULL);
    if (!pattern->match || !pattern->limits) {
        hp_out_of_memory(0);
    }
    pcre2_set_match_limit(pattern->limits, STEPS_MAX);
    return HP_OK;
}

void hp_pattern_done(struct hp_pattern *pattern) {
    pcre2_match_data_free(pattern->match);
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    *pattern = (struct hp_pattern){0};
}

int hp_pattern_check(const struct hp_pattern *pattern, struct hp_err *err) {
    if (pattern->is_out_of_time) {
        return hp_fail(
            err, HP_E_LIMIT,
            HP_MESSAGE(
                "pattern-slow",
                "pattern %s is too slow: matching names may take %d s of CPU time"),
            pattern->text, SECONDS_MAX);
    }
    return pattern->is_out_of_steps
               ? hp_fail(err, HP_E_LIMIT,
                         HP_MESSAGE(
                             "pattern-many-steps",
                             "pattern %s needs too many steps to match the names here"),
                         pattern->text)
               : HP_OK;
}

// --- time ---------------------------------------------------------------------------------

// Nanoseconds that a clock shows.
static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Add the time of one match that began at `begin`.  The coarse clock is cheap to read and
// ticks every few milliseconds: a match during which it ticks is counted as that long,
// which is right on average.  A tick can be another process's time; the CPU time of this
// process is an upper bound.
static void take_time(struct hp_match_time *time, int64_t begin) {
    int64_t passed = read_clock(CLOCK_MONOTONIC_COARSE) - begin;
    if (passed > 0) {
        int64_t cpu_time = read_clock(CLOCK_PROCESS_CPUTIME_ID);
        int64_t used = cpu_time - time->cpu_time;
        time->spent += passed < used ? passed : used;
        time->cpu_time = cpu_time;
    }
}

// --- matching -----------------------------------------------------------------------------

// Whether the pattern matches the first `size` bytes of `subject`; `options` are those of
// pcre2_match().  A failure other than "no match" sets is_out_of_steps.
static bool is_found(struct hp_pattern *pattern, const char *subject, size_t size,
                     uint32_t options) {
    int found = pcre2_match(pattern->code, (PCRE2_SPTR)subject, size, 0, options,
                            pattern->match, pattern->limits);
    if (found == PCRE2_ERROR_NOMEMORY) {
        hp_out_of_memory(0);
    }
    pattern->is_out_of_steps |= found < PCRE2_ERROR_NOMATCH;
    return found > 0;
}

// Match the beginning of a long text.  A match that depends on the cut is rejected: the
// pattern has to match both with `other` after the cut (a word character, then one that
// is none) and with nothing after it.  The second match is of `subject` itself, because
// its groups are read afterwards.
static bool matches_beginning(struct hp_pattern *pattern, const char *subject) {
    static const char other[] = {'_', '\1'};
    char text[HP_MATCHED_BYTES + sizeof other];
    size_t size = HP_MATCHED_BYTES;
    while (size > HP_MATCHED_BYTES - 3 && ((unsigned char)subject[size] & 0xc0) == 0x80) {
        size--; // back to the beginning of a UTF-8 character
    }
    memcpy(text, subject, size);
    memcpy(text + size, other, sizeof other);
    return is_found(pattern, text, size + sizeof other, PCRE2_NOTEOL) &&
           is_found(pattern, subject, size, PCRE2_NOTEOL);
}

bool hp_pattern_matches(struct hp_pattern *pattern, const char *subject) {
    struct hp_match_time *time = pattern->time;
    if (!time) {
        return is_found(pattern, subject, strlen(subject), 0);
    }
    if (time->spent > (int64_t)SECONDS_MAX * 1000000000) {
        pattern->is_out_of_time = true;
        return false;
    }
    size_t size = strnlen(subject, HP_MATCHED_BYTES + 1);
    int64_t begin = read_clock(CLOCK_MONOTONIC_COARSE);
    bool found = size > HP_MATCHED_BYTES ? matches_beginning(pattern, subject)
                                         : is_found(pattern, subject, size, 0);
    take_time(time, begin);
    return found;
}

bool hp_pattern_group(const struct hp_pattern *pattern, const char *subject,
                      uint32_t number, struct hp_span *text) {
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(pattern->match);
    if (number >= pcre2_get_ovector_count(pattern->match) ||
        ends[2 * number] == PCRE2_UNSET) {
        return false;
    }
    text->at = subject + ends[2 * number];
    text->size = ends[2 * number + 1] - ends[2 * number];
    return true;
}

// Store the name and the number of the i-th named group.  An entry of PCRE2's table of
// names is the number of the group in two bytes, the high one first, and the name.
bool hp_pattern_name(const struct hp_pattern *pattern, uint32_t i, const char **name,
                     uint32_t *number) {
    uint32_t count = 0, size = 0;
    PCRE2_SPTR table = NULL;
    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMETABLE, (void *)&table);
    if (i >= count) {
        return false;
    }
    PCRE2_SPTR entry = table + (size_t)i * size;
    *number = (uint32_t)entry[0] << 8 | entry[1];
    *name = (const char *)(entry + 2);
    return true;
}
