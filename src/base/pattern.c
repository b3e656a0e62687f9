#include "base/pattern.h"

#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

enum {
    STEPS_MAX = 1000000, // of one match: what backtracks without end stops in about 10 ms
};

int hp_pattern_init(struct hp_pattern *pattern, const char *text, struct hp_err *err) {
    int number;
    PCRE2_SIZE offset;
    *pattern = (struct hp_pattern){0};
    pattern->code =
        pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &number, &offset, NULL);
    if (!pattern->code && number == PCRE2_ERROR_HEAP_FAILED) {
        hp_out_of_memory(0);
    }
    if (!pattern->code) {
        char why[128];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
        return hp_fail(err, HP_E_USAGE, "pattern %s: %s at %zu", text, why,
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

bool hp_pattern_matches(struct hp_pattern *pattern, const char *subject) {
    int found = pcre2_match(pattern->code, (PCRE2_SPTR)subject, strlen(subject), 0, 0,
                            pattern->match, pattern->limits);
    if (found == PCRE2_ERROR_NOMEMORY) {
        hp_out_of_memory(0);
    }
    pattern->gave_up |= found < PCRE2_ERROR_NOMATCH;
    return found > 0;
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

// An entry of the table: the number in two bytes, the more significant first, and the name.
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
